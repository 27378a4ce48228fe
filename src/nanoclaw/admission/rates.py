"""How fast people may write: over the limit a message waits for its time, and nothing is lost.

Kept in memory, because it is about the last minute: after a restart everyone starts afresh, and waiting
messages keep the time they were given.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

_A_MINUTE = timedelta(minutes=1)
_MOST_REMEMBERED = 10_000
_MOST_GIVEN = 100


class Rate:
    """So many a minute for each key: all at once or spread out, each one frees its slot after its share of a
    minute. Only one moment is kept per key: when it will have caught up with what it was given.
    """

    def __init__(self, per_minute: int) -> None:
        self._share = _A_MINUTE // per_minute if per_minute else timedelta(0)
        self._caught_up: dict[str, datetime] = {}

    def due_at(self, key: str, at: datetime) -> datetime:
        """When one more may go, without counting it."""
        caught_up = self._caught_up.get(key, at)
        return max(at, caught_up + self._share - _A_MINUTE) if self._share else at

    def shift(self, by: timedelta) -> None:
        self._caught_up = {key: moment + by for key, moment in self._caught_up.items()}

    def count(self, key: str, at: datetime) -> None:
        if not self._share:
            return
        self._caught_up[key] = max(self._caught_up.pop(key, at), at) + self._share  # the newest last
        if len(self._caught_up) > _MOST_REMEMBERED:
            del self._caught_up[next(iter(self._caught_up))]


@dataclass(frozen=True, kw_only=True, slots=True)
class Pause:
    """A message waits until then; `first` of those that wait one after the other."""

    until: datetime
    first: bool


class Rates:
    """The rates of each person and each agent group. A message that waits because of its person does not
    count for the group: a person who floods a group makes nobody else wait.
    """

    def __init__(self, *, per_person: int, per_group: int) -> None:
        self._people = Rate(per_person)
        self._groups = Rate(per_group)
        self._told: dict[str, datetime] = {}
        self._given: dict[str, Pause | None] = {}  # by message

    def shift(self, by: timedelta) -> None:
        """The clock was set: nobody waits longer because of that."""
        self._people.shift(by)
        self._groups.shift(by)
        self._told = {person: moment + by for person, moment in self._told.items()}

    def look(self, person: str, groups: Iterable[str], at: datetime) -> datetime:
        """When a message would be taken up, without counting it."""
        own = self._people.due_at(person, at)
        return own if own > at else max((self._groups.due_at(group, at) for group in groups), default=at)

    def take(self, message: str, person: str, groups: Iterable[str], at: datetime) -> Pause | None:
        """Count a message; returns a pause if it has to wait. A message counts once, because a transaction
        may be retried.
        """
        if message not in self._given:
            self._given[message] = self._take(person, groups, at)
            if len(self._given) > _MOST_GIVEN:
                del self._given[next(iter(self._given))]
        return self._given[message]

    def _take(self, person: str, groups: Iterable[str], at: datetime) -> Pause | None:
        wanted = list(groups)
        due = self.look(person, wanted, at)
        is_own = self._people.due_at(person, at) > at
        self._people.count(person, at)
        if not is_own:
            for group in wanted:
                self._groups.count(group, at)
        if due <= at:
            return None
        first = self._told.pop(person, at) <= at
        self._told[person] = due
        if len(self._told) > _MOST_REMEMBERED:
            del self._told[next(iter(self._told))]
        return Pause(until=due, first=first)
