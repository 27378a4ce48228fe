"""Flow B. What Claude Code needs to continue a session elsewhere: its transcript, and a script that puts it
in place.

A session that ran on Claude Code brings its own transcript; for any other it is made from what was said.
"""

import asyncio
import hashlib
import uuid
from dataclasses import dataclass
from pathlib import Path

from nanoclaw.context.preparation import conversation_of
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.text import storable
from nanoclaw.domain.transfers import Transfer
from nanoclaw.domain.turns import Exchange, Session
from nanoclaw.durable import sessions
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.transfers import claude_lines, resume_script
from nanoclaw.flows.transfers.claude_lines import ClaudeLine
from nanoclaw.flows.transfers.scrubber import Scrubber
from nanoclaw.flows.transfers.senders import Senders
from nanoclaw.sandbox.folders import own_folder
from nanoclaw.sandbox.transcript_files import transcripts
from nanoclaw.texts import say

FOLDER = "claude_code"
SCRIPT = "resume.sh"
_CONVERSATIONS = uuid.UUID("0b8f2f0f-5d0a-4a57-9c0e-0a8d5c1d7a42")
_MOST_TRANSCRIPT = 20 << 20  # bytes
_MOST_READ = 64 << 20  # it also holds much that is not taken along
_MOST_TURNS = 2000
_MOST_SECONDS = 20.0  # CPU seconds to scrub it: a megabyte takes half a second, lists of numbers much longer
_ENOUGH = 10_000  # characters to recognise a message by


def conversation_for(transfer_id: str) -> str:
    """The conversation id of a transfer. Each has its own: a session may be taken to the same place twice."""
    return str(uuid.uuid5(_CONVERSATIONS, transfer_id))


@dataclass(frozen=True, kw_only=True, slots=True)
class ClaudeTranscripts:
    home: Path
    store: Store

    async def add(self, transfer: Transfer, folder: Path, scrubber: Scrubber) -> None:
        """Write `claude_code/` with the transcript and `resume.sh` into the folder of the package."""
        session, said = await self.store.read(lambda tx: _said(tx, transfer.session_id))
        await asyncio.to_thread(self._add, transfer, folder, scrubber, session, said)

    def _add(
        self,
        transfer: Transfer,
        folder: Path,
        scrubber: Scrubber,
        session: Session | None,
        exchanges: tuple[Exchange, ...],
    ) -> None:
        conversation = self._own(session, exchanges) if session else []
        conversation = conversation or _made_of(exchanges)
        kept = claude_lines.newest(conversation, _MOST_TRANSCRIPT)
        name = conversation_for(transfer.id)
        place = f"{FOLDER}/{name}.jsonl"
        unnamed = list(claude_lines.scrubbed(kept, Senders(language=transfer.language).hide))
        clean = claude_lines.newest_scrubbed(unnamed, lambda text: scrubber.scrub(text, place), _MOST_SECONDS)
        note = claude_lines.text("user", _note(transfer, len(conversation) - len(clean)))
        whole = claude_lines.tidy([note, *clean])
        lines = claude_lines.written(whole, name, transfer.created_at)
        content = "".join(f"{line}\n" for line in lines).encode()
        (folder / FOLDER).mkdir(mode=0o700)
        (folder / place).write_bytes(content)
        script = resume_script.made(transfer, conversation=name, sha256=hashlib.sha256(content).hexdigest())
        (folder / FOLDER / SCRIPT).write_text(script, "utf-8")
        (folder / FOLDER / SCRIPT).chmod(0o700)

    def _own(self, session: Session, exchanges: tuple[Exchange, ...]) -> list[ClaudeLine]:
        """Its own transcript; empty if there is none, or if it lacks the last turn, which ran on another runtime."""
        folder = own_folder(self.home, session.group, session.id, is_stranger=False)
        for content in transcripts(folder, conversation_of(session), _MOST_READ):
            conversation = claude_lines.read(content)
            if conversation and (not exchanges or _knows(conversation, exchanges[-1].asked)):
                return conversation
        return []


def _said(tx: Tx, session_id: str) -> tuple[Session | None, tuple[Exchange, ...]]:
    session = sessions.known(tx, SessionId(session_id))
    return session, sessions.exchanges(tx, session, _MOST_TURNS) if session else ()


def _knows(conversation: list[ClaudeLine], asked: str) -> bool:
    words = storable(asked)[:_ENOUGH]
    return any(words in block.get("text", "") for said in conversation for block in said.blocks)


def _made_of(exchanges: tuple[Exchange, ...]) -> list[ClaudeLine]:
    return claude_lines.tidy(
        said
        for each in exchanges
        for role, words in (("user", each.asked), ("assistant", each.answered))
        if words.strip()
        for said in (claude_lines.text(role, words),)
    )


def _note(transfer: Transfer, left_out: int) -> str:
    told = [say(transfer.language, "resume-note", transfer=transfer.id)]
    if left_out:
        told.append(say(transfer.language, "resume-left-out", count=left_out))
    return " ".join(told)
