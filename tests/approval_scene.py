"""What the tests of strangers and of chats without an agent share: a host with one agent group, or with two."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import sqlalchemy as sa
from tests.telegram_scene import Scene, found_group, telegram_scene

from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import chats, parcels
from nanoclaw.testing import ScriptedModel
from nanoclaw.testing.starter import made_workspace
from nanoclaw.testing.telegram.chats import Chat, SeenMessage
from nanoclaw.testing.telegram.people import Person

Stage = tuple[Scene, ScriptedModel]

FORBIDDEN = "This is not yours to decide"


@asynccontextmanager
async def one_group_stage(folder: Path) -> AsyncIterator[Stage]:
    model = ScriptedModel()
    async with telegram_scene(folder / "nanoclaw", model=model, paced=False) as scene:
        yield scene, model


@asynccontextmanager
async def two_groups_stage(folder: Path) -> AsyncIterator[Stage]:
    model = ScriptedModel()
    home = made_workspace(folder / "nanoclaw")
    found_group(home, "sales")
    async with telegram_scene(home, model=model, paced=False) as scene:
        yield scene, model


def fresh(model: ScriptedModel) -> Iterator[ScriptedModel]:
    model.asked.clear()
    model.script = "ok"
    yield model
    model.go_on()


async def mention(person: Person, chat: Chat, words: str) -> SeenMessage:
    return await person.says(chat, f"@helper_bot {words}")


def prompts(model: ScriptedModel) -> str:
    return "\n".join(request.prompt for request in model.asked)


async def decide(scene: Scene, words: str, label: str) -> str:
    """What the card with these words says once the owner has decided."""
    card = await scene.card(words)
    await scene.press(card, label)
    return await scene.settled(card)


async def on_the_page(scene: Scene, words: str) -> list[tuple[str, list[str]]]:
    """The cards in the first room of the page that have these words, with their buttons."""
    here = sa.and_(chats.c.channel == "web", chats.c.address == "main", parcels.c.text.contains(words))
    query = sa.select(parcels).join(chats, chats.c.id == parcels.c.chat_id).where(here)

    def story(tx: Tx) -> list[tuple[str, list[str]]]:
        return [(row.text, [each["label"] for each in row.buttons or ()]) for row in tx.execute(query)]

    return await scene.host.store.read(story)
