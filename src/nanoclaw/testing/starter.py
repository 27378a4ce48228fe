"""A workspace as the first start makes it, without the time that git takes."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from nanoclaw.git.command import Git, is_installed
from nanoclaw.host import workspace, workspace_origin


@dataclass(frozen=True, kw_only=True, slots=True)
class _Entry:
    path: Path
    mode: int
    held: bytes | None  # None: a folder


def made_workspace(home: Path, *, language: str = "en", timezone: str = "UTC") -> Path:
    """Make a workspace; if there is one already, nothing changes."""
    if not home.exists() and is_installed():
        home.parent.mkdir(parents=True, exist_ok=True)
        for entry in _made(language, timezone):
            _write(home / entry.path, entry)
        workspace_origin.mark(home)
    workspace.make(home, language=language, timezone=timezone)
    return home


def _write(path: Path, entry: _Entry) -> None:
    if entry.held is None:
        path.mkdir(mode=entry.mode)
    else:
        path.write_bytes(entry.held)


@cache
def _made(language: str, timezone: str) -> tuple[_Entry, ...]:
    """Each folder before what is in it."""
    with TemporaryDirectory() as folder:
        home = Path(folder) / "nanoclaw"
        workspace.make(home, language=language, timezone=timezone)
        own = (home / "data").iterdir()  # its identity
        for file in (*own, *(home / ".git" / "hooks").iterdir()):  # examples, never run
            file.unlink()
        Git(home)("repack", "-a", "-d", "-q")  # one file instead of a hundred
        return tuple(_entries(home))


def _entries(home: Path) -> Iterator[_Entry]:
    for path in (home, *sorted(home.rglob("*"))):
        held = None if path.is_dir() else path.read_bytes()
        yield _Entry(path=path.relative_to(home), mode=path.stat().st_mode & 0o777, held=held)
