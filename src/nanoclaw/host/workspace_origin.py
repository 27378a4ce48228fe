"""Whether a workspace has been used on this disk, or was brought: copied, unpacked, cloned.

Whoever brings a folder chooses every byte of it: to which address the keys go, which programs run. What they cannot
choose is when this disk last changed the entry of a file (ctime), and its number. So a mark names those of one file.
"""

from contextlib import suppress
from pathlib import Path

from nanoclaw.host.host_lock import workspace_id

# Settings alone are what a person writes before the first start.
_USED = ("data", ".git", "groups", "companies", "skills", "foundation")
_MARK = Path("data", "used-here")
_FIRST, _LATEST = (
    Path("data", "workspace-id"),
    Path("data", "host.lock"),
)  # written once; written at every start
_LONGEST_COPY = (
    24 * 3600
)  # seconds between the first and the last file of a folder that is unpacked or copied


def is_brought(home: Path) -> bool:
    return any((home / name).exists() for name in _USED) and not (is_marked(home) or _is_old(home))


def is_marked(home: Path) -> bool:
    try:
        return (home / _MARK).read_text("ascii") == _stamp(home)
    except (OSError, ValueError):
        return False


def mark(home: Path) -> None:
    """From now on it counts as used here. One that cannot be written to is refused elsewhere, with a reason."""
    with suppress(OSError):
        (home / "data").mkdir(mode=0o700, exist_ok=True)
        workspace_id(home)
        place = home / _MARK
        unfinished = place.with_suffix(".new")
        unfinished.write_text(_stamp(home), "ascii")
        unfinished.replace(place)


def _is_old(home: Path) -> bool:
    """It was started long after it was made, as no copy is: an earlier version made it, without a mark."""
    try:
        return (home / _LATEST).stat().st_ctime - (home / _FIRST).stat().st_ctime > _LONGEST_COPY
    except OSError:
        return False


def _stamp(home: Path) -> str:
    about = (home / _FIRST).stat()
    return f"{about.st_ino} {about.st_ctime_ns}"
