"""The stage of the channel contract: each channel with the person at its far end."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Protocol

from nanoclaw.channels import scripted
from nanoclaw.channels.rooms import Rooms
from nanoclaw.channels.scripted import ScriptedChannel
from nanoclaw.channels.telegram.channel import TelegramChannel
from nanoclaw.channels.telegram.names import channel_name
from nanoclaw.delivery import outbox
from nanoclaw.delivery.live import Live, ParcelShown
from nanoclaw.delivery.markdown import render
from nanoclaw.delivery.text_parts import split
from nanoclaw.domain.ids import ChatId, HostId, MessageId, ParcelId, new_id
from nanoclaw.domain.messages import Chat, Incoming, Press, Pressed
from nanoclaw.domain.parcels import Author, Button, Parcel, ParcelState
from nanoclaw.domain.ports import Channel
from nanoclaw.durable import history, people
from nanoclaw.durable.clock import now
from nanoclaw.durable.liveness import Liveness
from nanoclaw.durable.single_host import SingleHost
from nanoclaw.durable.store import Store
from nanoclaw.host.channels import load
from nanoclaw.host.settings import Settings
from nanoclaw.testing import FarEnd, SlackLikeServer, TelegramServer

EXAMPLE = Path(__file__).parents[1] / "docs" / "examples" / "slack_like_channel.py"
ADDRESS = "main"


class Nobody:
    """A front where nothing should arrive but what a test says otherwise."""

    async def receive(self, _incoming: Incoming) -> MessageId:
        raise AssertionError("nobody wrote anything")

    async def press(self, _press: Press) -> Pressed:
        raise AssertionError("nobody pressed anything")

    async def joined(self, _incoming: Incoming) -> None:
        raise AssertionError("nobody brought us anywhere")

    async def moved(self, channel: str, address: str, to: str) -> None:
        raise AssertionError("nothing moved")

    async def closed(self, channel: str, address: str, why: str) -> None:
        raise AssertionError("nothing closed")


class Reader(Nobody):
    """Takes in what happens as a host does, and fails as often as a test tells it to."""

    def __init__(self, *failures: Exception) -> None:
        self._failures = list(failures)
        self._arrived: asyncio.Queue[Incoming] = asyncio.Queue()
        self.presses: list[Press] = []
        self.gone: list[tuple[str, str]] = []
        self.moves: list[tuple[str, str]] = []
        self.gate = asyncio.Event()
        self.gate.set()

    async def receive(self, incoming: Incoming) -> MessageId:
        self._arrived.put_nowait(incoming)
        await self.gate.wait()
        if self._failures:
            raise self._failures.pop(0)
        return MessageId(new_id("m"))

    async def press(self, press: Press) -> Pressed:
        self.presses.append(press)
        return Pressed(text="Noted.", taken=True)

    async def closed(self, channel: str, address: str, why: str) -> None:
        self.gone.append((channel, address))

    async def moved(self, channel: str, address: str, to: str) -> None:
        self.moves.append((address, to))

    async def next(self, patience: float = 60) -> Incoming:
        async with asyncio.timeout(patience):
            return await self._arrived.get()

    async def next_new(self) -> Incoming:
        """The next message that does not repeat an earlier one, as a host would see it."""
        seen: set[str] = self.__dict__.setdefault("seen", set())
        while (incoming := await self.next()).external_id in seen:
            pass
        seen.add(incoming.external_id)
        return incoming


class Scene(Protocol):
    """A channel, and the person at its far end."""

    @property
    def channel(self) -> Channel: ...

    async def parcel(self, text: str) -> Parcel:
        """A parcel as the courier takes it from the outbox."""

    async def seen(self) -> list[str]:
        """What the person sees now."""

    def shown(self, text: str) -> list[str]:
        """How a text looks there: the messages of it."""


class Network(Scene, Protocol):
    """A far end where people write, too."""

    async def say(self, text: str, files: dict[str, bytes] | None = None) -> str:
        """Returns the network's id of it."""

    async def edit(self, ref: str, text: str) -> None:
        """The person changes what they said."""

    async def reply(self, platform_id: str, text: str) -> None:
        """The person answers one message of ours."""

    async def press(self, label: str) -> str:
        """The person presses a button under the newest message, and is told this."""

    async def leave(self) -> None:
        """From now on nothing can be said there."""


class RoomScene:
    """A person who has a room open: what is told about it is looked up in the database, as the page does."""

    def __init__(self, store: Store, live: Live, channel: Rooms, chat: Chat) -> None:
        self.channel = channel
        self._store, self._chat = store, chat
        self._lines: dict[str, str] = {}  # a line that is told again replaces itself, because it has an id
        self._watch = live.watch(chat.id)
        self._told = self._watch.__enter__()

    async def parcel(self, text: str) -> Parcel:
        await self._store.write(
            lambda tx: outbox.post(
                tx, chat_id=self._chat.id, thread=None, author=Author.AGENT, text=text, at=now()
            )
        )
        parcel = await self._store.write(lambda tx: outbox.next_for(tx, self._chat.id))
        assert parcel is not None
        taken = parcel.id
        await self._store.write(lambda tx: outbox.mark(tx, taken, ParcelState.DELIVERED))
        return parcel

    async def seen(self) -> list[str]:
        while not self._told.empty():
            event = self._told.get_nowait()
            if isinstance(event, ParcelShown):
                find = partial(history.parcels_by_id, ids=[event.parcel_id])
                for line in await self._store.read(find):
                    self._lines[line.id] = line.text
        return list(self._lines.values())

    def shown(self, text: str) -> list[str]:
        return [text]

    def close(self) -> None:
        self._watch.__exit__(None, None, None)


@asynccontextmanager
async def room(name: str, store: Store) -> AsyncIterator[RoomScene]:
    live, address = Live(), new_id("r")
    chat = await store.write(
        lambda tx: people.add_chat(tx, channel=name, address=address, title="Room", at=now())
    )
    scene = RoomScene(store, live, Rooms(name, live), chat)
    yield scene
    scene.close()


class FarEndScene:
    """A person in a chat network without buttons and edits."""

    def __init__(self, far_end: FarEnd, *, repeatable: bool) -> None:
        self.channel = ScriptedChannel(far_end.url, repeatable=repeatable)
        self._far_end = far_end
        self._address = new_id("x")

    async def parcel(self, text: str) -> Parcel:
        return a_parcel(text, self._address)

    async def seen(self) -> list[str]:
        return self._far_end.said_to(self._address)

    def shown(self, text: str) -> list[str]:
        return [text]

    async def say(self, text: str, files: dict[str, bytes] | None = None) -> str:
        return await self._far_end.say(self._address, text, files=files)


class SlackScene:
    """A person alone with the channel of docs/examples, which is loaded as the settings name it."""

    def __init__(self, server: SlackLikeServer, folder: Path, *, sloppy: bool) -> None:
        self.server, self.user = server, server.open(new_id("U"))
        self.channel = load(folder, slack_settings(server, folder, repeatable=not sloppy), "slack")
        self.attachments = folder / "data" / "attachments"

    async def parcel(self, text: str) -> Parcel:
        return a_parcel(text, self.user, "slack")

    async def seen(self) -> list[str]:
        return self.server.said_to(self.user)

    def shown(self, text: str) -> list[str]:
        return [text]

    async def say(self, text: str, files: dict[str, bytes] | None = None) -> str:
        return await self.server.say(self.user, text, user=self.user, files=files)

    async def edit(self, ref: str, text: str) -> None:
        await self.server.edit(self.user, ref, text, user=self.user)

    async def reply(self, platform_id: str, text: str) -> None:
        [said] = [each.text for each in self.server.seen if each.ts == platform_id]
        reply = {"ref": platform_id, "sender": "bot", "text": said, "ours": True}
        await self.server.say(self.user, text, user=self.user, reply=reply)

    async def press(self, label: str) -> str:
        [*_, newest] = await self.server.wait_for(self.user)
        return await self.server.press(newest, label, user=self.user)

    async def leave(self) -> None:
        self.server.archive(self.user)


def slack_settings(server: SlackLikeServer, folder: Path, *, repeatable: bool = True) -> Settings:
    """The example lies in a folder of its own, where nobody else can write."""
    outside = folder.parent / f"{folder.name}-channels"
    outside.mkdir(mode=0o700, exist_ok=True)
    path = outside / EXAMPLE.name
    path.write_text(EXAMPLE.read_text("utf-8"), "utf-8")
    path.chmod(0o600)
    own = {"api": server.url, "token": server.token, "signing_secret": server.secret}
    return Settings.model_validate(
        {"channels": {"slack": {"path": str(path), "repeatable": repeatable, **own}}}
    )


class TelegramScene:
    """A person in a private chat with a bot of the played Telegram."""

    def __init__(self, server: TelegramServer, store: Store, folder: Path) -> None:
        self._bot = server.add_bot(f"test_{new_id('b')}_bot")
        self._person = server.person("Ann")
        self._chat = self._person.chat_with(self._bot)
        self._store = store
        key = channel_name(self._bot.token.partition(":")[0])
        self.channel = TelegramChannel(
            self._bot.token,
            server.url,
            store=store,
            lease=SingleHost(store, lambda: HostId("h_1"), key),
            attachments=folder,
            language="en",
            skills=dict,
            webhook=None,
            liveness=Liveness(1e9, _nothing),
            hosts=lambda: 1,
            troubled=lambda _trouble: None,
            aside=lambda _aside: None,
        )

    async def parcel(self, text: str) -> Parcel:
        name, address = self.channel.name, str(self._chat.id)
        chat = await self._store.write(
            lambda tx: (
                people.chat_at(tx, name, address)
                or people.add_chat(tx, channel=name, address=address, title="Ann", at=now())
            )
        )
        return replace(a_parcel(text, address, name), chat_id=chat.id)

    async def seen(self) -> list[str]:
        return self._chat.texts()

    def shown(self, text: str) -> list[str]:
        return [part.text.strip().replace("\t", " ") for part in split(render(text))]

    async def say(self, text: str, files: dict[str, bytes] | None = None) -> str:
        for name, content in (files or {}).items():
            return str((await self._person.sends_document(self._chat, content, name=name, caption=text)).id)
        return str((await self._person.says(self._chat, text)).id)

    async def edit(self, ref: str, text: str) -> None:
        [said] = [each for each in self._chat.seen if str(each.id) == ref]
        await self._person.edits(said, text)

    async def reply(self, platform_id: str, text: str) -> None:
        [said] = [each for each in self._chat.seen if str(each.id) == platform_id]
        await self._person.says(self._chat, text, reply_to=said)

    async def press(self, label: str) -> str:
        [*_, card] = [each for each in self._chat.seen if each.buttons]
        return (await (await self._person.presses(card, label)).wait()).text

    async def leave(self) -> None:
        self._person.blocks(self._bot)


async def _nothing() -> None: ...


def a_parcel(text: str, address: str = ADDRESS, channel: str = scripted.NAME) -> Parcel:
    return Parcel(
        id=ParcelId(new_id("o")),
        chat_id=ChatId("c_1"),
        channel=channel,
        address=address,
        thread=None,
        author=Author.AGENT,
        text=text,
        turn_id=None,
        message_id=None,
        state=ParcelState.PENDING,
        attempts=0,
        error=None,
        created_at=datetime(2024, 1, 1, tzinfo=UTC),
    )


def with_button(parcel: Parcel, label: str, data: str) -> Parcel:
    return replace(parcel, buttons=(Button(label=label, data=data),))
