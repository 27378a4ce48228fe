"""The ledger: every message that people wrote, every call to Telegram with its outcome, what was done to hosts."""

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.chaos.answers import lines_in

NEW = ("sendMessage", "sendDocument", "sendPhoto", "sendMediaGroup")
"""The calls whose repeat is seen."""
OUTAGES = ("database-down", "database-frozen", "disk")
"""While these last, a host cannot write down what it did."""
_A_MOMENT = 1.0  # seconds


@dataclass(frozen=True, kw_only=True, slots=True)
class Wrote:
    """A person wrote this; `chat` is the id of the chat on Telegram."""

    number: int
    chat: str
    at: float
    message_id: int = 0
    is_last: bool = False  # of the last round, which is written when nothing goes wrong any more


@dataclass(kw_only=True, slots=True)
class Called:
    """A call of a host as Telegram saw it. `told` is what the host heard: ok, 429, 502, or nothing."""

    host: str
    method: str
    chat: str = ""
    text: str = ""
    begun: float = 0
    ended: float = 0
    done: bool = False
    told: str = "nothing"
    fault: str = ""
    message_id: int = 0

    @property
    def numbers(self) -> set[int]:
        return {line.number for line in lines_in(self.text)}


@dataclass(frozen=True, kw_only=True, slots=True)
class Happened:
    """Something that the harness did, or saw happen: `host` is empty when it concerns them all."""

    at: float
    what: str
    host: str = ""


@dataclass(kw_only=True)
class Ledger:
    wrote: dict[int, Wrote] = field(default_factory=dict)
    memos: list[int] = field(default_factory=list)  # that the owner asked to remember, one after the other
    calls: list[Called] = field(default_factory=list)
    happened: list[Happened] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)  # that were carried out

    def note(self, what: str, host: str = "") -> None:
        self.happened.append(Happened(at=time.time(), what=what, host=host))

    def of_number(self, number: int) -> Iterator[Called]:
        return (call for call in self.calls if number in call.numbers)

    def by_number(self) -> dict[int, list[Called]]:
        """All of them at once: looking through every call for every number would take minutes."""
        found: dict[int, list[Called]] = {}
        for call in self.calls:
            for number in call.numbers:
                found.setdefault(number, []).append(call)
        return found

    def written_down_by(self, ended: float) -> float:
        """When a host that heard an answer has written it down, at the latest: not while its database is out."""
        until, begun = ended + _A_MOMENT, 0.0
        for each in self.happened:
            if each.what in OUTAGES:
                begun = each.at
            elif each.what.removesuffix(" is over") in OUTAGES and begun < until < each.at + _A_MOMENT:
                until = each.at + _A_MOMENT
        return until

    def lasted(self, happened: Happened) -> float:
        """When it ended: a paused host sleeps until it continues, or is killed."""
        if happened.what != "paused":
            return happened.at
        ends = (
            each.at
            for each in self.happened
            if each.host == happened.host and each.at > happened.at and each.what in ("went on", "killed")
        )
        return next(ends, float("inf"))

    def struck(self, host: str, since: float, until: float) -> str:
        """What was done to a host in that time that explains an unfinished call: killed or paused."""
        for each in self.happened:
            if since <= each.at <= until and each.host == host and each.what in ("killed", "paused"):
                return each.what
        return ""
