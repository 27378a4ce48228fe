"""No other user of this machine may read or change a workspace: repaired if possible, otherwise refused.

Checked before any command opens the workspace, because everything in it is trusted: a user who could put
another `data/` or another `keys.json` there would own the host.
"""

import grp
import os
import pwd
import stat
from collections.abc import Iterator
from pathlib import Path

from nanoclaw.domain.errors import BadWorkspace

# What another user must not even read, besides the closed folder `data/`.
_SECRET = (
    "keys.json",
    "bots.json",
    "mcp.json",
    "web-token",
    "nanoclaw.db",
    "nanoclaw.db-wal",
    "nanoclaw.db-shm",
)
# What may be big, or shared by hosts of one database: a link to another folder of the same owner is followed.
_ELSEWHERE = ("attachments", "backups", "whisper")
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_EVERY_ID = 2**32 - 1


def be_private() -> None:
    """What this process creates is never writable by others, whatever umask it was started with.

    Nor is it readable, since the workspace is closed. But boxes of a root host are other users, and must read what is
    shown to them.
    """
    given = os.umask(0o077)
    os.umask(0o022 if os.geteuid() == 0 else given | 0o022)


def guard(home: Path) -> list[Path]:
    """Returns what was open to others and is closed now. Raises BadWorkspace with a sentence that says what to do."""
    _check_way(home)
    mended = []
    for folder in (home, home / "data"):
        if (about := _seen(folder)) is None:
            continue
        _check(folder, about)
        if stat.S_ISDIR(about.st_mode):  # anything else is refused as soon as it is used
            mended += _close(folder, about)
            for entry in _entries(folder):
                mended += _guard_entry(entry, is_data=folder != home)
    return mended


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        said = error.strerror or str(error)
        raise BadWorkspace("workspace-unwritable", folder=str(folder), said=said) from error


def _guard_entry(entry: Path, *, is_data: bool) -> list[Path]:
    if (about := _seen(entry)) is None:
        return []
    if is_data and entry.name in _ELSEWHERE and stat.S_ISLNK(about.st_mode):
        _check_elsewhere(Path(os.path.realpath(entry)))
        return []
    if is_data and entry.name in _SECRET:
        _check(entry, about)
        return _close(entry, about)
    if is_data and stat.S_ISLNK(about.st_mode):
        raise _linked(entry)
    # Root's files may be there too: a disk that is mounted as `data/` has a `lost+found`.
    if is_foreign(about):
        raise _foreign(entry, about)
    return []


def _check(path: Path, about: os.stat_result) -> None:
    if stat.S_ISLNK(about.st_mode):
        raise _linked(path)
    if about.st_uid != os.geteuid():
        raise _foreign(path, about)


def _check_elsewhere(target: Path) -> None:
    _check_way(target)
    if about := _seen(target):
        _check(target, about)
        if about.st_mode & _OTHERS_WRITE:
            raise BadWorkspace("workspace-open", path=str(target), said=stat.filemode(about.st_mode))


def _close(path: Path, about: os.stat_result) -> list[Path]:
    if not about.st_mode & _OTHERS:
        return []
    try:
        path.chmod(
            stat.S_IMODE(about.st_mode) & ~_OTHERS
        )  # not a link: that was checked, and only we can put one here
    except OSError as error:
        said = error.strerror or str(error)
        raise BadWorkspace("workspace-open", path=str(path), said=said) from error
    return [path]


def _check_way(home: Path) -> None:
    """A user who can change a folder above the workspace can replace the workspace."""
    for folder in _way(home):
        about = _seen(folder)
        if about is None:
            continue
        if is_foreign(about):
            raise _foreign(folder, about, key="workspace-above-foreign")
        if is_open(about):
            raise BadWorkspace("workspace-above-open", path=str(folder), home=str(home))


def is_foreign(about: os.stat_result) -> bool:
    """Whether it belongs to a user other than this one and root."""
    return about.st_uid not in _trusted()


def is_open(about: os.stat_result) -> bool:
    """Whether others can change it, or replace what is in it."""
    is_sticky = stat.S_ISDIR(about.st_mode) and about.st_mode & stat.S_ISVTX
    if stat.S_ISLNK(about.st_mode) or not about.st_mode & _OTHERS_WRITE or is_sticky:
        return False
    return bool(about.st_mode & stat.S_IWOTH) or not _is_own_group(about.st_gid)


def _way(home: Path) -> Iterator[Path]:
    """The folders above it, including link targets, and the links."""
    real = Path(os.path.realpath(home.parent))
    yield from dict.fromkeys((*home.parents, real, *real.parents))


def _seen(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except OSError:  # it is created later, or its use says what is wrong with it
        return None


def _linked(path: Path) -> BadWorkspace:
    return BadWorkspace("workspace-link", path=str(path), target=os.path.realpath(path))


def _foreign(path: Path, about: os.stat_result, *, key: str = "workspace-foreign") -> BadWorkspace:
    return BadWorkspace(key, path=str(path), owner=_name(about.st_uid), me=_name(os.geteuid()))


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _trusted() -> set[int]:
    """This user and root. In a container the machine's root may have no name, and appears as nobody."""
    trusted = {0, os.geteuid()}
    try:
        if int(Path("/proc/self/uid_map").read_text("ascii").split()[2]) < _EVERY_ID:
            trusted.add(int(Path("/proc/sys/kernel/overflowuid").read_text("ascii")))
    except (OSError, ValueError, IndexError):
        pass
    return trusted


def _is_own_group(gid: int) -> bool:
    """Many systems give each user a group of their own, which may write whatever the user creates.

    Where users come from a directory service, nobody says who is in a group: an empty list means nothing. So the group
    must also have this user's name, and its known members must include this user.
    """
    try:
        group, me = grp.getgrgid(gid), pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    members = {*group.gr_mem, *(user.pw_name for user in pwd.getpwall() if user.pw_gid == gid)}
    is_mine = me.pw_gid == gid and group.gr_name == me.pw_name
    return is_mine and me.pw_name in members and members <= {me.pw_name, _name(0)}
