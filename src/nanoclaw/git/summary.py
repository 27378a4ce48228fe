"""The message of the host's commits: `memory: 3 facts, 1 decision (demo)`, `handoffs: 1 file`."""

import json
from collections import Counter
from collections.abc import Iterable

from nanoclaw.git.paths import SyncedFileKind, company_of, is_memory, kind_of
from nanoclaw.git.repository import Repository

_MOST_READ = 4 << 20  # bytes of new lines; beyond that nobody counts the facts
_WORDS = {
    "fact": ("fact", "facts"),
    "dec": ("decision", "decisions"),
    "tomb": ("forgotten", "forgotten"),
    "back": ("restored", "restored"),
    "gone": ("purged", "purged"),
    "line": ("line", "lines"),
}


def summary(repository: Repository, paths: Iterable[str]) -> str:
    """What the work tree has that the last commit lacks."""
    named = list(paths)
    remembered = [path for path in named if is_memory(path)]
    others = len(named) - len(remembered)
    said = [_remembered(repository, remembered)] if remembered else []
    if others:
        said.append(f"handoffs: {others} {'file' if others == 1 else 'files'}")
    return "; ".join(said)


def _remembered(repository: Repository, paths: list[str]) -> str:
    found: dict[str, Counter[str]] = {}
    committed = repository.tree(repository.head().commit, *paths)
    for path in paths:
        counted = found.setdefault(company_of(path) or "", Counter())
        if kind_of(path) is SyncedFileKind.LINES:
            before = repository.size(committed[path].blob) if path in committed else 0
            counted.update(_added(repository, path, before))
    said = [f"{_said(counted)} ({company})" for company, counted in sorted(found.items())]
    return f"memory: {', '.join(said)}"


def _added(repository: Repository, path: str, before: int) -> Iterable[str]:
    content = repository.files.tail(path, before, _MOST_READ)
    for line in content.splitlines():
        try:
            kind = str(json.loads(line)["id"]).partition("_")[0]
        except (ValueError, TypeError, KeyError):
            kind = "line"
        # A decided question is written under its own id.
        yield kind if kind in _WORDS else "dec" if path.endswith("decisions.jsonl") else "line"


def _said(counted: Counter[str]) -> str:
    named = [f"{counted[kind]} {_WORDS[kind][counted[kind] != 1]}" for kind in _WORDS if counted[kind]]
    return ", ".join(named) or "edited"
