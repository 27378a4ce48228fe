"""Receives and answers the requests of boxes: a SessionRequests per session, a RequestFolder per kind of
request.

The folder says who asks, never the request itself. A request is deleted after its answer is written: after a
crash in between it is answered again under the same id, and an id is acted on only once.
"""

import json
import os
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from nanoclaw.domain.file_protocol import ANSWERS, RequestKind
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.tools import TOOLS
from nanoclaw.durable.clock import now
from nanoclaw.sandbox.folder_watch import Watcher
from nanoclaw.sandbox.session_requests import Answer, RequestFolders


def furnish(folder: Path, owner_uid: int, tools: Sequence[Mapping[str, Any]]) -> None:
    """Create the folders of a session and the list of its tools. The box can write only to the request folders."""
    for name in (*ANSWERS, *RequestKind):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for shown in (folder, *(folder / name for name in ANSWERS)):
        shown.chmod(0o755)  # whatever the umask: the box may be another user
    for kind in RequestKind:
        (folder / kind).chmod(0o700)
        if os.geteuid() == 0:
            os.chown(folder / kind, owner_uid, owner_uid, follow_symlinks=False)
    write_tools(folder, tools)


def write_tools(folder: Path, tools: Sequence[Mapping[str, Any]]) -> None:
    """Write the tools the session may use, where its box can read them."""
    put_whole(folder, "tools.json", json.dumps(tools, ensure_ascii=False))


def put_whole(folder: Path, name: str, content: str) -> None:
    """Write a file that a box may read but not write, replaced atomically."""
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / f".{name}"
    fresh.write_text(content, "utf-8")
    fresh.chmod(0o644)
    fresh.rename(folder / name)


class RequestWatch:
    """Hands every request of every open session to `answer`, and writes the reply into the box."""

    def __init__(self, answer: Answer, watcher: Watcher | None = None) -> None:
        self._answer = answer
        self._watcher = watcher or Watcher()
        self._desks: dict[SessionId, RequestFolders] = {}

    def open(
        self, folder: Path, session_id: SessionId, owner_uid: int, tools: Collection[str] = tuple(TOOLS)
    ) -> None:
        """Call before the box starts, with the tools that it may ask for. Answers what a crash left behind."""
        if session_id in self._desks:
            raise ValueError(f"the desk of {session_id} is open already")
        session_requests = RequestFolders(folder, session_id, owner_uid, tools, self._answer, self._watcher)
        self._desks[session_id] = session_requests
        session_requests.sweep(now())

    async def close(self, session_id: SessionId, *, patience: float = 0) -> None:
        """Call after the box ended. What it left is answered within that many seconds, or stays for the next time."""
        if session_requests := self._desks.pop(session_id, None):
            await session_requests.close(patience)

    async def shut(self) -> None:
        """Close every session; the host stops."""
        for session_id in list(self._desks):
            await self.close(session_id)
        await self._watcher.close()

    def sweep(self, at: datetime) -> None:
        """The safety net: look for requests that went unnoticed, and clear away what nobody fetched."""
        for session_requests in self._desks.values():
            session_requests.sweep(at)
