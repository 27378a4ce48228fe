"""Sockets on which a program in a box asks the host one thing: a line of JSON, and a line as the answer.

For what a live terminal needs besides the model: whether a tool may be used, which tools of servers are lent,
and to use one. The socket says who asks.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from nanoclaw.domain import bounds
from nanoclaw.gateway.listener import Listener
from nanoclaw.gateway.sockets import SocketFolder, is_of_box

Answer = Callable[[Mapping[str, Any]], Awaitable[Mapping[str, Any]]]

_MOST = 32  # at once: a model may use several tools together
_PATIENCE = 30.0  # seconds until a connection must have said what it wants


@dataclass(frozen=True, kw_only=True, slots=True)
class _Door:
    listener: Listener
    talks: set["asyncio.Task[None]"] = field(default_factory=set)


class BoxDoors:
    def __init__(self) -> None:
        self._folder = SocketFolder()
        self._doors: dict[Path, _Door] = {}

    def open(self, answer: Answer) -> Path:
        """A socket for one box."""
        path, listening = self._folder.listen()

        def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.create_task(_talk(reader, writer, answer, door.listener))
            door.talks.add(task)
            task.add_done_callback(door.talks.discard)

        listener = Listener(
            listening,
            lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader(limit=bounds.MOST_ARGUMENTS), meet),
            most=_MOST,
            patience=_PATIENCE,
            may_enter=partial(is_of_box, path),
        )
        door = self._doors[path] = _Door(listener=listener)
        return path

    async def close_door(self, path: Path) -> None:
        """The box is gone: nobody would hear the answers to its open requests."""
        if door := self._doors.pop(path, None):
            door.listener.close()
            for talk in door.talks:
                talk.cancel()
            await asyncio.gather(*door.talks, return_exceptions=True)
            door.listener.abort_all()
            self._folder.remove(path)

    async def close(self) -> None:
        for path in list(self._doors):
            await self.close_door(path)
        self._folder.close()


async def _talk(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answer: Answer, listener: Listener
) -> None:
    try:
        with suppress(OSError, ValueError):  # it has gone; or the line is too long, and it gets no answer
            asked = bounds.said_in(await reader.readline())
            if asked:
                with listener.serving(writer.transport.get_protocol()):
                    told = await answer(asked)
                writer.write(json.dumps(dict(told), ensure_ascii=True).encode() + b"\n")
                await writer.drain()
    finally:
        writer.close()
