"""The stage of the Telegram tests: the played Telegram, a bot, its owner in a private chat, and a whole host."""

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import pytest
import sqlalchemy as sa
import structlog
from starlette.responses import JSONResponse, Response

from nanoclaw.app.wiring import Host
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import Role
from nanoclaw.domain.ports import Model
from nanoclaw.durable import messages, people, set_aside
from nanoclaw.durable.clock import now
from nanoclaw.durable.set_aside import SetAside
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import chats, parcels
from nanoclaw.durable.why import Explanation, explain
from nanoclaw.testing import TelegramServer, started_host
from nanoclaw.testing.telegram.accounts import Bot
from nanoclaw.testing.telegram.chats import Chat, PrivateChat, SeenMessage
from nanoclaw.testing.telegram.people import Person
from nanoclaw.testing.telegram.server import Call

T = TypeVar("T")

_PATIENCE = 30
_PLAIN = (structlog.processors.add_log_level, structlog.processors.format_exc_info)


@dataclass(frozen=True, kw_only=True, slots=True)
class Scene:
    """`chat` is the owner's with the bot. When the owner is paired, the answer to the pairing is its first text."""

    server: TelegramServer
    bot: Bot
    host: Host
    owner: Person
    chat: PrivateChat

    @property
    def telegram(self) -> dict[str, object]:
        """The settings with which a further host would have the same bot."""
        return telegram_settings(self.server, self.bot)

    async def pair(self, person: Person) -> None:
        """This person becomes an owner too, with a new code."""
        await pair(self.host, person, person.chat_with(self.bot))

    async def joined_by(self, name: str, *, role: Role = Role.OWNER, language: str = "") -> "Scene":
        """The same host with another person, whose chat is still empty: a test of its own, without another start."""
        person = self.server.person(name, language=language)
        await self.know(person, role)
        return replace(self, owner=person, chat=person.chat_with(self.bot))

    async def know(self, person: Person, role: Role) -> None:
        handle, language = f"telegram:{person.id}", person.language or None
        await self.host.store.write(
            lambda tx: people.add_person(
                tx, handle=handle, name=person.name, role=role, at=now(), language=language
            )
        )

    async def ask(self, text: str, *, answers: int = 1) -> list[str]:
        """The owner writes, and the bot answers with so many messages."""
        before = self.chat.answers
        await self.owner.says(self.chat, text)
        return (await self.chat.wait_for(before + answers))[before:]

    @contextmanager
    def refusing(self, method: str, status: int, said: str, *, chat: Chat | None = None) -> Iterator[None]:
        """Telegram answers this method so, for one chat or for all: whoever calls first cannot use it up."""
        body = {"ok": False, "error_code": status, "description": said}

        async def instead(call: Call) -> Response | None:
            here = chat is None or call.parameters.get("chat_id") == str(chat.id)
            return JSONResponse(body, status) if call.method == method and here else None

        self.server.on_call = instead
        try:
            yield
        finally:
            self.server.on_call = None

    def last(self) -> SeenMessage:
        """What the bot said last to the owner."""
        return [message for message in self.chat.seen if message.by_bot][-1]

    async def why(self, message: SeenMessage, state: str) -> Explanation:
        """What became of a message, once it is in this state."""

        def story(tx: Tx) -> Explanation | None:
            chat = people.chat_at(tx, f"telegram:{self.bot.id}", str(message.chat.id))
            stored = messages.at(tx, chat.id, str(message.id)) if chat else None
            told = explain(tx, stored.id, Locale()) if stored else None
            return told if told and told.state == state else None

        return await eventually(lambda: self.host.store.read(story))

    async def set_aside(self, count: int) -> list[SetAside]:
        """The updates that were kept aside, once there are so many."""

        async def look() -> list[SetAside] | None:
            found = await self.host.store.read(lambda tx: set_aside.kept(tx, 100))
            return found if len(found) >= count else None

        return await eventually(look)

    async def page_says(self, words: str) -> str:
        """What the host says in the first room of the page, once these words are in it."""
        here = sa.and_(chats.c.channel == "web", chats.c.address == "main", parcels.c.text.contains(words))
        query = sa.select(parcels.c.text).join(chats, chats.c.id == parcels.c.chat_id).where(here)

        async def look() -> str | None:
            return await self.host.store.read(lambda tx: tx.execute(query).scalar())

        return await eventually(look)


async def eventually(look: Callable[[], Awaitable[T | None]]) -> T:
    """What `look` finds, as soon as it finds something: for rows, which wake nobody when they change."""
    async with asyncio.timeout(_PATIENCE):
        while (found := await look()) is None:
            await asyncio.sleep(0.01)
    return found


def telegram_settings(server: TelegramServer, bot: Bot) -> dict[str, object]:
    return {"bot_token": bot.token, "api_base": server.url}


async def pair(host: Host, person: Person, chat: Chat) -> None:
    before = chat.answers
    code = (await host.bots.pair()).code
    await person.says(chat, f"/pair {code}")
    await chat.wait_for(before + 1)


@asynccontextmanager
async def telegram_scene(
    home: Path,
    *,
    model: Model | None = None,
    paired: bool = True,
    server: TelegramServer | None = None,
    language: str = "",
    **settings: Mapping[str, object],
) -> AsyncIterator[Scene]:
    """`server` is one that runs already; `language` is what the owner's app speaks; `settings` are sections.

    Limits of Telegram are not the point of most scenes: without a server of the test's own they are off.
    """
    async with AsyncExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        for name in list(os.environ):  # a scene may stand longer than the test that asked first for it
            if name.startswith("NANOCLAW_"):
                patch.delenv(name)
        stack.callback(structlog.configure, **structlog.get_config())
        # As the program's own logs have it. With every value in it, the trace of a deep update takes a minute.
        structlog.configure(processors=[*_PLAIN, structlog.processors.KeyValueRenderer()])
        stage = server
        if stage is None:
            stage = await stack.enter_async_context(TelegramServer(flood_control=False))
        bot = stage.add_bot("helper_bot", name="Helper")
        owner = stage.person("Olena", language=language, username="olena")
        sections = settings | {"telegram": telegram_settings(stage, bot) | dict(settings.get("telegram", {}))}
        host = await stack.enter_async_context(started_host(home, model=model, channels=None, **sections))
        scene = Scene(server=stage, bot=bot, host=host, owner=owner, chat=owner.chat_with(bot))
        if paired:
            await scene.pair(owner)
        yield scene
