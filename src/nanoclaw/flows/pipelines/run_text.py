"""The texts about a run of a pipeline: what it will cost, how far it is, how it ended, and its line in a list."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.money import MICROS, dollars
from nanoclaw.domain.pipeline_runs import PipelineRun, StepRun, StepState
from nanoclaw.domain.pipelines import Gate, Step, StepType
from nanoclaw.domain.text import as_written
from nanoclaw.durable.pipeline_progress import StepProgress
from nanoclaw.flows.human.card_text import SHORT, span
from nanoclaw.texts import say, tell

_SUBJECT = 200  # characters shown
_TITLE = 60
_MOST_STEPS = 16  # lines of one message; a template may have 200
_CENT = MICROS // 100
_MINUTE = 60
SIGNS = {
    StepState.WAITING: "▫️",
    StepState.RUNNING: "▶️",
    StepState.ASKED: "🙋",
    StepState.DONE: "✅",
    StepState.SKIPPED: "⏭️",
    StepState.FAILED: "❌",
    StepState.CANCELLED: "✖️",
}


def short_id(run: PipelineRun) -> str:
    return run.id[-SHORT:]


def role_of(step: Step, language: str) -> str:
    """The role as in the template; an unnamed approval (`HITL`) gets a readable name."""
    is_nameless = step.type is StepType.APPROVAL and step.role.casefold() == "hitl"
    return say(language, "pipeline-approval") if is_nameless else step.role


def money_between(low: int, high: int) -> str:
    """`$0.25–0.50`, in whole cents unless it is less than one cent."""
    digits = 2 if high >= _CENT else 4
    first, last = f"{low / MICROS:.{digits}f}", f"{high / MICROS:.{digits}f}"
    return f"${last}" if first == last else f"${first}–{last}"


def time_between(language: str, low: int, high: int) -> str:
    if high < _MINUTE:
        return _range(language, "pipeline-seconds", low, high)
    return _range(language, "pipeline-minutes", max(1, round(low / _MINUTE)), max(1, round(high / _MINUTE)))


def card(
    run: PipelineRun,
    steps: Sequence[StepRun],
    language: str,
    at: datetime,
    *,
    spent: int,
    doing: Mapping[int, str] | None = None,
    is_unpaid: bool = False,
) -> str:
    """The one message of a run. A terminal shows only lines that have changed."""
    head = say(
        language,
        f"pipeline-card-{run.status}",
        title=as_written(_short(run.template.title, _TITLE)),
        subject=as_written(_short(run.subject, _SUBJECT)),
        id=short_id(run),
    )
    parts = [head]
    if run.status.is_over:
        if why := fault(run.why, language):
            parts.append(as_written(why))
    elif run.started_at is not None:
        parts.append(_where(run, steps, language, is_unpaid=is_unpaid))
    lines = _lines(run, steps, language, doing or {})
    parts.append("\n".join(lines))
    if run.started_at is not None:
        parts.append(_figures(run, language, at, spent))
    return "\n\n".join(parts)


def line(
    run: PipelineRun,
    steps: Sequence[StepRun | StepProgress],
    language: str,
    *,
    spent: int,
    is_unpaid: bool = False,
) -> str:
    """One line for a list: what, about what, how far, and the cost so far. `is_unpaid`: it waits for money."""
    over = sum(step.state.is_over for step in steps)
    return say(
        language,
        "pipeline-line",
        id=short_id(run),
        title=as_written(_short(run.template.title, _TITLE)),
        subject=as_written(_short(run.subject, _TITLE)),
        status=say(language, f"pipeline-status-{'unpaid' if is_unpaid else run.status}"),
        where="" if run.status.is_over else say(language, "pipeline-line-step", n=over, of=len(steps)),
        cost=f" · {dollars(spent)}" if spent else "",
    )


def fault(why: Mapping[str, Any] | None, language: str) -> str:
    """Why it failed or was cancelled; otherwise empty."""
    if not why or "key" not in why:
        return ""
    values = {name: value for name, value in why.items() if name != "key"}
    return tell(language, NanoClawError(str(why["key"]), **values))


def _where(run: PipelineRun, steps: Sequence[StepRun], language: str, *, is_unpaid: bool) -> str:
    """`Step 3 of 7`; if several run at once, the first of them."""
    begun = [step.number for step in steps if step.state in (StepState.RUNNING, StepState.ASKED)]
    over = [step.number for step in steps if step.state.is_over]
    number = min(begun, default=min(max(over, default=0) + 1, len(steps)))
    asks = any(step.state is StepState.ASKED for step in steps)
    key = "pipeline-where-asked" if asks else "pipeline-where-unpaid" if is_unpaid else "pipeline-where"
    return say(language, key, n=number, of=len(run.template.steps))


def _lines(run: PipelineRun, steps: Sequence[StepRun], language: str, doing: Mapping[int, str]) -> list[str]:
    """The lines of the steps; if there are many, those around the current one."""
    first = 0
    if len(steps) > _MOST_STEPS:
        is_open = (place for place, step in enumerate(steps) if not step.state.is_over)
        here = next(is_open, len(steps))
        first = max(0, min(here - _MOST_STEPS // 2, len(steps) - _MOST_STEPS))
    shown = steps[first : first + _MOST_STEPS]
    lines = [_step_line(run.template.step(step.number), step, language, doing) for step in shown]
    before, after = first, len(steps) - first - len(shown)
    return [
        *([say(language, "pipeline-steps-before", count=before)] if before else []),
        *lines,
        *([say(language, "pipeline-steps-after", count=after)] if after else []),
    ]


def _step_line(step: Step, done: StepRun, language: str, doing: Mapping[int, str]) -> str:
    never_began = done.state is StepState.CANCELLED and done.started_at is None
    sign = SIGNS[StepState.WAITING if never_began else done.state]
    parts = [f"- {sign} {step.number}\\. {as_written(role_of(step, language))}"]
    parts += [_gate(gate, done.results[gate.key]) for gate in step.gates if gate.key in done.results]
    if done.micros:
        parts.append(dollars(done.micros))
    if done.attempt > 1:
        parts.append(say(language, "pipeline-attempt", n=done.attempt))
    if broken := sum(
        "rule" in fault for fault in done.faults
    ):  # the others are gates, which are already shown
        parts.append(say(language, "pipeline-faults", count=broken))
    if done.state is StepState.RUNNING and (now := doing.get(step.number)):
        parts.append(f"`{now}`")
    if done.state is StepState.FAILED and (why := fault(done.why, language)):
        parts.append(as_written(why))
    return " · ".join(parts)


def _gate(gate: Gate, given: object) -> str:
    """What was measured, and what was wanted if it fell short."""
    value = len(given) if isinstance(given, list | tuple) else given
    shown = f"{value:g}" if isinstance(value, int | float) else str(value)[:40]
    said = f"{gate.key} {shown}"
    return as_written(said if gate.passes({gate.key: given}) else f"{said} ({gate})")


def _figures(run: PipelineRun, language: str, at: datetime, spent: int) -> str:
    """Cost and time, each with what was estimated before the start."""
    took = max((run.ended_at or at) - (run.started_at or at), timedelta())
    told = {"cost": dollars(spent), "time": span(language, took)}
    expected = _expected(run.estimate, language)
    beside = say(language, "pipeline-figures-estimated", expected=expected) if expected else ""
    return (
        say(language, "pipeline-figures" if run.status.is_over else "pipeline-figures-so-far", **told)
        + beside
    )


def _expected(estimate: Mapping[str, Any] | None, language: str) -> str:
    if not estimate:
        return ""
    cost, seconds = estimate.get("cost"), estimate.get("seconds")
    parts = [money_between(*cost)] if cost and cost[1] else []
    parts += [time_between(language, *seconds)] if seconds else []
    return ", ".join(parts)


def _range(language: str, key: str, low: int, high: int) -> str:
    return say(language, key, count=high, range=str(high) if low == high else f"{low}–{high}")


def _short(text: str, most: int) -> str:
    words = " ".join(text.split())
    return words if len(words) <= most else f"{words[: most - 1]}…"
