"""How pipelines and their runs are printed on a terminal."""

import re
from collections.abc import Iterator
from datetime import timedelta

from nanoclaw.cli.inbox.lines import took
from nanoclaw.cli.plain_lines import clean, one_line
from nanoclaw.console.pipeline_shapes import (
    BrokenPipeline,
    PipelineEstimate,
    PipelineRun,
    PipelineRunLine,
    PipelineStep,
    PipelineTemplate,
)
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.money import MICROS, dollars
from nanoclaw.domain.pipeline_runs import StepState
from nanoclaw.domain.pipelines import Step, StepType
from nanoclaw.durable.clock import now
from nanoclaw.flows.human.card_text import span
from nanoclaw.flows.pipelines.run_text import SIGNS, money_between, role_of, time_between
from nanoclaw.flows.tasks.task_text import moment
from nanoclaw.texts import say

_INDENT = "    "
_COMPARES = re.compile("[<>=]")


def template_lines(locale: Locale, row: PipelineTemplate) -> list[str]:
    """Name, commands and what it will cost."""
    language = locale.speaks
    names = ", ".join([*row.commands, *(f"“{phrase}”" for phrase in row.phrases)])
    steps = say(language, "pipelines-steps", count=len(row.steps))
    return [
        f"{row.name}  {one_line(row.title)} · {steps} · {estimated(row.estimate, language)}",
        *([f"{_INDENT}{one_line(names)}"] if names else []),
    ]


def broken_lines(locale: Locale, row: BrokenPipeline) -> list[str]:
    first = row.mistakes[0] if row.mistakes else None
    said = f"{row.path}:{first.line}: {first.sentence}" if first else row.path
    told = say(locale.speaks, "pipelines-broken")
    return [f"{row.name}  {told}", f"{_INDENT}{one_line(said)}"]


def estimated(row: PipelineEstimate, language: str) -> str:
    cost = say(language, "start-cost-unknown")
    if row.cost_usd is not None:
        low, high = (round(each * MICROS) for each in row.cost_usd)
        cost = money_between(low, high) if high else say(language, "start-free")
    low, high = (round(each) for each in row.seconds)
    return f"{cost}, {time_between(language, low, high)}"


def whole_estimate(row: PipelineEstimate, language: str) -> list[str]:
    """The estimate before a start: what the host expects, and what the template itself says."""
    lines = [say(language, "pipelines-estimate", expected=estimated(row, language), runs=row.runs)]
    author = []
    if row.author_cost_usd:
        author.append(money_between(*(round(each * MICROS) for each in row.author_cost_usd)))
    if row.author_seconds:
        author.append(time_between(language, *(round(each) for each in row.author_seconds)))
    return [*lines, *([say(language, "start-author", expected=", ".join(author))] if author else [])]


def run_line(locale: Locale, row: PipelineRunLine) -> str:
    """One line for the list: id, what, how far, what it cost, and when."""
    language = locale.speaks
    parts = [say(language, f"pipeline-status-{'unpaid' if row.unpaid else row.status}")]
    if row.ended_at is None:
        parts[0] += say(language, "pipeline-line-step", n=row.steps_done, of=row.steps_total)
        parts += [one_line(", ".join(row.now))] if row.now else []
    parts.append(dollars(round(row.cost_usd * MICROS)))
    if row.started_at and row.ended_at:
        parts.append(took(language, (row.ended_at - row.started_at).total_seconds()))
    parts.append(moment(row.created_at, locale))
    return f"{row.short}  {one_line(row.title)}: {one_line(row.subject)}\n{_INDENT}{' · '.join(parts)}"


def whole_lines(locale: Locale, row: PipelineRun) -> Iterator[str]:
    """Everything about one run except its texts."""
    language = locale.speaks
    yield run_line(locale, row)
    yield _INDENT + say(language, "tasks-where", group=one_line(row.group), chat=one_line(row.chat_title))
    if row.why:
        yield _INDENT + one_line(row.why)
    yield from (step_line(step, language) for step in row.steps)
    if row.expected_cost_usd or row.expected_seconds:
        yield expectation(row, language)


def step_line(step: PipelineStep, language: str) -> str:
    """A step in its current state: its sign, who does it, what was measured, and what it cost."""
    never_began = step.state == StepState.CANCELLED and step.started_at is None
    sign = SIGNS[StepState.WAITING if never_began else StepState(step.state)]
    parts = [f"{sign} {step.number}. {one_line(_role(step, language))}"]
    parts += [
        f"{_COMPARES.split(gate.gate)[0]} {one_line(gate.value)}" + ("" if gate.passed else f" ({gate.gate})")
        for gate in step.gate_values
        if gate.value is not None and step.state != StepState.RUNNING
    ]
    if step.cost_usd:
        parts.append(dollars(round(step.cost_usd * MICROS)))
    if step.started_at and step.ended_at:
        parts.append(span(language, step.ended_at - step.started_at))
    if step.attempt > 1:
        parts.append(say(language, "pipeline-attempt", n=step.attempt))
    parts += [one_line(each) for each in (*step.faults, step.why or "") if each]
    return " · ".join(parts)


def text_lines(row: PipelineRun) -> Iterator[str]:
    """The texts that the steps made."""
    for step in row.steps:
        for text in step.texts:
            yield f"\n── {step.number}. {one_line(step.role)} · {one_line(text.name)}"
            yield from clean(text.text, longest=None)


def expectation(row: PipelineRun, language: str) -> str:
    """What it cost compared with what was expected."""
    parts = []
    if row.expected_cost_usd:
        low, high = (round(each * MICROS) for each in row.expected_cost_usd)
        parts += [money_between(low, high)] if high else []
    if row.expected_seconds:
        parts.append(time_between(language, *(round(each) for each in row.expected_seconds)))
    spent = (row.ended_at or now()) - row.started_at if row.started_at else timedelta()
    told = {"cost": dollars(round(row.cost_usd * MICROS)), "time": span(language, spent)}
    beside = say(language, "pipeline-figures-estimated", expected=", ".join(parts)) if parts else ""
    return say(language, "pipeline-figures", **told) + beside


def _role(step: PipelineStep, language: str) -> str:
    return role_of(
        Step(number=step.number, role=step.role, type=StepType(step.type), line=step.line), language
    )
