"""Rate limits: when a bot may call its network again, so that the network itself never tells a chat to wait.

Telegram's limits: 30 calls a second in all, about one message a second per chat with some tolerated bursts, 20 a
minute in a group. A conversation never gets there: the burst is for people who write quickly, and once Telegram says
it was too much, we keep to one a second until the chat has been quiet. The final answer comes first; previews and
typing leave a reserve for it.
"""

import asyncio
import heapq
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import count

# 30 in any second, spread out: calls that leave here together may arrive there at other times.
_IN_ALL_EVERY = 1 / 24
_IN_ALL_BURST = 6
_IN_ALL_RESERVE = 4
_HELD_CHATS, _HELD_WITHIN = 3, 2.0  # chats told to wait within so many seconds: the whole bot is meant
_EVERY = 1.0  # seconds between two messages in a chat, on average
_BURST = 20
_BURST_RESERVE = 10
_IN_GROUP, _IN_GROUP_SECONDS = 20, 60.0
_IN_GROUP_RESERVE = 5
# Otherwise the previews of a long answer would use up the minute in its first seconds, then stop.
_IN_GROUP_QUICK, _IN_GROUP_SLOW = 5, 5.0
_TICK = 0.001  # a timer may fire a little early; asking again at once would spin


class Urgency(IntEnum):
    """Who goes first when not everything can go."""

    FINAL = 0  # answers and buttons: people wait for them, and none may be lost
    PREVIEW = 1  # the answer so far: the next one replaces it
    TYPING = 2  # not a message, so it counts for the bot but not for the chat


@dataclass(slots=True)
class _Chat:
    """What was sent to a chat lately."""

    full_at: float = float("-inf")  # when the whole burst is available again
    sent: deque[float] = field(default_factory=lambda: deque(maxlen=_IN_GROUP))
    paused_until: float = float("-inf")

    def is_quiet(self, now: float) -> bool:
        last = self.sent[-1] if self.sent else float("-inf")
        return max(self.full_at, self.paused_until, last + _IN_GROUP_SECONDS) <= now

    def free_at(self, urgency: Urgency, *, is_group: bool) -> float:
        """When the chat takes such a call."""
        if urgency is Urgency.TYPING:
            return self.paused_until
        is_final = urgency is Urgency.FINAL
        spare = _BURST - 1 - (0 if is_final else _BURST_RESERVE)
        free = max(self.paused_until, self.full_at - spare * _EVERY)
        if is_group:
            most = _IN_GROUP - (0 if is_final else _IN_GROUP_RESERVE)
            free = max(free, _free_at(self.sent, most, _IN_GROUP_SECONDS))
            if not is_final and len(self.sent) >= _IN_GROUP_QUICK:
                quick = _free_at(self.sent, _IN_GROUP_QUICK, _IN_GROUP_SECONDS)
                free = max(free, min(quick, self.sent[-1] + _IN_GROUP_SLOW))
        return free


@dataclass(order=True, slots=True)
class _Waiter:
    urgency: Urgency
    number: int
    chat: str = field(compare=False)
    is_group: bool = field(compare=False)
    turn: asyncio.Future[float] = field(compare=False)


class Pace:
    """One per bot. Call `wait` or `may` before every call.

    `hosts` says how many hosts speak for the bot: its total allowance is divided among them.
    """

    def __init__(
        self, *, clock: Callable[[], float] = time.monotonic, hosts: Callable[[], int] = lambda: 1
    ) -> None:
        self._clock = clock
        self._hosts = hosts
        self._full_at = float("-inf")  # when the bot's whole burst is available again
        self._paused_until = float("-inf")
        self._holds: deque[tuple[float, str]] = deque(maxlen=_HELD_CHATS)
        self._chats: OrderedDict[str, _Chat] = OrderedDict()  # roughly least recently used first
        # Typing does not queue behind messages: it does not use what they wait for.
        self._lines: dict[tuple[str, bool], list[_Waiter]] = {}
        self._numbers = count()
        self._alarm: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        """How many chats are remembered."""
        return len(self._chats)

    async def wait(self, chat: str, urgency: Urgency, *, is_group: bool) -> None:
        """Returns when this call may be made, and counts it."""
        if self.may(chat, urgency, is_group=is_group):
            return
        turn: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        waiter = _Waiter(urgency, next(self._numbers), chat, is_group, turn)
        heapq.heappush(self._lines.setdefault(_line(chat, urgency), []), waiter)
        self._set_alarm(self._free_at(waiter))
        try:
            await turn
        except asyncio.CancelledError:
            self._leave(waiter)
            raise

    def may(self, chat: str, urgency: Urgency, *, is_group: bool) -> bool:
        """Whether this call may be made now; if so, it is counted."""
        if self.next_at(chat, urgency, is_group=is_group) > 0:
            return False
        self._count(chat, urgency, self._clock())
        return True

    def is_free(self, chat: str, *, is_group: bool) -> bool:
        """Whether a final could go there now. Has no side effects, so another thread may ask."""
        now = self._clock()
        free = max(
            self._chat_free_at(chat, Urgency.FINAL, is_group=is_group), self._bot_free_at(Urgency.FINAL)
        )
        return free <= now and _line(chat, Urgency.FINAL) not in self._lines

    def next_at(self, chat: str, urgency: Urgency, *, is_group: bool) -> float:
        """Seconds until `may` could be true; 0 if it is."""
        now = self._clock()
        if self._alarm and self._alarm.when() <= asyncio.get_running_loop().time():
            self._serve()  # those who waited for this moment go first
        line = self._lines.get(_line(chat, urgency), [])
        ahead = sum(waiter.urgency <= urgency for waiter in line)
        free = max(self._chat_free_at(chat, urgency, is_group=is_group), self._bot_free_at(urgency), now)
        seconds = free - now + ahead * _EVERY
        return max(seconds, _TICK) if seconds > 0 else 0.0

    def hold(self, chat: str, seconds: float) -> None:
        """The network said to wait: send nothing to this chat until then. Others continue. If several chats
        are told so at once, the whole bot is meant: continuing elsewhere would prolong it for all.
        """
        now = self._clock()
        state = self._chats.setdefault(chat, _Chat())
        state.paused_until = max(state.paused_until, now + seconds)
        state.full_at = max(state.full_at, state.paused_until + (_BURST - 1) * _EVERY)  # the burst is used up
        if all(chat != other for _, other in self._holds):
            self._holds.append((now, chat))
        if len(self._holds) == _HELD_CHATS and self._holds[0][0] > now - _HELD_WITHIN:
            self._paused_until = max(self._paused_until, now + seconds)
            self._holds.clear()

    def _serve(self) -> None:
        """Give every free slot to the most urgent waiter that can use it, then sleep until there may be another."""
        if self._alarm:
            self._alarm.cancel()
            self._alarm = None
        now = self._clock()
        for waiter in [waiter for line in self._lines.values() for waiter in line if waiter.turn.done()]:
            self._remove(waiter)  # cancelled a moment ago, and not told yet
        ready = [line[0] for line in self._lines.values() if self._waits_until(line[0]) <= now]
        heapq.heapify(ready)
        while ready and self._bot_free_at(ready[0].urgency) <= now:
            waiter = heapq.heappop(ready)
            self._remove(waiter)
            self._count(waiter.chat, waiter.urgency, now)
            waiter.turn.set_result(now)
            line = self._lines.get(_line(waiter.chat, waiter.urgency))
            if line and self._waits_until(line[0]) <= now:
                heapq.heappush(ready, line[0])
        if self._lines:
            self._set_alarm(min(self._free_at(line[0]) for line in self._lines.values()))

    def _set_alarm(self, at: float) -> None:
        loop = asyncio.get_running_loop()
        due = loop.time() + max(at - self._clock(), _TICK)
        if self._alarm and self._alarm.when() > due:
            self._alarm.cancel()
            self._alarm = None
        if self._alarm is None:
            self._alarm = loop.call_at(due, self._serve)

    def _leave(self, waiter: _Waiter) -> None:
        """Someone stopped waiting. A slot granted at the same moment is given back."""
        if waiter.turn.done() and not waiter.turn.cancelled():
            self._uncount(waiter.chat, waiter.urgency, waiter.turn.result())
        else:
            self._remove(waiter)
        if self._lines:  # someone may be queued behind it
            self._set_alarm(self._clock())
        elif self._alarm:
            self._alarm.cancel()
            self._alarm = None

    def _remove(self, waiter: _Waiter) -> None:
        key = _line(waiter.chat, waiter.urgency)
        line = [other for other in self._lines.get(key, []) if other is not waiter]
        heapq.heapify(line)
        if line:
            self._lines[key] = line
        else:
            self._lines.pop(key, None)

    def _free_at(self, waiter: _Waiter) -> float:
        return max(self._waits_until(waiter), self._bot_free_at(waiter.urgency))

    def _waits_until(self, waiter: _Waiter) -> float:
        return self._chat_free_at(waiter.chat, waiter.urgency, is_group=waiter.is_group)

    def _chat_free_at(self, chat: str, urgency: Urgency, *, is_group: bool) -> float:
        state = self._chats.get(chat)
        return state.free_at(urgency, is_group=is_group) if state else float("-inf")

    @property
    def _every(self) -> float:
        return _IN_ALL_EVERY * max(self._hosts(), 1)

    def _bot_free_at(self, urgency: Urgency) -> float:
        spare = _IN_ALL_BURST - 1 - (0 if urgency is Urgency.FINAL else _IN_ALL_RESERVE)
        return max(self._paused_until, self._full_at - spare * self._every)

    def _count(self, chat: str, urgency: Urgency, now: float) -> None:
        self._full_at = max(self._full_at, now) + self._every
        if urgency is not Urgency.TYPING:
            state = self._chats.setdefault(chat, _Chat())
            state.full_at = max(state.full_at, now) + _EVERY
            state.sent.append(now)
            self._chats.move_to_end(chat)
        self._forget(now)

    def _uncount(self, chat: str, urgency: Urgency, at: float) -> None:
        self._full_at -= self._every
        state = self._chats.get(chat)
        if state and urgency is not Urgency.TYPING and at in state.sent:
            state.sent.remove(at)
            state.full_at -= _EVERY

    def _forget(self, now: float) -> None:
        """Forget two chats per call, which adds at most one: what remains was used lately."""
        for _ in range(min(2, len(self._chats))):
            chat, state = next(iter(self._chats.items()))
            if state.is_quiet(now):
                del self._chats[chat]
            else:
                self._chats.move_to_end(chat)


def _line(chat: str, urgency: Urgency) -> tuple[str, bool]:
    return chat, urgency is Urgency.TYPING


def _free_at(times: deque[float], most: int, seconds: float) -> float:
    """When fewer than `most` of these fall within so many seconds."""
    return times[-most] + seconds if len(times) >= most else float("-inf")
