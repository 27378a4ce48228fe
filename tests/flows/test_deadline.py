"""The time of a question passes: reminders, the next who may decide, and in the end the default (SPEC E5, E6, E11)."""

import json
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.question_scene import (
    FORBIDDEN,
    FREED,
    HELD,
    YES_NO,
    Asking,
    asking_again,
    asking_scene,
    cards_of,
    handle,
)
from tests.telegram_scene import found_group, shown

from nanoclaw.domain.people import Role
from nanoclaw.domain.questions import Question, Status
from nanoclaw.durable import people, questions
from nanoclaw.durable import question_cards as cards
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import chats, parcels, question_cards, work
from nanoclaw.flows.deadline import heed_clock
from nanoclaw.flows.human.reminder_times import reminders
from nanoclaw.testing import TelegramServer
from nanoclaw.testing.telegram.chats import Chat

# One host for most of these tests; nobody waits for minutes: a question is made older instead.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("E5"),
]

MINUTES = timedelta(minutes=1)
DESTROY: dict[str, Any] = {
    "options": YES_NO,
    "risk": "destructive",
    "default_action": "no",
    "timeout_minutes": 15,
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Asking]:
    home = tmp_path_factory.mktemp("deadline") / "nanoclaw"
    async with asking_scene(home, FREED) as asking:
        found_group(home, "sales")
        found_group(home, "rivals", company="rivals")
        yield asking


@pytest_asyncio.fixture(loop_scope="module")
async def freed(stage: Asking) -> AsyncIterator[Asking]:
    yield stage
    await stage.clear_up()


def reminded(chat: Chat, words: str) -> list[str]:
    return [text for text in chat.texts() if text.startswith("⏰") and words in text]


async def test_of_fifteen_minutes_the_tenth_and_the_fourteenth_bring_a_reminder_and_the_fifteenth_the_default(
    freed: Asking,
) -> None:
    """The texts of both languages; what is decided so binds nobody, and is recorded as nobody's decision."""
    at = now()
    assert reminders(at, at + 15 * MINUTES) == [at + 10 * MINUTES, at + 14 * MINUTES]
    oksana, chat = await freed.meet("Оксана", within={"main": Role.ADMIN}, language="uk")
    prompt = "📋 Outline готовий. Затвердити?"
    options = [{"id": "approve", "label": "✅ Так"}, {"id": "cancel", "label": "❌ Скасувати"}]
    question, card = await freed.ask_and_show(
        prompt,
        by=oksana,
        chat=chat,
        kind="approval",
        options=options,
        timeout_minutes=15,
        default_action="approve",
        deciders=[handle(oksana)],
    )
    await freed.passes(question, 9 * MINUTES)
    await freed.looked_at(question)
    assert (await freed.now(question)).reminded == 0
    await freed.passes(question, 1.1 * MINUTES)
    first = await freed.says("⏰ Чекаю на ваше рішення...", chat)
    assert prompt in first
    # Up to that very moment, however long the rest took: what is left is told in seconds below a minute.
    begun = (await freed.now(question)).created_at
    await freed.passes(question, begun + 14 * MINUTES - now())
    last = await freed.says("⏰ Останнє нагадування. Автовибір через 1 хв", chat)
    assert prompt in last
    assert len(reminded(chat, prompt)) == 2
    assert (await freed.now(question)).reminded == 2

    await freed.passes(question, 1 * MINUTES)
    ended = await freed.ended(question)
    assert (ended.status, ended.made_by, ended.decided_by) == (Status.TIMEOUT, "timeout", None)
    assert ended.response == {"chosen": "approve", "user_input": None}
    await chat.wait_until(lambda: shown(card).labels == ["🔁 Запитати ще раз"])
    assert "⏰ Timeout: " in shown(card).text
    assert "Обрано: ✅ Так (за замовч.; ніхто не вирішував)" in shown(card).text
    await chat.wait_until(lambda: not reminded(chat, "Чекаю"))  # the reminders tell it too
    await freed.says("woken", chat)
    assert "Nobody answered in time. The default is taken" in freed.agent.asked[-1].prompt
    written = freed.scene.host.home / "companies" / "demo" / "memory" / "decisions.jsonl"
    line = next(
        each for each in map(json.loads, written.read_text("utf-8").splitlines()) if each["id"] == question.id
    )
    assert (line["made_by"], line["user"], line["binding"]) == ("timeout", None, False)
    assert (line["status"], line["choice"]) == ("timeout", "approve")
    entry = (await freed.scene.audit())[0]
    assert (entry.action, entry.name) == ("question-timeout", "")


async def test_the_texts_in_english_and_without_a_default_nothing_is_decided(freed: Asking) -> None:
    question, card = await freed.ask_and_show("Which way?", options=[*_ways()], timeout_minutes=15)
    assert "Without an answer nothing is decided." in card.text
    await freed.passes(question, 10.1 * MINUTES)
    assert "Which way?" in await freed.says("⏰ Waiting for your decision…")
    await freed.passes(question, 3.9 * MINUTES)
    assert "Which way?" in await freed.says("⏰ The last reminder. The time is over in ")
    before = freed.chat.answers
    await freed.passes(question, 1 * MINUTES)
    ended = await freed.ended(question)
    assert (ended.status, ended.chosen) == (Status.TIMEOUT, None)
    await freed.chat.wait_until(lambda: shown(card).labels == ["🔁 Ask again"])
    assert "Nobody answered, and nothing was decided." in shown(card).text
    await freed.says("woken", after=before)
    assert "Do not take it for a yes or a no." in freed.agent.asked[-1].prompt


def _ways() -> list[dict[str, str]]:
    return [{"id": "left", "label": "Left"}, {"id": "right", "label": "Right"}]


@pytest.mark.capability("E4")
async def test_a_late_press_says_when_it_was_decided_and_what_is_asked_again_wakes_the_session(
    freed: Asking,
) -> None:
    member, _ = await freed.meet("Late Member", within={"main": Role.MEMBER})
    question, card = await freed.ask_and_show("Publish late?", options=YES_NO, timeout_minutes=15)
    await freed.passes(question, 16 * MINUTES)
    ended = await freed.ended(question)
    assert ended.resolved_at
    before = freed.chat.answers
    said = await freed.scene.press(card, "Yes")
    assert said == f"This was decided by time-out at {ended.resolved_at:%H:%M} (No). Ask again?"
    offer = await freed.scene.card("This was decided by time-out")
    assert offer.labels == ["🔁 Ask again"]
    await freed.scene.press(card, "Yes")
    assert len(freed.scene.cards("This was decided by time-out")) == 1
    assert await freed.scene.press(offer, "🔁 Ask again", by=member) == FORBIDDEN
    await freed.says("woken", after=before - 1)

    assert await freed.scene.press(offer, "🔁 Ask again") == "Taken."
    again = await freed.asked("Publish late?")
    assert (again.repeats, again.deadline_at - again.created_at) == (question.id, 15 * MINUTES)
    assert again.payload_hash == question.payload_hash
    new_card = await freed.card(again)
    assert "asked again already" in await freed.scene.press(shown(card), "🔁 Ask again")
    before = freed.chat.answers
    await freed.scene.press(new_card, "Yes")
    await freed.says("woken", after=before)
    assert "You asked: Publish late?" in freed.agent.asked[-1].prompt
    assert (await freed.ended(again)).chosen == "yes"
    assert (await freed.now(question)).chosen == "no"


@pytest.mark.capability("E4")
async def test_what_is_asked_again_stands_in_the_chat_of_its_session(freed: Asking) -> None:
    """Wherever it was that someone pressed too late."""
    room = await freed.group("Asked here", freed.scene.owner)
    question, _ = await freed.ask_and_show("Again here?", chat=room, options=YES_NO, timeout_minutes=15)
    await freed.passes(question, 16 * MINUTES)
    await freed.ended(question)
    row = await freed.inbox.change(question.id, "again")
    again = await freed.asked("Again here?")
    assert (again.id, again.repeats) == (row.id, question.id)
    new_card = await freed.card(again, room)
    assert not cards_of(again, freed.chat)
    await freed.scene.press(new_card, "No")
    await freed.ended(again)


@pytest.mark.capability("E4")
async def test_a_late_press_is_told_on_the_persons_own_clock_and_a_program_that_waits_no_more_is_not_offered(
    freed: Asking,
) -> None:
    await freed.scene.host.store.write(partial(_sets_clock, who=handle(freed.scene.owner), zone="Asia/Tokyo"))
    row = await freed.inbox.ask({"question": "Of a program?", "options": YES_NO, "timeout_minutes": 15})
    question = await freed.asked("Of a program?")
    card = await freed.card(question)
    await freed.passes(question, 16 * MINUTES)
    ended = await freed.ended(question)
    assert ended.resolved_at
    await freed.chat.wait_until(lambda: not shown(card).buttons)  # nobody would hear the answer
    there = ended.resolved_at.astimezone(ZoneInfo("Asia/Tokyo"))
    said = await freed.scene.press(card, "Yes")
    assert said.startswith(f"This was decided by time-out at {there:%H:%M}")
    assert (row.id, freed.scene.cards("This was decided by time-out")) == (question.id, [])
    await freed.scene.host.store.write(partial(_sets_clock, who=handle(freed.scene.owner), zone=None))


def _sets_clock(tx: Tx, *, who: str, zone: str | None) -> None:
    person = people.person_named(tx, who)
    assert person
    people.set_preference(tx, person.id, timezone=zone)


@pytest.mark.capability("E11")
async def test_those_who_were_not_asked_yet_are_asked_with_the_first_reminder(freed: Asking) -> None:
    member, _ = await freed.meet("Seller", within={"sales": Role.MEMBER})
    admin, first = await freed.meet("Boss", within={"sales": Role.ADMIN})
    room = await freed.group("Escalating", member, admin, agent="sales")
    question = await freed.ask("Nobody there?", by=member, chat=room, options=YES_NO, timeout_minutes=15)
    await freed.card(question, first)
    assert not cards_of(question, freed.chat)
    await freed.passes(question, 11 * MINUTES)
    card = await freed.card(question)
    await first.wait_until(lambda: reminded(first, "Nobody there?"))
    assert await _reminders_for(freed, question) == [str(first.id)]
    await freed.scene.press(card, "Yes")
    assert "Olena: Yes" in await freed.scene.settled((cards_of(question, first))[0])
    assert (await freed.ended(question)).decided_name == "Olena"


@pytest.mark.capability("E11")
async def test_those_who_sleep_are_not_disturbed_and_the_others_are_asked(freed: Asking) -> None:
    member, _ = await freed.meet("Night Seller", within={"sales": Role.MEMBER})
    admin, first = await freed.meet("Sleeper", within={"sales": Role.ADMIN})
    room = await freed.group("At night", member, admin, agent="sales")
    await freed.scene.command(first, f"/quiet {_quiet_now()}", by=admin)
    question = await freed.ask(
        "Everyone asleep?", by=member, chat=room, options=YES_NO, timeout_minutes=24 * 60
    )
    assert (await freed.card(question, first)).silent
    await freed.passes(question, timedelta(hours=16, minutes=1))
    card = await freed.card(question)
    assert not card.silent
    await freed.looked_at(question)
    assert not reminded(first, "Everyone asleep?")
    await freed.scene.press(card, "Yes")
    assert (await freed.ended(question)).decided_name == "Olena"


@pytest.mark.capability("E11")
async def test_who_goes_away_passes_on_what_is_open(freed: Asking) -> None:
    other, chat = await freed.meet("Stand In", within={"main": Role.MEMBER})
    question, card = await freed.ask_and_show("Open when I left?", options=YES_NO)
    await freed.scene.command(freed.chat, f"/away until monday {handle(other)}")
    passed_on, before = await freed.card(question, chat), freed.chat.answers
    assert await freed.scene.press(passed_on, "Yes", by=other) == "Noted: Yes"
    assert "Stand In: Yes" in await freed.scene.settled(card)
    await freed.chat.wait_for(
        before + 1
    )  # what the agent says to the answer: not what is said to the next command
    await freed.scene.command(freed.chat, "/back")


@pytest.mark.capability("E11")
async def test_while_someone_is_away_their_delegate_decides_and_one_of_another_company_cannot(
    freed: Asking,
) -> None:
    scene = freed.scene
    other, chat = await freed.meet("Other", within={"main": Role.MEMBER})
    rival, _ = await freed.meet("Rival", within={"rivals": Role.ADMIN})
    member, place = await freed.meet("Asks", within={"main": Role.MEMBER})
    assert "You are not away" in await scene.command(freed.chat, "/away")
    assert "That is you" in await scene.command(freed.chat, "/away until monday @olena")
    said = await scene.command(freed.chat, "/away until monday @other")
    assert "You are away until" in said
    assert said.endswith("decides for you.")
    assert (await scene.audit())[0].action == "away"

    question = await freed.ask("While away?", by=member, chat=place, options=YES_NO)
    card = await freed.card(question, chat)
    assert not cards_of(question, freed.chat)
    assert await scene.press(card, "Yes", by=member) == FORBIDDEN
    assert await scene.press(card, "Yes", by=other) == "Noted: Yes"
    assert (await freed.ended(question)).decided_name == "Other"

    await scene.command(freed.chat, "/away until monday @rival")
    question = await freed.ask("For a rival?", by=member, chat=place, options=YES_NO)
    await freed.looked_at(question)
    assert await scene.forge(card, f"hitl:{question.id}:yes", by=rival) == FORBIDDEN
    assert await scene.forge(card, f"hitl:{question.id}:yes", by=other) == FORBIDDEN
    await freed.inbox.change(question.id, "cancel")

    assert "Welcome back" in await scene.command(freed.chat, "/back")
    question = await freed.ask("Back again?", by=member, chat=place, options=YES_NO)
    await scene.press(await freed.card(question), "No")
    assert (await freed.ended(question)).decided_name == "Olena"


@pytest.mark.capability("E11")
async def test_in_quiet_hours_a_card_makes_no_sound_and_the_reminder_waits_for_their_end(
    freed: Asking,
) -> None:
    scene, at, quiet = freed.scene, now(), _quiet_now()
    assert f"Quiet hours: {quiet}" in await scene.command(freed.chat, f"/quiet {quiet}")
    question, card = await freed.ask_and_show("At night?", options=YES_NO, timeout_minutes=24 * 60)
    assert await _silent(freed, question) == [True]
    assert card.silent
    await freed.passes(question, timedelta(hours=16, minutes=1))
    await freed.looked_at(question)
    assert not reminded(freed.chat, "At night?")
    due = await freed.scene.host.store.read(lambda tx: _due(tx, question))
    assert timedelta(hours=1) < due - at < timedelta(hours=3)
    # The page, where it would be shown too, is nobody's sleep: nothing is used up there.
    member, place = await freed.meet("Night Owl", within={"main": Role.MEMBER})
    other = await freed.ask("Also at night?", by=member, chat=place, options=YES_NO, timeout_minutes=24 * 60)
    await freed.passes(other, timedelta(hours=16, minutes=1))
    await freed.looked_at(other)
    assert ((await freed.now(other)).reminded, await _reminders_for(freed, other)) == (0, [])
    # With them over, the reminder comes, and sounds.
    assert "You have no quiet hours" in await scene.command(freed.chat, "/quiet off")
    await freed.passes(question, timedelta())
    await freed.says("⏰ Waiting for your decision…")
    loud, card = await freed.ask_and_show("By day?", options=YES_NO)
    assert not card.silent
    await freed.inbox.change(loud.id, "cancel")


@pytest.mark.capability("E11")
async def test_quiet_hours_do_not_put_off_the_end(freed: Asking) -> None:
    await freed.scene.command(freed.chat, f"/quiet {_quiet_now()}")
    question, card = await freed.ask_and_show(
        "Quiet until after the end?", options=YES_NO, timeout_minutes=15
    )
    await freed.passes(question, 16 * MINUTES)
    assert (await freed.ended(question)).status is Status.TIMEOUT
    await freed.chat.wait_until(lambda: shown(card).labels == ["🔁 Ask again"])


def _quiet_now() -> str:
    at = now()
    return f"{at - timedelta(hours=1):%H:%M}-{at + timedelta(hours=2):%H:%M}"


async def _reminders_for(asking: Asking, question: Question) -> list[str]:
    """The chats to which one was posted."""
    query = (
        sa.select(chats.c.address)
        .join(question_cards, question_cards.c.chat_id == chats.c.id)
        .where(question_cards.c.question_id == question.id, question_cards.c.reminder > 0)
    )
    return await asking.scene.host.store.read(lambda tx: list(tx.execute(query).scalars()))


async def _silent(asking: Asking, question: Question) -> list[bool | None]:
    query = (
        sa.select(parcels.c.silent)
        .join(question_cards, question_cards.c.parcel_id == parcels.c.id)
        .where(question_cards.c.question_id == question.id)
    )
    return await asking.scene.host.store.read(lambda tx: list(tx.execute(query).scalars()))


def _due(tx: Tx, question: Question) -> datetime:
    found: datetime = tx.execute(sa.select(work.c.due_at).where(work.c.key == question.id)).scalar_one()
    return found


@pytest.mark.capability("E6", "E11")
async def test_what_destroys_needs_two_of_three_one_human_has_one_voice_and_the_safe_choice_needs_one(
    freed: Asking,
) -> None:
    scene = freed.scene
    one, _ = await freed.meet("Admin One", within={"main": Role.ADMIN})
    question, card = await freed.ask_and_show("Delete with two?", **DESTROY)
    # The user of this machine and the first who paired are one human: with one admin there are two.
    assert question.votes == 1
    assert "⚠️ This destroys something and cannot be undone." in card.text
    await scene.press(card, "No")
    await freed.ended(question)

    two, _ = await freed.meet("Admin Two", within={"main": Role.ADMIN})
    question, card = await freed.ask_and_show("Delete with three?", **DESTROY)
    assert question.votes == 2
    assert "👥 2 people have to agree. So far: –" in card.text
    assert await scene.press(card, "Yes") == "Counted: 1 of 2. Others have to agree."
    await freed.chat.wait_until(lambda: "So far: Olena: Yes" in shown(card).text)
    assert shown(card).labels == ["Yes", "No", "❌ Cancel"]
    assert await scene.press(card, "Yes") == "Counted: 1 of 2. Others have to agree."
    decided = await freed.inbox.decide(question.id, "yes", None)
    assert (decided.said, decided.question.status) == ("Counted: 1 of 2. Others have to agree.", "pending")
    assert await scene.press(card, "Yes", by=two) == "Noted: Yes"
    ended = await freed.ended(question)
    assert (ended.chosen, ended.decided_name) == ("yes", "Admin Two")
    await scene.settled(card)

    question, card = await freed.ask_and_show("Delete after a veto?", **DESTROY)
    assert await scene.press(card, "Yes", by=one) == "Counted: 1 of 2. Others have to agree."
    assert await scene.press(card, "No", by=two) == "Noted: No"
    assert (await freed.ended(question)).chosen == "no"

    question, card = await freed.ask_and_show("Delete with one voice of two?", **DESTROY)
    await scene.press(card, "Yes", by=one)
    await freed.passes(question, 16 * MINUTES)
    ended = await freed.ended(question)
    assert (ended.status, ended.chosen) == (Status.TIMEOUT, "no")
    assert [
        each.name for each in await scene.host.store.read(lambda tx: cards.votes_on(tx, question.id))
    ] == ["Admin One"]

    # What the asker calls harmless does not count: only what the host adds, and what the owner's rules name.
    sly = [{"id": "keep", "label": "Keep all"}, {"id": "cancel", "label": "Go on"}]
    question, card = await freed.ask_and_show("Wipe it?", options=sly, risk="destructive")
    assert shown(card).labels == ["Keep all", "❌ Cancel"]
    assert await scene.press(card, "Keep all", by=one) == "Counted: 1 of 2. Others have to agree."
    assert await scene.press(card, "❌ Cancel", by=two) == "Noted: ❌ Cancel"
    assert (await freed.ended(question)).chosen == "cancel"


@pytest.mark.capability("E5", "E7")
async def test_a_turn_that_still_waits_is_told_of_the_default_and_goes_on(home: Path) -> None:
    """And the figures: how fast people answer, how often nobody does, by kind and by skill."""
    async with asking_scene(home, HELD) as asking:
        question, card = await asking.ask_and_show(
            "In time?", options=YES_NO, timeout_minutes=15, default_action="no"
        )
        await asking.passes(question, 16 * MINUTES)
        told = await asking.says("told: Nobody answered in time.")
        assert 'The default is taken: "No" (no). No person decided this.' in told
        assert (await asking.ended(question)).carried_at
        question, card = await asking.ask_and_show("Quick?", options=YES_NO)
        await asking.scene.press(card, "Yes")
        await asking.ended(question)
        row = await asking.inbox.ask({"question": "Approve?", "kind": "approval", "skill": "editor"})
        question = await asking.asked("Approve?")  # of a program, about which nobody knows more than it says
        assert row.skill == "editor"
        await asking.passes(question, 4 * MINUTES)
        await asking.scene.press(await asking.card(question), "✅ Approve")
        await asking.ended(question)
        figures = await asking.inbox.figures(30)
        assert (figures.total.asked, figures.total.answered, figures.total.timed_out) == (3, 2, 1)
        assert figures.total.timeout_rate == pytest.approx(1 / 3)
        assert {row.name: row.asked for row in figures.by_kind} == {"choice": 2, "approval": 1}
        by_skill = {row.name: row for row in figures.by_skill}
        assert by_skill["general-assistant"].timeout_rate == 0.5
        assert by_skill["editor"].mean == pytest.approx(240, abs=30)
        assert by_skill["editor"].median == by_skill["editor"].mean


@pytest.mark.capability("E5", "E7")
async def test_what_ran_out_while_no_host_ran_waits_for_presses_on_their_way_and_then_the_default_is_taken_once(
    home: Path,
) -> None:
    async with TelegramServer(flood_control=False) as server:
        async with asking_scene(home, FREED, server=server) as asking:
            pressed, card = await asking.ask_and_show("Pressed meanwhile?", options=YES_NO)
            left, left_card = await asking.ask_and_show("Left alone?", options=YES_NO)

            def older(tx: Tx) -> None:
                for each in (pressed, left):
                    questions.mark(tx, each.id, deadline_at=now() - MINUTES)

            await asking.scene.host.store.write(older)
        press = await asking.scene.owner.presses(card, "Yes")
        async with asking_again(home, asking, HELD | {"grace_seconds": 60}) as again:
            assert (await press.wait()).text == "Noted: Yes"
            assert (await again.now(left)).is_open
            assert (await again.ended(pressed)).chosen == "yes"
        async with asking_again(home, asking, HELD) as again:
            # Its work was put off until the grace of that host was over.
            await again.passes(left, timedelta())
            ended = await again.ended(left)
            assert (ended.status, ended.chosen) == (Status.TIMEOUT, "no")
            await again.chat.wait_until(lambda: shown(left_card).labels == ["🔁 Ask again"])
            audited = [entry for entry in await again.scene.audit(20) if entry.subject == left.id]
            assert len(audited) == 1


async def test_when_the_clock_is_set_what_was_left_of_the_time_is_still_left(freed: Asking) -> None:
    question, _ = await freed.ask_and_show("Clock?", options=YES_NO, timeout_minutes=15)
    before = await freed.now(question)
    due = await freed.scene.host.store.read(lambda tx: _due(tx, question))
    await freed.scene.host.store.write(lambda tx: heed_clock(tx, timedelta(hours=3)))
    after = await freed.now(question)
    assert after.deadline_at - before.deadline_at == timedelta(hours=3)
    first, then = (reminders(each.created_at, each.deadline_at)[0] for each in (before, after))
    assert then - first == timedelta(hours=3)
    assert await freed.scene.host.store.read(lambda tx: _due(tx, question)) - due == timedelta(hours=3)
