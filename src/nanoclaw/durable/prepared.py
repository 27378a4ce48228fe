"""A short cut for SQLite: a statement that is run repeatedly is compiled once, and then goes straight to the driver.

SQLAlchemy looks it up and prepares its execution each time, which takes ten times as long as SQLite itself. One-off
statements, those that do more than rows in and rows out, and those someone listens to still go through SQLAlchemy.
"""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from weakref import ref

import sqlalchemy as sa
from sqlalchemy.engine.result import IteratorResult, SimpleResultMetaData

_KINDS = (sa.Select, sa.Insert, sa.Update, sa.Delete)

Values = Mapping[str, Any]


class Rows(IteratorResult[Any]):
    """A result with the same methods as any other; the most used ones are short."""

    _metadata: SimpleResultMetaData
    rowcount = -1

    def first(self) -> Any:
        found = next(self.iterator, None)
        return None if found is None else self._row(found)

    def scalar(self) -> Any:
        row = self.first()
        return None if row is None else row[0]

    def one(self) -> Any:
        rows = list(self.iterator)
        if len(rows) == 1:
            return self._row(rows[0])
        self.iterator = iter(rows)
        return super().one()

    def all(self) -> Any:
        return list(self)

    def __iter__(self) -> Iterator[Any]:
        return map(self._row, self.iterator)

    def _row(self, found: Any) -> sa.Row[Any]:
        told = self._metadata
        return sa.Row(told, told._processors, told._key_to_index, found)


@dataclass(frozen=True, slots=True)
class _Plan:
    """A statement in SQLite's own SQL: its values in order, each with its default and its conversion to something
    SQLite can store."""

    sql: str
    names: tuple[str, ...]
    usual: tuple[Any, ...]
    turned: tuple[tuple[int, Callable[[Any], Any]], ...]
    returns: SimpleResultMetaData | None
    is_change: bool

    def bound(self, given: Values) -> list[Any]:
        values = list(map(given.get, self.names, self.usual))
        for place, turn in self.turned:
            values[place] = turn(values[place])
        return values


@dataclass(frozen=True, slots=True)
class _StatementPlans:
    """Plans of a statement, by the names of the values it is given."""

    statement: ref[Any]
    plans: dict[tuple[str, ...], _Plan | None]


_seen: dict[int, _StatementPlans] = {}
"""Keyed by the id of the statement: hashing a weak reference at each execution would take twice as long."""


class PreparedConnection(sa.Connection):
    def execute(self, statement: Any, parameters: Any = None, **options: Any) -> Any:
        several = parameters if isinstance(parameters, list) and parameters else [parameters or {}]
        plan = None if options or self._has_events else _plan_for(self.dialect, statement, several)
        if plan is None:
            return super().execute(statement, parameters, **options)
        if self._transaction is None:
            self.begin()
        driver: sqlite3.Connection = self.connection.dbapi_connection  # type: ignore[assignment]
        try:
            values = plan.bound(several[0]) if len(several) == 1 else list(map(plan.bound, several))
        except (ValueError, TypeError, AttributeError) as error:  # a value that cannot be stored
            raise _told(error, plan.sql, self.dialect) from error
        try:
            run = driver.execute if len(several) == 1 else driver.executemany
            cursor = run(plan.sql, values)
            found = iter(cursor.fetchall()) if plan.is_change else _stepped(cursor, plan.sql, self.dialect)
        except sqlite3.Error as error:
            raise _told(error, plan.sql, self.dialect) from error
        rows = Rows(plan.returns or _NOTHING, found)
        rows.rowcount = cursor.rowcount
        return rows


def look(tx: sa.Connection, sql: str) -> Any:
    """One value from SQLite."""
    try:
        return tx.connection.cursor().execute(sql).fetchone()[0]
    except sqlite3.Error as error:
        raise _told(error, sql, tx.dialect) from error


def fetch(tx: sa.Connection, sql: str, values: Sequence[Any] = ()) -> list[Any]:
    """Rows from SQLite, as the driver gives them."""
    try:
        found: list[Any] = tx.connection.cursor().execute(sql, values).fetchall()
    except sqlite3.Error as error:
        raise _told(error, sql, tx.dialect) from error
    return found


def _stepped(cursor: sqlite3.Cursor, sql: str, dialect: sa.Dialect) -> Iterator[Any]:
    """Yield rows; damage may show at any of them."""
    try:
        yield from cursor
    except sqlite3.Error as error:
        raise _told(error, sql, dialect) from error


def _told(error: Exception, sql: str, dialect: sa.Dialect) -> Any:
    """The error as SQLAlchemy's, without the values, which would end up in a log."""
    return sa.exc.DBAPIError.instance(sql, None, error, sqlite3.Error, hide_parameters=True, dialect=dialect)


def _plan_for(dialect: sa.Dialect, statement: Any, several: Sequence[Values]) -> _Plan | None:
    seen = _seen.get(id(statement))
    if seen is None:
        if isinstance(statement, _KINDS):  # most of those seen once are never seen again
            number = id(statement)
            _seen[number] = _StatementPlans(ref(statement, lambda _: _seen.pop(number)), {})
        return None
    keys = tuple(several[0])
    if keys not in seen.plans:
        seen.plans[keys] = _plan(dialect, statement, keys)
    plan = seen.plans[keys]
    if plan is None or len(several) == 1:
        return plan
    return None if plan.returns or any(tuple(each) != keys for each in several) else plan


def _plan(dialect: sa.Dialect, statement: Any, keys: tuple[str, ...]) -> _Plan | None:
    compiled = statement.compile(dialect=dialect, column_keys=sorted(keys))
    try:
        usual = compiled.construct_params(dict.fromkeys(keys), escape_names=False)
    except sa.exc.InvalidRequestError:  # a value is missing: let SQLAlchemy report it
        return None
    if (
        compiled.insert_prefetch
        or compiled.update_prefetch
        or compiled.implicit_returning
        or compiled.literal_execute_params
        or compiled.execution_options
        or not set(keys) <= compiled.binds.keys()
    ):
        return None
    sql, order, turned = compiled.string, compiled.positiontup, dict(compiled._bind_processors)
    if lists := compiled.post_compile_params:
        if any(each.key in keys for each in lists):  # a different length each time
            return None
        expanded = compiled._process_parameters_for_postcompile(usual)
        sql, order = expanded.statement, expanded.positiontup
        usual, turned = usual | dict(expanded.additional_parameters), turned | dict(expanded.processors)
    columns = compiled._result_columns
    returns = (
        SimpleResultMetaData(
            [each.keyname for each in columns],
            _processors=[each.type._cached_result_processor(dialect, None) for each in columns],
        )
        if columns
        else None
    )
    return _Plan(
        sql,
        tuple(order),
        tuple(usual.get(name) for name in order),
        tuple((place, turned[name]) for place, name in enumerate(order) if turned.get(name)),
        returns,
        is_change=not isinstance(statement, sa.Select),
    )


_NOTHING = SimpleResultMetaData([])
