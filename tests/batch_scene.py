"""The stage of the tests about what becomes of a batch: one whose texts are written already."""

from dataclasses import dataclass
from typing import Any

from tests.task_scene import Tasks, handle

from nanoclaw.domain.batches import Batch, BatchItem, BatchStatus, ItemState
from nanoclaw.domain.ids import ChatId, new_id
from nanoclaw.domain.people import Actor
from nanoclaw.durable import batches, memberships, people, wirings
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.host.host import Host


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """A batch, and how its rows stand."""

    host: Host
    id: str

    async def item(self, number: int) -> BatchItem:
        found = await self.host.store.read(lambda tx: batches.item(tx, self.id, number))
        assert found
        return found

    async def items(self) -> list[BatchItem]:
        return await self.host.store.read(lambda tx: batches.items(tx, self.id, limit=100_000))

    async def now(self) -> Batch:
        found = await self.host.store.read(lambda tx: batches.get(tx, self.id))
        assert found
        return found


async def write_batch(
    host: Host, *texts: str, owner: str = "local:owner", chat: Any = None, **more: Any
) -> Written:
    """As the vendor's results leave it: checked, and ready for a person. Texts that begin with `!` have a fault."""

    def story(tx: Tx) -> Batch:
        person = people.person_named(tx, owner)
        assert person
        place = chat(tx) if chat else None
        batch = Batch(
            id=new_id("b"),
            status=BatchStatus.READY,
            company="demo",
            group="main",
            chat_id=place or _room(tx),
            started_by=person.id,
            language="en",
            subject="posts about coffee",
            skill="",
            model="demo",
            channel="",
            items=len(texts),
            max_tokens=1000,
            created_at=now(),
            started_at=now(),
            **more,
        )
        batches.add(tx, batch)
        faults = ({"key": "empty", "values": {}},)
        items = [
            BatchItem(
                batch_id=batch.id,
                number=number,
                topic=f"Topic {number}: coffee/beans",
                state=ItemState.SUCCEEDED if text else ItemState.ERRORED,
                text=text.removeprefix("!"),
                error=None if text else "overloaded_error: Overloaded",
                faults=faults if text.startswith("!") else (),
                micros=200,
            )
            for number, text in enumerate(texts, 1)
        ]
        batches.add_items(tx, batch.id, items)
        return batch

    batch = await host.store.write(story)
    return Written(host=host, id=batch.id)


async def batch_of(here: Tasks, *texts: str, **more: Any) -> Written:
    """In the chat of the scene's owner."""
    return await write_batch(
        here.host, *texts, owner=handle(here.scene.owner), chat=lambda tx: here.place(tx, here.chat), **more
    )


def actor(tx: Tx, named: str) -> Actor:
    person = people.person_named(tx, named)
    assert person
    return Actor.of(person, memberships.rights_of(tx, person), via="test", language="en")


def _room(tx: Tx) -> ChatId:
    """A room of the page."""
    rooms = (people.chat(tx, each) for each in wirings.chats_wired_to(tx, "main"))
    return next(room.id for room in rooms if room and room.channel == "web")
