"""How questions ended: how fast people answered, and how often nobody did, by kind and by skill."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean, median

from nanoclaw.domain.questions import Status
from nanoclaw.durable.questions import QuestionOutcome


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """Seconds count questions a person decided; the rate counts all that were decided or timed out."""

    name: str
    asked: int
    answered: int
    timed_out: int
    mean: float | None
    median: float | None
    timeout_rate: float


def figure(name: str, outcomes: Sequence[QuestionOutcome]) -> Figure:
    answered = [each.seconds for each in outcomes if each.status is Status.COMPLETED]
    timed_out = sum(each.status is Status.TIMEOUT for each in outcomes)
    return Figure(
        name=name,
        asked=len(outcomes),
        answered=len(answered),
        timed_out=timed_out,
        mean=fmean(answered) if answered else None,
        median=median(answered) if answered else None,
        timeout_rate=timed_out / len(outcomes) if outcomes else 0.0,
    )


def figures_by(
    outcomes: Sequence[QuestionOutcome], name_of: Callable[[QuestionOutcome], str]
) -> tuple[Figure, ...]:
    """Figures by name, the most asked first."""
    names = {name_of(each) for each in outcomes}
    found = [figure(name, [each for each in outcomes if name_of(each) == name]) for name in names]
    return tuple(sorted(found, key=lambda each: (-each.asked, each.name)))
