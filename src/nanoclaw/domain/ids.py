"""Ids that sort by creation time, so that order never depends on a second column."""

import os
import threading
import time
from collections.abc import Callable
from typing import NewType

ChatId = NewType("ChatId", str)
MessageId = NewType("MessageId", str)
ParcelId = NewType("ParcelId", str)
PersonId = NewType("PersonId", str)
SessionId = NewType("SessionId", str)
TurnId = NewType("TurnId", str)
HostId = NewType("HostId", str)

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = [first + second for first in _ALPHABET for second in _ALPHABET]
_RANDOM_BITS = 80


class _Sequence:
    """Never goes back: ids of one millisecond, and those after a clock was set back, still sort by creation."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0
        self._seconds: Callable[[], float] = time.time

    def next(self) -> int:
        chance = int.from_bytes(os.urandom(10), "big")
        fresh = int(self._seconds() * 1000) << _RANDOM_BITS | chance
        with self._lock:
            later = fresh >> _RANDOM_BITS > self._last >> _RANDOM_BITS
            # A random step: another host that continues after the same id must not make the same ones.
            self._last = fresh if later else self._last + 1 + (chance >> 16)
            return self._last

    def go_on_after(self, number: int) -> None:
        with self._lock:
            self._last = max(self._last, number)

    def follow(self, seconds: Callable[[], float]) -> None:
        """Ids made by another clock concern only this process, and must not hold back the shared time."""
        with self._lock:
            self._last = self._last if seconds == self._seconds else 0
            self._seconds = seconds


_sequence = _Sequence()


def go_on_after(some_id: str) -> None:
    """Make every new id sort after this one, whatever the clock says."""
    number = 0
    for letter in moment_of(some_id):
        number = number << 5 | _ALPHABET.index(letter)
    _sequence.go_on_after(number)


def follow_clock(seconds: Callable[[], float]) -> None:
    """Choose the clock for ids: hosts that share a database must use the same."""
    _sequence.follow(seconds)


def new_id(kind: str) -> str:
    """A kind letter and a ULID: `m_01k9...` for a message, `t_` for a turn, `o_` for an outgoing parcel."""
    number = _sequence.next()
    return f"{kind}_" + "".join([_PAIRS[(number >> shift) & 1023] for shift in range(120, -1, -10)])


def moment_of(some_id: str) -> str:
    """The sortable part alone: ids of different kinds compare by time with it."""
    return some_id.partition("_")[2]
