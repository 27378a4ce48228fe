"""What every table is made of: moments with a zone, and the one list of tables."""

from datetime import UTC, datetime
from typing import Any

import sqlalchemy as sa


class UtcTime(sa.types.TypeDecorator[datetime]):
    """A moment. SQLite has no zones, so it is stored as UTC there and gets its zone back when read."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _dialect: sa.Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a moment without a zone cannot be stored")
        return value.astimezone(UTC)

    def bind_processor(self, dialect: sa.Dialect) -> Any:
        """Every message stores thirty of them: on SQLite in one step, to the same text as SQLAlchemy's."""
        return _as_text if dialect.name == "sqlite" else super().bind_processor(dialect)

    def result_processor(self, dialect: sa.Dialect, coltype: object) -> Any:
        return _from_text if dialect.name == "sqlite" else super().result_processor(dialect, coltype)

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        return (
            None
            if value is None
            else value.replace(tzinfo=UTC)
            if value.tzinfo is None
            else value.astimezone(UTC)
        )


_WITHOUT_ZONE = len("2026-01-01 00:00:00.000000")


def _as_text(value: datetime | None) -> str | None:
    if value is None:
        return None
    if value.tzinfo is None:
        raise ValueError("a moment without a zone cannot be stored")
    here = value if value.tzinfo is UTC else value.astimezone(UTC)
    # The obvious `replace(tzinfo=None)` would take 50 % longer.
    return here.isoformat(" ", "microseconds")[:_WITHOUT_ZONE]


def _from_text(value: str | None) -> datetime | None:
    # The obvious `replace(tzinfo=UTC)` would take ten times as long.
    return None if value is None else datetime.fromisoformat(f"{value}+00:00")


metadata = sa.MetaData()


_WHERE = "where"  # key in an index's info: the rows it covers


def table(name: str, *columns: Any, **options: Any) -> sa.Table:
    return sa.Table(name, metadata, *columns, **options)


def partial_index(name: str, *columns: sa.Column[Any], where: sa.ColumnElement[bool]) -> None:
    """An index of these rows alone. PostgreSQL's option is set when such a database is opened: to accept it
    here, SQLAlchemy would load the whole dialect, 2 MiB in a host that uses SQLite.
    """
    sa.Index(name, *columns, sqlite_where=where, info={_WHERE: where})


def tell_postgresql() -> None:
    for each in metadata.tables.values():
        for index in each.indexes:
            if (where := index.info.get(_WHERE)) is not None:
                index.dialect_kwargs["postgresql_where"] = where
