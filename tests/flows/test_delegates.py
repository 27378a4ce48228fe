"""Who stands in for someone who is away has one vote, only while they do, and is asked and reminded in their place."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.question_scene import FREED, YES_NO, Asking, asking_scene, cards_of, handle
from tests.telegram_scene import found_group, shown

from nanoclaw.domain.people import Role
from nanoclaw.domain.question_requests import read_wanted
from nanoclaw.domain.questions import PROGRAM, Asker, Question, Status
from nanoclaw.domain.tool_arguments import RequestHuman
from nanoclaw.durable import memberships, people, questions
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import chats, human_interactions, question_cards
from nanoclaw.testing.telegram.chats import PrivateChat
from nanoclaw.testing.telegram.people import Person

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("E11"),
]

HOUR = timedelta(hours=1)
DESTROY: dict[str, Any] = {"options": YES_NO, "risk": "destructive", "default_action": "no"}
FIRST_OF_TWO = "Counted: 1 of 2. Others have to agree."


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Asking]:
    home = tmp_path_factory.mktemp("delegates") / "nanoclaw"
    async with asking_scene(home, FREED) as asking:
        found_group(home, "sales")
        yield asking


@pytest_asyncio.fixture(loop_scope="module")
async def freed(stage: Asking) -> AsyncIterator[Asking]:
    yield stage
    await stage.clear_up()


async def goes_away(asking: Asking, person: Person, chat: PrivateChat, other: Person | None = None) -> None:
    named = f" {handle(other)}" if other else ""
    assert "You are away until" in await asking.scene.command(chat, f"/away until monday{named}", by=person)


@pytest.mark.capability("E6")
class TestVotes:
    """Two of three have to agree: the owner and two admins."""

    async def test_one_who_stands_in_for_two_has_one_vote(self, freed: Asking) -> None:
        scene = freed.scene
        first, her_chat = await freed.meet("Ada", within={"main": Role.ADMIN})
        second, his_chat = await freed.meet("Ben", within={"main": Role.ADMIN})
        other, _ = await freed.meet("Dan", within={"main": Role.MEMBER})
        question, card = await freed.ask_and_show("Delete it for two?", **DESTROY)
        await goes_away(freed, first, her_chat, other)
        await goes_away(freed, second, his_chat, other)
        assert await scene.press(card, "Yes", by=other) == FIRST_OF_TWO
        await scene.command(her_chat, "/back", by=first)
        # From now on he speaks for the second.
        assert await scene.press(card, "Yes", by=other) == FIRST_OF_TWO
        assert (await freed.now(question)).status is Status.PENDING
        assert await scene.press(card, "Yes", by=first) == "Noted: Yes"
        await freed.ended(question)

    async def test_one_who_is_made_an_admin_in_between_has_one_vote_too(self, freed: Asking) -> None:
        scene = freed.scene
        first, her_chat = await freed.meet("Eva", within={"main": Role.ADMIN})
        await freed.meet("Finn", within={"main": Role.ADMIN})
        other, _ = await freed.meet("Gus", within={"main": Role.MEMBER})
        question, card = await freed.ask_and_show("Delete it as an admin?", **DESTROY)
        await goes_away(freed, first, her_chat, other)
        assert await scene.press(card, "Yes", by=other) == FIRST_OF_TWO

        def promote(tx: Tx) -> None:
            person = people.person_named(tx, handle(other))
            assert person
            memberships.put(tx, person.id, "main", Role.ADMIN, now())

        await scene.host.store.write(promote)
        assert await scene.press(card, "Yes", by=other) == FIRST_OF_TWO
        assert (await freed.now(question)).status is Status.PENDING

    async def test_a_vote_counts_no_more_when_whose_it_is_comes_back(self, freed: Asking) -> None:
        scene = freed.scene
        first, her_chat = await freed.meet("Ida", within={"main": Role.ADMIN})
        second, _ = await freed.meet("Jon", within={"main": Role.ADMIN})
        other, _ = await freed.meet("Kim", within={"main": Role.MEMBER})
        question, card = await freed.ask_and_show("Delete it behind her back?", **DESTROY)
        await goes_away(freed, first, her_chat, other)
        assert await scene.press(card, "Yes", by=other) == FIRST_OF_TWO
        await scene.command(her_chat, "/back", by=first)
        assert await scene.press(card, "Yes", by=second) == FIRST_OF_TWO
        await freed.chat.wait_until(lambda: "So far: Jon: Yes" in shown(card).text)
        assert await scene.press(card, "No", by=first) == "Noted: No"
        assert (await freed.ended(question)).chosen == "no"

    async def test_with_one_voice_there_is_one_vote_and_the_last_one_counts(self, freed: Asking) -> None:
        scene = freed.scene
        first, her_chat = await freed.meet("Lea", within={"main": Role.ADMIN})
        await freed.meet("Max", within={"main": Role.ADMIN})
        other, _ = await freed.meet("Ned", within={"main": Role.MEMBER})
        question, card = await freed.ask_and_show("Delete it with one voice?", **DESTROY)
        await goes_away(freed, first, her_chat, other)
        assert await scene.press(card, "Yes", by=other) == FIRST_OF_TWO
        assert await scene.press(card, "Yes", by=first) == FIRST_OF_TWO
        await freed.chat.wait_until(lambda: "So far: Lea: Yes" in shown(card).text)
        assert await scene.press(card, "Yes", by=other) == FIRST_OF_TWO
        await freed.chat.wait_until(lambda: "So far: Ned: Yes" in shown(card).text)
        assert (await freed.now(question)).status is Status.PENDING


async def test_a_delegate_who_is_away_too_is_not_asked_alone(freed: Asking) -> None:
    admin, her_chat = await freed.meet("Ann", within={"sales": Role.ADMIN})
    other, his_chat = await freed.meet("Dirk", within={"sales": Role.MEMBER})
    member, place = await freed.meet("Bob", within={"sales": Role.MEMBER})
    await goes_away(freed, other, his_chat)
    await goes_away(freed, admin, her_chat, other)
    question = await freed.ask("Who is here?", by=member, chat=place, options=YES_NO)
    await freed.scene.press(await freed.card(question), "Yes")
    assert (await freed.ended(question)).decided_name == "Olena"
    assert not cards_of(question, his_chat)


class TestReminders:
    async def test_who_is_away_is_not_reminded_and_their_delegate_is(self, freed: Asking) -> None:
        other, chat = await freed.meet("Otto", within={"main": Role.MEMBER})
        question, _ = await freed.ask_and_show("Reminded?", options=YES_NO, timeout_minutes=15)
        await goes_away(freed, freed.scene.owner, freed.chat, other)
        await freed.card(question, chat)
        await freed.passes(question, HOUR / 6)
        await freed.says("⏰ Waiting for your decision…", chat)
        assert await reminded_in(freed, question) == [str(chat.id)]

    async def test_who_is_away_does_not_use_up_the_reminder_of_a_delegate_who_sleeps(
        self, freed: Asking
    ) -> None:
        other, chat = await freed.meet("Paul", within={"main": Role.MEMBER})
        at = now()
        await freed.scene.command(chat, f"/quiet {at - HOUR:%H:%M}-{at + 2 * HOUR:%H:%M}", by=other)
        question, _ = await freed.ask_and_show("While he sleeps?", options=YES_NO, timeout_minutes=24 * 60)
        await goes_away(freed, freed.scene.owner, freed.chat, other)
        assert (await freed.card(question, chat)).silent
        await freed.passes(question, 16.1 * HOUR)
        await freed.looked_at(question)
        assert ((await freed.now(question)).reminded, await reminded_in(freed, question)) == (0, [])
        await freed.scene.command(chat, "/quiet off", by=other)
        await freed.passes(question, timedelta())
        await freed.says("⏰ Waiting for your decision…", chat)

    async def test_where_all_are_away_they_are_reminded_all_the_same(self, freed: Asking) -> None:
        """Better disturbed than decided by nobody."""
        owner = handle(freed.scene.owner)
        question, card = await freed.ask_and_show(
            "Nobody else?", options=YES_NO, timeout_minutes=15, deciders=[owner]
        )
        await goes_away(freed, freed.scene.owner, freed.chat)
        await freed.passes(question, HOUR / 6)
        await freed.looked_at(question)
        assert await reminded_in(freed, question) == [str(freed.chat.id)]
        assert await freed.scene.press(card, "Yes") == "Noted: Yes"


async def reminded_in(asking: Asking, question: Question) -> list[str]:
    """The chats to which a reminder was posted."""
    query = (
        sa.select(chats.c.address)
        .join(question_cards, question_cards.c.chat_id == chats.c.id)
        .where(question_cards.c.question_id == question.id, question_cards.c.reminder > 0)
    )
    return await asking.scene.host.store.read(lambda tx: list(tx.execute(query).scalars()))


async def test_a_hundred_questions_of_others_do_not_keep_hers_from_her_delegate(freed: Asking) -> None:
    admin, her_chat = await freed.meet("Rita", within={"sales": Role.ADMIN})
    other, his_chat = await freed.meet("Sam", within={"sales": Role.MEMBER})
    wanted = read_wanted(RequestHuman(question="Of others?"), usual_timeout=HOUR)

    def asked_before(tx: Tx) -> None:
        for number in range(100):
            asker = Asker(
                session_id=None, execution_id=PROGRAM, asked_id=f"{number}", group="main", company="demo"
            )
            questions.open_new(tx, asker, wanted, question_id=questions.new_question_id(), votes=1, at=now())

    await freed.scene.host.store.write(asked_before)
    await freed.inbox.ask({"question": "Hers?", "group": "sales"})
    question = await freed.asked("Hers?")
    await freed.card(question, her_chat)
    await goes_away(freed, admin, her_chat, other)
    card = await freed.card(question, his_chat)
    assert await freed.scene.press(card, "✅ Approve", by=other) == "Noted: ✅ Approve"
    theirs = sa.delete(human_interactions).where(human_interactions.c.prompt == wanted.prompt)
    await freed.scene.host.store.write(lambda tx: tx.execute(theirs))
