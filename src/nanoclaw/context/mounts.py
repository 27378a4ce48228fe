"""Extra mounts: folders of the machine that a group may see, if a list outside the workspace allows it.

The list is outside because agents and their people work on the workspace: people who may edit a group must
not be able to give it the machine. Writing needs both the group's wish and the list's permission.
"""

import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import structlog
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from nanoclaw.context.groups import MountWish
from nanoclaw.domain.boxes import Mount
from nanoclaw.domain.errors import BadWorkspace

log = structlog.get_logger("mounts")


class AllowedMount(BaseModel):
    """A folder that groups may see, with everything below it."""

    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True)

    path: str = Field(pattern=r"^/")
    write: bool = False


class AllowedMounts(BaseModel):
    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True)

    mount: tuple[AllowedMount, ...] = ()


def list_path(environment: Mapping[str, str] = os.environ) -> Path:
    base = environment.get("XDG_CONFIG_HOME") or str(Path.home() / ".config")
    return Path(base) / "nanoclaw" / "mounts.toml"


def read_list(path: Path) -> AllowedMounts:
    try:
        return AllowedMounts.model_validate(tomllib.loads(path.read_text("utf-8")))
    except FileNotFoundError:
        return AllowedMounts()
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, ValidationError) as error:
        raise BadWorkspace("mounts-broken", file=str(path), said=str(error).splitlines()[0]) from error


def allowed_mounts(wishes: Sequence[MountWish], path: Path) -> tuple[Mount, ...]:
    """The allowed wishes of a group; one that is not allowed ends the turn with the reason."""
    if not wishes:
        return ()
    allowed = read_list(path).mount
    mounts: dict[str, Mount] = {}
    for wish in wishes:
        source = Path(wish.path).resolve()  # the list means places, not links to them
        leave = [each for each in allowed if source.is_relative_to(Path(each.path).resolve())]
        if not leave:
            raise BadWorkspace("mount-not-allowed", path=wish.path, file=str(path))
        if wish.write and not any(each.write for each in leave):
            raise BadWorkspace("mount-not-writable", path=wish.path, file=str(path))
        if not source.is_dir():
            raise BadWorkspace("mount-missing", path=wish.path)
        target = f"/extra/{source.name or 'root'}"
        if target in mounts:
            raise BadWorkspace("mount-twice", path=wish.path, target=target)
        if wish.write:
            log.warning("folder of the machine is writable in a box", path=str(source), target=target)
        mounts[target] = Mount(source=source, target=target, writable=wish.write)
    return tuple(mounts.values())
