"""What a person sees while an agent works: typing, and the answer as it grows.

Nobody waits for any of it. The newest text wins, and whatever was not shown in time is skipped. When the answer is
complete the loop ends between two calls, never within one: the message that a call made must be known.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field

import structlog
from telegram import Bot
from telegram.constants import ChatAction

from nanoclaw.channels.telegram.bots import Moved, Unfit, asked
from nanoclaw.channels.telegram.poster import LIMIT, Destination, Poster, SentAnswer
from nanoclaw.delivery.markdown import render
from nanoclaw.delivery.pace import Pace, Urgency
from nanoclaw.delivery.text_parts import split
from nanoclaw.domain.errors import NanoClawError, SendLater, SendUnknown
from nanoclaw.domain.ids import TurnId
from nanoclaw.domain.parcels import Preview
from nanoclaw.domain.styled import Styled
from nanoclaw.durable.liveness import Liveness

log = structlog.get_logger("telegram")

_LONG = 4000  # characters from which text is rendered in a thread: it would block everyone else
_REMEMBERED = 600.0  # seconds after the end of a turn
_AFTER = 0.15  # seconds after the first words: an answer that is complete by then needs no draft
_ABOVE = 0.25  # seconds between two checks whether what belongs above has arrived
_TYPING_AFTER = 0.4
_TYPING_EVERY = 4.5  # Telegram shows it for five seconds


@dataclass(kw_only=True)
class _Draft:
    standing: SentAnswer
    again: bool
    liveness: int  # under which it began
    wanted: str = ""
    shown: str = ""  # all of it is in the chat
    before: asyncio.Task[None] | None = None  # the same turn's, before it was held
    news: asyncio.Event = field(default_factory=asyncio.Event)
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    began: bool = False  # its first words are leaving, or have left
    growing: asyncio.Task[None] | None = None
    typing: asyncio.Task[None] | None = None
    timers: list[asyncio.TimerHandle] = field(default_factory=list)  # a quick answer starts neither
    dropping: asyncio.TimerHandle | None = None

    def close(self) -> None:
        """Show nothing more. A call in progress is left to finish."""
        self.closing.set()
        self.news.set()
        for timer in self.timers:
            timer.cancel()
        if self.typing:
            self.typing.cancel()


class Drafts:
    def __init__(self, bot: Bot, pace: Pace, poster: Poster, liveness: Liveness) -> None:
        self._bot = bot
        self._liveness = liveness
        self._pace = pace
        self._poster = poster
        self._drafts: dict[TurnId, _Draft] = {}
        self._removing: set[asyncio.Task[None]] = set()

    def begin(self, preview: Preview, *, again: bool) -> None:
        standing = SentAnswer(subject=preview.turn_id, place=place_of(preview))
        draft = _Draft(standing=standing, again=again, liveness=self._liveness.number)
        if before := self._drafts.pop(preview.turn_id, None):  # it was held, and continues where it was
            # What another host may have put there meanwhile is in the database, not in memory.
            draft.before, draft.began = before.growing, before.began
            before.close()
        draft.timers.append(asyncio.get_running_loop().call_later(_TYPING_AFTER, self._begin_typing, draft))
        self._drafts[preview.turn_id] = draft

    async def grow(self, preview: Preview) -> None:
        """Returns at once."""
        draft = self._drafts.get(preview.turn_id)
        if draft is None:
            return
        is_first = not draft.wanted
        draft.wanted = preview.text
        draft.news.set()
        if is_first:
            draft.timers.append(asyncio.get_running_loop().call_later(_AFTER, self._begin_growing, draft))

    def rest(self, preview: Preview, *, said: bool) -> None:
        """The agent stopped. The draft is replaced by its answer, or removed if there is none."""
        draft = self._drafts.get(preview.turn_id)
        if draft is None:
            return
        draft.close()
        if not said:
            removing = asyncio.create_task(self._remove(draft))
            self._drop(preview.turn_id, draft)
            self._removing.add(removing)
            removing.add_done_callback(self._removing.discard)
        else:  # delivered by another host, or given up: nobody here will say so
            later = asyncio.get_running_loop().call_later
            draft.dropping = later(_REMEMBERED, self._drop, preview.turn_id, draft)

    def began(self, turn_id: TurnId | None) -> bool:
        """Whether a message of this turn may be in the chat, so that its answer is an edit."""
        draft = self._drafts.get(turn_id) if turn_id else None
        return draft is not None and (draft.began or draft.again)

    async def take(self, turn_id: TurnId) -> SentAnswer | None:
        """The answer is complete: the parts that are in the chat. None if this host knows nothing about the turn."""
        draft = self._drafts.get(turn_id)
        if draft is None:
            return None
        await self._close(draft)
        if draft.liveness != self._liveness.number:  # others may have continued it
            self._drop(turn_id, draft)
            return None
        return await self._known(draft)

    def forget(self, turn_id: TurnId | None) -> None:
        """The answer is delivered."""
        draft = self._drafts.pop(turn_id, None) if turn_id else None
        if draft and draft.dropping:
            draft.dropping.cancel()

    async def close(self) -> None:
        await asyncio.gather(*map(self._close, self._drafts.values()))
        self._drafts.clear()
        for removing in self._removing:
            removing.cancel()
        await asyncio.gather(*self._removing, return_exceptions=True)

    def _begin_typing(self, draft: _Draft) -> None:
        draft.typing = asyncio.create_task(self._type(draft))

    def _begin_growing(self, draft: _Draft) -> None:
        draft.growing = asyncio.create_task(self._grow(draft))

    async def _close(self, draft: _Draft) -> None:
        draft.close()
        if tasks := [task for task in (draft.typing, draft.growing, draft.before) if task]:
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _known(self, draft: _Draft) -> SentAnswer:
        """What is in the chat, including what an earlier host put there."""
        if draft.again and not draft.standing.messages:
            draft.standing = await self._poster.load(draft.standing.subject, draft.standing.place)
        return draft.standing

    async def _grow(self, draft: _Draft) -> None:
        try:
            if draft.before:
                await asyncio.gather(draft.before, return_exceptions=True)
            await self._known(draft)
            while not draft.closing.is_set():
                await self._show_next(draft)
        except (NanoClawError, Unfit, Moved) as error:
            # The final text is sent elsewhere; until then nothing more is shown.
            log.info("preview ended", turn=draft.standing.subject, reason=error)

    async def _show_next(self, draft: _Draft) -> None:
        """Wait until there is something to show and the pace allows it, then show one part."""
        standing, place, wanted = draft.standing, draft.standing.place, draft.wanted
        if wanted == draft.shown:
            draft.news.clear()
            await draft.news.wait()
            return
        wait = self._pace.next_at(place.address, Urgency.PREVIEW, is_group=place.is_group)
        if wait > 0:
            await _pause(draft, wait)
            return
        parts = await asyncio.to_thread(_parts, wanted) if len(wanted) > _LONG else _parts(wanted)
        index = standing.first_change(parts)
        if index is None:
            draft.shown = wanted
        elif not standing.messages and not await self._may_begin(draft, parts[0]):
            await _pause(draft, _ABOVE)  # what was said or sent before must be above
        elif self._pace.may(place.address, Urgency.PREVIEW, is_group=place.is_group):
            try:
                await self._poster.step(standing, parts, index)
            except SendLater as later:
                if later.after:
                    self._pace.hold(place.address, later.after.total_seconds())
                await _pause(draft, 1.0)
        elif not standing.messages:
            # Others were faster while its departure was recorded. If the answer is delivered by another host, that must
            # not take this for a message that may have arrived.
            await self._poster.unmark(standing, 0)
            draft.began = False

    async def _may_begin(self, draft: _Draft, part: Styled) -> bool:
        """Set before asking: delivery may pick up the answer at the same moment, and must not take this for a
        chat without a draft.
        """
        if draft.standing.lost:  # one is already in the chat, as far as anyone knows: no second one
            raise SendUnknown("send-cut")
        draft.began = True
        draft.began = await self._poster.begin_draft(draft.standing, part)
        return draft.began

    async def _type(self, draft: _Draft) -> None:
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
                    return  # sending the answer will show what is wrong
            await asyncio.sleep(_TYPING_EVERY)

    async def _remove(self, draft: _Draft) -> None:
        """The agent chose silence after all, or its answer has to wait: nothing half-written stays."""
        await self._close(draft)
        with suppress(NanoClawError, Unfit, Moved):
            standing = await self._known(draft)
            while standing.messages:
                try:
                    await self._poster.remove_last(standing)
                except SendLater as later:
                    await asyncio.sleep(later.after.total_seconds() if later.after else 1.0)

    def _drop(self, turn_id: TurnId, draft: _Draft) -> None:
        if self._drafts.get(turn_id) is draft:
            del self._drafts[turn_id]


def _parts(text: str) -> tuple[Styled, ...]:
    return split(render(text, is_unfinished=True), LIMIT) if text.strip() else ()


def place_of(preview: Preview) -> Destination:
    return Destination(
        chat_id=preview.chat_id, address=preview.address, thread=preview.thread, reply_ref=preview.reply_ref
    )


async def _pause(draft: _Draft, seconds: float) -> None:
    """Sleep that long, or until the answer is complete."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await draft.closing.wait()
