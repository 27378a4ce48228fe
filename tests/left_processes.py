"""A test must not end before the processes that it started: the garbage collector would blame another test for them.

What the host starts counts too, and its boxes above all: each is waited for when the host is closed.
"""

import weakref
from asyncio import AbstractEventLoop
from asyncio.base_subprocess import BaseSubprocessTransport
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

_started: weakref.WeakKeyDictionary[BaseSubprocessTransport, tuple[AbstractEventLoop, Sequence[str]]]
_started = weakref.WeakKeyDictionary()
_begin = BaseSubprocessTransport.__init__


def _remember(
    transport: Any, loop: AbstractEventLoop, protocol: Any, args: Sequence[str], *more: Any, **options: Any
) -> None:
    _started[transport] = loop, args
    _begin(transport, loop, protocol, args, *more, **options)


BaseSubprocessTransport.__init__ = _remember  # type: ignore[method-assign, assignment]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Iterator[None]:
    yield
    over = {each: _started.pop(each)[1] for each, (loop, _) in list(_started.items()) if loop.is_closed()}
    if left := [f"{each!r} {words!r}" for each, words in over.items() if _is_open(each)]:
        pytest.fail(f"It left processes running, or their pipes open: {', '.join(left)}", pytrace=False)


def _is_open(process: Any) -> bool:
    return process.get_returncode() is None or any(
        pipe is None or not (pipe.disconnected or pipe.pipe.is_closing()) for pipe in process._pipes.values()
    )
