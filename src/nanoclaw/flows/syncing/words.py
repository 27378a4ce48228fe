"""What a meeting with the remote brought and sent, in sentences."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from nanoclaw.texts import say

_MOST_NAMED = 20
_PARTS = ("came", "waits", "refused", "results", "went")


class Done(Protocol):
    """`Synced`, or its form in the API."""

    @property
    def branch(self) -> str: ...
    @property
    def came(self) -> Sequence[str]: ...
    @property
    def waits(self) -> Sequence[str]: ...
    @property
    def refused(self) -> Sequence[str]: ...
    @property
    def results(self) -> Sequence[str]: ...
    @property
    def went(self) -> Sequence[str]: ...


def done_lines(language: str, done: Done, line: str = "  {path}") -> Iterator[str]:
    """`line` formats each file."""
    is_nothing = True
    for name in _PARTS:
        paths: Sequence[str] = getattr(done, name)
        if not paths:
            continue
        is_nothing = False
        yield say(language, f"sync-{name}", count=len(paths))
        yield from (line.format(path=each) for each in paths[:_MOST_NAMED])
        if len(paths) > _MOST_NAMED:
            yield say(language, "sync-more", count=len(paths) - _MOST_NAMED)
    if is_nothing:
        yield say(language, "sync-nothing", branch=done.branch)
