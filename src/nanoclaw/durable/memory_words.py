"""Which entries of memory have a word: FTS5 on SQLite, a tsvector with a GIN index on PostgreSQL.

Our own analyser has made the terms, so neither database splits or changes them. Each is prefixed with its
company, so that a company with a million entries neither slows down nor hides another's ten.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.memory import EntryKind
from nanoclaw.durable.knowledge_tables import memory_entries
from nanoclaw.durable.prepared import fetch
from nanoclaw.durable.store import Tx

TABLE = "memory_words"  # with FTS5's own tables behind it: memory_words_data and others
CONTEXT, ACTIVITY = "#context", "#activity"  # appended to a company's name
_BATCH = 1000

_CREATE_SQLITE = (
    "CREATE VIRTUAL TABLE memory_words USING fts5(terms, content='', detail=none, columnsize=0, "
    """tokenize="ascii tokenchars '!#$%&*+,-./:;<=>?@^_|~'")"""
)
# For copies of a database, which are made from the list of tables. Otherwise the migration creates it.
_create: Any = sa.DDL(_CREATE_SQLITE.replace("%", "%%"))  # type: ignore[no-untyped-call]
sa.event.listen(memory_entries, "after_create", _create.execute_if(dialect="sqlite"))

_ADD = {
    "sqlite": "INSERT INTO memory_words (rowid, terms) VALUES (?, ?)",
    "postgresql": "INSERT INTO memory_words (number, terms) VALUES (%s, array_to_tsvector(string_to_array(%s, ' ')))",
}
_REMOVE = {
    "sqlite": "INSERT INTO memory_words (memory_words, rowid, terms) VALUES ('delete', ?, ?)",
    "postgresql": "DELETE FROM memory_words WHERE number = %s",
}
_FIND = "SELECT rowid FROM memory_words WHERE memory_words MATCH ?"
_FIND_NEWEST = f"{_FIND} ORDER BY rowid DESC LIMIT ?"
_FIND_POSTGRES = "SELECT number FROM memory_words WHERE terms @@ CAST(%s AS tsquery)"
_FIND_NEWEST_POSTGRES = f"{_FIND_POSTGRES} ORDER BY number DESC LIMIT %s"

_APART: Mapping[str, str] = {EntryKind.CONTEXT: CONTEXT, EntryKind.ACTIVITY: ACTIVITY}

Row = tuple[int, str, str]  # number, scope (a company's memory or its context), terms separated by spaces


def add(tx: Tx, rows: Iterable[Row]) -> None:
    if values := [(number, _kept(scope, terms)) for number, scope, terms in rows if terms]:
        tx.exec_driver_sql(_ADD[tx.dialect.name], values)


def remove(tx: Tx, rows: Iterable[Row]) -> None:
    """Remove rows, given with the same terms they were added with."""
    is_sqlite = tx.dialect.name == "sqlite"
    values: list[tuple[Any, ...]] = [
        (number, _kept(scope, terms)) if is_sqlite else (number,) for number, scope, terms in rows if terms
    ]
    if values:
        tx.exec_driver_sql(_REMOVE[tx.dialect.name], values)


def numbers(
    tx: Tx, scope: str, any_of: Sequence[str], *, also: str | None = None, most: int | None = None
) -> list[int]:
    """The newest `most` entries with any of these words and `also`."""
    quote, either, both = ('"', " OR ", " AND ") if tx.dialect.name == "sqlite" else ("'", " | ", " & ")
    words = either.join(f"{quote}{_name(scope, term)}{quote}" for term in any_of)
    if also is not None:
        words = f"({words}){both}{quote}{_name(scope, also)}{quote}"
    if tx.dialect.name == "sqlite":
        found: Any = fetch(tx, _FIND, (words,)) if most is None else fetch(tx, _FIND_NEWEST, (words, most))
    elif most is None:
        found = tx.exec_driver_sql(_FIND_POSTGRES, (words,)).all()
    else:
        found = tx.exec_driver_sql(_FIND_NEWEST_POSTGRES, (words, most)).all()
    return [row[0] for row in found]


def is_in(column: sa.ColumnElement[Any], name: str, dialect: str) -> sa.ColumnElement[bool]:
    """Whether the column is in a list given at execution (`listed`), so that the statement stays the same."""
    if dialect == "postgresql":
        return column == sa.func.any(sa.bindparam(name, type_=sa.ARRAY(column.type)))
    given = sa.func.json_each(sa.bindparam(name, type_=sa.Text)).table_valued("value")
    return column.in_(sa.select(given.c.value))


def listed(tx: Tx, values: Iterable[Any]) -> Any:
    return list(values) if tx.dialect.name == "postgresql" else json.dumps(list(values))


def fill(tx: Tx) -> None:
    """Rebuild from the entries, after these were copied from another database."""
    columns = memory_entries.c
    clear(tx)
    last = 0
    while rows := tx.execute(
        sa.select(columns.number, columns.company, columns.kind, columns.terms)
        .where(columns.number > last)
        .order_by(columns.number)
        .limit(_BATCH)
    ).all():
        add(tx, [(row.number, scope_of(row.company, row.kind), row.terms) for row in rows])
        last = rows[-1].number


def scope_of(company: str, kind: str) -> str:
    """Words are counted and looked up separately for memory, activity and context: many of one do not hide
    another.
    """
    return f"{company}{_APART.get(kind, '')}"


def clear(tx: Tx) -> None:
    tx.exec_driver_sql(
        "INSERT INTO memory_words (memory_words) VALUES ('delete-all')"
        if tx.dialect.name == "sqlite"
        else "DELETE FROM memory_words"
    )


def is_of_words(name: str) -> bool:
    """Whether this is the name of the table of words, or of one that FTS5 keeps behind it."""
    return name == TABLE or name.startswith(f"{TABLE}_")


def _kept(scope: str, terms: str) -> str:
    front = f"{scope.lower()}/"
    return front + terms.replace(" ", f" {front}")


def _name(scope: str, term: str) -> str:
    return f"{scope.lower()}/{term}"
