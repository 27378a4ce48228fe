"""What a member starts beyond their limit is decided by an admin, however it is split up."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.flows.batch_scene import BatchScene, batch_scene

from nanoclaw.domain.batches import Batch, BatchStatus
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.people import Actor, Person, Role
from nanoclaw.domain.questions import Question
from nanoclaw.durable import batches, memberships, people, questions
from nanoclaw.durable.batch_tables import batch_items
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.testing import ModelServer

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.attack,
    pytest.mark.capability("I1", "E4"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def scene(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[BatchScene]:
    async with (
        ModelServer() as server,
        batch_scene(tmp_path_factory.mktemp("limits") / "home", server) as made,
    ):
        made.server.reply = "A plain text."
        made.vendor.is_held = True  # what has started stays under way
        yield made


async def member(scene: BatchScene) -> Person:
    def story(tx: Tx) -> Person:
        handle = f"web:{new_id('p')}"
        made = people.add_person(tx, handle=handle, name="Mia", role=Role.STRANGER, at=now())
        memberships.put(tx, made.id, "main", Role.MEMBER, now())
        return made

    return await scene.host.store.write(story)


async def propose(scene: BatchScene, by: Person, micros: int) -> Batch:
    wanted = await scene.wanted(1)
    estimate: dict[str, Any] = {"low": micros, "high": micros, "most": micros, "alone": micros, "fits": 1}
    changes = scene.host.batch_chat.changes
    return await scene.host.store.write(lambda tx: changes.propose(tx, wanted, by, estimate, now()))


async def press(scene: BatchScene, by: Person, batch: Batch) -> None:
    """The member's own yes."""

    def story(tx: Tx) -> None:
        actor = Actor.of(by, memberships.rights_of(tx, by), via="web", language="en")
        decisions = scene.host.question_parts.question_decisions
        decisions.decide(tx, batch.question_id or "", "start", actor, now())

    await scene.host.store.write(story)


async def asked_of_admin(scene: BatchScene, batch: Batch) -> Question:
    return await scene.question(batch, "start by admin")


@pytest.mark.parametrize(
    ("option", "status"), [("start", BatchStatus.RUNNING), ("cancel", BatchStatus.CANCELLED)]
)
async def test_a_start_beyond_the_limit_is_for_an_admin(
    scene: BatchScene, option: str, status: BatchStatus
) -> None:
    mia = await member(scene)
    batch = await propose(scene, mia, 1_000_001)
    question = await asked_of_admin(scene, batch)
    assert "Mia asks" in question.prompt
    with pytest.raises(Refused):
        await press(scene, mia, batch)
    assert (await scene.batch(batch)).status is BatchStatus.ASKED
    await scene.decide(question, option)
    assert (await scene.until(batch, status)).status is status


async def test_many_small_starts_meet_the_limit_of_the_day(scene: BatchScene) -> None:
    """Each card was within the limit when it was shown; all are pressed afterwards."""
    mia = await member(scene)
    made = [await propose(scene, mia, 900_000) for _ in range(10)]
    for batch in made:
        await press(scene, mia, batch)
    refused = [await asked_of_admin(scene, batch) for batch in made[5:]]
    assert len(refused) == 5
    for batch in made[:5]:
        assert (await scene.batch(batch)).status is not BatchStatus.ASKED


async def test_an_admin_has_no_such_limit(scene: BatchScene) -> None:
    batch = await propose(scene, await scene.owner(), 50_000_000)
    found = await scene.host.store.read(lambda tx: questions.get(tx, batch.question_id or ""))
    assert found
    assert "beyond what a member may start" not in found.prompt


@pytest.mark.parametrize(
    ("option", "status"), [("start", BatchStatus.RUNNING), ("cancel", BatchStatus.FAILED)]
)
async def test_texts_are_written_again_beyond_the_limit_if_an_admin_agrees(
    scene: BatchScene, option: str, status: BatchStatus
) -> None:
    mia = await member(scene)
    made = [await propose(scene, mia, 900_000) for _ in range(6)]
    for batch in made[:5]:
        await press(scene, mia, batch)
        await scene.until(batch, BatchStatus.RUNNING)
    failed, changes = made[5], scene.host.batch_chat.changes

    def fail(tx: Tx) -> None:
        batches.mark(tx, failed.id, status=BatchStatus.FAILED.value, question_id=None)
        tx.execute(sa.update(batch_items).where(batch_items.c.batch_id == failed.id).values(state="errored"))

    def again(tx: Tx) -> int:
        actor = Actor.of(mia, memberships.rights_of(tx, mia), via="web", language="en")
        return changes.resubmit(tx, failed.id, actor, now())

    await scene.host.store.write(fail)
    assert await scene.host.store.write(again) == 0
    with pytest.raises(Refused, match="batch-asked-again"):
        await scene.host.store.write(again)
    failed = await scene.batch(failed)
    with pytest.raises(Refused, match="question-forbidden"):
        await press(scene, mia, failed)
    question = await scene.host.store.read(lambda tx: questions.get(tx, failed.question_id or ""))
    assert question
    assert question.context == {"texts": [1], "notes": {}}
    await scene.decide(question, option)
    assert (await scene.until(failed, status)).status is status
    after = await scene.until_it(failed, lambda batch: batch.question_id is None)
    assert after.status is status
