"""Who waits for an answer in this process: a turn whose agent asked, or a program on the line."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(kw_only=True)
class Wait:
    session_id: str
    news: asyncio.Event = field(default_factory=asyncio.Event)
    over: bool = False  # whatever comes of the question


class Waits:
    """Nothing here is stored. Whoever is told looks at the rows."""

    def __init__(self) -> None:
        self._waiting: dict[str, list[Wait]] = {}

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

    def tell(self, question_id: str) -> None:
        """Something has happened to the question."""
        for wait in self._waiting.get(question_id, ()):
            wait.news.set()

    def anyone_on(self, question_id: str) -> bool:
        return question_id in self._waiting

    def let_go(self, session_id: str) -> None:
        """A person has something else to say to this session: whoever waits there for an answer waits no longer."""
        self._end(lambda wait: wait.session_id == session_id)

    def let_all_go(self) -> None:
        """The host stops."""
        self._end(lambda _wait: True)

    def _end(self, is_meant: Callable[[Wait], bool]) -> None:
        for waiting in self._waiting.values():
            for wait in filter(is_meant, waiting):
                wait.over = True
                wait.news.set()
