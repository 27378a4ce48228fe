"""Flow E, where nobody waits: the turn has ended, its box is free, and the decision wakes the session (SPEC E2, E7)."""

import hashlib
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.question_scene import (
    FREED,
    HELD,
    POST,
    YES_NO,
    Asking,
    asking_again,
    asking_scene,
    cards_of,
    row_of,
)

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import Role
from nanoclaw.durable import history
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import messages
from nanoclaw.durable.why import explain
from nanoclaw.host import host
from nanoclaw.testing import TelegramServer

# One host for most of these tests. Every test takes back what it leaves open.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("E1"),
]

DAY = f"{now().year + 1}-03-02"  # in winter, and never over


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def freed_stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Asking]:
    async with asking_scene(tmp_path_factory.mktemp("freed") / "nanoclaw", FREED) as asking:
        yield asking


@pytest_asyncio.fixture(loop_scope="module")
async def freed(freed_stage: Asking) -> AsyncIterator[Asking]:
    """The turn has ended when people decide."""
    yield freed_stage
    await freed_stage.clear_up()


@pytest.mark.capability("E3")
async def test_a_card_has_its_context_folded_its_choices_explained_and_its_deadline_in_the_readers_language(
    freed: Asking,
) -> None:
    oksana, chat = await freed.meet("Оксана", within={"main": Role.ADMIN}, language="uk")
    draft = "\n".join(f"Рядок чернетки {number} із кількома словами" for number in range(30))
    _, card = await freed.ask_and_show(
        "Публікувати цей пост зараз чи запланувати на 9:00?",
        by=oksana,
        chat=chat,
        context={"draft_text": draft, "channel": "blog"},
        **POST,
    )
    assert card.text.startswith(
        "🔔 Потрібне ваше рішення\n\nПублікувати цей пост зараз чи запланувати на 9:00?"
    )
    assert card.labels == ["Зараз", "О 9:00", "Редагувати"]
    assert "⏰ Автоматично: О 9:00 через 60 хв (" in card.text
    assert "О 9:00: Запланувати на завтра 9:00" in card.text
    assert "general-assistant" in card.text
    folded = [each for each in card.entities if each["type"] == "expandable_blockquote"]
    assert len(folded) == 1
    assert "Рядок чернетки 29" in card.text

    _, card = await freed.ask_and_show(
        "Which colour?", options=[*YES_NO], default_action="no", timeout_minutes=180
    )
    assert card.text.startswith("🔔 Your decision is needed\n\nWhich colour?")
    assert "⏰ Automatically: No in 3 h (" in card.text
    # What is too long for a card is in the inbox as a whole.
    question, card = await freed.ask_and_show("Long?", options=YES_NO, context="x" * 5000)
    assert "x" * 2000 + "…" in card.text
    assert "x" * 2001 not in card.text
    assert (await freed.inbox.get(question.id)).context == "x" * 5000


@pytest.mark.capability("E2")
async def test_there_are_four_standard_layouts(freed: Asking) -> None:
    layouts = {
        "approve_reject": ["✅ Approve", "❌ Reject"],
        "schedule_choice": ["Now", "Tomorrow 9:00", "Monday 9:00", "Another time"],
        "quality_gate": ["✅ Pass", "✏️ Fix minor", "🔁 Rework", "❌ Reject"],
        "budget_confirm": ["✅ Proceed", "✏️ Adjust", "❌ Cancel"],
    }
    for layout, labels in layouts.items():
        _, card = await freed.ask_and_show(f"Layout {layout}?", layout=layout)
        assert card.labels == labels
    own = [{"id": "six", "label": "At six"}]
    _, card = await freed.ask_and_show("With times of its own?", layout="schedule_choice", options=own)
    assert card.labels == ["Now", "At six", "Another time"]


@pytest.mark.capability("E2", "E8", "T1")
async def test_another_time_is_asked_for_and_read_on_the_clock_of_who_decides(freed: Asking) -> None:
    await freed.scene.command(freed.chat, "/timezone Europe/Kyiv")
    question, card = await freed.ask_and_show("When to publish?", layout="schedule_choice")
    assert "When?" in await freed.scene.press(card, "Another time")
    await freed.says("When? Write it here, for example: tomorrow 9:00")
    assert (await freed.now(question)).is_open
    refused = await freed.scene.command(freed.chat, "when the moon is full")
    assert 'I cannot read "when the moon is full" as one time' in refused
    assert "tomorrow 9:00" in refused
    await freed.scene.owner.says(freed.chat, f"{DAY} 08:00")
    ended = await freed.ended(question)
    assert (ended.chosen, ended.user_input) == ("custom", f"{DAY} 08:00+02:00")
    await freed.says("woken")
    assert f"They wrote: {DAY} 08:00+02:00" in freed.agent.asked[-1].prompt
    assert "(Europe/Kyiv)" in freed.agent.asked[-1].prompt
    assert "Another time" in await freed.scene.settled(card)
    await freed.scene.command(freed.chat, "/timezone UTC")


@pytest.mark.capability("E2", "E8")
async def test_a_time_can_be_given_at_once_and_words_that_are_none_go_to_the_agent(freed: Asking) -> None:
    owner, chat = freed.scene.owner, freed.chat
    question, card = await freed.ask_and_show("When to send?", layout="schedule_choice")
    before = chat.answers
    await owner.says(chat, "what will be sent?", reply_to=card)
    assert (await chat.wait_for(before + 1))[-1] == "heard you"
    await owner.says(chat, "in 2 hours", reply_to=card)
    assert (await freed.ended(question)).chosen == "custom"
    question = await freed.ask("And the other one?", layout="schedule_choice")
    with pytest.raises(Refused, match="question-needs-time"):
        await freed.inbox.decide(question.id, "custom", None)
    with pytest.raises(Refused, match="question-time-unclear"):
        await freed.inbox.decide(question.id, None, "every day 9:00")
    decided = await freed.inbox.decide(question.id, "custom", f"{DAY}T08:00Z")
    row = decided.question
    assert (row.chosen, row.user_input) == ("custom", f"{DAY} 08:00+00:00")
    assert decided.said


@pytest.mark.capability("E8")
async def test_where_others_talk_too_a_card_asks_for_a_reply(freed: Asking) -> None:
    room = await freed.group("Words", freed.scene.owner)
    _, card = await freed.ask_and_show("Which word?", kind="input", chat=room)
    assert "reply to this message." in card.text
    assert "next message" not in card.text
    await freed.inbox.change((await freed.asked("Which word?")).id, "cancel")
    _, card = await freed.ask_and_show("And alone?", kind="input")
    assert "or write your next message here" in card.text


@pytest.mark.capability("E2", "E8")
async def test_there_are_five_kinds_and_a_review_brings_its_document(freed: Asking) -> None:
    files = freed.scene.host.home / "groups" / "main" / "files"
    files.mkdir(exist_ok=True)
    (files / "offer.md").write_text("# Offer\n", "utf-8")
    kinds: dict[str, tuple[str, dict[str, Any]]] = {
        "approval": ("confirmation", {}),
        "choice": ("select", {"options": YES_NO}),
        "review": ("review", {"document": "offer.md"}),
        "escalation": ("escalation", {"context": "Two prices contradict each other."}),
        "input": ("input", {}),  # last: it takes the next words
    }
    heads = {
        "approval": "🔔 Your decision is needed",
        "choice": "🔔 Your decision is needed",
        "input": "✍️ Your answer is needed",
        "review": "📄 Please look this over",
        "escalation": "🆘 The agent does not know how to go on",
    }
    for kind, (in_rows, more) in kinds.items():
        question, card = await freed.ask_and_show(f"Kind {kind}?", kind=kind, **more)
        assert (await row_of(freed, question)).type == in_rows
        assert card.text.startswith(heads[kind])
        assert ("Answer in your own words: reply to this message" in card.text) == (
            kind in ("input", "review", "escalation")
        )

    (files / "offer.md").write_text("# Changed since\n", "utf-8")
    sent = [seen for seen in freed.chat.seen if seen.file_name == "offer.md"]
    assert [seen.data for seen in sent] == [b"# Offer\n"]
    review = await freed.asked("Kind review?")
    card = await freed.card(review)
    assert card.id > sent[0].id
    assert card.labels == ["✅ Approve", "❌ Reject"]
    assert hashlib.sha256(b"# Offer\n").hexdigest() in review.payload
    # What someone thinks of it is the answer, as well as a button.
    await freed.scene.owner.says(freed.chat, "The price is wrong", reply_to=card)
    ended = await freed.ended(review)
    assert (ended.chosen, ended.user_input) == ("The price is wrong", "The price is wrong")


@pytest.mark.capability("E7")
async def test_the_box_is_freed_and_the_decision_hours_later_wakes_the_session_with_question_and_choice(
    freed: Asking,
) -> None:
    before = freed.chat.answers
    question, card = await freed.ask_and_show("Publish at night?", options=YES_NO, timeout_minutes=24 * 60)
    told = await freed.says("told: Nobody has answered yet", after=before)
    assert "End your turn now." in told
    assert (await freed.now(question)).waiter is None
    await freed.passes(question, timedelta(hours=5))
    await freed.looked_at(question)
    before = freed.chat.answers
    await freed.scene.press(card, "Yes")
    await freed.says("woken", after=before)
    prompt = freed.agent.asked[-1].prompt
    assert "You asked: Publish at night?" in prompt
    assert 'Olena chose "Yes" (yes)' in prompt
    assert 'answers="your question"' in prompt

    def hidden(tx: Tx) -> tuple[str, list[str], str]:
        row = tx.execute(sa.select(messages).where(messages.c.answers == question.id)).one()
        told = explain(tx, row.id, Locale())
        assert told
        shown_there = [item.text for item in history.of_chat(tx, row.chat_id, limit=100)[0]]
        return row.channel, shown_there, " | ".join(step.sentence for step in told.steps)

    channel, page, why = await freed.scene.host.store.read(hidden)
    assert channel == "host"
    assert "woken" in page
    assert not [text for text in page if "You asked: " in text]
    assert "The answer of Olena woke the agent" in why


@pytest.mark.capability("E7", "E11")
async def test_several_open_questions_are_decided_in_any_order_and_a_restart_loses_none(home: Path) -> None:
    async with TelegramServer(flood_control=False) as server:
        async with asking_scene(home, FREED, server=server) as asking:
            agent = asking.agent
            asked = [await asking.ask_and_show(f"Number {number}?", options=YES_NO) for number in range(3)]
            await asking.scene.press(asked[1][1], "No")
            await asking.says("woken")
        async with asking_again(home, asking, FREED) as again:
            scene = again.scene
            assert [row.question for row in await again.inbox.open()] == ["Number 0?", "Number 2?"]
            for number in (2, 0):
                calls = len(agent.asked)
                question, card = asked[number]
                await scene.press(card, "Yes")
                await agent.wait_for_calls(calls + 1)
                assert f"You asked: Number {number}?" in agent.asked[-1].prompt
                assert (await again.ended(question)).chosen == "yes"
            assert "👤 Olena: Yes" in await scene.settled(asked[2][1])
            figures = await again.inbox.figures(30)
    assert (figures.total.asked, figures.total.answered, figures.total.timed_out) == (3, 3, 0)
    assert figures.total.timeout_rate == 0
    assert figures.total.mean is not None


@pytest.mark.capability("E7")
async def test_a_host_that_stops_waits_for_nobody_and_the_decision_after_the_restart_wakes_the_session(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(host, "_GRACE", 10_000.0)  # that a turn gets to end, which this one does not need
    async with TelegramServer(flood_control=False) as server:
        async with asking_scene(home, HELD, server=server) as asking:
            question, card = await asking.ask_and_show("Before the restart?")
        async with asking_again(home, asking, HELD) as again:
            assert (await again.now(question)).is_open
            await again.scene.press(card, "✅ Approve")
            await again.says("woken")
            assert "You asked: Before the restart?" in again.agent.asked[-1].prompt
            assert (await again.ended(question)).carried_at
            assert len(cards_of(question, again.chat)) == 1
