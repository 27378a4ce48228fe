"""S3: an agent asks for a session; people conclude it on Telegram; whatever else they say only fills it in."""

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio
from tests.question_scene import ASK, FREED, HELD, Asking, asking_scene, handle
from tests.telegram_scene import shown

from nanoclaw.domain.outcomes import mark_of
from nanoclaw.domain.people import Role
from nanoclaw.domain.questions import Question
from nanoclaw.testing.telegram.chats import SeenMessage

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("S3"),
]

CONCLUDES = "✅ Conclude with this"
SCHEMA = {
    "type": "object",
    "properties": {"approved": {"type": "boolean"}, "notes": {"$ref": "#/$defs/text"}},
    "required": ["approved", "notes"],
    "$defs": {"text": {"type": "string", "minLength": 1}},
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Asking]:
    home = tmp_path_factory.mktemp("outcomes") / "nanoclaw"
    async with asking_scene(home, FREED) as asking:
        yield asking


@pytest_asyncio.fixture(loop_scope="module")
async def freed(stage: Asking) -> AsyncIterator[Asking]:
    yield stage
    await stage.clear_up()


async def ask(asking: Asking, prompt: str, **more: Any) -> tuple[Question, SeenMessage]:
    """The agent asks for a session; the question as it is written down, and its card."""
    before = asking.chat.answers
    asking.agent.tool, asking.agent.wants = "request_session", {"prompt": prompt, **more}
    await asking.scene.owner.says(asking.chat, ASK)
    asked = await asking.asked(prompt)
    if asking.frees:
        await asking.says("told: ", after=before)
    return asked, await asking.card(asked)


async def fills(asking: Asking, card: SeenMessage, words: str) -> str:
    """The owner replies to the card with these words; what it says once they are noted and checked."""
    await asking.scene.owner.says(asking.chat, words, reply_to=card)
    first = words.splitlines()[0][:30]
    await card.chat.wait_until(lambda: first in shown(card).text and is_checked(shown(card)))
    return shown(card).text


def is_checked(card: SeenMessage) -> bool:
    return CONCLUDES in card.labels or "cannot be the conclusion" in card.text


async def woken(asking: Asking) -> str:
    """The prompt that brought the agent its result."""
    await asking.says("woken", after=0)
    return next(each.prompt for each in reversed(asking.agent.asked) if "answers=" in each.prompt)


async def test_words_end_no_session_and_the_press_wakes_the_agent_with_the_result(freed: Asking) -> None:
    before = freed.chat.answers
    asked, card = await ask(
        freed,
        "Review this refactoring & <decide>",
        outcomeSchema={"type": "approval"},
        model="opus",
        timeout=1_800_000,
    )
    assert f"nanoclaw session open {asked.id[-5:]}" in card.text
    assert f"{freed.scene.host.url}sessions/{asked.id[-5:]}" in card.text
    await freed.says("told: Nobody has answered yet", after=before)
    pending = freed.agent.told[-1].text
    assert '<human-interaction type="interactive_session" status="pending">' in pending
    assert "<prompt>Review this refactoring &amp; &lt;decide&gt;</prompt>" in pending
    assert "<timeout>1800000</timeout>\n    <outcome-type>approval</outcome-type>" in pending

    text = await fills(freed, card, "I approve, the tests are green")
    assert "nothing is decided by this yet" in text
    assert "✅ Approve" in text
    await fills(freed, card, "approve")  # not even the name of the choice
    assert (await freed.now(asked)).is_open
    assert shown(card).labels == ["✅ Approve", "❌ Reject", CONCLUDES]

    assert await freed.scene.press(shown(card), "❌ Reject") == "Noted: ❌ Reject"
    ended = await freed.ended(asked)
    assert (ended.status, ended.concluded) == ("completed", "rejected")
    assert "Reject" in await freed.scene.settled(card)
    prompt = await woken(freed)
    assert 'type="interactive_session" status="completed"' in prompt
    assert "<outcome>rejected</outcome>" in prompt
    assert f"<duration>{ended.duration_ms}</duration>" in prompt
    assert ended.duration_ms is not None


@pytest.mark.capability("S5")
async def test_why_says_who_concluded_it_and_after_how_long(freed: Asking) -> None:
    freed.agent.tool = "request_session"
    freed.agent.wants = {"prompt": "Look into it", "outcomeSchema": {"type": "approval"}}
    said = await freed.scene.owner.says(freed.chat, ASK)
    asked = await freed.asked("Look into it")
    await freed.scene.press(await freed.card(asked), "✅ Approve")
    await freed.ended(asked)
    told = await freed.scene.why(said, "answered")
    assert any("concluded the session after 0:00:0" in line.sentence for line in told.steps)


async def test_a_long_option_is_cut_on_its_button_and_whole_in_the_result(freed: Asking) -> None:
    options = ["Rewrite the module from scratch", "Rewrite the module in small steps", " Leave it "]
    asked, card = await ask(freed, "Which way?", outcomeSchema={"type": "selection", "options": options})
    assert card.labels == ["1. Rewrite the modul", "2. Rewrite the modul", "3. Leave it"]
    assert "Rewrite the module in small steps" in card.text
    await freed.scene.press(card, card.labels[1])
    assert (await freed.ended(asked)).concluded == options[1]


async def test_a_text_is_written_in_reply_and_then_concluded_with(freed: Asking) -> None:
    asked, card = await ask(freed, "What did we learn?", outcomeSchema={"type": "freeform"})
    early = await freed.scene.forge(card, asked.conclude_data("0" * 8))
    assert "nothing to conclude with yet" in early
    assert card.labels == []
    assert "a session, concluded from its card" in await freed.scene.command(freed.chat, "/inbox")
    ref = asked.id[-5:]
    told = await freed.scene.command(freed.chat, f"/decide {ref} Always on a Friday")
    assert "It decides nothing until someone concludes" in told
    await fills(freed, card, "Never on a Friday")
    assert await freed.scene.press(shown(card), CONCLUDES) == "Concluded."
    ended = await freed.ended(asked)
    assert (ended.concluded, ended.decided_name) == ("Never on a Friday", freed.scene.owner.name)
    assert "Never on a Friday" in await freed.scene.settled(card)


async def test_what_is_structured_can_be_concluded_only_when_it_fits(freed: Asking) -> None:
    wanted = {"type": "structured", "jsonSchema": SCHEMA}
    asked, card = await ask(freed, "Audit", outcomeSchema=wanted)
    assert "it is not clear what is decided" in await fills(freed, card, "looks fine")
    text = await fills(freed, card, json.dumps({"approved": "perhaps", "notes": "x"}))
    assert "this must be of the type boolean" in text
    assert CONCLUDES not in shown(card).labels
    fenced = "I think:\n```json\n" + json.dumps({"decision": {"approved": True, "notes": "ok"}}) + "\n```"
    await freed.scene.owner.says(freed.chat, fenced, reply_to=card)
    await card.chat.wait_until(lambda: CONCLUDES in shown(card).labels)
    await freed.scene.press(shown(card), CONCLUDES)
    assert (await freed.ended(asked)).concluded == {"approved": True, "notes": "ok"}
    assert '<response>{"approved": true, "notes": "ok"}</response>' in await woken(freed)


async def test_a_session_whose_time_is_over_is_asked_for_again_as_it_was(freed: Asking) -> None:
    wanted = {"type": "selection", "options": ["now", "later"]}
    asked, card = await ask(freed, "When?", outcomeSchema=wanted, timeout=60_000)
    calls = len(freed.agent.asked)
    await freed.passes(asked, timedelta(minutes=1))
    await freed.agent.wait_for_calls(calls + 1)
    assert 'status="timeout"' in freed.agent.asked[calls].prompt
    assert "Do not take it for a yes or a no" in freed.agent.asked[calls].prompt
    await card.chat.wait_until(lambda: "🔁 Ask again" in shown(card).labels)
    await freed.scene.press(shown(card), "🔁 Ask again")
    again = await freed.asked("When?")
    assert (again.repeats, again.config) == (asked.id, asked.config)
    await freed.scene.press(await freed.card(again), "later")
    assert (await freed.ended(again)).concluded == "later"


@pytest.mark.attack
async def test_an_agent_cannot_name_deciders_who_may_not_decide(freed: Asking) -> None:
    member, _ = await freed.meet("Taras", within={"main": Role.MEMBER})
    before = freed.chat.answers
    freed.agent.tool = "request_session"
    freed.agent.wants = {"prompt": "Let them decide", "deciders": [handle(member), f"+{handle(member)}"]}
    await freed.scene.owner.says(freed.chat, ASK)
    assert "Nobody of those whom" in await freed.says("told: ", after=before)
    assert await freed.inbox.open() == []


@pytest.mark.attack
async def test_whoever_may_not_decide_neither_concludes_nor_fills_it_in(freed: Asking) -> None:
    asked, card = await ask(freed, "Deploy?", outcomeSchema={"type": "approval"})
    member, _ = await freed.meet("Mia", within={"main": Role.MEMBER})
    for data in (asked.conclude_data(mark_of("approved")), asked.button_data(asked.options[0])):
        assert "not yours to decide" in await freed.scene.forge(card, data, by=member)
    await fills(freed, card, "rejected")
    assert len(asked.conclude_data(mark_of(1)).encode()) <= 64
    anew = await freed.scene.forge(card, asked.conclude_data(mark_of("approved")))
    assert "has changed since this card was shown" in anew  # it says rejected by now
    for forged in ("~conclude", "~9", "approve it", ""):
        told = await freed.scene.forge(card, f"{asked.conclude_data('').rpartition(':')[0]}:{forged}")
        assert "There is no choice" in told or "in your own words" in told
    assert (await freed.now(asked)).is_open


async def test_an_agent_that_does_not_block_goes_on_and_takes_it_back(freed: Asking) -> None:
    before = freed.chat.answers
    asked, card = await ask(freed, "When you have time", blockOrchestration=False)
    assert "Go on with what does not depend on it" in await freed.says("told: ", after=before)
    calls = len(freed.agent.asked)
    freed.agent.wants = {"cancel": asked.asked_id}
    await freed.scene.owner.says(freed.chat, f"{ASK} to take it back")
    await freed.says("told: The question was taken back")
    assert ((await freed.now(asked)).status, await freed.scene.settled(card) != "") == ("cancelled", True)
    await freed.scene.ask("hello")  # nobody is woken by what they took back themselves
    assert not [each for each in freed.agent.asked[calls:] if "answers=" in each.prompt]


@pytest.mark.capability("S5")
async def test_a_blocking_turn_waits_without_its_place_and_gets_the_result(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    home = tmp_path_factory.mktemp("held") / "nanoclaw"
    async with asking_scene(home, HELD, turns={"concurrent": 1}) as held:
        asked, card = await ask(held, "Decide with me", outcomeSchema={"type": "approval"})
        other, chat = await held.meet("Olha", within={"main": Role.MEMBER})
        await other.says(chat, "hello")  # the only place is free for others meanwhile
        await chat.wait_until(lambda: "heard you" in chat.texts())
        await held.scene.press(card, "✅ Approve")
        assert "(approved)" in await held.says("told: ")
        assert (await held.ended(asked)).concluded == "approved"
