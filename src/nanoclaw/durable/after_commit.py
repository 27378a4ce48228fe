"""What follows a transaction: work that begins or is due, news for those who watch, and rows whose copies are
stale.

The code that writes the rows collects all of it inside the transaction, and one place carries it out after
the commit: not after a rollback, not twice if the transaction was retried, and even if nobody waits for its
result any more. Only preparations may begin earlier, while the disk is waited for. They leave no trace if
nothing follows.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

import sqlalchemy as sa

from nanoclaw.domain.news import News
from nanoclaw.durable import store_errors

T = TypeVar("T")

_COLLECTED = "after_commit"  # key in the connection's info

Kick = Callable[[str, str, datetime, int], None]
"""Start work of this kind and key when it is due, with its priority."""
Tell = Callable[[str, News], None]
"""Tell those who watch this chat, or everyone."""
Renew = Callable[[str, Collection[int]], None]
"""Rows of this scope with these numbers were added, changed or removed."""


@dataclass(slots=True)
class Collected:
    """What one transaction leaves."""

    begins: list[Callable[[], None]] = field(default_factory=list)
    meanwhile: list[Callable[[], None]] = field(default_factory=list)
    due: dict[tuple[str, str], tuple[datetime, int]] = field(default_factory=dict)
    news: dict[tuple[str, News], None] = field(default_factory=dict)  # in order, each once
    old: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))


class AfterCommit:
    """Without an engine (a command beside the host), the host's next sweep finds the work."""

    def __init__(self) -> None:
        self._kicks: list[Kick] = []
        self._tells: list[Tell] = []
        self._renews: list[Renew] = []

    def kicks(self, kick: Kick) -> None:
        self._kicks.append(kick)

    def tells(self, tell: Tell) -> None:
        self._tells.append(tell)

    def renews(self, renew: Renew) -> None:
        """Register code that keeps copies of rows. It is not told about other hosts' transactions."""
        self._renews.append(renew)

    def carry_out(self, collected: Collected) -> None:
        """Runs on the event loop, right after the commit."""
        for begin in collected.begins:
            begin()
        for (kind, key), (at, priority) in collected.due.items():
            for kick in self._kicks:
                kick(kind, key, at, priority)
        for chat, news in collected.news:
            for tell in self._tells:
                tell(chat, news)
        for scope, numbers in collected.old.items():
            for renew in self._renews:
                renew(scope, numbers)


def run(tx: sa.Connection, story: Callable[[sa.Connection], T]) -> tuple[T, Collected]:
    """Run the story; returns its result and what follows if it is committed."""
    collected = tx.info[_COLLECTED] = Collected()
    return store_errors.run(tx, story), collected


def add_due(tx: sa.Connection, kind: str, key: str, at: datetime, priority: int) -> None:
    """Note that work is due. The earliest time and an explicit priority win."""
    due = _of(tx).due
    earlier = due.get((kind, key))
    due[kind, key] = (min(earlier[0], at), priority or earlier[1]) if earlier else (at, priority)


def first_due(tx: sa.Connection, kind: str) -> str | None:
    """The key of the first work of this kind that this transaction made due."""
    return next((key for of_kind, key in _of(tx).due if of_kind == kind), None)


def begin_after(tx: sa.Connection, begin: Callable[[], None]) -> None:
    """Begin work that was claimed in this transaction: otherwise this host would hold a claim and do nothing."""
    _of(tx).begins.append(begin)


def get_ready(tx: sa.Connection, act: Callable[[], None]) -> None:
    """Called on the event loop while the transaction commits, or never: it must have no effect outside the host."""
    _of(tx).meanwhile.append(act)


def forget_due(tx: sa.Connection, kind: str, key: str) -> None:
    """Forget work that was claimed in this very transaction."""
    _of(tx).due.pop((kind, key), None)


def announce(tx: sa.Connection, chat: str, news: News) -> None:
    """Tell those who watch the chat after the commit; with EVERY_CHAT, those who show lists."""
    _of(tx).news[chat, news] = None


def outdate(tx: sa.Connection, scope: str, numbers: Iterable[int]) -> None:
    """Rows of this scope with these numbers were added, changed or removed."""
    _of(tx).old[scope].update(numbers)


def _of(tx: sa.Connection) -> Collected:
    collected: Collected = tx.info.setdefault(_COLLECTED, Collected())
    return collected
