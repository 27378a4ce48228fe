"""Ids that sort by the time they were made, so that order never depends on a second column."""

import os
import threading
import time
from typing import NewType

ChatId = NewType("ChatId", str)
MessageId = NewType("MessageId", str)
ParcelId = NewType("ParcelId", str)
PersonId = NewType("PersonId", str)
SessionId = NewType("SessionId", str)
TurnId = NewType("TurnId", str)
HostId = NewType("HostId", str)

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_RANDOM_BITS = 80


class _Sequence:
    """Monotonic within the process: two ids of one millisecond still sort as they were made."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def next(self) -> int:
        fresh = (time.time_ns() // 1_000_000) << _RANDOM_BITS | int.from_bytes(os.urandom(10), "big")
        with self._lock:
            self._last = fresh if fresh >> _RANDOM_BITS > self._last >> _RANDOM_BITS else self._last + 1
            return self._last


_sequence = _Sequence()


def new_id(kind: str) -> str:
    """A kind letter and a ULID: `m_01k9...` for a message, `t_` for a turn, `o_` for an outgoing parcel."""
    number = _sequence.next()
    return f"{kind}_" + "".join(_ALPHABET[(number >> shift) & 31] for shift in range(125, -1, -5))


def moment_of(some_id: str) -> str:
    """The sortable part alone: ids of different kinds compare by time with it."""
    return some_id.partition("_")[2]
