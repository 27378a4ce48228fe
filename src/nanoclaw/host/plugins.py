"""Finds the class of a custom channel, and loads nothing that an agent, a pull or another user could have written.

Agents write below the workspace, and to folders of the machine that were opened to them for writing. So a file or
module there is refused, however it was reached, and so is a file that other users of this machine can change.
"""

import os
import stat
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TypeGuard

from nanoclaw.context.mounts import list_path, read_list
from nanoclaw.domain.errors import BadSettings
from nanoclaw.domain.ports import Channel
from nanoclaw.host.settings import ChannelSource
from nanoclaw.host.workspace_guard import is_foreign, is_open

GROUP = "nanoclaw.channels"
_MOST_LINKS = 40


def channel_class(name: str, source: ChannelSource, home: Path) -> type[Channel]:
    """Raises BadSettings with the reason. Errors that the code itself raises while loading are not caught here."""
    opened = [Path(each.path) for each in read_list(list_path()).mount if each.write]
    # Parts of a workspace may be on another disk, such as `data/attachments`, where agents' files go.
    parts = [each for folder in (home, home / "data") if folder.is_dir() for each in folder.iterdir()]
    roots = [Path(os.path.realpath(each)) for each in (home, *opened, *filter(Path.is_symlink, parts))]
    if source.path and source.load:
        raise BadSettings("channel-two-places", name=name)
    if source.path:
        return _only_channel(name, _from_file(name, Path(source.path), roots))
    module_name, _, attribute = _named(name, source.load or name).partition(":")
    found = getattr(_from_module(name, module_name, roots), attribute, None)
    if not _is_channel(found):
        raise BadSettings("channel-no-class", name=name, place=module_name, wanted=attribute or "Channel")
    return found


def _named(name: str, wanted: str) -> str:
    if ":" in wanted:
        return wanted
    known = {each.name: each.value for each in entry_points(group=GROUP)}
    if wanted not in known:
        names = ", ".join(sorted(known))
        raise BadSettings("channel-unknown", name=name, wanted=wanted, known=names, count=len(known))
    return known[wanted]


def _from_module(name: str, module_name: str, roots: list[Path]) -> ModuleType:
    """Importing a package runs it, so each is checked before it is imported."""
    parts = module_name.split(".")
    for index in range(1, len(parts) + 1):
        part = ".".join(parts[:index])
        spec = find_spec(part)
        if spec is None:
            raise BadSettings("channel-no-module", name=name, module=part)
        for place in (spec.origin, *(spec.submodule_search_locations or ())):
            if place:
                _check_way(name, Path.cwd() / place, roots)
        _leave_out(roots)
        module = import_module(part)
    return module


def _from_file(name: str, path: Path, roots: list[Path]) -> ModuleType:
    """Read once and compiled from that: neither a swapped file nor stale bytecode is run."""
    place = _check_way(name, path, roots)
    handle = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        about = os.fstat(handle)
        _check(name, place, about)
        if not stat.S_ISREG(about.st_mode):
            raise BadSettings("channel-no-file", name=name, path=str(path))
        with os.fdopen(handle, "rb", closefd=False) as file:
            content = file.read()
    finally:
        os.close(handle)
    _leave_out(roots)
    module = ModuleType(f"nanoclaw_channel_{name}")
    module.__file__ = str(place)
    sys.modules[module.__name__] = module  # dataclasses and pydantic look it up there
    exec(compile(content, place, "exec"), vars(module))  # noqa: S102 - what the owner named, and only the owner can write
    return module


def _check_way(name: str, path: Path, roots: list[Path]) -> Path:
    """Check that nobody else can change the file or redirect the path. Returns the file behind all links."""
    for place in _way(name, path):
        if _is_within(place, roots):
            raise BadSettings("channel-inside", name=name, path=str(place))
        _check(name, place, place.lstat())
    return place


def _check(name: str, place: Path, about: os.stat_result) -> None:
    if is_foreign(about):
        raise BadSettings("channel-foreign", name=name, path=str(place))
    if is_open(about):
        raise BadSettings("channel-open", name=name, path=str(place))


def _way(name: str, path: Path) -> Iterator[Path]:
    """Every folder, link and file on the path, link targets included; the file itself comes last."""
    left, at, links = list(path.parts[1:]), Path(path.anchor), 0
    while left:
        part = left.pop(0)
        at = at.parent if part == ".." else at / part
        if not os.path.lexists(at):
            raise BadSettings("channel-no-file", name=name, path=str(path))
        yield at
        if at.is_symlink():
            links += 1
            if links > _MOST_LINKS:
                raise BadSettings("channel-no-file", name=name, path=str(path))
            target = at.readlink()
            at = Path(target.anchor) if target.is_absolute() else at.parent
            left[:0] = target.parts[1:] if target.is_absolute() else target.parts


def _leave_out(roots: list[Path]) -> None:
    """Keep its own imports from coming from there too. Where this program is installed must stay, though."""
    ours = Path(os.path.realpath(sys.prefix))
    places = ((each, Path(os.path.realpath(each))) for each in sys.path)
    sys.path[:] = [each for each, real in places if real.is_relative_to(ours) or not _is_within(real, roots)]


def _is_within(place: Path, roots: list[Path]) -> bool:
    return any(place.is_relative_to(root) for root in roots)


def _only_channel(name: str, module: ModuleType) -> type[Channel]:
    found = [
        each for each in vars(module).values() if _is_channel(each) and each.__module__ == module.__name__
    ]
    if len(found) != 1:
        wanted = ", ".join(each.__name__ for each in found) or "Channel"
        raise BadSettings("channel-no-class", name=name, place=module.__file__, wanted=wanted)
    return found[0]


def _is_channel(found: object) -> TypeGuard[type[Channel]]:
    return isinstance(found, type) and issubclass(found, Channel) and found.send is not Channel.send
