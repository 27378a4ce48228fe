"""Where backups are kept, how they are named, and which are deleted when there are too many."""

import re
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from nanoclaw.host.settings import Settings

_NAME = "nanoclaw-%Y-%m-%dT%H-%M-%S.tar.gz"
_OURS = re.compile(r"nanoclaw-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.tar\.gz")
_LEFT_OVER = re.compile(_OURS.pattern + r"\.(new|db)")
_LEFT_FOR = 24 * 3600  # seconds after which nobody is still writing it


def folder_of(home: Path, settings: Settings) -> Path:
    return home / settings.backup.folder  # an absolute one stays as it is


def free_name(folder: Path, at: datetime) -> Path:
    """A name by the second, in UTC; the next free second if that is taken."""
    while (path := folder / at.astimezone(UTC).strftime(_NAME)).exists():
        at += timedelta(seconds=1)
    return path


def kept_in(folder: Path) -> list[Path]:
    """The backups with our own names, newest first."""
    try:
        found = sorted(folder.iterdir(), reverse=True)
    except FileNotFoundError:
        return []
    return [path for path in found if _OURS.fullmatch(path.name)]


def made_at(path: Path) -> datetime:
    return datetime.strptime(path.name, _NAME).replace(tzinfo=UTC)


def rotate(folder: Path, keep: int) -> list[Path]:
    """Delete the oldest, and what a crash left half-written. Nothing else in the folder is touched."""
    gone = kept_in(folder)[keep:]
    for path in gone:
        path.unlink(missing_ok=True)
    for path in folder.iterdir():
        with suppress(OSError):
            if _LEFT_OVER.fullmatch(path.name) and time.time() - path.stat().st_mtime > _LEFT_FOR:
                path.unlink()
    return gone
