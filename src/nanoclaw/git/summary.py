"""The message of a commit of memory: `memory: 3 facts, 1 decision (demo)`."""

import json
from collections import Counter
from collections.abc import Iterable

from nanoclaw.git.paths import Kind, company_of, kind_of
from nanoclaw.git.repository import Repository

_MOST_READ = 4 << 20  # bytes of new lines; of more than that nobody counts the facts
_WORDS = {
    "fact": ("fact", "facts"),
    "dec": ("decision", "decisions"),
    "tomb": ("forgotten", "forgotten"),
    "back": ("restored", "restored"),
    "gone": ("purged", "purged"),
    "line": ("line", "lines"),
}


def summary(repository: Repository, paths: Iterable[str]) -> str:
    """What the work tree has that the last commit does not."""
    found: dict[str, Counter[str]] = {}
    head = repository.head()
    committed = repository.tree(head.commit, *(paths := list(paths)))
    for path in paths:
        counted = found.setdefault(company_of(path) or "", Counter())
        if kind_of(path) is Kind.LINES:
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
