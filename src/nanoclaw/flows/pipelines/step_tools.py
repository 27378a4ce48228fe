"""The tool by which an agent hands in the result of its step. Faults go back to the agent."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from nanoclaw.context.groups import Group
from nanoclaw.context.skills import Skills
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.pipeline_runs import PipelineRunStatus, StepAtWork, StepRun, StepState
from nanoclaw.domain.tool_arguments import FinishStep
from nanoclaw.domain.tool_requests import ToolReply, ToolRequest
from nanoclaw.domain.turns import Session
from nanoclaw.durable import people, pipeline_runs
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.pipelines.outputs import OutputFiles
from nanoclaw.pipelines.results import StepResult, form_of
from nanoclaw.texts import tell

MOST_REFUSALS = 2  # per attempt; the next one makes it fail
_TAKEN = ToolReply(ok=True, text="Your result was taken. Your step is over: end here, and say nothing more.")
_NO_STEP = ToolReply(ok=False, text="No step of a pipeline is running here. Nothing was handed in.")
_TOO_OFTEN = "It was handed in wrongly too often: this step has failed. End your turn now."


@dataclass(frozen=True, kw_only=True, slots=True)
class StepTools:
    store: Store
    known_skills: Skills
    outputs: OutputFiles

    async def finish(self, asking: ToolRequest, session: Session, _group: Group) -> ToolReply:
        at, channel = await self.store.read(lambda tx: _look(tx, session))
        if at is None:
            return _NO_STEP
        read = await asyncio.to_thread(self._read, at, asking.given(FinishStep).plain(), channel)
        reply = await self.store.write(lambda tx: _take(tx, at, asking.id, *read))
        asking.noted()
        return reply

    def _read(
        self, at: StepAtWork, given: Mapping[str, Any], channel: str
    ) -> tuple[StepResult | tuple[Refused, ...], Sequence[Mapping[str, Any]]]:
        """The result, and the adaptor rules that it breaks."""
        skill = self.known_skills.find(at.step.skill)
        form = form_of(at.run.template, at.step, skill.head.results if skill else {})
        result = form.read(given)
        if not isinstance(result, StepResult):
            return result, ()
        return result, self.outputs.faults(at.step, result.texts, channel)


def refusals(step: StepRun) -> int:
    """How often a result of this attempt was refused for its form."""
    return len({fault["refused"] for fault in step.faults if "form" in fault})


def _look(tx: Tx, session: Session) -> tuple[StepAtWork | None, str]:
    chat = people.chat(tx, session.chat_id)
    return pipeline_runs.at_work(tx, session.id), chat.channel if chat else ""


def _take(
    tx: Tx,
    at: StepAtWork,
    request: str,
    result: StepResult | tuple[Refused, ...],
    broken: Sequence[Mapping[str, Any]],
) -> ToolReply:
    """Take the result in one transaction: asked again after a crash, it says the same."""
    run = pipeline_runs.locked(tx, at.run.id)
    step = pipeline_runs.step(tx, at.run.id, at.step.number)
    if run is None or run.status is not PipelineRunStatus.RUNNING or step.state is not StepState.RUNNING:
        return _NO_STEP
    if step.texts:
        return _TAKEN
    if not isinstance(result, StepResult):
        told = [tell("en", fault) for fault in result]
        new = [
            {"refused": request, "form": fault.key, "said": said}
            for fault, said in zip(result, told, strict=True)
        ]
        step = _refuse(tx, step, request, new)
        is_enough = refusals(step) > MOST_REFUSALS  # then the turn ends here, as after a good one
        end = _TOO_OFTEN if is_enough else "Mend it and call finish_step again."
        return ToolReply(ok=is_enough, text=" ".join(["Nothing was taken.", *told, end]))
    asked_before = [fault for fault in step.faults if "rule" in fault and "refused" in fault]
    if broken and (not asked_before or asked_before[0]["refused"] == request):
        _refuse(tx, step, request, [{**fault, "refused": request} for fault in broken])
        return ToolReply(ok=False, text=_rules(broken))
    pipeline_runs.mark_step(
        tx,
        at.run.id,
        at.step.number,
        texts=dict(result.texts),
        results=dict(result.results),
        claims=[asdict(claim) for claim in result.claims],
        faults=[dict(fault) for fault in broken],
    )
    return _TAKEN


def _refuse(tx: Tx, step: StepRun, request: str, new: list[dict[str, Any]]) -> StepRun:
    if not any(fault.get("refused") == request for fault in step.faults):
        faults = [*map(dict, step.faults), *new]
        pipeline_runs.mark_step(tx, step.run_id, step.number, faults=faults)
    return pipeline_runs.step(tx, step.run_id, step.number)


def _rules(broken: Sequence[Mapping[str, Any]]) -> str:
    lines = [f"- {fault['name']} ({fault['target']}): {fault['said']}" for fault in broken]
    head = "Nothing was taken: some texts do not keep the rules of their channel."
    end = "Mend them and call finish_step again; what breaks a rule then is shown to the person."
    return "\n".join([head, *lines, end])
