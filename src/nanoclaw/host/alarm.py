"""Tells owners what cannot be written down, since the database is what is wrong: straight through the channel."""

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
class _Ear:
    """Where an owner can be reached."""

    channel: str
    address: str
    language: str | None


class Alarm:
    """Remembers where owners are while it can still be read."""

    def __init__(self, store: Store, channels: Mapping[str, Channel], locale: Locale) -> None:
        """`locale` is for owners who have chosen no language."""
        self._store = store
        self._channels = channels
        self._locale = locale
        self._speech_to_text: list[_Ear] = []

    @property
    def knows_an_owner(self) -> bool:
        return bool(self._speech_to_text)

    async def refresh(self) -> None:
        self._speech_to_text = await self._store.read(_speech_to_text)

    async def tell(self, trouble: NanoClawError) -> bool:
        """False when someone should have been told and nobody was: then it is to be tried again."""
        told = []
        for ear in self._speech_to_text:
            language = self._language(ear)
            told.append(await self._cry(ear, say(language, "alarm-store", reason=tell(language, trouble))))
        if not told:
            log.warning("no owner is known who could be told")
        return True in told or False not in told

    async def tell_over(self) -> None:
        for ear in self._speech_to_text:
            await self._cry(ear, say(self._language(ear), "alarm-store-over"))

    async def _cry(self, ear: _Ear, text: str) -> bool | None:
        """Whether it was heard; None where nobody listens so."""
        channel = self._channels.get(ear.channel)
        if channel is None:
            return None
        try:
            async with asyncio.timeout(_PATIENCE):
                return (
                    await channel.cry(ear.address, text) or None
                )  # the page asks for the host's health itself
        except (NanoClawError, TimeoutError) as error:
            log.warning("owner not told", channel=ear.channel, reason=error)
            return False

    def _language(self, ear: _Ear) -> str:
        return Locale(language=ear.language).or_else(self._locale).speaks


def _speech_to_text(tx: Tx) -> list[_Ear]:
    found = [
        (people.chat(tx, chat_id), language)
        for chat_id, language in people.alert_chats(tx, people.with_role(tx, Role.OWNER))
    ]
    return [
        _Ear(channel=chat.channel, address=chat.address, language=language)
        for chat, language in found
        if chat
    ]
