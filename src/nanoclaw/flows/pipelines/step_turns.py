"""What differs in a turn of a pipeline's step: its skill and model, little context, and the tool that ends it."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from nanoclaw.context.company_context import CompanyContexts
from nanoclaw.context.skills import Skill, Skills
from nanoclaw.domain.errors import NanoClawError, Refused
from nanoclaw.domain.model_choice import ModelWish
from nanoclaw.domain.pipeline_runs import StepAtWork
from nanoclaw.domain.text import as_written
from nanoclaw.domain.tools import TOOLS, Tool
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import pipeline_runs, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.turns import Turn
from nanoclaw.flows.pipelines.cards import RunCards
from nanoclaw.flows.pipelines.step_progress_message import StepProgressMessage
from nanoclaw.flows.pipelines.step_prompt import prompt_of
from nanoclaw.flows.turns.kind import Follower, TurnKind
from nanoclaw.pipelines.results import form_of
from nanoclaw.texts import say, tell

FLOW = "D"
_AT_ONCE = timedelta(seconds=5)  # a turn that begins later than this after its step had to wait for a place


@dataclass(frozen=True, kw_only=True, slots=True)
class StepTurns(TurnKind):
    """Turns that no pipeline run waits for pass through unchanged."""

    store: Store
    known_skills: Skills
    contexts: CompanyContexts
    cards: RunCards
    most_steps: int  # model calls

    async def begin(self, turn: Turn) -> None:
        if turn.then is None or turn.then.kind != work.PIPELINE:
            return
        at = turn.step = await self.store.read(partial(pipeline_runs.at_work, session_id=turn.session.id))
        if at is None:  # it was called off meanwhile
            raise Refused("run-step-over")
        if turn.is_of_stranger or turn.speaker.blocked:
            raise Refused("run-lost-rights", name=turn.speaker.name)
        skill = self._skill(at)
        turn.acts_as, turn.wants_memory = skill.name, False
        turn.wanted_model = ModelWish(
            by="step", model=at.step.model or None, thinking=at.step.thinking or None
        )
        if not turn.acts_on_answer:
            turn.history = ()
        if turn.again or now() - (at.done.started_at or now()) > _AT_ONCE:
            await self.store.write(partial(_give_time, at=at, by=now() + at.step.timeout))

    async def check(self, turn: Turn, request: TurnRequest) -> TurnRequest | None:
        """None if its result is already there: the host died between the result and the end of the turn."""
        at = turn.step
        if at is None:
            return request
        if at.done.texts:
            return None
        prompt = prompt_of(at, self.contexts.read(request.company).texts)
        return replace(
            request,
            prompt=f"{prompt}\n{request.prompt}" if turn.acts_on_answer else prompt,
            grants=replace(request.grants, turn_tools=(self._tool(at),)),
            most_steps=self.most_steps,
            is_unattended=True,
            flow=FLOW,
            chain_id=at.run.id,
            step=at.step.number,
            step_budget=at.step.budget,
        )

    def follower(self, turn: Turn) -> Follower | None:
        return StepProgressMessage(store=self.store, cards=self.cards, at=turn.step) if turn.step else None

    def held(self, turn: Turn, outage: NanoClawError, language: str) -> str | None:
        """The notice that the step is held: nobody wrote a message that could be said to wait."""
        if turn.step is None:
            return None
        title, reason = as_written(turn.step.run.template.title), tell(language, outage)
        return say(language, "run-held", title=title, step=turn.step.step.number, reason=reason)

    def _skill(self, at: StepAtWork) -> Skill:
        skill = self.known_skills.find(at.step.skill)
        if skill is None:
            raise Refused("run-skill-gone", skill=at.step.skill, step=at.step.number)
        return skill

    def _tool(self, at: StepAtWork) -> Tool:
        form = form_of(at.run.template, at.step, self._skill(at).head.results)
        return replace(TOOLS["finish_step"], form=form.schema())


def _give_time(tx: Tx, at: StepAtWork, by: datetime) -> None:
    """Start its time now: it has waited for its place, for a model, or for a person."""
    pipeline_runs.mark_step(tx, at.run.id, at.step.number, due_by=by)
    work.due(tx, work.PIPELINE, at.run.id, by)
