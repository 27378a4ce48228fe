"""Tells owners about a broken database. That cannot be stored, so it goes straight through the channel."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

import structlog

from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import Role
from nanoclaw.domain.ports import Channel
from nanoclaw.durable import people
from nanoclaw.durable.store import Store, Tx
from nanoclaw.texts import say, tell

log = structlog.get_logger("alarm")


_PATIENCE = 5.0  # seconds


@dataclass(frozen=True, kw_only=True, slots=True)
class _OwnerChat:
    """A chat in which an owner can be reached."""

    channel: str
    address: str
    language: str | None


class Alarm:
    """Remembers where owners can be reached while that can still be read."""

    def __init__(self, store: Store, channels: Mapping[str, Channel], locale: Locale) -> None:
        """`locale` is for owners who have not chosen a language."""
        self._store = store
        self._channels = channels
        self._locale = locale
        self._owner_chats: list[_OwnerChat] = []

    @property
    def knows_an_owner(self) -> bool:
        return bool(self._owner_chats)

    async def refresh(self) -> None:
        self._owner_chats = await self._store.read(_read_owner_chats)

    async def tell(self, trouble: NanoClawError) -> bool:
        """False if someone should have been told but nobody was: then try again."""
        told = []
        for chat in self._owner_chats:
            language = self._language(chat)
            told.append(await self._send(chat, say(language, "alarm-store", reason=tell(language, trouble))))
        if not told:
            log.warning("no owner is known who could be told")
        return True in told or False not in told

    async def tell_over(self) -> None:
        for chat in self._owner_chats:
            await self._send(chat, say(self._language(chat), "alarm-store-over"))

    async def _send(self, chat: _OwnerChat, text: str) -> bool | None:
        """Whether it arrived; None for a channel that cannot be used this way."""
        channel = self._channels.get(chat.channel)
        if channel is None:
            return None
        try:
            async with asyncio.timeout(_PATIENCE):
                return await channel.cry(chat.address, text) or None  # the page asks for health itself
        except (NanoClawError, TimeoutError) as error:
            log.warning("owner not told", channel=chat.channel, reason=error)
            return False

    def _language(self, chat: _OwnerChat) -> str:
        return Locale(language=chat.language).or_else(self._locale).speaks


def _read_owner_chats(tx: Tx) -> list[_OwnerChat]:
    found = [
        (people.chat(tx, chat_id), language)
        for chat_id, language in people.alert_chats(tx, people.with_role(tx, Role.OWNER))
    ]
    return [
        _OwnerChat(channel=chat.channel, address=chat.address, language=language)
        for chat, language in found
        if chat
    ]
