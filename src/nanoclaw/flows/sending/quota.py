"""How much an agent may send during a turn: one in a loop must not flood people.

Counted in memory: a session works on one host at a time, and starting from zero after a restart floods nobody.
"""

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field

IN_A_TURN = 100
IN_A_MINUTE = 20
_MINUTE = 60.0
_MOST_SESSIONS = 1000


@dataclass(kw_only=True, slots=True)
class _Sent:
    turn: str = ""
    in_turn: int = 0
    lately: deque[float] = field(default_factory=lambda: deque(maxlen=IN_A_MINUTE))


class Quota:
    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._sessions: OrderedDict[str, _Sent] = OrderedDict()  # the longest silent first

    def take(self, session_id: str, turn: str, count: int = 1) -> str | None:
        """Count that many more; returns why not if there are too many, in words for the agent."""
        sent = self._sessions.setdefault(session_id, _Sent())
        self._sessions.move_to_end(session_id)
        if len(self._sessions) > _MOST_SESSIONS:
            self._sessions.popitem(last=False)
        if sent.turn != turn:
            sent.turn, sent.in_turn = turn, 0
        if sent.in_turn >= IN_A_TURN:
            return f"Not sent: {IN_A_TURN} messages or files were sent in this turn. Say the rest in your answer."
        now = self._clock()
        if len(sent.lately) == IN_A_MINUTE and now - sent.lately[0] < _MINUTE:
            return (
                f"Not sent: {IN_A_MINUTE} messages were sent within a minute. Wait, or say it in one message."
            )
        sent.in_turn += count
        sent.lately.extend([now] * count)
        return None
