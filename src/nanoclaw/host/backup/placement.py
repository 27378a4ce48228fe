"""Moves what is there aside, completely and without deleting anything, and puts what was unpacked in its place."""

import ctypes
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from nanoclaw.host.backup import contents, marker
from nanoclaw.host.backup.archive_reader import Unpacked

UNPACKING = "restoring"  # in `data/`, where unpacked files wait
_ASIDE = "before-restore-"
# The parts of `data/` that belong to this machine, or that people would only miss.
_LOCK = "host.lock"
_STAYS = (_LOCK, "host.json", "workspace-id", "web-token", "whisper", "locks", "logs", "backups")
_DATABASE = "nanoclaw.db"
_BESIDE = ("", "-wal", "-shm")  # a database and its log belong together


@dataclass(frozen=True, kw_only=True)
class Places:
    """Where things go. `database` is a SQLite file outside `data/`, if there is one."""

    home: Path
    stamp: str
    aside: Path
    stays: frozenset[str]
    database: Path | None


def places_for(
    home: Path, at: datetime, *, database: Path | None, new: Iterable[str], is_brought: bool = False
) -> Places:
    """`new` are the names in `data/` that the backup contains. Of what somebody brought nothing stays."""
    secret = {*contents.SECRET, contents.SECRET_FOLDER, "box-users.json"} - set(new)
    stamp = f"{_ASIDE}{at:%Y-%m-%dT%H-%M-%S}"
    if any(map(os.path.lexists, _asides(home, stamp))):  # from a restore in the same second
        return places_for(home, at + timedelta(seconds=1), database=database, new=new, is_brought=is_brought)
    stays = (_LOCK,) if is_brought else (*_STAYS, *secret)
    return Places(
        home=home,
        stamp=stamp,
        aside=_aside(home, stamp),
        stays=frozenset({*stays, marker.NAME, UNPACKING}),
        database=None if database == home / "data" / _DATABASE else database,
    )


def is_occupied(home: Path, database: Path | None) -> bool:
    """Whether anything would have to be moved aside."""
    own = any(name != "data" for name in _names(home))
    return own or (home / "data" / _DATABASE).exists() or (database is not None and database.exists())


def move_aside(places: Places) -> list[Path]:
    """Move it aside; returns where it is now."""
    moved: list[Path] = []
    home = places.home
    earlier = [path for path in marker.asides(home) if path != places.aside]
    for name in _names(home):
        if name != "data":
            _move(home / name, places.aside / name)
    for name in _names(home / "data"):
        if name not in places.stays and not name.startswith(_ASIDE):
            _move(home / "data" / name, _beside(earlier, places.aside, name) / "data" / name)
    if places.database is not None:
        kept = places.database.with_name(f"{places.database.name}.{places.stamp}")
        for ending in _BESIDE:
            if (path := places.database.with_name(places.database.name + ending)).exists():
                _move(path, kept.with_name(kept.name + ending))
        moved += [kept] if kept.exists() else []
    return [*(each for each in (*earlier, places.aside) if each.exists()), *moved]


def put_in_place(unpacked: Unpacked, home: Path) -> None:
    for source, target in ((unpacked.workspace, home), (unpacked.data, home / "data")):
        for name in _names(source):
            _move(source / name, target / name)


def put_database(unpacked: Unpacked, path: Path) -> None:
    """Give it its name only when all of it is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(path.name + ".new")
    shutil.move(unpacked.database, fresh)
    with fresh.open("rb+") as file:
        os.fsync(file.fileno())
    fresh.chmod(0o600)
    fresh.replace(path)


def flush(folder: Path) -> None:
    """Wait until everything on that file system is on disk."""
    try:
        syncfs = ctypes.CDLL(None).syncfs
    except (OSError, AttributeError):  # not on this system
        os.sync()
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        syncfs(handle)
    finally:
        os.close(handle)


def _aside(home: Path, name: str) -> Path:
    """A place next to the workspace, or in its data folder if that is impossible, as on a separate disk."""
    beside, inside = _asides(home, name)
    try:
        beside.mkdir(mode=0o700)
        if beside.stat().st_dev == home.stat().st_dev:
            beside.rmdir()  # created when there is something to put there
            return beside
        beside.rmdir()
    except OSError:
        pass
    return inside


def _asides(home: Path, name: str) -> tuple[Path, Path]:
    return home.with_name(f"{home.name}.{name}"), home / "data" / name


def _beside(earlier: list[Path], aside: Path, name: str) -> Path:
    """An interrupted restore may have moved the database but not its log: the log follows it."""
    if name.startswith(_DATABASE):
        for each in earlier:
            siblings = [each / "data" / f"{_DATABASE}{ending}" for ending in _BESIDE]
            if any(path.exists() for path in siblings) and not (each / "data" / name).exists():
                return each
    return aside


def _move(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    shutil.move(source, target)


def _names(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())
    except FileNotFoundError:
        return []
