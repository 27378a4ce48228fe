"""Pairing: a one-time code from the machine makes the person who sends it to the bot the owner."""

import secrets
import time
from collections import deque
from datetime import timedelta

LIFETIME = timedelta(hours=1)

_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none that looks like another
_LENGTH = 8
_MOST_TRIES = 5
_MOST_REMEMBERED = 10_000
_AN_HOUR = 3600.0


def new_code() -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(_LENGTH))


def tidy_code(written: str) -> str:
    """The code as it was issued, however it was typed."""
    return "".join(written.upper().split()).replace("-", "")[:_LENGTH]


def looks_like_code(text: str) -> bool:
    code = tidy_code(text)
    return len(text.split()) == 1 and len(code) == _LENGTH == len(text.strip()) and set(code) <= set(_LETTERS)


class Guessing:
    """Counts wrong codes, so that nobody finds one by trying."""

    def __init__(self) -> None:
        self._tries: dict[str, deque[float]] = {}

    def may_try(self, handle: str) -> bool:
        tries = self._tries.get(handle, deque())
        while tries and tries[0] < time.monotonic() - _AN_HOUR:
            tries.popleft()
        if not tries:
            self._tries.pop(handle, None)
        return len(tries) < _MOST_TRIES

    def was_wrong(self, handle: str) -> None:
        if len(self._tries) >= _MOST_REMEMBERED:  # the oldest first; a code has 40 bits
            del self._tries[next(iter(self._tries))]
        self._tries.setdefault(handle, deque()).append(time.monotonic())
