"""Puts a text into a chat, as one message or several, and keeps it exact while it changes.

Every new message is recorded before its bytes leave, and again with its id afterwards. An edit may be repeated: the
same text again changes nothing.
"""

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from itertools import groupby

import structlog
from telegram import (
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    LinkPreviewOptions,
    MessageEntity,
    ReplyParameters,
)

from nanoclaw.channels.telegram.bots import RawBot, Unfit, asked
from nanoclaw.channels.telegram.calls import Calls
from nanoclaw.delivery import outbox
from nanoclaw.delivery.pace import Pace, Urgency
from nanoclaw.delivery.text_parts import split
from nanoclaw.domain.errors import LeaseLost, SendLater, SendRefused, SendUnknown
from nanoclaw.domain.ids import ChatId, TurnId
from nanoclaw.domain.parcels import Button
from nanoclaw.domain.ports import SendMarks
from nanoclaw.domain.styled import Styled, units
from nanoclaw.durable import sent, session_queue
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx, insist
from nanoclaw.durable.timeline import Event, note

log = structlog.get_logger("telegram")

LIMIT = 4096
_SMALLER = (LIMIT, 3000, 1500)  # for when Telegram counts more than we do
_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
_NO_PREVIEW_SENT = _NO_PREVIEW.to_dict()  # once: every message has it
_A_ROW = 3  # buttons in a row
_NOT_THERE = ("message to edit not found", "message can't be edited", "message id invalid")
_LONGEST_WAIT = 2.0  # seconds; a longer wait for the pace lets others go first


@dataclass(frozen=True, kw_only=True, slots=True)
class Destination:
    """Where in Telegram something is sent."""

    chat_id: ChatId
    address: str
    thread: str | None
    reply_ref: str | None
    silent: bool = False

    @property
    def is_group(self) -> bool:
        return self.address.startswith("-")

    @property
    def topic(self) -> int | None:
        return int(self.thread) if self.thread and self.thread.isdigit() else None

    @property
    def reply(self) -> ReplyParameters | None:
        """The message to reply to: in a group people must see who is answered; in a private chat that is clear."""
        number = (self.reply_ref or "").partition(":")[0]
        if not self.is_group or not number.isdigit():
            return None
        return ReplyParameters(int(number), allow_sending_without_reply=True)


@dataclass(kw_only=True)
class SentAnswer:
    """The messages that an answer has become so far, and what each says as far as we know."""

    subject: str
    place: Destination
    messages: list[tuple[int, Styled | None]] = field(default_factory=list)
    # By index, the hash of a draft part that may be in the chat: its sending was never answered.
    lost: dict[int, str] = field(default_factory=dict)
    above: str | None = None  # text above a resend, because nobody knows whether it arrived

    def first_change(self, parts: Sequence[Styled]) -> int | None:
        """The first part that is not in the chat yet, or differs there."""
        for index, part in enumerate(parts):
            if index >= len(self.messages) or self.messages[index][1] != part:
                return index
        return None


class _TooLong(Exception):
    """Telegram counts more than we do."""


async def wait_for_turn(pace: Pace, place: "Destination", send_mark: SendMarks | None) -> None:
    """Wait until a final may be sent; `send_mark` is set if nothing of it has left yet. Raises SendLater if that takes
    long: then nothing has been sent.
    """
    seconds = pace.next_at(place.address, Urgency.FINAL, is_group=place.is_group)
    if seconds > _LONGEST_WAIT:
        raise SendLater("telegram-pace", after=timedelta(seconds=seconds), in_turn=True)
    if seconds > 0 and send_mark:  # a host killed while waiting has sent nothing
        await send_mark.staying()
    await pace.wait(place.address, Urgency.FINAL, is_group=place.is_group)


class Poster:
    def __init__(self, bot: RawBot, pace: Pace, store: Store, calls: Calls) -> None:
        self._bot = bot
        self._pace = pace
        self._store = store
        self._calls = calls

    async def load(self, subject: str, place: Destination) -> SentAnswer:
        """What an earlier host, or an earlier try, left in the chat. Raises SendUnknown if that is not known."""
        parts = await self._store.read(lambda tx: sent.parts_of(tx, subject))
        standing = SentAnswer(subject=subject, place=place)
        for place_in_it, part in sorted(parts.items()):
            if part.platform_id is not None:
                standing.messages.append((int(part.platform_id), None))
            elif part.draft is not None:
                standing.lost[place_in_it] = part.draft
            else:
                raise SendUnknown("send-cut")
        return standing

    async def settle(
        self,
        standing: SentAnswer,
        styled: Styled,
        send_mark: SendMarks,
        buttons: Sequence[Button] = (),
        *,
        after: int = 0,
    ) -> None:
        """When this returns, the whole text is in the chat, `after` that many messages of files."""
        for limit in _SMALLER:
            parts = [part for part in split(styled, limit) if part.text.strip()]
            await self._lose_drafts(standing, parts)
            try:
                for index, part in enumerate(parts, start=after):
                    is_last = index == after + len(parts) - 1
                    below = buttons if is_last else ()
                    await self._put_final(standing, index, part, below, send_mark, is_last=is_last)
                break
            except _TooLong:
                continue
        else:
            raise SendRefused("telegram-too-big")
        while len(standing.messages) > max(after + len(parts), 1):
            await self.remove_last(standing)

    async def begin_draft(self, standing: SentAnswer, part: Styled) -> bool:
        """Whether the first words may be sent now: the turn still runs, and nothing is on its way that belongs above
        them. If so, their departure is recorded.
        """
        subject, chat_id = standing.subject, standing.place.chat_id

        def story(tx: Tx) -> bool:
            if not session_queue.is_running(tx, TurnId(subject)) or outbox.is_awaited(tx, chat_id):
                return False
            if sent.parts_of(tx, subject):  # another host has begun one
                raise LeaseLost
            sent.put(tx, subject, 0, chat_id, None, draft=_hash(part))
            return True

        return await self._store.write(story)

    async def step(self, standing: SentAnswer, parts: Sequence[Styled], index: int) -> None:
        """Send one part of a growing answer. The caller has kept the pace, and the first part is marked."""
        if index < len(standing.messages):
            if not await self._edit(standing, index, parts[index], ()):
                raise Unfit("message is gone")
            return
        if index:
            await self.note(standing, index, None, draft=_hash(parts[index]))
        try:
            message_id = await self._send(standing, index, parts[index], ())
        except (SendLater, SendRefused, _TooLong, LeaseLost) as error:
            await self._take_back(standing, index, error)
            if isinstance(error, _TooLong):
                raise Unfit("message is too long") from error
            raise
        except SendUnknown:
            standing.lost[index] = _hash(parts[index])
            raise
        if message_id is None:
            await self._forget(standing, index)
            raise Unfit("message is empty")
        try:
            await self.note(standing, index, message_id)
        finally:
            standing.messages.append((message_id, parts[index]))

    async def remove_last(self, standing: SentAnswer) -> None:
        """Delete a message that the answer no longer needs."""
        message_id, _ = standing.messages[-1]
        part = len(standing.messages) - 1
        place = standing.place
        await self._pace.wait(place.address, Urgency.FINAL, is_group=place.is_group)
        with suppress(Unfit):  # already gone, or too old to delete
            await asked(self._bot.delete_message(place.address, message_id), harmless=True)
        standing.messages.pop()
        await self._forget(standing, part)

    async def _lose_drafts(self, standing: SentAnswer, parts: Sequence[Styled]) -> None:
        """A draft part whose call was cut off: if it was the end of the answer, that may be there; otherwise
        it is sent again, and what may be there is listed.
        """
        last = len(parts) - 1
        if last in standing.lost and standing.lost[last] == _hash(parts[last]):
            raise SendUnknown("send-cut")
        for index in list(standing.lost):
            await self._store.write(partial(_lose, subject=standing.subject, index=index))
            del standing.lost[index]

    async def _put_final(
        self,
        standing: SentAnswer,
        index: int,
        part: Styled,
        buttons: Sequence[Button],
        send_mark: SendMarks,
        *,
        is_last: bool,
    ) -> None:
        place, unsent = standing.place, None if standing.messages else send_mark
        is_replacement = index < len(standing.messages)
        if is_replacement:
            if standing.messages[index][1] == part and not buttons:
                return
            await wait_for_turn(self._pace, place, unsent)
            if await self._edit(standing, index, part, buttons):
                return
            # What was below the missing message is sent again, in order.
            while len(standing.messages) > index + 1:
                await self.remove_last(standing)
        await wait_for_turn(self._pace, place, unsent)
        told = below(standing.above, part)
        if units(told.text) > LIMIT:
            raise _TooLong
        # The parcel itself marks the departure of a first message, unless a row of an earlier one is to be replaced.
        is_noted = index > 0 or is_replacement
        if is_noted:
            await self.note(standing, index, None)
        else:
            await send_mark.leaving()
        try:
            message_id = await self._send(standing, index, told, buttons, None if is_noted else send_mark)
        except (SendLater, SendRefused, _TooLong, LeaseLost) as error:
            if is_noted:
                await self._take_back(standing, index, error)
            raise
        if message_id is None:
            if is_noted:
                await self._forget(standing, index)
            return
        standing.above = None
        standing.messages[index:] = [(message_id, part)]
        if is_noted or not is_last:
            await self.note(standing, index, message_id)

    async def note(
        self, standing: SentAnswer, index: int, message_id: int | None, *, draft: str | None = None
    ) -> None:
        """Record that a part is about to be sent or, with an id, that it is in the chat, which must not be
        forgotten.
        """
        chat_id = standing.place.chat_id
        if message_id is None:
            await self._store.write(
                lambda tx: sent.put(tx, standing.subject, index, chat_id, None, draft=draft)
            )
        else:
            await insist(
                self._store,
                lambda tx: sent.put(tx, standing.subject, index, chat_id, str(message_id)),
                told=lambda why: log.warning("part not recorded yet", reason=why),
            )

    async def _take_back(self, standing: SentAnswer, index: int, error: Exception) -> None:
        """Unmark it; what left before the lease was lost is reported by the code that made the call."""
        if not (isinstance(error, LeaseLost) and error.left):
            await self.unmark(standing, index)

    async def unmark(self, standing: SentAnswer, index: int) -> None:
        """Nothing was sent after all. What another host has put there since is not ours to forget."""
        await insist(
            self._store,
            lambda tx: sent.forget(tx, standing.subject, index, unheard=True),
            told=lambda why: log.warning("part not forgotten yet", reason=why),
        )

    async def _forget(self, standing: SentAnswer, index: int) -> None:
        await insist(
            self._store,
            lambda tx: sent.forget(tx, standing.subject, index),
            told=lambda why: log.warning("part not forgotten yet", reason=why),
        )

    async def _send(
        self,
        standing: SentAnswer,
        index: int,
        part: Styled,
        buttons: Sequence[Button],
        send_mark: SendMarks | None = None,
    ) -> int | None:
        """The id of the new message; None if Telegram considers it empty."""
        place = standing.place
        topic, spans = place.topic, entities(part)
        while True:
            try:
                return await self._calls.send(
                    standing.subject,
                    index,
                    place.address,
                    self._bot.send_text(
                        place.address,
                        part.text,
                        entities=spans or None,
                        message_thread_id=topic,
                        reply_parameters=place.reply,
                        reply_markup=keyboard(buttons),
                        link_preview_options=_NO_PREVIEW_SENT,
                        disable_notification=place.silent or None,
                    ),
                    send_mark,
                )
            except Unfit as unfit:
                if "entit" in unfit.said and spans:
                    spans = []
                elif "thread not found" in unfit.said and topic is not None:
                    topic = None  # the topic is gone; the group is not
                elif "empty" in unfit.said:
                    return None
                elif "too long" in unfit.said:
                    raise _TooLong from unfit
                else:
                    raise SendRefused("telegram-refused", said=unfit.said) from unfit

    async def _edit(self, standing: SentAnswer, index: int, part: Styled, buttons: Sequence[Button]) -> bool:
        """False if the message is no longer there."""
        message_id, _ = standing.messages[index]
        spans = entities(part)
        while True:
            try:
                await self._calls.edit(
                    standing.subject,
                    self._bot.edit_message_text(
                        part.text,
                        chat_id=standing.place.address,
                        message_id=message_id,
                        entities=spans,
                        reply_markup=keyboard(buttons),
                        link_preview_options=_NO_PREVIEW,
                    ),
                )
            except Unfit as unfit:
                if "entit" in unfit.said and spans:
                    spans = []
                    continue
                if any(gone in unfit.said for gone in _NOT_THERE):
                    return False
                if "too long" in unfit.said:
                    raise _TooLong from unfit
                if "not modified" not in unfit.said:
                    raise SendRefused("telegram-refused", said=unfit.said) from unfit
            standing.messages[index] = (message_id, part)
            return True


def _lose(tx: Tx, subject: str, index: int) -> None:
    sent.lose_draft(tx, subject, index)
    note(tx, TurnId(subject), Event.DRAFT_LOST, now())


def _hash(part: Styled) -> str:
    return hashlib.sha256(part.text.encode(errors="surrogatepass")).hexdigest()


def below(above: str | None, part: Styled) -> Styled:
    """The part with the text above it."""
    if above is None:
        return part
    told = f"{above}\n\n"
    spans = tuple(replace(span, start=span.start + units(told)) for span in part.spans)
    return Styled(text=told + part.text, spans=spans)


def entities(part: Styled) -> list[MessageEntity]:
    return [
        MessageEntity(span.style.value, span.start, span.length, url=span.url, language=span.language)
        for span in part.spans
    ]


def keyboard(buttons: Sequence[Button]) -> InlineKeyboardMarkup | None:
    if not buttons:
        return None
    rows: list[list[InlineKeyboardButton]] = []
    for row, together in groupby(buttons, key=lambda each: each.row):
        pressed = [InlineKeyboardButton(each.label, callback_data=each.data) for each in together]
        most = _A_ROW if row is None else len(pressed)
        rows += [pressed[at : at + most] for at in range(0, len(pressed), most)]
    return InlineKeyboardMarkup(rows)
