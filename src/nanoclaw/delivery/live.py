"""Who is watching a chat right now, and what they are told. Nothing is stored: what was missed is read again."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from nanoclaw.domain.news import News
from nanoclaw.domain.parcels import Preview

_BACKLOG = 1000
_MOST_TOOLS = 50  # of one turn, told to someone who joins late


@dataclass(frozen=True, slots=True)
class ParcelShown:
    """A parcel was posted to the chat."""

    parcel_id: str


@dataclass(frozen=True, slots=True)
class PreviewGrew:
    preview: Preview


@dataclass(frozen=True, slots=True)
class TurnRuns:
    """A turn started (on) or ended (off): the typing indicator."""

    turn_id: str
    on: bool


@dataclass(frozen=True, slots=True)
class ToolSeen:
    """A tool of a running turn, in its current state: running, done or failed."""

    turn_id: str
    tool: str
    name: str
    shown: str
    state: str
    text: str


@dataclass(frozen=True, slots=True)
class SpentSoFar:
    """What the model calls of a running turn have used."""

    turn_id: str
    model: str
    input: int
    output: int
    micros: int


@dataclass(frozen=True, slots=True)
class Closing:
    """The host is stopping; watchers should reconnect later."""


@dataclass(frozen=True, slots=True)
class Overrun:
    """The watcher is too slow and must reload the chat."""


@dataclass
class _UnderWay:
    """What was told about a running turn, for those who join in the middle."""

    preview: Preview | None = None
    tools: dict[str, ToolSeen] = field(default_factory=dict)
    spent: SpentSoFar | None = None


LiveEvent = News | ParcelShown | PreviewGrew | TurnRuns | ToolSeen | SpentSoFar | Closing | Overrun


class Live:
    """Tells those who watch a chat what happens in it. A watcher costs one queue; an unwatched chat costs nothing."""

    def __init__(self) -> None:
        self._watchers: dict[str, set[asyncio.Queue[LiveEvent]]] = defaultdict(set)
        self._running: dict[str, dict[str, _UnderWay]] = {}
        self._is_closed = False

    @property
    def anyone(self) -> bool:
        return bool(self._watchers)

    def watched(self, chat_id: str) -> bool:
        return chat_id in self._watchers

    def tell(self, chat_id: str, event: LiveEvent) -> None:
        self._remember(chat_id, event)
        for watcher in self._watchers.get(chat_id, ()):
            if watcher.qsize() < _BACKLOG:
                watcher.put_nowait(event)
            elif watcher.qsize() == _BACKLOG:
                watcher.put_nowait(Overrun())

    def under_way(self, chat_id: str) -> list[LiveEvent]:
        """What someone who joins in the middle of a turn must be told first."""
        told: list[LiveEvent] = []
        for turn_id, seen in self._running.get(chat_id, {}).items():
            told += [TurnRuns(turn_id, on=True), *seen.tools.values()]
            if seen.spent:
                told.append(seen.spent)
            if seen.preview:
                told.append(PreviewGrew(seen.preview))
        return told

    def _remember(self, chat_id: str, event: LiveEvent) -> None:
        match event:
            case TurnRuns(turn_id=turn_id, on=True):
                self._running.setdefault(chat_id, {})[turn_id] = _UnderWay()
            case TurnRuns(turn_id=turn_id, on=False):
                self._running.get(chat_id, {}).pop(turn_id, None)
                if not self._running.get(chat_id):
                    self._running.pop(chat_id, None)
            case PreviewGrew(preview=preview):
                self._seen(chat_id, preview.turn_id).preview = preview
            case ToolSeen(turn_id=turn_id, tool=tool):
                tools = self._seen(chat_id, turn_id).tools
                tools[tool] = event
                if len(tools) > _MOST_TOOLS:
                    del tools[next(iter(tools))]
            case SpentSoFar(turn_id=turn_id):
                self._seen(chat_id, turn_id).spent = event
            case _:
                pass

    def _seen(self, chat_id: str, turn_id: str) -> _UnderWay:
        return self._running.setdefault(chat_id, {}).setdefault(turn_id, _UnderWay())

    def close(self) -> None:
        """Tell everyone that the host closes, including those who come later: a pending request would keep it
        open.
        """
        self._is_closed = True
        for key in list(self._watchers):
            self.tell(key, Closing())

    @contextmanager
    def watch(self, *keys: str) -> Iterator[asyncio.Queue[LiveEvent]]:
        watcher: asyncio.Queue[LiveEvent] = asyncio.Queue()
        for key in keys:
            self._watchers[key].add(watcher)
        if self._is_closed:
            watcher.put_nowait(Closing())
        try:
            yield watcher
        finally:
            for key in keys:
                self._watchers[key].discard(watcher)
                if not self._watchers[key]:
                    del self._watchers[key]
