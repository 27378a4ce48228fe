"""Who waits for an answer in this process: a turn whose agent asked, or a program's connection."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.news import News, QuestionChanged
from nanoclaw.domain.silence import Silence


@dataclass(kw_only=True)
class Wait:
    session_id: str
    news: asyncio.Event = field(default_factory=asyncio.Event)
    over: bool = False  # stop waiting, whatever happens to the question


class Waits:
    """Nothing here is stored. Waiters that are notified read the rows."""

    def __init__(self, most_turns: int = 4) -> None:
        """At most this many turns wait at once, each with its box; beyond that, the oldest stops waiting."""
        self._most_turns = most_turns
        self._waiting: dict[str, list[Wait]] = {}
        self._turns: dict[str, list[int]] = {}  # longest waiting first: for how many answers
        self._silences: dict[str, Silence] = {}

    @contextmanager
    def on(self, question_id: str, session_id: str = "") -> Iterator[Wait]:
        mine = Wait(session_id=session_id)
        self._waiting.setdefault(question_id, []).append(mine)
        try:
            yield mine
        finally:
            left = self._waiting[question_id] = [
                each for each in self._waiting[question_id] if each is not mine
            ]
            if not left:
                del self._waiting[question_id]

    @contextmanager
    def watched(self, session_id: str, silence: Silence) -> Iterator[None]:
        """While a turn runs, do not count it as silent as long as it waits for people here."""
        self._silences[session_id] = silence
        try:
            yield
        finally:
            del self._silences[session_id]

    @contextmanager
    def excused(self, session_id: str) -> Iterator[None]:
        """The turn of this session waits for someone whose silence is watched elsewhere."""
        with self._silences.get(session_id, Silence()).excused():
            yield

    def hinder(self, session_id: str, why: NanoClawError) -> None:
        """End the turn of this session with this error: it cannot continue now."""
        self._silences.get(session_id, Silence()).hinder(why)

    @contextmanager
    def turn(self, session_id: str) -> Iterator[None]:
        """A turn of this session waits for people."""
        mine = self._turns.setdefault(session_id, [0])
        mine[0] += 1
        if len(self._turns) > self._most_turns:
            oldest = next(iter(self._turns))
            del self._turns[oldest]
            self.let_go(oldest)
        silence = self._silences.get(session_id, Silence())
        try:
            with silence.excused():
                yield
        finally:
            mine[0] -= 1
            if not mine[0] and self._turns.get(session_id) is mine:
                del self._turns[session_id]

    def hear(self, _chat: str, news: News) -> None:
        """After a commit: something may have happened to a question."""
        if isinstance(news, QuestionChanged):
            for wait in self._waiting.get(news.question_id, ()):
                wait.news.set()

    def anyone_on(self, question_id: str) -> bool:
        return question_id in self._waiting

    def let_go(self, session_id: str) -> None:
        """A person writes something else to this session: stop its waits for answers."""
        self._end(lambda wait: wait.session_id == session_id)

    def let_all_go(self) -> None:
        """The host stops."""
        self._end(lambda _wait: True)

    def _end(self, is_meant: Callable[[Wait], bool]) -> None:
        for waiting in self._waiting.values():
            for wait in filter(is_meant, waiting):
                wait.over = True
                wait.news.set()
