"""Puts skills and templates that came with a newer version into a workspace made by an earlier one, each
once.

What people changed stays as it is, and what they deleted does not come back: `data/` records which were
offered, and git knows which were there before anything was recorded.
"""

import json
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import structlog

from nanoclaw.context.skills import Skills
from nanoclaw.git.command import GitFailed, GitUnready
from nanoclaw.git.repository import Repository
from nanoclaw.host.workspace import STARTER, copy_missing

log = structlog.get_logger("workspace")

_SHIPPED = STARTER / "common"
_OFFERED = ("skills/*/*/[!.]*", "foundation/process_templates/*.md")
_KEPT = Path("data", "offered-skills.json")


def offer(home: Path) -> list[str]:
    """The names of those that are new here. The caller must have the workspace to itself."""
    shipped = sorted(each.relative_to(_SHIPPED) for pattern in _OFFERED for each in _SHIPPED.glob(pattern))
    offered = _read(home / _KEPT)
    missing = [each for each in shipped if each.as_posix() not in offered and not (home / each).exists()]
    repository, known_skills = Repository(home), Skills(home)
    new = [
        each
        for each in missing
        if known_skills.find(each.stem) is None and not repository.log(each.as_posix(), 1)
    ]
    for each in new:
        (home / each).parent.mkdir(parents=True, exist_ok=True)
        if (_SHIPPED / each).is_dir():
            (home / each).mkdir()
            copy_missing(_SHIPPED / each, home / each)
        else:
            shutil.copyfile(_SHIPPED / each, home / each)
    names = [each.stem for each in new]
    if new:
        log.info("skills added", skills=names)
        _commit(repository, new, names)
    wanted = offered.union(each.as_posix() for each in shipped)
    if wanted != offered:
        _write(home / _KEPT, wanted)
    return names


def _commit(repository: Repository, new: Iterable[Path], names: Iterable[str]) -> None:
    paths = [
        path.relative_to(repository.home).as_posix()
        for each in new
        for path in (repository.home / each, *(repository.home / each).rglob("*"))
        if path.is_file()
    ]
    with suppress(GitFailed, GitUnready):  # then a person commits it
        repository.commit(paths, f"Add skills of this version: {', '.join(names)}")


def _read(place: Path) -> set[str]:
    try:
        return set(json.loads(place.read_text("utf-8")))
    except (FileNotFoundError, ValueError, TypeError):  # what git knows is enough
        return set()


def _write(place: Path, offered: Iterable[str]) -> None:
    unfinished = place.with_suffix(".new")
    unfinished.write_text(json.dumps(sorted(offered), indent=0), "utf-8")
    unfinished.replace(place)
