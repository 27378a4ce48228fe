"""What the tests of delivery to Telegram share: an answer that comes step by step, and what a chat shows of it."""

import asyncio
import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress

from tests.telegram_scene import Scene

from nanoclaw.delivery import outbox
from nanoclaw.domain.ids import ChatId, ParcelId, new_id
from nanoclaw.domain.messages import Chat as KnownChat
from nanoclaw.domain.parcels import Attachment, Author, Parcel, kept_name
from nanoclaw.domain.people import Role
from nanoclaw.domain.steps import ModelPiece, Step, ToolOffer
from nanoclaw.domain.turns import TextDelta, TextWritten, TurnRequest
from nanoclaw.durable import people, timeline, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import parcels
from nanoclaw.testing.telegram.chats import Chat, PrivateChat, SeenMessage
from nanoclaw.testing.telegram.people import Person

PARAGRAPHS = "\n\n".join(f"{number}. {'A sentence of some words. ' * 8}".strip() for number in range(30))


class Stepwise:
    """A model that says one piece, and waits for `go_on` before each further one. An error is raised in its place.

    While it waits it keeps the line alive with nothing, as vendors do.
    """

    def __init__(self, *pieces: str | TextWritten | Exception) -> None:
        self.pieces = pieces
        self._allowed = asyncio.Semaphore(
            0
        )  # also before it was asked: that may take a while on a busy machine

    def go_on(self) -> None:
        self._allowed.release()

    async def close(self) -> None:
        """There is nothing to let go of."""

    async def stream(
        self, _request: TurnRequest, _steps: Sequence[Step], _tools: Sequence[ToolOffer]
    ) -> AsyncGenerator[ModelPiece, None]:
        for number, piece in enumerate(self.pieces):
            is_allowed = number == 0
            while not is_allowed:
                yield TextDelta(text="")
                with suppress(TimeoutError):
                    async with asyncio.timeout(0.05):
                        is_allowed = await self._allowed.acquire()
            if isinstance(piece, Exception):
                raise piece
            yield TextDelta(text=piece) if isinstance(piece, str) else piece


def said(chat: Chat) -> list[SeenMessage]:
    """What the bot's messages are now; the first of a paired owner is the welcome."""
    return [message for message in chat.seen if message.by_bot]


def styled(message: SeenMessage) -> dict[str, list[str]]:
    """The words that have a style, as a person sees them."""
    text = (message.text or message.caption).encode("utf-16-le")
    found: dict[str, list[str]] = {}
    for span in message.entities:
        words = text[span["offset"] * 2 : (span["offset"] + span["length"]) * 2].decode("utf-16-le")
        found.setdefault(span["type"], []).append(words)
    return found


def bare(text: str) -> str:
    """Without blanks: Telegram trims what a message begins and ends with."""
    return re.sub(r"\s+", "", text)


async def admit(scene: Scene, *names: str) -> list[tuple[Person, PrivateChat]]:
    """People who may talk to the agent, and are told nothing of what goes wrong elsewhere."""
    admitted = [scene.server.person(name) for name in names]

    def story(tx: Tx) -> None:
        for person in admitted:
            handle = f"telegram:{person.id}"
            people.add_person(tx, handle=handle, name=person.name, role=Role.ADMIN, at=now())

    await scene.host.store.write(story)
    return [(person, person.chat_with(scene.bot)) for person in admitted]


async def known(scene: Scene, chat: Chat) -> KnownChat:
    """The chat as the host has it."""
    channel = f"telegram:{scene.bot.id}"
    found = await scene.host.store.read(lambda tx: people.chat_at(tx, channel, str(chat.id)))
    assert found is not None
    return found


async def post(
    scene: Scene,
    text: str,
    *files: tuple[str, str, bytes],
    chat: Chat | None = None,
    size: int | None = None,
    is_kept: bool = True,
) -> ParcelId:
    """As an agent's tool does it: the bytes are kept, unless they are gone, then the parcel is posted."""
    parcel_id, chat_id = ParcelId(new_id("o")), (await known(scene, chat or scene.chat)).id
    folder = scene.host.home / "data" / "attachments"
    folder.mkdir(exist_ok=True)
    attached = []
    for index, (name, media_type, content) in enumerate(files):
        kept = kept_name(parcel_id, index)
        if is_kept:
            (folder / kept).write_bytes(content)
        told = len(content) if size is None else size
        attached.append(Attachment(name=name, media_type=media_type, size=told, kept=kept))
    await scene.host.store.write(
        lambda tx: outbox.post(
            tx,
            chat_id=ChatId(chat_id),
            thread=None,
            author=Author.AGENT,
            text=text,
            at=now(),
            parcel_id=parcel_id,
            attachments=attached,
        )
    )
    scene.host.engine.kick(work.DELIVERY, chat_id)
    return parcel_id


async def given_up(scene: Scene, count: int = 1) -> list[Parcel]:
    """Until so many parcels wait for a person's decision."""
    async with asyncio.timeout(60):
        while len(found := await scene.host.store.read(outbox.given_up)) < count:
            await asyncio.sleep(0.01)
    return found


async def events_of(scene: Scene, parcel: Parcel) -> list[timeline.Event]:
    assert parcel.message_id is not None
    message_id = parcel.message_id
    return [
        step.event for step in await scene.host.store.read(lambda tx: timeline.of_message(tx, message_id))
    ]


async def on_the_page(scene: Scene) -> list[str]:
    """What the first room of the page shows of alerts."""

    def read(tx: Tx) -> list[str]:
        room = people.chat_at(tx, "web", "main")
        assert room is not None
        rows = tx.execute(parcels.select().where(parcels.c.chat_id == room.id))
        return [row.text for row in rows]

    return await scene.host.store.read(read)
