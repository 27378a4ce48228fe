"""What a person sees while an agent works: that it writes, and the answer as it grows.

Nobody waits for any of it. The newest text wins, whatever was not shown in time is left out, and when the answer is
complete the loop ends between two calls, never within one: the message that a call made must be known.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

import structlog
from telegram import Bot
from telegram.constants import ChatAction

from nanoclaw.channels.telegram.bots import Moved, Unfit, asked
from nanoclaw.channels.telegram.posting import LIMIT, Place, Poster, Standing
from nanoclaw.delivery.pacing import Pace, Urgency
from nanoclaw.delivery.rendering import render
from nanoclaw.delivery.splitting import split
from nanoclaw.domain.errors import NanoClawError, SendLater, SendUnknown
from nanoclaw.domain.ids import TurnId
from nanoclaw.domain.parcels import Preview

log = structlog.get_logger("telegram")

_TYPING_AFTER = 0.4
_TYPING_EVERY = 4.5  # Telegram shows it for five seconds


@dataclass(kw_only=True)
class _Draft:
    standing: Standing
    again: bool
    wanted: str = ""
    news: asyncio.Event = field(default_factory=asyncio.Event)
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    growing: asyncio.Task[None] | None = None
    typing: asyncio.Task[None] | None = None


class Drafts:
    def __init__(self, bot: Bot, pace: Pace, poster: Poster) -> None:
        self._bot = bot
        self._pace = pace
        self._poster = poster
        self._drafts: dict[TurnId, _Draft] = {}
        self._removing: set[asyncio.Task[None]] = set()

    def begin(self, preview: Preview, *, again: bool) -> None:
        draft = _Draft(standing=Standing(subject=preview.turn_id, place=place_of(preview)), again=again)
        if before := self._drafts.pop(preview.turn_id, None):  # it was held, and goes on where it was
            draft.standing, draft.again = before.standing, before.again
            before.closing.set()
            before.news.set()
        draft.typing = asyncio.create_task(self._type(draft))
        self._drafts[preview.turn_id] = draft

    def grow(self, preview: Preview) -> None:
        draft = self._drafts.get(preview.turn_id)
        if draft is None:
            return
        draft.wanted = preview.text
        draft.news.set()
        if draft.growing is None:
            draft.growing = asyncio.create_task(self._grow(draft))

    def rest(self, preview: Preview, *, said: bool) -> None:
        """The agent stopped. What stays in the chat is replaced by what it said; if that is nothing, it goes."""
        draft = self._drafts.get(preview.turn_id)
        if draft is None:
            return
        if draft.typing:
            draft.typing.cancel()
        if not said:
            removing = asyncio.create_task(self._remove(preview.turn_id))
            self._removing.add(removing)
            removing.add_done_callback(self._removing.discard)

    def stands(self, turn_id: TurnId | None) -> bool:
        """Whether a message of this turn is in the chat, so that its answer is an edit."""
        draft = self._drafts.get(turn_id) if turn_id else None
        return draft is not None and bool(draft.standing.messages)

    async def take(self, turn_id: TurnId) -> Standing | None:
        """The answer is complete: what stands in the chat of it. None when this host knows nothing of the turn."""
        draft = self._drafts.get(turn_id)
        if draft is None:
            return None
        await self._close(draft)
        if draft.again and not draft.standing.messages:
            draft.standing = await self._poster.load(turn_id, draft.standing.place)
        return draft.standing

    def forget(self, turn_id: TurnId | None) -> None:
        """The answer is delivered."""
        if turn_id:
            self._drafts.pop(turn_id, None)

    async def close(self) -> None:
        for draft in list(self._drafts.values()):
            await self._close(draft)
        self._drafts.clear()
        for removing in self._removing:
            removing.cancel()
        await asyncio.gather(*self._removing, return_exceptions=True)

    async def _close(self, draft: _Draft) -> None:
        draft.closing.set()
        draft.news.set()
        if draft.typing:
            draft.typing.cancel()
            await asyncio.gather(draft.typing, return_exceptions=True)
        if draft.growing:
            await asyncio.gather(draft.growing, return_exceptions=True)

    async def _grow(self, draft: _Draft) -> None:
        try:
            if draft.again and not draft.standing.messages:
                draft.standing = await self._poster.load(draft.standing.subject, draft.standing.place)
            while not draft.closing.is_set():
                await self._show_next(draft)
        except (NanoClawError, Unfit, Moved) as error:
            # The final text comes another way; until then nothing more is shown of it.
            log.info("preview ended", turn=draft.standing.subject, reason=str(error))
            if isinstance(error, SendUnknown):
                draft.standing.messages.clear()

    async def _show_next(self, draft: _Draft) -> None:
        """Wait until there is something to show and room for it, then show one part of it."""
        standing, place = draft.standing, draft.standing.place
        parts = split(render(draft.wanted, is_unfinished=True), LIMIT) if draft.wanted.strip() else ()
        index = standing.first_change(parts)
        if index is None:
            draft.news.clear()
            await draft.news.wait()
            return
        wait = self._pace.next_at(place.address, Urgency.PREVIEW, is_group=place.is_group)
        if wait > 0:
            await _pause(draft, wait)
        elif self._pace.may(place.address, Urgency.PREVIEW, is_group=place.is_group):
            try:
                await self._poster.step(standing, parts, index)
            except SendLater as later:
                if later.after:
                    self._pace.hold(place.address, later.after.total_seconds())
                await _pause(draft, 1.0)

    async def _type(self, draft: _Draft) -> None:
        await asyncio.sleep(_TYPING_AFTER)
        place = draft.standing.place
        while True:
            if self._pace.may(place.address, Urgency.TYPING, is_group=place.is_group):
                try:
                    await asked(
                        self._bot.send_chat_action(
                            place.address, ChatAction.TYPING, message_thread_id=place.topic
                        ),
                        harmless=True,
                    )
                except SendLater as later:
                    if later.after:
                        self._pace.hold(place.address, later.after.total_seconds())
                except (NanoClawError, Unfit, Moved):
                    return  # whoever sends the answer finds out what is wrong
            await asyncio.sleep(_TYPING_EVERY)

    async def _remove(self, turn_id: TurnId) -> None:
        """The agent chose silence after all."""
        with suppress(NanoClawError, Unfit, Moved):
            standing = await self.take(turn_id)
            while standing and standing.messages:
                await self._poster.remove_last(standing)
        self.forget(turn_id)


def place_of(preview: Preview) -> Place:
    return Place(
        chat_id=preview.chat_id, address=preview.address, thread=preview.thread, reply_ref=preview.reply_ref
    )


async def _pause(draft: _Draft, seconds: float) -> None:
    """That long, or until the answer is complete."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await draft.closing.wait()
