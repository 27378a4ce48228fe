"""Puts a text into a chat, as one message or several, and keeps it there exact while it changes.

Every message that may not be sent twice is written down before and after. An edit may be repeated: the same text again
changes nothing.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

import structlog
from telegram import (
    Bot,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    LinkPreviewOptions,
    MessageEntity,
    ReplyParameters,
)

from nanoclaw.channels.telegram.bots import Unfit, asked
from nanoclaw.delivery.pacing import Pace, Urgency
from nanoclaw.delivery.splitting import split
from nanoclaw.domain.errors import SendLater, SendRefused, SendUnknown
from nanoclaw.domain.ids import ChatId
from nanoclaw.domain.parcels import Button
from nanoclaw.domain.styled import Styled
from nanoclaw.durable import sent
from nanoclaw.durable.store import Store, insist

log = structlog.get_logger("telegram")

LIMIT = 4096
_SMALLER = (LIMIT, 3000, 1500)  # when Telegram counts otherwise than we do
_NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
_A_ROW = 3  # buttons beside each other
_NOT_THERE = ("message to edit not found", "message can't be edited", "message id invalid")
_LONGEST_WAIT = 2.0  # seconds; who waits longer for the pace lets others go first


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where in Telegram something is said."""

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
        """In a group it must be seen who is answered; alone with the bot that is clear."""
        number = (self.reply_ref or "").partition(":")[0]
        if not self.is_group or not number.isdigit():
            return None
        return ReplyParameters(int(number), allow_sending_without_reply=True)


@dataclass(kw_only=True)
class Standing:
    """The messages that an answer has become so far, and what each says as far as we know."""

    subject: str
    place: Place
    messages: list[tuple[int, Styled | None]] = field(default_factory=list)
    unheard: Styled | None = None  # a preview that may stand in the chat: its sending was never answered

    def first_change(self, parts: Sequence[Styled]) -> int | None:
        """The first part that is not in the chat yet, or says something else there."""
        for index, part in enumerate(parts):
            if index >= len(self.messages) or self.messages[index][1] != part:
                return index
        return None


class _TooLong(Exception):
    """Telegram counts more than we do."""


async def wait_for_turn(pace: Pace, place: "Place") -> None:
    """Until a final may be sent. Raises SendLater when that takes long: nothing has been sent then."""
    seconds = pace.next_at(place.address, Urgency.FINAL, is_group=place.is_group)
    if seconds > _LONGEST_WAIT:
        raise SendLater("telegram-pace", after=timedelta(seconds=seconds), in_turn=True)
    await pace.wait(place.address, Urgency.FINAL, is_group=place.is_group)


class Poster:
    def __init__(self, bot: Bot, pace: Pace, store: Store) -> None:
        self._bot = bot
        self._pace = pace
        self._store = store

    async def load(self, subject: str, place: Place) -> Standing:
        """What an earlier host, or an earlier try, left in the chat. Raises SendUnknown if that is not known."""
        parts = await self._store.read(lambda tx: sent.parts_of(tx, subject))
        if None in parts.values():
            raise SendUnknown("send-cut")
        ids = [int(platform_id) for _, platform_id in sorted(parts.items()) if platform_id]
        return Standing(subject=subject, place=place, messages=[(each, None) for each in ids])

    async def settle(
        self, standing: Standing, styled: Styled, buttons: Sequence[Button] = (), *, after: int = 0
    ) -> None:
        """The whole text stands in the chat when this returns, `after` that many messages of files before it."""
        for limit in _SMALLER:
            parts = [part for part in split(styled, limit) if part.text.strip()]
            if not standing.messages and [standing.unheard] == parts:
                raise SendUnknown("send-cut")  # it may be there, whole
            try:
                for index, part in enumerate(parts, start=after):
                    is_last = index == after + len(parts) - 1
                    await self._put_final(standing, index, part, buttons if is_last else (), is_last=is_last)
                break
            except _TooLong:
                continue
        else:
            raise SendRefused("telegram-too-big")
        while len(standing.messages) > max(after + len(parts), 1):
            await self.remove_last(standing)

    async def step(self, standing: Standing, parts: Sequence[Styled], index: int) -> None:
        """One part of an answer that still grows. The pace was kept by whoever calls."""
        if index < len(standing.messages):
            if not await self._edit(standing, index, parts[index], ()):
                raise Unfit("message is gone")
            return
        message_id = await self._send(standing.place, parts[index], ())
        if message_id is None:
            raise Unfit("message is empty")
        try:
            await self.note(standing, index, message_id)
        finally:
            standing.messages.append((message_id, parts[index]))

    async def remove_last(self, standing: Standing) -> None:
        """A message that the answer needs no more."""
        message_id, _ = standing.messages[-1]
        part = len(standing.messages) - 1
        place = standing.place
        await wait_for_turn(self._pace, place)
        with suppress(Unfit):  # it is gone already, or too old to go
            await asked(self._bot.delete_message(place.address, message_id), harmless=True)
        standing.messages.pop()
        await self._forget(standing, part)

    async def _put_final(
        self, standing: Standing, index: int, part: Styled, buttons: Sequence[Button], *, is_last: bool
    ) -> None:
        place = standing.place
        is_replacement = index < len(standing.messages)
        if is_replacement:
            if standing.messages[index][1] == part and not buttons:
                return
            await wait_for_turn(self._pace, place)
            if await self._edit(standing, index, part, buttons):
                return
            # What stood below the one that is gone comes anew, in order.
            while len(standing.messages) > index + 1:
                await self.remove_last(standing)
        await wait_for_turn(self._pace, place)
        # Of a first message the parcel itself says that it is being sent, unless it was expected to be an edit.
        is_noted = index > 0 or is_replacement
        if is_noted:
            await self.note(standing, index, None)
        try:
            message_id = await self._send(place, part, buttons)
        except (SendLater, SendRefused, _TooLong):
            if is_noted:
                await self._forget(standing, index)
            raise
        if message_id is None:
            if is_noted:
                await self._forget(standing, index)
            return
        standing.messages[index:] = [(message_id, part)]
        if is_noted or not is_last:
            await self.note(standing, index, message_id)

    async def note(self, standing: Standing, index: int, message_id: int | None) -> None:
        """A part is about to be sent; with its id, it stands there, and that must not be forgotten."""
        chat_id = standing.place.chat_id
        if message_id is None:
            await self._store.write(lambda tx: sent.put(tx, standing.subject, index, chat_id, None))
        else:
            await insist(
                self._store,
                lambda tx: sent.put(tx, standing.subject, index, chat_id, str(message_id)),
                told=lambda why: log.warning("part not recorded yet", reason=str(why)),
            )

    async def _forget(self, standing: Standing, index: int) -> None:
        await insist(
            self._store,
            lambda tx: sent.forget(tx, standing.subject, index),
            told=lambda why: log.warning("part not forgotten yet", reason=str(why)),
        )

    async def _send(self, place: Place, part: Styled, buttons: Sequence[Button]) -> int | None:
        """The id of the new message; None when Telegram sees nothing in it."""
        topic, spans = place.topic, entities(part)
        while True:
            try:
                message = await asked(
                    self._bot.send_message(
                        place.address,
                        part.text,
                        entities=spans,
                        message_thread_id=topic,
                        reply_parameters=place.reply,
                        reply_markup=keyboard(buttons),
                        link_preview_options=_NO_PREVIEW,
                        disable_notification=place.silent or None,
                    ),
                    harmless=False,
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
            else:
                return message.message_id

    async def _edit(self, standing: Standing, index: int, part: Styled, buttons: Sequence[Button]) -> bool:
        """False when the message is not there any more."""
        message_id, _ = standing.messages[index]
        spans = entities(part)
        while True:
            try:
                await asked(
                    self._bot.edit_message_text(
                        part.text,
                        chat_id=standing.place.address,
                        message_id=message_id,
                        entities=spans,
                        reply_markup=keyboard(buttons),
                        link_preview_options=_NO_PREVIEW,
                    ),
                    harmless=True,
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


def entities(part: Styled) -> list[MessageEntity]:
    return [
        MessageEntity(span.style.value, span.start, span.length, url=span.url, language=span.language)
        for span in part.spans
    ]


def keyboard(buttons: Sequence[Button]) -> InlineKeyboardMarkup | None:
    if not buttons:
        return None
    pressed = [InlineKeyboardButton(each.label, callback_data=each.data) for each in buttons]
    return InlineKeyboardMarkup([pressed[at : at + _A_ROW] for at in range(0, len(pressed), _A_ROW)])
