"""A database as the first start leaves it, without the time that the migrations take."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from nanoclaw.durable import schema
from nanoclaw.durable.store import open_store


def made_database(path: Path) -> str:
    """A SQLite file with every table and no rows; returns its URL."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(_migrated())
    return f"sqlite:///{path}"


@cache
def _migrated() -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "store.db"
        store = open_store(f"sqlite:///{path}")
        schema.upgrade(store)
        store.close()
        return path.read_bytes()
