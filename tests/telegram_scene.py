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

from nanoclaw.channels.telegram import listener, polling
from nanoclaw.delivery import pace
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import Role
from nanoclaw.domain.ports import Model
from nanoclaw.domain.wirings import Wiring
from nanoclaw.durable import approvals, audit, memberships, messages, people, set_aside, wirings
from nanoclaw.durable.approvals import Request
from nanoclaw.durable.clock import now
from nanoclaw.durable.set_aside import SetAside
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import chats, parcels
from nanoclaw.durable.why import Explanation, explain
from nanoclaw.host.host import Host
from nanoclaw.host.settings import HOME
from nanoclaw.testing import TelegramServer, started_host
from nanoclaw.testing.telegram.accounts import Bot
from nanoclaw.testing.telegram.chats import Chat, PrivateChat, SeenMessage
from nanoclaw.testing.telegram.messages import Button
from nanoclaw.testing.telegram.people import Person
from nanoclaw.testing.telegram.server import Call

T = TypeVar("T")

_PATIENCE = 60
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
        """Let Telegram answer this method like this, for one chat or for all: the first caller cannot use it up."""
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

    # Who may speak

    def cards(self, words: str, chat: Chat | None = None) -> list[SeenMessage]:
        """What the owner, or whose chat it is, was asked with these words and has not been decided."""
        return [
            seen for seen in (chat or self.chat).seen if seen.by_bot and seen.buttons and words in seen.text
        ]

    async def card(self, words: str, chat: Chat | None = None) -> SeenMessage:
        """The newest of them, once it is there."""
        await (chat or self.chat).wait_until(lambda: self.cards(words, chat))
        return self.cards(words, chat)[-1]

    async def new_card(self, said: str, words: str) -> SeenMessage:
        """The one that comes when the owner has said this. Earlier ones may still change meanwhile."""
        before = {each.id for each in self.chat.seen}
        await self.owner.says(self.chat, said)
        await self.chat.wait_until(lambda: any(each.id not in before for each in self.cards(words)))
        return self.cards(words)[-1]

    async def press(self, card: SeenMessage, label: str, *, by: Person | None = None) -> str:
        """What the one who presses is told; the owner, unless it is someone else."""
        return (await (await (by or self.owner).presses(card, label)).wait()).text

    async def forge(self, card: SeenMessage, data: str, *, by: Person | None = None) -> str:
        """The same with a button that was never there."""
        return await self.press(replace(card, buttons=((Button(label="?", data=data),),)), "?", by=by)

    async def settled(self, card: SeenMessage) -> str:
        """What the card says once it has no buttons any more."""
        await card.chat.wait_until(lambda: not shown(card).buttons)
        return shown(card).text

    async def command(self, chat: Chat, text: str, *, by: Person | None = None, **place: object) -> str:
        """What the bot says there to a command."""
        before = chat.answers
        await (by or self.owner).says(chat, text, **place)
        return (await chat.wait_for(before + 1))[-1]

    async def dropped(self, message: SeenMessage) -> str:
        """The reason for which a message was never accepted."""
        told = await self.why(message, "dropped")

        def story(tx: Tx) -> str:
            stored = messages.get(tx, told.id)
            return (stored and stored.reason) or ""

        return await self.host.store.read(story)

    async def role_of(self, person: Person, group: str = "main") -> Role:
        def story(tx: Tx) -> Role:
            found = people.person_named(tx, f"telegram:{person.id}")
            return memberships.rights_of(tx, found).role_in(group) if found else Role.STRANGER

        return await self.host.store.read(story)

    async def wirings(self, chat: Chat) -> list[Wiring]:
        def story(tx: Tx) -> list[Wiring]:
            found = people.chat_at(tx, f"telegram:{self.bot.id}", str(chat.id))
            return wirings.of_chat(tx, found.id) if found else []

        return await self.host.store.read(story)

    async def wired(self, chat: Chat) -> Wiring:
        """The only wiring of a chat, once there is one."""

        async def look() -> Wiring | None:
            found = await self.wirings(chat)
            return found[0] if len(found) == 1 else None

        return await eventually(look)

    async def requests(self) -> list[Request]:
        """What waits for a decision."""
        return await self.host.store.read(approvals.list_open)

    async def audit(self, count: int = 1) -> list[audit.AuditEntry]:
        """The last changes, newest first."""
        return await self.host.store.read(lambda tx: audit.newest(tx, count))

    # What the host has written down

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


def shown(message: SeenMessage) -> SeenMessage:
    """The same message as it is now."""
    return next(each for each in message.chat.seen if each.id == message.id)


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
    paced: bool = True,
    sloppy: bool = False,
    **settings: Mapping[str, object],
) -> AsyncIterator[Scene]:
    """`server` is one that runs already; `language` is what the owner's app speaks; `settings` are sections.

    Limits of Telegram are not the point of most scenes: without a server of the test's own they are off. Where one
    chat hears much, the host need not keep to them either: `paced=False`. `sloppy`: the server is not as careful as
    Telegram.
    """
    async with AsyncExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        if not paced:
            for name in ("_EVERY", "_IN_ALL_EVERY", "_IN_GROUP_SECONDS"):
                patch.setattr(pace, name, 0.0)
        for name in list(os.environ):  # a scene may stand longer than the test that asked first for it
            if name.startswith("NANOCLAW_") and name != HOME:
                patch.delenv(name)
        stack.callback(structlog.configure, **structlog.get_config())
        # As the program's own logs have it. With every value in it, the trace of a deep update takes a minute.
        structlog.configure(processors=[*_PLAIN, structlog.processors.KeyValueRenderer()])
        stage = server
        if sloppy:  # what is tried again is tried soon
            patch.setattr(polling, "_FIRST_PAUSE", 0.01)
            patch.setattr(listener, "_CONNECT_PAUSE", 0.01)
        if stage is None:
            stage = await stack.enter_async_context(TelegramServer(flood_control=False, sloppy=sloppy))
        bot = stage.add_bot("helper_bot", name="Helper")
        owner = stage.person("Olena", language=language, username="olena")
        sections = settings | {"telegram": telegram_settings(stage, bot) | dict(settings.get("telegram", {}))}
        host = await stack.enter_async_context(started_host(home, model=model, channels=None, **sections))
        scene = Scene(server=stage, bot=bot, host=host, owner=owner, chat=owner.chat_with(bot))
        if paired:
            await scene.pair(owner)
        yield scene


@asynccontextmanager
async def back_again(home: Path, scene: Scene, *, model: Model | None = None) -> AsyncIterator[Scene]:
    """The host of a scene that is over, started again with the same bot and the same people."""
    async with started_host(home, model=model, channels=None, telegram=scene.telegram) as host:
        yield replace(scene, host=host)


NO_IS_HARMLESS = 'safe_options = { no = "No" }\ndraft_options = { no = "No" }\n'
"""A rule of the owner: choosing this in a question does no harm."""


def found_group(home: Path, name: str, *, company: str = "demo") -> None:
    """One more agent group in the workspace."""
    folder = home / "groups" / name
    folder.mkdir(parents=True)
    (folder / "group.toml").write_text(f'company = "{company}"\n{NO_IS_HARMLESS}', "utf-8")
