"""What model calls cost, added up for people: by what, and how much."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import date, datetime
from enum import StrEnum


class Grouping(StrEnum):
    """How costs are grouped."""

    COMPANY = "company"
    MODEL = "model"
    FLOW = "flow"
    SKILL = "skill"
    PERSON = "person"  # who woke the agent
    GROUP = "group"
    CHAT = "chat"
    TASK = "task"
    RUN = "run"  # of a pipeline, or a chain of handoffs
    DAY = "day"


@dataclass(frozen=True, kw_only=True, slots=True)
class Sums:
    """Model calls added up, exactly. Calls under way count with the most they can cost."""

    calls: int = 0
    micros: int = 0
    input: int = 0  # tokens, including those read from the vendor's cache and written to it
    output: int = 0
    cached: int = 0  # the part of `input` that was read from the cache
    saved_by_cache: int = 0  # micros; below 0 while a cache is being filled
    saved_by_batch: int = 0

    def __add__(self, other: "Sums") -> "Sums":
        return Sums(
            **{each.name: getattr(self, each.name) + getattr(other, each.name) for each in fields(Sums)}
        )

    @property
    def saved(self) -> int:
        return self.saved_by_cache + self.saved_by_batch


@dataclass(frozen=True, kw_only=True, slots=True)
class CostLine:
    """One company, model, day ... and its costs. `key` is None for what belongs to none, or is unknown."""

    key: str | None
    name: str
    sums: Sums


@dataclass(frozen=True, kw_only=True, slots=True)
class OnTheWay:
    """Calls whose cost is not known yet: the part of a total that may still become smaller."""

    calls: int = 0
    micros: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    """`total` is the sum of all lines, before anything is rounded for people."""

    by: Grouping
    since: date | None  # None: everything there is
    lines: tuple[CostLine, ...]
    on_the_way: OnTheWay

    @property
    def total(self) -> Sums:
        return add(line.sums for line in self.lines)


@dataclass(frozen=True, kw_only=True, slots=True)
class Forecast:
    """The forecast for the end of the month, in micros, if its remaining days are like `days` earlier ones."""

    expected: int
    low: int  # if all of them are like the cheapest
    high: int  # like the most expensive
    days: int


@dataclass(frozen=True, kw_only=True, slots=True)
class DearTurn:
    """A turn that cost much. `message_id` leads to its story, if it began with a message."""

    turn_id: str
    at: datetime
    company: str
    flow: str
    skill: str
    models: tuple[str, ...]
    person: str | None
    chat_id: str | None
    task_id: int | None
    chain_id: str | None
    message_id: str | None
    sums: Sums


def add(several: Iterable[Sums]) -> Sums:
    return sum(several, Sums())
