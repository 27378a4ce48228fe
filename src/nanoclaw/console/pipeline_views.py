"""Runs of pipelines as the API shows them, in the owner's language."""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

from nanoclaw.console import pipeline_shapes as shapes
from nanoclaw.console.markdown import to_html
from nanoclaw.console.template_views import plan_of, rows_of, usd, usd_range
from nanoclaw.domain.money import MICROS
from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus, StepRun, StepState
from nanoclaw.domain.pipelines import Gate, Step
from nanoclaw.durable import budgets, chains, people, pipeline_progress, pipeline_runs
from nanoclaw.durable.pipeline_progress import StepProgress
from nanoclaw.durable.store import Tx
from nanoclaw.flows.company_context.files import diff
from nanoclaw.flows.human.card_text import SHORT
from nanoclaw.flows.pipelines import output_text, run_text

_ENDED = (StepState.DONE, StepState.SKIPPED)
_UNDER_WAY = (StepState.RUNNING, StepState.ASKED)


def show_runs(tx: Tx, runs: Sequence[PipelineRun], language: str) -> list[shapes.PipelineRunLine]:
    progress = pipeline_progress.of_runs(tx, [run.id for run in runs])
    unpaid = budgets.waiting(tx).chains
    return [
        shapes.PipelineRunLine(
            **_line(tx, run, progress.get(run.id, []), language, is_unpaid=run.id in unpaid)
        )
        for run in runs
    ]


def show_run(tx: Tx, run: PipelineRun, language: str, *, texts: bool = True) -> shapes.PipelineRun:
    steps = pipeline_runs.steps(tx, run.id)
    # A running step is written down at its end; what its calls cost is known at once.
    spent = chains.spent_by_step(tx, run.id) if not run.status.is_over else {}
    shown = [
        _step(run.template.step(step.number), step, spent.get(step.number, 0), language, texts=texts)
        for step in steps
    ]
    is_unpaid = run.id in budgets.waiting(tx).chains
    line = _line(tx, run, steps, language, is_unpaid=is_unpaid) | {
        "cost_usd": sum(step.cost_usd for step in shown)
    }
    return shapes.PipelineRun(**line, steps=shown, rows=rows_of(run.template), source=run.template.source)


def show_texts(run: PipelineRun, steps: Sequence[StepRun], number: int) -> shapes.StepTexts:
    """Rendering takes time, so it does not happen while a transaction is open."""
    inputs = [
        shapes.StepInput(
            number=each.number, role=each.role, type=each.type.value, texts=_rendered(given.texts)
        )
        for each in (run.template.step(earlier) for earlier in run.template.step(number).inputs.steps)
        if (given := steps[each.number - 1]).texts
    ]
    return shapes.StepTexts(texts=_rendered(steps[number - 1].texts), inputs=inputs)


def _rendered(texts: Mapping[str, str]) -> list[shapes.ShownText]:
    return [shapes.ShownText(name=name, text=text, html=_html(text)) for name, text in texts.items()]


@lru_cache(maxsize=64)
def _html(text: str) -> str:
    """Cached: a watched run is requested many times, and its texts do not change."""
    return to_html(text)


def compare(one: shapes.PipelineRun, other: shapes.PipelineRun) -> shapes.RunsCompared:
    """Match steps by their roles, in order: a changed template may have more or fewer."""
    pairs: list[tuple[shapes.PipelineStep | None, shapes.PipelineStep | None]] = []
    matcher = SequenceMatcher(
        a=[step.role for step in one.steps], b=[step.role for step in other.steps], autojunk=False
    )
    for kind, low, high, from_, to in matcher.get_opcodes():
        mine, theirs = one.steps[low:high], other.steps[from_:to]
        if kind == "equal":
            pairs += zip(mine, theirs, strict=True)
        else:
            pairs += [(step, None) for step in mine] + [(None, step) for step in theirs]
    return shapes.RunsCompared(
        one=_without_texts(one), other=_without_texts(other), steps=[_compared(*pair) for pair in pairs]
    )


def _without_texts(run: shapes.PipelineRun) -> shapes.PipelineRun:
    return run.model_copy(update={"steps": [step.model_copy(update={"texts": []}) for step in run.steps]})


def _line(
    tx: Tx, run: PipelineRun, steps: Sequence[StepRun | StepProgress], language: str, *, is_unpaid: bool
) -> dict[str, Any]:
    chat = people.chat(tx, run.chat_id)
    estimate = run.estimate or {}
    names = ("id", "subject", "company", "group", "chat_id", "created_at", "started_at", "ended_at")
    more = ("again_of", "from_step", "task_id", "message_id")
    asked = [run.question_id] if run.question_id and run.status is PipelineRunStatus.ASKED else []
    return {
        **{name: getattr(run, name) for name in (*names, *more)},
        "short": run.id[-SHORT:],
        "template": run.template.name,
        "title": run.template.title,
        "status": run.status.value,
        "unpaid": is_unpaid and run.status is PipelineRunStatus.RUNNING,
        "chat_title": chat.title if chat else "",
        "started_by": people.person(tx, run.started_by).name,
        "steps_done": sum(step.state in _ENDED for step in steps),
        "steps_total": len(run.template.steps),
        "now": [
            run_text.role_of(run.template.step(step.number), language)
            for step in steps
            if step.state in _UNDER_WAY
        ],
        "questions": asked
        + [step.question_id for step in steps if step.question_id and step.state is StepState.ASKED],
        "cost_usd": sum(step.micros for step in steps) / MICROS,
        "budget_usd": usd(run.budget),
        "expected_cost_usd": usd_range(estimate.get("cost")),
        "expected_seconds": estimate.get("seconds"),
        "why": run_text.fault(run.why, language) or None,
    }


def _step(step: Step, run: StepRun, spent: int, language: str, *, texts: bool) -> shapes.PipelineStep:
    given = run.given or {}
    return shapes.PipelineStep.of(
        run,
        **plan_of(step),
        state=run.state.value,
        gate_values=[_gate(gate, run) for gate in step.gates],
        texts=[shapes.StepText(name=name, text=text if texts else "") for name, text in run.texts.items()],
        claims=list(run.claims),
        faults=[_fault(language, fault) for fault in run.faults],
        why=run_text.fault(run.why, language) or None,
        changed_input=given.get("text"),
        note=given.get("note"),
        cost_usd=max(run.micros, spent) / MICROS,
    )


def _gate(gate: Gate, run: StepRun) -> shapes.GateValue:
    if gate.key not in run.results:
        return shapes.GateValue(gate=str(gate), value=None, passed=None)
    value = run.results[gate.key]
    shown = (
        str(len(value))
        if isinstance(value, list)
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
    )
    return shapes.GateValue(gate=str(gate), value=shown, passed=gate.passes(run.results))


def _compared(one: shapes.PipelineStep | None, other: shapes.PipelineStep | None) -> shapes.ComparedStep:
    before, after = ({text.name: text.text for text in step.texts} if step else {} for step in (one, other))
    named = one or other
    return shapes.ComparedStep(
        role=named.role if named else "",
        one=one.number if one else None,
        other=other.number if other else None,
        texts=[
            shapes.TextDifference(
                name=name,
                same=before.get(name) == after.get(name),
                diff=diff(before.get(name), after.get(name)),
            )
            for name in dict.fromkeys((*before, *after))
        ],
    )


def _fault(language: str, fault: Mapping[str, Any]) -> str:
    """A rule of an adaptor that a text breaks, or what was returned to the agent, in the words used."""
    if "rule" in fault:
        return f"{fault['target']}: {output_text.fault_sentence(language, fault)}"
    return str(fault.get("said", ""))
