"""What was said at the terminal of a live session, if its transcript was asked for.

It comes from the transcript that Claude Code writes in its box, so it is only as honest as what runs there.
It also holds what was said in the room of the session, which is the same conversation.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nanoclaw.context.preparation import conversation_of
from nanoclaw.domain import bounds
from nanoclaw.domain.questions import Question
from nanoclaw.domain.text import storable
from nanoclaw.domain.turns import Session
from nanoclaw.durable import live_sessions, sessions
from nanoclaw.durable.store import Store, Tx
from nanoclaw.runtimes.tool_lines import shown_call
from nanoclaw.sandbox.folders import own_folder
from nanoclaw.sandbox.transcript_files import transcripts

_MOST_READ = 32 << 20
_MOST_KEPT = 1_000_000  # characters; the end matters most


@dataclass(frozen=True, kw_only=True, slots=True)
class TerminalTranscripts:
    home: Path
    store: Store

    async def of(self, question: Question) -> str | None:
        """None if nobody worked at a terminal."""
        session = await self.store.read(lambda tx: _session(tx, question.id))
        return await asyncio.to_thread(self._read, session) if session else None

    def _read(self, session: Session) -> str | None:
        folder = own_folder(self.home, session.group, session.id, is_stranger=False)
        for written in transcripts(folder, conversation_of(session), _MOST_READ):
            said = [line for each in written.splitlines() for line in _words(bounds.said_in(each))]
            if said:
                return storable("\n\n".join(said))[-_MOST_KEPT:]
        return None


def _session(tx: Tx, question_id: str) -> Session | None:
    live = live_sessions.get(tx, question_id)
    return sessions.get(tx, live.session_id) if live.session_id and live.runtime else None


def _words(line: Any) -> Iterator[str]:
    """The words of people and the agent, and the tools it used. Its notes about its environment are left out."""
    match line:
        case {"isMeta": True} | {"isSidechain": True}:
            return
        case {"type": ("user" | "assistant") as who, "message": {"content": str(text)}} if text.strip():
            yield f"{_NAMES[who]}: {text.strip()}"
        case {"type": ("user" | "assistant") as who, "message": {"content": list(blocks)}}:
            for block in blocks:
                match block:
                    case {"type": "text", "text": str(text)} if text.strip():
                        yield f"{_NAMES[who]}: {text.strip()}"
                    case {"type": "tool_use", "name": str(tool), "input": dict(given)}:
                        yield f"{_NAMES[who]}: [{tool}] {shown_call(given)}"
                    case _:
                        pass
        case _:
            pass


_NAMES = {"user": "person", "assistant": "agent"}
