"""The index over the files of memory and context: entries, their words, and how many entries have each word.

It follows the files and can be rebuilt from them. Everything here is part of the caller's transaction.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.memory import Entry, EntryFilter, EntryKind, EntryState, Trust
from nanoclaw.durable import memory_words
from nanoclaw.durable.after_commit import outdate
from nanoclaw.durable.columns import UtcTime
from nanoclaw.durable.knowledge_tables import memory_entries, memory_word_counts
from nanoclaw.durable.memory_words import scope_of
from nanoclaw.durable.store import Tx
from nanoclaw.memory.analyser import analyse, speaker_of
from nanoclaw.memory.ranking import ASKS

BATCH = 500  # entries in one transaction, when there are many: others want to write too
ALL_ENTRIES, ALL_WORDS = "", " "  # terms under which the totals are counted
_HEADING_TIMES = 2
_MOST_TERMS = 5000  # of one entry; a fact of 50,000 characters has fewer

_FIELDS = tuple(
    each.name for each in memory_entries.columns if each.name not in {"number", "terms", "vector"}
)
ENTRY_COLUMNS = tuple(memory_entries.c[name] for name in _FIELDS)
NOW = sa.bindparam("now", type_=UtcTime())
_INSERT = sa.insert(memory_entries)
_UPDATE = (
    sa.update(memory_entries)
    .where(memory_entries.c.number == sa.bindparam("known"))
    .values({name: sa.bindparam(name) for name in (*_FIELDS, "terms")})
)
_COUNT = (
    "INSERT INTO memory_word_counts (company, term, entries) VALUES (?, ?, ?) "
    "ON CONFLICT (company, term) DO UPDATE SET entries = memory_word_counts.entries + excluded.entries"
)
_LAST_NUMBER = sa.select(sa.func.coalesce(sa.func.max(memory_entries.c.number), 0))
_NEXT_NUMBERS = sa.text(
    "SELECT nextval(pg_get_serial_sequence('memory_entries', 'number')) FROM generate_series(1, :count)"
)


def put(tx: Tx, entries: Iterable[Entry]) -> None:
    """Insert or replace by company and id. Load the dictionary first (`analyser.warm`): this may run on the
    thread that all writes wait for.
    """
    following = iter(entries)
    while batch := list(islice(following, BATCH)):
        _put_batch(tx, {(entry.company, entry.id): entry for entry in batch}.values())


def set_states(tx: Tx, company: str, states: Mapping[str, tuple[EntryState, str | None]]) -> None:
    """Set the state of entries, and what superseded them, by id."""
    changed = tx.execute(
        sa.select(memory_entries.c.number, memory_entries.c.kind).where(
            memory_entries.c.company == company, memory_entries.c.id.in_(states)
        )
    )
    for number, kind in changed:
        outdate(tx, scope_of(company, kind), [number])
    for entry_id, (state, superseded_by) in states.items():
        tx.execute(
            sa.update(memory_entries)
            .where(memory_entries.c.company == company, memory_entries.c.id == entry_id)
            .values(state=state.value, superseded_by=superseded_by)
        )


def drop(tx: Tx, company: str, file: str | None = None, ids: Sequence[str] | None = None) -> None:
    """Remove from the index: all of a company, of one of its files, or these ids."""
    where = [memory_entries.c.company == company]
    if file is not None:
        where.append(memory_entries.c.file == file)
    if ids is not None:
        where.append(memory_entries.c.id.in_(ids))
    columns = memory_entries.c.number, memory_entries.c.kind, memory_entries.c.terms
    while rows := tx.execute(sa.select(*columns).where(*where).limit(BATCH)).all():
        for scope in {scope_of(company, row.kind) for row in rows}:
            gone = [row for row in rows if scope_of(company, row.kind) == scope]
            memory_words.remove(tx, [(row.number, scope, row.terms) for row in gone])
            _count(tx, scope, _counted([row.terms for row in gone], sign=-1))
            outdate(tx, scope, [row.number for row in gone])
        tx.execute(sa.delete(memory_entries).where(memory_entries.c.number.in_([row.number for row in rows])))


def get(tx: Tx, company: str, entry_id: str) -> Entry | None:
    found = several(tx, company, [entry_id])
    return found[0] if found else None


def several(tx: Tx, company: str, ids: Sequence[str]) -> list[Entry]:
    """The entries in the order of these ids; unknown ones are left out."""
    if not ids:
        return []
    rows = tx.execute(_several(tx.dialect.name), {"company": company, "ids": memory_words.listed(tx, ids)})
    found = {row.id: entry_of(row) for row in rows}
    return [found[each] for each in ids if each in found]


def by_number(tx: Tx, numbers: Sequence[int]) -> dict[int, Entry]:
    if not numbers:
        return {}
    rows = tx.execute(_by_number(tx.dialect.name), {"numbers": memory_words.listed(tx, numbers)})
    return {row.number: entry_of(row) for row in rows}


def latest(
    tx: Tx, company: str, wanted: EntryFilter, at: datetime, *, limit: int, offset: int = 0
) -> list[Entry]:
    """Entries, newest first."""
    rows = tx.execute(
        sa.select(*ENTRY_COLUMNS)
        .where(memory_entries.c.company == company, *conditions(wanted))
        .order_by(memory_entries.c.at.desc(), memory_entries.c.number.desc())
        .limit(limit)
        .offset(offset),
        {"now": at},
    )
    return [entry_of(row) for row in rows]


def latest_binding(
    tx: Tx, company: str, at: datetime, most: int, *, is_public_only: bool = False
) -> list[Entry]:
    """The decisions that agents follow, newest first. Routine approvals are not binding."""
    given = {"company": company, "now": at, "most": most}
    return [entry_of(row) for row in tx.execute(_binding(is_public_only), given)]


def size(tx: Tx, company: str) -> int:
    """How many entries of the company's memory are in the index."""
    return word_counts(tx, company, [ALL_ENTRIES]).get(ALL_ENTRIES, 0)


def word_counts(tx: Tx, scope: str, terms: Iterable[str]) -> dict[str, int]:
    """How many entries have each of these words; words in none are left out."""
    rows = tx.execute(_counts(tx.dialect.name), {"scope": scope, "terms": memory_words.listed(tx, terms)})
    return {term: entries for term, entries in rows if entries > 0}


@cache
def _binding(is_public_only: bool) -> sa.Select[Any]:  # noqa: FBT001 - part of the cache's key
    """A constant statement: every turn needs it."""
    wanted = EntryFilter(is_public_only=is_public_only)
    return (
        sa.select(*ENTRY_COLUMNS)
        .where(
            memory_entries.c.company == sa.bindparam("company"),
            memory_entries.c.kind == EntryKind.DECISION.value,
            memory_entries.c.is_binding.is_(True),
            *conditions(wanted),
        )
        .order_by(memory_entries.c.at.desc(), memory_entries.c.number.desc())
        .limit(sa.bindparam("most"))
    )


@cache
def _several(dialect: str) -> sa.Select[Any]:
    columns = memory_entries.c
    return sa.select(*ENTRY_COLUMNS).where(
        columns.company == sa.bindparam("company"), memory_words.is_in(columns.id, "ids", dialect)
    )


@cache
def _known(dialect: str) -> sa.Select[Any]:
    columns = memory_entries.c
    return sa.select(columns.number, columns.id, columns.terms, columns.text).where(
        columns.company == sa.bindparam("company"), memory_words.is_in(columns.id, "ids", dialect)
    )


@cache
def _counts(dialect: str) -> sa.Select[Any]:
    counts = memory_word_counts.c
    return sa.select(counts.term, counts.entries).where(
        counts.company == sa.bindparam("scope"), memory_words.is_in(counts.term, "terms", dialect)
    )


@cache
def _by_number(dialect: str) -> sa.Select[Any]:
    return sa.select(memory_entries.c.number, *ENTRY_COLUMNS).where(
        memory_words.is_in(memory_entries.c.number, "numbers", dialect)
    )


def conditions(wanted: EntryFilter) -> list[sa.ColumnElement[bool]]:
    """What a filter means in the database. The moment is given at execution, as `now`."""
    columns = memory_entries.c
    found: list[sa.ColumnElement[bool]] = []
    if not wanted.with_past:
        found += [
            columns.state == EntryState.LIVE.value,
            sa.or_(columns.expires.is_(None), columns.expires > NOW),
        ]
    if wanted.kinds:
        found.append(columns.kind.in_([kind.value for kind in wanted.kinds]))
    for name in ("domain", "person"):
        if value := getattr(wanted, name):
            found.append(sa.func.lower(columns[name]) == value.lower())
    if wanted.topic:  # a part of it, as people type; SQLite only lowercases English letters
        small = sa.func.lower(columns.topic).contains(wanted.topic.lower(), autoescape=True)
        found.append(sa.or_(columns.topic.contains(wanted.topic, autoescape=True), small))
    if wanted.source:  # telegram means every bot of it
        source, named = sa.func.lower(columns.source), wanted.source.lower()
        found.append(sa.or_(source == named, source.startswith(f"{named}:", autoescape=True)))
    if wanted.trusted is not None:
        is_hearsay = columns.trust == Trust.HEARSAY.value
        found.append(sa.not_(is_hearsay) if wanted.trusted else is_hearsay)
    if wanted.since:
        found.append(columns.at >= wanted.since)
    if wanted.until:
        found.append(columns.at < wanted.until)
    if wanted.is_public_only:
        found.append(columns.is_public.is_(True))
    if wanted.without_presses:  # a decision on a card has the id of its question
        found.append(sa.not_(columns.id.startswith("i_", autoescape=True)))
    return found


def entry_of(row: Any) -> Entry:
    found = dict(zip(_FIELDS, row[-len(_FIELDS) :], strict=True))
    return Entry(
        **{
            **found,
            "kind": EntryKind(found["kind"]),
            "trust": Trust(found["trust"]),
            "state": EntryState(found["state"]),
            "related": tuple(found["related"]),
        }
    )


def terms_of(entry: Entry) -> list[str]:
    """The terms of its text; then those of topic, domain and related words that the text lacks; the speaker,
    and whether it asks.
    """
    found = analyse(entry.text)
    if entry.kind is EntryKind.CONTEXT:  # it is about what its heading says
        found += _HEADING_TIMES * analyse(entry.topic.rpartition(" > ")[2])
    more = analyse(" ".join((entry.topic, entry.domain, *entry.related)))
    known = set(found)
    terms = [*found, *dict.fromkeys(term for term in more if term not in known)][:_MOST_TERMS]
    if speaker := speaker_of(entry.text):
        terms.insert(0, speaker)
    return [*terms, ASKS] if entry.text.rstrip().endswith("?") else terms


def _put_batch(tx: Tx, entries: Iterable[Entry]) -> None:
    scopes: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        scopes[scope_of(entry.company, entry.kind)].append(entry)
    for scope, of_scope in scopes.items():
        company = of_scope[0].company
        known = {
            row.id: row
            for row in tx.execute(
                _known(tx.dialect.name),
                {"company": company, "ids": memory_words.listed(tx, (entry.id for entry in of_scope))},
            )
        }
        new = [_values(entry) for entry in of_scope if entry.id not in known]
        changed = [_values(entry) for entry in of_scope if entry.id in known]
        counts: Counter[str] = Counter()
        if new:
            _insert(tx, scope, new)
            counts.update(_counted([values["terms"] for values in new]))
        if changed:
            counts.update(_replace(tx, scope, changed, known))
        _count(tx, scope, counts)


def _next_numbers(tx: Tx, count: int) -> Iterable[int]:
    if tx.dialect.name == "postgresql":
        return tx.execute(_NEXT_NUMBERS, {"count": count}).scalars().all()
    last = tx.execute(_LAST_NUMBER).scalar_one()
    return range(last + 1, last + count + 1)


def _insert(tx: Tx, scope: str, new: list[dict[str, Any]]) -> None:
    for number, values in zip(_next_numbers(tx, len(new)), new, strict=True):
        values["number"] = number
    tx.execute(_INSERT, new)
    memory_words.add(tx, [(values["number"], scope, values["terms"]) for values in new])
    outdate(tx, scope, [values["number"] for values in new])


def _replace(tx: Tx, scope: str, changed: list[dict[str, Any]], known: Mapping[str, Any]) -> Counter[str]:
    """Replace entries; returns how the counts of words change."""
    outdate(tx, scope, [known[values["id"]].number for values in changed])
    tx.execute(_UPDATE, [{**values, "known": known[values["id"]].number} for values in changed])
    stale = [known[values["id"]].number for values in changed if values["text"] != known[values["id"]].text]
    if stale:
        tx.execute(sa.update(memory_entries).where(memory_entries.c.number.in_(stale)).values(vector=None))
    others = [
        (known[values["id"]], values) for values in changed if values["terms"] != known[values["id"]].terms
    ]
    memory_words.remove(tx, [(row.number, scope, row.terms) for row, _ in others])
    memory_words.add(tx, [(row.number, scope, values["terms"]) for row, values in others])
    counts = _counted([values["terms"] for _, values in others])
    for term, less in _counted([row.terms for row, _ in others], sign=-1).items():
        counts[term] += less
    return counts


def _values(entry: Entry) -> dict[str, Any]:
    return {
        **{name: getattr(entry, name) for name in _FIELDS},
        "kind": entry.kind.value,
        "trust": entry.trust.value,
        "state": entry.state.value,
        "related": list(entry.related),
        "terms": " ".join(terms_of(entry)),
    }


def _counted(all_terms: Iterable[str], sign: int = 1) -> Counter[str]:
    found: Counter[str] = Counter()
    for terms in all_terms:
        words = terms.split()
        for term in set(words):
            found[term] += sign
        found[ALL_ENTRIES] += sign
        found[ALL_WORDS] += sign * len(words)
    return found


def _count(tx: Tx, scope: str, counts: Counter[str]) -> None:
    """Update counts in sorted order, so that two hosts counting at once wait for each other in the same order."""
    values = [(scope, term, more) for term, more in sorted(counts.items()) if more]
    if values:
        is_sqlite = tx.dialect.name == "sqlite"
        tx.exec_driver_sql(_COUNT if is_sqlite else _COUNT.replace("?", "%s"), values)


def batches(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    """Batches for writing many: one transaction each."""
    following = iter(entries)
    while batch := list(islice(following, BATCH)):
        yield batch
