"""The steps of a template as rows for drawing: what runs side by side, and where the branches meet."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from nanoclaw.domain.pipelines import Step, StepType, Template

_WIDEST = 40
_UNITS = ((86_400, "d"), (3600, "h"), (60, "m"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """Steps that run at once. `after` are those of the row before, all of which must have ended."""

    steps: tuple[Step, ...]
    after: tuple[int, ...]

    @property
    def is_join(self) -> bool:
        return len(self.after) > 1


def rows(template: Template) -> tuple[Row, ...]:
    found: list[Row] = []
    for stage in template.stages:
        after = tuple(step.number for step in found[-1].steps) if found else ()
        found.append(Row(steps=stage, after=after))
    return tuple(found)


def drawn(template: Template) -> str:
    """The picture for a terminal: one line per step, and a bracket around those that run at once."""
    width = max((min(len(step.role), _WIDEST) for step in template.steps), default=0)
    digits = len(str(len(template.steps)))
    lines = [
        f"{bracket} {step.number:>{digits}}. {step.role:<{width}}  {_about(step)}".rstrip()
        for row in rows(template)
        for bracket, step in zip(_brackets(len(row.steps)), row.steps, strict=True)
    ]
    return "\n".join(lines)


def _brackets(count: int) -> Iterator[str]:
    if count == 1:
        yield "│"
        return
    yield "┌"
    yield from "├" * (count - 2)
    yield "└"


def _about(step: Step) -> str:
    parts = [step.type.value, ", ".join(map(str, step.gates)), step.model]
    if step.type is StepType.APPROVAL:
        parts.append(_span(step.timeout))
    if step.outputs.count > 1:
        parts.append(" + ".join(step.outputs.names) or f"x{step.outputs.count}")
    return " · ".join(part for part in parts if part)


def _span(span: timedelta) -> str:
    """A span as templates write it."""
    seconds = round(span.total_seconds())
    unit, letter = next((each for each in _UNITS if seconds % each[0] == 0), (1, "s"))
    return f"{seconds // unit}{letter}"
