"""The database of a workspace: the one that was there before, never silently started afresh."""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import sqlalchemy as sa

from nanoclaw.domain.errors import BadWorkspace, StoreDamaged
from nanoclaw.durable import schema
from nanoclaw.durable.store import Store, open_store
from nanoclaw.host.settings import Settings, database_file

_SHORTEST = 5.0  # seconds
_FILE = "database.json"  # which databases this workspace has had


def find_database(home: Path, settings: Settings) -> bool:
    """Whether there is one to open: it is created at the first start. Raises if there was one before."""
    url = settings.database_url(home)
    if not url.startswith("sqlite"):
        return True
    path = Path(database_file(url))
    _find_file(path, had=_name(home, url) in _had(home), may_be_new=False)
    return path.exists()


def open_for_host(home: Path, settings: Settings, *, may_be_new: bool) -> Store:
    """A heartbeat should fail before others give up on its host; a busy server still gets its time."""
    timeout = min(settings.database.timeout, max(_SHORTEST, settings.database.host_lifetime / 4))
    return open_database(home, settings, may_be_new=may_be_new, timeout=timeout)


def open_database(
    home: Path, settings: Settings, *, may_be_new: bool = False, timeout: float | None = None
) -> Store:
    """Refuse an empty database if messages were stored before, unless a person wants to start afresh."""
    url = settings.database_url(home)
    had = _name(home, url) in _had(home)
    if url.startswith("sqlite"):
        _find_file(Path(database_file(url)), had=had, may_be_new=may_be_new)
        return open_store(url)
    store = open_store(url, timeout=timeout or settings.database.timeout)
    try:
        if had and not may_be_new:
            with schema.told(store.engine.connect) as tx:
                if schema.version_of(tx) is None:
                    raise BadWorkspace("database-empty", url=settings.shown_database_url(home))
    except BaseException:
        store.close()
        raise
    return store


def remember(home: Path, settings: Settings) -> None:
    """Remember it, so that its absence would be noticed."""
    name, had = _name(home, settings.database_url(home)), _had(home)
    if name in had:
        return
    path = home / "data" / _FILE
    with suppress(OSError):  # a full disk; the next start tries again
        unfinished = path.with_suffix(".new")
        unfinished.write_text(json.dumps({"databases": [*had, name]}, indent=2) + "\n", "utf-8")
        unfinished.replace(path)


@contextmanager
def damage_named(home: Path, settings: Settings) -> Iterator[None]:
    """Names the file in the sentence about a damaged database."""
    try:
        yield
    except StoreDamaged as damaged:
        file = database_file(settings.database_url(home))
        raise StoreDamaged(damaged.key, **{**damaged.values, "file": file}) from damaged


def _find_file(path: Path, *, had: bool, may_be_new: bool) -> None:
    wal = path.with_name(path.name + "-wal")
    if path.exists() and path.stat().st_size:
        return
    is_left = wal.exists() and wal.stat().st_size > 0
    if not may_be_new and (had or is_left):
        raise BadWorkspace("database-missing", file=str(path))
    if is_left:  # SQLite would delete it, and it may be all that is left of the old one
        wal.replace(wal.with_name(wal.name + ".left"))


def _had(home: Path) -> list[str]:
    try:
        return [str(name) for name in json.loads((home / "data" / _FILE).read_text("utf-8"))["databases"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def _name(home: Path, url: str) -> str:
    """A name that stays the same when the workspace is moved, without a password."""
    if url.startswith("sqlite"):
        path = Path(database_file(url))
        return str(path.relative_to(home) if path.is_relative_to(home) else path)
    named = sa.make_url(url).set(password=None).difference_update_query(["password"])
    return named.render_as_string(hide_password=False)
