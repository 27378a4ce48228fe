"""What an open page receives: server-sent events of one room, without gaps or repeats.

Watching starts before the missed lines are read, so nothing falls between; a line that comes both ways
replaces itself on the page, because it has an id.
"""

import asyncio
from collections.abc import AsyncIterator

from starlette.responses import StreamingResponse

from nanoclaw.console import shapes
from nanoclaw.console.console import Console
from nanoclaw.console.shape import Shape, as_shown
from nanoclaw.delivery.live import (
    Closing,
    LiveEvent,
    Overrun,
    ParcelShown,
    PreviewGrew,
    SpentSoFar,
    ToolSeen,
    TurnRuns,
)
from nanoclaw.domain.messages import Chat
from nanoclaw.domain.news import (
    EVERY_CHAT,
    BatchChanged,
    BudgetChanged,
    ChatChanged,
    HandoffChanged,
    MemoryChanged,
    MessageChanged,
    PipelineChanged,
    QuestionChanged,
    TaskChanged,
    TransferChanged,
)
from nanoclaw.durable import history, people, questions
from nanoclaw.durable.store import Tx
from nanoclaw.flows.live.room import is_room

_STILL_HERE = 15.0
_CATCH_UP = 200
_BREATH = 0.05  # seconds between two looks at a tool's output; faster than anyone reads


def stream(console: Console, chat: Chat, *, after: str | None) -> StreamingResponse:
    return StreamingResponse(_events(console, chat, after), media_type="text/event-stream")


async def _events(console: Console, chat: Chat, after: str | None) -> AsyncIterator[str]:
    with console.live.watch(chat.id, EVERY_CHAT) as heard:
        yield ": welcome\n\n"
        console.expect(chat.id)
        if after:
            async for missed in _missed(console, chat, after):
                yield missed
        for event in console.live.under_way(chat.id):
            if told := await _told(console, event):
                yield told
        while True:
            try:
                async with asyncio.timeout(_STILL_HERE):
                    events = [await heard.get()]
            except TimeoutError:
                yield ": still here\n\n"
                continue
            while not heard.empty():
                events.append(heard.get_nowait())
            for event in _newest(events):
                if isinstance(event, Closing | Overrun):
                    return  # the page reconnects and reads what it missed
                if told := await _told(console, event):
                    yield told
            if any(isinstance(event, ToolSeen) for event in events):
                await asyncio.sleep(_BREATH)


def _newest(events: list[LiveEvent]) -> list[LiveEvent]:
    """A tool that prints without end repeats the same event: only the last one matters."""
    last = {(event.turn_id, event.tool): event for event in events if isinstance(event, ToolSeen)}
    told: list[LiveEvent] = []
    for event in events:
        if not isinstance(event, ToolSeen):
            told.append(event)
        elif newest := last.pop((event.turn_id, event.tool), None):
            told.append(newest)  # where the tool was first seen, so that tools stay in order
    return told


async def _missed(console: Console, chat: Chat, after: str) -> AsyncIterator[str]:
    more = True
    while more:
        items, more = await console.store.read(
            lambda tx, last=after: history.of_chat(tx, chat.id, after=last, limit=_CATCH_UP)  # type: ignore[misc]
        )
        for item in items:
            yield await asyncio.to_thread(_line, item)
            after = item.id


async def _told(console: Console, event: LiveEvent) -> str | None:
    match event:
        case MessageChanged(message_id=found):
            items = await console.store.read(lambda tx: history.messages_by_id(tx, [found]))
            return await asyncio.to_thread(_line, items[0]) if items else None
        case ParcelShown(parcel_id=found):
            items = await console.store.read(lambda tx: history.parcels_by_id(tx, [found]))
            return await asyncio.to_thread(_line, items[0]) if items else None
        case PreviewGrew(preview=preview):
            return _event("preview", await asyncio.to_thread(shapes.growing, preview))
        case TurnRuns(turn_id=turn, on=on):
            return _event("typing", shapes.Typing(turn=turn, on=on))
        case ToolSeen():
            return _event("tool", shapes.tool(event))
        case SpentSoFar():
            return _event("spent", shapes.spent(event))
        case ChatChanged(chat_id=found):
            return await console.store.read(lambda tx: _room(tx, console, found))
        case QuestionChanged(question_id=found):
            question = await console.store.read(lambda tx: questions.get(tx, found))
            return _event("question", shapes.QuestionNews.model_validate(question)) if question else None
    return _news(event)


def _news(event: LiveEvent) -> str | None:
    """Events that only say that something should be fetched."""
    match event:
        case TaskChanged(task_id=number):
            return _event("task", shapes.TaskNews(id=number))
        case PipelineChanged(run_id=found):
            return _event("pipeline", shapes.PipelineNews(id=found))
        case HandoffChanged(handoff_id=found):
            return _event("handoff", shapes.HandoffNews(id=found))
        case BatchChanged(batch_id=found):
            return _event("batch", shapes.BatchNews(id=found))
        case TransferChanged(id=found):
            return _event("transfer", shapes.TransferNews(id=found))
        case BudgetChanged(company=company):
            return _event("budget", shapes.BudgetNews(company=company))
        case MemoryChanged():
            return _event("memory", shapes.MemoryNews())
    return None


def _room(tx: Tx, console: Console, chat_id: str) -> str | None:
    """Chats of other channels are not rooms of the page, and those of sessions have their own page."""
    chat, last_at = people.chat_with_time(tx, chat_id)
    if chat.channel not in console.channels or is_room(chat):
        return None
    return _event("room", shapes.room(chat, last_at))


def _line(item: history.Item) -> str:
    return _event("message", shapes.line(item))


def _event(name: str, data: Shape) -> str:
    return f"event: {name}\ndata: {as_shown(data).model_dump_json()}\n\n"
