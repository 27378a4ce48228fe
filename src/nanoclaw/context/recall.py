"""Looks up what a company knows about the messages of a turn, before the turn begins.

An answer is worth more than a memory: a lookup that fails or takes too long is left out, and the timeline says so.
"""

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from xml.sax.saxutils import unescape

import structlog

from nanoclaw.context.company_context import Stamp
from nanoclaw.domain.errors import StoreDamaged, StoreUnavailable
from nanoclaw.domain.memory import MemoryFile, Recalled, RecallWish
from nanoclaw.domain.messages import Message
from nanoclaw.domain.ports import MemoryLookup
from nanoclaw.domain.turns import Exchange

log = structlog.get_logger("recall")

_MOST_TEXT = 4000  # characters of the messages: the question is in the first or the last of them
_NEAR = 2  # earlier exchanges that show what the conversation is about
_MOST_NEAR = 500  # characters of each side
_MOST_PASSAGES = 12  # two or three sentences each, as most context files are written
_TAG = re.compile(r"<[^>]*>")


@dataclass(frozen=True, kw_only=True, slots=True)
class RecalledContext:
    """What goes into the prompt of a turn."""

    recalled: Recalled = field(default_factory=Recalled)
    memory: MemoryFile = field(default_factory=MemoryFile)
    trouble: str | None = None  # why nothing was looked up: recall-slow, recall-failed


class NoLookup:
    """Used if nothing is indexed."""

    async def recall(self, _wish: RecallWish) -> Recalled:
        return Recalled()

    def expect(self, _company: str, _stamps: tuple[Stamp, ...]) -> None:
        """Nothing to prepare."""


class MemoryRecall:
    def __init__(
        self,
        lookup: MemoryLookup | None = None,
        memory: Callable[[str], MemoryFile] = lambda _company: MemoryFile(),
        *,
        seconds: float = 0.25,
        first_seconds: float = 3.0,
    ) -> None:
        """`memory` reads a company's CLAUDE.md. The first lookup for a company may have to index its files."""
        self._lookup = lookup or NoLookup()
        self._memory = memory
        self._seconds = seconds
        self._first_seconds = first_seconds
        self._known: set[str] = set()

    async def find(
        self,
        company: str,
        messages: Sequence[Message],
        history: Sequence[Exchange],
        *,
        stamps: tuple[Stamp, ...],
        passages_of: tuple[str, ...],
        wants_memory: bool,
        is_stranger: bool,
    ) -> RecalledContext:
        """`stamps` are those of the context files. Strangers get only what is public, which CLAUDE.md is not."""
        memory = self._memory(company) if wants_memory and not is_stranger else MemoryFile()
        text = "\n".join(filter(None, map(_words, messages)))
        if not text:
            self._lookup.expect(company, stamps)
            return RecalledContext(memory=memory)
        if not (passages_of or wants_memory):
            return RecalledContext(memory=memory)
        wish = RecallWish(
            company=company,
            text=text
            if len(text) <= _MOST_TEXT
            else f"{text[: _MOST_TEXT // 2]}\n{text[-_MOST_TEXT // 2 :]}",
            near=tuple(_spoken(history)),
            is_public_only=is_stranger,
            wants_memory=wants_memory,
            passages_of=passages_of,
            stamps=stamps,
            most_passages=_MOST_PASSAGES,
        )
        seconds = self._seconds if company in self._known else max(self._seconds, self._first_seconds)
        self._known.add(company)
        try:
            async with asyncio.timeout(seconds):
                return RecalledContext(recalled=await self._lookup.recall(wish), memory=memory)
        except TimeoutError:
            return RecalledContext(memory=memory, trouble="recall-slow")
        except (StoreUnavailable, StoreDamaged) as error:
            log.warning("nothing recalled", reason=error)
            return RecalledContext(memory=memory, trouble="recall-failed")


def _words(message: Message) -> str:
    quoted = message.reply_to.text if message.reply_to else ""
    return f"{message.text}\n{quoted}".strip()


def _spoken(history: Sequence[Exchange]) -> list[str]:
    """The recent exchanges as plain text, newest first. The messages of history are XML."""
    near = []
    for exchange in reversed(history[-_NEAR:]):
        asked = unescape(_TAG.sub(" ", exchange.asked))
        near.append(f"{' '.join(asked.split())[:_MOST_NEAR]}\n{exchange.answered[:_MOST_NEAR]}")
    return near
