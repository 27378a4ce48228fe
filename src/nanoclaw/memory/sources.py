"""Where a search finds entries: in the database, or among those of a small memory that are kept in the process."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, lru_cache
from typing import Any, Protocol

import sqlalchemy as sa

from nanoclaw.domain.memory import Entry, EntryFilter, EntryKind, EntryState
from nanoclaw.durable import memory_words
from nanoclaw.durable.knowledge_tables import memory_entries
from nanoclaw.durable.store import Tx
from nanoclaw.memory import index
from nanoclaw.memory.ranking import Candidate

COLUMNS = tuple(memory_entries.c[name] for name in Candidate._fields)


@dataclass(frozen=True, slots=True)
class SearchFilter:
    """Which entries count, whatever their words: `now` decides what has expired."""

    company: str
    filter: EntryFilter
    now: datetime
    files: tuple[str, ...] = ()


class Source(Protocol):
    """The entries of one scope."""

    def counts(self, terms: Iterable[str]) -> dict[str, int]:
        """How many entries have each of these words, without those in none; with the totals."""

    def numbers(
        self, any_of: Sequence[str], *, also: str | None = None, most: int | None = None
    ) -> Sequence[int]:
        """The newest `most` entries with any of these words and `also`."""

    def candidates(self, wanted: SearchFilter, numbers: Sequence[int]) -> list[Candidate]: ...


class Sources(Protocol):
    """What a company knows, scope by scope."""

    def of(self, scope: str) -> Source: ...

    def entries(self, numbers: Sequence[int]) -> Mapping[int, Entry]: ...

    def binding(self, company: str, at: datetime, most: int, *, is_public_only: bool) -> list[Entry]:
        """The decisions that agents follow, newest first."""


@dataclass(frozen=True, slots=True)
class StoredSources:
    tx: Tx

    def of(self, scope: str) -> Source:
        return StoredEntries(self.tx, scope)

    def entries(self, numbers: Sequence[int]) -> Mapping[int, Entry]:
        return index.by_number(self.tx, numbers)

    def binding(self, company: str, at: datetime, most: int, *, is_public_only: bool) -> list[Entry]:
        return index.latest_binding(self.tx, company, at, most, is_public_only=is_public_only)


@dataclass(frozen=True, slots=True)
class KeptSources:
    said: "KeptEntries"
    done: "KeptEntries"  # activity

    def of(self, scope: str) -> Source:
        return self.done if scope.endswith(memory_words.ACTIVITY) else self.said

    def entries(self, numbers: Sequence[int]) -> Mapping[int, Entry]:
        return {
            number: entry
            for number in numbers
            if (entry := self.said.entries.get(number) or self.done.entries.get(number))
        }

    def binding(self, _company: str, at: datetime, most: int, *, is_public_only: bool) -> list[Entry]:
        return self.said.binding(at, most, is_public_only=is_public_only)


@dataclass(frozen=True, slots=True)
class StoredEntries:
    tx: Tx
    scope: str

    def counts(self, terms: Iterable[str]) -> dict[str, int]:
        return index.word_counts(self.tx, self.scope, [index.ALL_ENTRIES, index.ALL_WORDS, *terms])

    def numbers(
        self, any_of: Sequence[str], *, also: str | None = None, most: int | None = None
    ) -> Sequence[int]:
        return memory_words.numbers(self.tx, self.scope, any_of, also=also, most=most)

    def candidates(self, wanted: SearchFilter, numbers: Sequence[int]) -> list[Candidate]:
        """Without the company in the statement: SQLite would use its index instead of the numbers."""
        statement = _listed(self.tx.dialect.name, wanted.filter, wanted.files)
        given = {"numbers": memory_words.listed(self.tx, numbers), "now": wanted.now}
        rows = self.tx.execute(statement, given)
        return [Candidate._make(row) for row in rows if row.company == wanted.company]


@dataclass(slots=True)
class KeptEntries:
    """The live entries of one scope. `renew` follows the database."""

    entries: dict[int, Entry] = field(default_factory=dict)
    _candidates: dict[int, Candidate] = field(default_factory=dict)
    _having: dict[str, dict[int, None]] = field(default_factory=lambda: defaultdict(dict))  # word -> numbers
    _decisions: dict[int, Entry] = field(default_factory=dict)  # binding ones
    _words: int = 0

    def __len__(self) -> int:
        return len(self.entries)

    def counts(self, terms: Iterable[str]) -> dict[str, int]:
        found = {term: len(self._having[term]) for term in terms if term in self._having}
        return {index.ALL_ENTRIES: len(self.entries), index.ALL_WORDS: self._words, **found}

    def numbers(
        self, any_of: Sequence[str], *, also: str | None = None, most: int | None = None
    ) -> Sequence[int]:
        found: Iterable[int] = dict.fromkeys(
            number for term in any_of for number in self._having.get(term, ())
        )
        if also is not None:
            others = self._having.get(also, {})
            found = [number for number in found if number in others]
        return list(found) if most is None else sorted(found, reverse=True)[:most]

    def candidates(self, wanted: SearchFilter, numbers: Sequence[int]) -> list[Candidate]:
        given = wanted.filter
        return [
            self._candidates[number]
            for number in numbers
            if (entry := self.entries.get(number))
            and (not given.kinds or entry.kind in given.kinds)
            and (entry.is_public or not given.is_public_only)
            and (entry.expires is None or entry.expires > wanted.now)
        ]

    def binding(self, now: datetime, most: int, *, is_public_only: bool) -> list[Entry]:
        found = [
            (entry.at, number)
            for number, entry in self._decisions.items()
            if (entry.is_public or not is_public_only) and (entry.expires is None or entry.expires > now)
        ]
        return [self.entries[number] for _, number in sorted(found, reverse=True)[:most]]

    def renew(self, numbers: Iterable[int], rows: Iterable[Any]) -> None:
        """`rows` are those of these numbers that exist and are live."""
        for number in numbers:
            self._drop(number)
        for row in rows:
            candidate = Candidate._make(row[: len(Candidate._fields)])
            self._candidates[candidate.number] = candidate
            self.entries[candidate.number] = entry = index.entry_of(row)
            if entry.is_binding and entry.kind is EntryKind.DECISION:
                self._decisions[candidate.number] = entry
            words = candidate.terms.split()
            self._words += len(words)
            for word in words:
                self._having[word][candidate.number] = None

    def _drop(self, number: int) -> None:
        if self.entries.pop(number, None) is None:
            return
        self._decisions.pop(number, None)
        counted = Counter(self._candidates.pop(number).terms.split())
        self._words -= counted.total()
        for word in counted:
            del self._having[word][number]
            if not self._having[word]:
                del self._having[word]


def live_rows(tx: Tx, company: str, kinds: Sequence[EntryKind], numbers: Iterable[int] | None) -> list[Any]:
    """For `KeptEntries.renew`: all rows, or those with these numbers."""
    statement = _live(tx.dialect.name, tuple(kinds), are_some=numbers is not None)
    given: dict[str, Any] = {"company": company}
    if numbers is not None:
        given["numbers"] = memory_words.listed(tx, numbers)
    return list(tx.execute(statement, given))


@cache
def _live(dialect: str, kinds: tuple[EntryKind, ...], *, are_some: bool) -> sa.Select[Any]:
    statement = (
        sa.select(*COLUMNS, *index.ENTRY_COLUMNS)
        .where(
            memory_entries.c.company == sa.bindparam("company"),
            memory_entries.c.kind.in_([kind.value for kind in kinds]),
            memory_entries.c.state == EntryState.LIVE.value,
        )
        .order_by(memory_entries.c.number)
    )
    chosen = memory_words.is_in(memory_entries.c.number, "numbers", dialect)
    return statement.where(chosen) if are_some else statement


@lru_cache(64)
def _listed(dialect: str, wanted: EntryFilter, files: tuple[str, ...]) -> sa.Select[Any]:
    statement = sa.select(*COLUMNS).where(
        memory_words.is_in(memory_entries.c.number, "numbers", dialect), *index.conditions(wanted)
    )
    return statement.where(memory_entries.c.file.in_(files)) if files else statement
