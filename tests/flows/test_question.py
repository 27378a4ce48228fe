"""Flow E: an agent asks, the right person decides once, wherever they are, and the agent continues (SPEC E1
to E4).
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
import pytest_asyncio
from tests.question_scene import (
    ASK,
    FORBIDDEN,
    HELD,
    YES_NO,
    Asking,
    asking_scene,
    cards_of,
    handle,
    row_of,
)
from tests.telegram_scene import eventually, found_group, shown

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.people import Role
from nanoclaw.domain.questions import Question, Status
from nanoclaw.durable import questions

# One host for these tests, where a turn waits for the answer. Every test takes back what it leaves open.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("E1"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def held_stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Asking]:
    home = tmp_path_factory.mktemp("held") / "nanoclaw"
    async with asking_scene(home, HELD) as asking:
        found_group(home, "sales")
        found_group(home, "rivals", company="rivals")
        yield asking


@pytest_asyncio.fixture(loop_scope="module")
async def held(held_stage: Asking) -> AsyncIterator[Asking]:
    """The turn waits while people decide."""
    yield held_stage
    await held_stage.clear_up()


def decisions(asking: Asking) -> list[dict[str, Any]]:
    written = asking.scene.host.home / "companies" / "demo" / "memory" / "decisions.jsonl"
    return [json.loads(line) for line in written.read_text("utf-8").splitlines()]


@pytest.mark.capability("T1")
async def test_what_the_tool_says_is_on_the_clock_of_who_woke_the_agent_and_names_it(held: Asking) -> None:
    """Another person decides, on a clock of their own."""
    admin, _ = await held.meet("Tokyo", within={"main": Role.ADMIN})
    room = await held.group("Clocks", held.scene.owner, admin)
    await held.scene.command(held.chat, "/timezone Europe/Kyiv")
    await held.scene.command(room, "/timezone@helper_bot Asia/Tokyo", by=admin)
    _, card = await held.ask_and_show("Which clock?", options=YES_NO, chat=room)
    await held.scene.press(card, "Yes", by=admin)
    told = await held.says("told: Tokyo chose", room)
    assert "(Europe/Kyiv)" in told
    await held.scene.command(held.chat, "/timezone UTC")


@pytest.mark.capability("E3", "E9")
async def test_a_request_becomes_a_keyboard_and_the_answer_lets_the_agent_continue(held: Asking) -> None:
    """Request, keyboard, response, and the agent continues; the row, the decisions, the audit and `why` record it."""
    held.agent.wants_to_ask("Publish the post?", options=YES_NO, skill="copywriter", timeout_minutes=15)
    asked_by = await held.scene.owner.says(held.chat, ASK)
    question = await held.asked("Publish the post?")
    row = await row_of(held, question)
    assert (row.status, row.type, row.response, row.resolved_at) == ("pending", "select", None, None)
    assert [option["id"] for option in row.options] == ["yes", "no"]
    assert row.deadline_at - row.created_at == timedelta(minutes=15)

    card = await held.card(question)
    assert "waits for a decision" in (await held.scene.why(asked_by, "running")).sentence
    assert card.labels == ["Yes", "No"]
    assert card.button("Yes").data == f"hitl:{question.id}:yes"
    assert await held.scene.press(card, "Yes") == "Noted: Yes"
    assert 'told: Olena chose "Yes" (yes)' in await held.says("told: Olena chose")
    settled = await held.scene.settled(card)
    assert "👤 Olena: Yes, " in settled
    assert "Automatically" not in settled

    question = await held.ended(question)
    row = await row_of(held, question)
    assert (row.status, row.response) == ("completed", {"chosen": "yes", "user_input": None})
    assert (row.decided_by, row.decided_name) == (handle(held.scene.owner), "Olena")
    assert (row.made_by, row.via) == ("hitl", f"telegram:{held.scene.bot.id}")
    assert row.resolved_at >= row.created_at
    assert row.carried_at
    assert row.payload_hash == hashlib.sha256(row.payload.encode()).hexdigest()

    line = next(each for each in decisions(held) if each["id"] == question.id)
    assert line["type"] == "hitl"
    assert (line["hitl_type"], line["prompt"], line["choice"]) == ("choice", "Publish the post?", "yes")
    assert (line["user"], line["made_by"], line["binding"]) == (handle(held.scene.owner), "hitl", True)
    # As whom it asked is what the host knows, not what the request says.
    assert (line["domain"], line["status"]) == ("general-assistant", "completed")
    assert line["payload_hash"] == row.payload_hash
    assert line["payload"]["question"] == "Publish the post?"
    entry = (await held.scene.audit())[0]
    assert (entry.action, entry.subject, entry.handle) == (
        "question-completed",
        question.id,
        handle(held.scene.owner),
    )
    assert (entry.detail["chosen"], entry.detail["payload_hash"]) == ("yes", row.payload_hash)
    assert entry.detail["payload"] == row.payload, "exactly what was asked"

    told = await held.scene.why(asked_by, "answered")
    sentences = " | ".join(step.sentence for step in told.steps)
    assert "The agent asked people: Publish the post?" in sentences
    assert "Olena decided: yes" in sentences


@pytest.mark.capability("E2")
async def test_a_request_in_the_words_of_older_agents_is_understood(held: Asking) -> None:
    held.agent.tool = "request_human"
    held.agent.wants = {
        "type": "approval",
        "prompt": "📋 Outline готовий (5 секцій). Затвердити?",
        "options": [
            {"id": "approve", "label": "✅ Так", "is_default": True},
            {"id": "edit", "label": "✏️ Правки"},
            {"id": "cancel", "label": "❌ Скасувати"},
        ],
        "context": "1. Вступ",
        "timeout_minutes": 15,
        "safe_default": "approve",
    }
    await held.scene.owner.says(held.chat, ASK)
    question = await held.asked("📋 Outline готовий (5 секцій). Затвердити?")
    card = await held.card(question)
    assert card.labels == ["✅ Так", "✏️ Правки", "❌ Скасувати"]
    assert "⏰ Automatically: ✅ Так in 15 min" in card.text
    assert (question.kind.word, question.default, question.context) == ("approval", "approve", "1. Вступ")


async def test_a_request_written_to_its_folder_in_the_box_is_answered_there_and_both_files_are_gone(
    held: Asking,
) -> None:
    """A script in the box drops a file, and reads the answer where answers are."""
    asked_id = "ab" * 16
    request = {
        "type": "hitl_request",
        "request_id": asked_id,
        "question": "Deploy from a script?",
        "options": YES_NO,
        "timeout_minutes": 60,
        "default_action": "no",
        "created_at": "2026-02-28T14:35:00Z",
    }
    held.agent.tool = "bash"
    held.agent.wants = {
        "command": (
            f"cat > /ipc/hitl/{asked_id}.tmp << 'END'\n{json.dumps(request)}\nEND\n"
            f"mv /ipc/hitl/{asked_id}.tmp /ipc/hitl/{asked_id}.json\n"
            f"until [ -f /ipc/hitl-responses/{asked_id}.json ]; do sleep 0.02; done\n"
            f"cat /ipc/hitl-responses/{asked_id}.json"
        )
    }
    await held.scene.owner.says(held.chat, ASK)
    question = await held.asked("Deploy from a script?")
    assert (question.asked_id, question.group) == (asked_id, "main")
    await held.scene.press(await held.card(question), "Yes")
    await held.says("request_id")
    response = json.loads(held.agent.told[-1].text)
    assert (response["request_id"], response["chosen"], response["user_input"]) == (asked_id, "yes", None)
    assert response["user_id"] == handle(held.scene.owner)
    assert response["timestamp"]
    ipc = held.scene.host.home / "groups" / "main" / "ipc"
    assert not list(ipc.glob(f"*/hitl/*{asked_id}*"))


@pytest.mark.capability("E4", "E11")
async def test_it_can_be_decided_by_press_by_command_by_reply_and_at_the_machine_and_every_card_tells(
    held: Asking,
) -> None:
    """Asked in a chat where nobody may decide, it is shown to each who may, and to the inbox."""
    member, chat = await held.meet("Mykola", within={"main": Role.MEMBER})
    owner, page = held.scene.owner, held.inbox

    for way in ("press", "command", "reply", "machine"):
        question = await held.ask(f"By {way}?", by=member, chat=chat, options=YES_NO)
        card = await held.card(question)
        assert "Yes" in card.labels
        assert not cards_of(question, chat)
        assert question.id in [row.id for row in await page.open()]
        if way == "press":
            await held.scene.press(card, "Yes")
        elif way == "command":
            said = await held.scene.command(held.chat, f"/decide {question.id[-5:]} yes")
            assert said == "Noted: Yes"
        elif way == "reply":
            await owner.says(held.chat, "yes", reply_to=card)
        else:
            assert (await page.decide(question.id, "yes", None)).said == "Noted: Yes"
        ended = await held.ended(question)
        assert ended.chosen == "yes"
        assert ended.via == ("web" if way == "machine" else f"telegram:{held.scene.bot.id}")
        assert f"{ended.decided_name}: Yes" in await held.scene.settled(card)
        await eventually(partial(_is_settled_on_the_page, held, question))
        await held.says("told: ", chat)
        assert question.id in [row.id for row in await page.decided(10)]


async def _is_settled_on_the_page(held: Asking, question: Question) -> bool | None:
    return "👤" in await held.scene.page_says(question.prompt) or None


@pytest.mark.capability("E4")
async def test_only_those_who_may_decide_can_and_a_forged_or_second_press_changes_nothing(
    held: Asking,
) -> None:
    scene = held.scene
    member, _ = await held.meet("Petro", within={"main": Role.MEMBER})
    rival, _ = await held.meet("Roman", within={"rivals": Role.ADMIN})
    admin, _ = await held.meet("Anna", within={"main": Role.ADMIN})
    stranger = scene.server.person("Stranger")
    room = await held.group("Decisions", scene.owner, member, rival, admin, stranger)
    question, card = await held.ask_and_show("Who decides?", chat=room, options=YES_NO)

    assert await scene.press(card, "Yes", by=member) == FORBIDDEN
    assert await scene.press(card, "Yes", by=rival) == FORBIDDEN
    assert await scene.press(card, "Yes", by=stranger) == "You may not decide this."
    for forged in ("hitl:i_nothing:yes", "hitl:", "hitl::", f"hitl:{'x' * 60}"):
        assert "There is no question" in await scene.forge(card, forged)
    for option in ("maybe", "~7", "~-1", "~again", ""):
        said = await scene.forge(card, f"hitl:{question.id}:{option}")
        assert said.startswith(("There is no choice", "Only a question that ran out of time")), option
    assert await scene.command(room, f"/decide@helper_bot {question.id[-5:]} yes", by=member) == (
        f"There is no question {question.id[-5:]}. /inbox in a chat, or nanoclaw inbox, shows those that are open."
    )
    assert (await held.now(question)).is_open
    assert shown(card).labels == ["Yes", "No"]
    standard, _ = await held.ask_beside(question, "Nothing chosen?", chat=room, kind="approval")
    assert (await scene.forge(card, f"hitl:{standard.id}:")).startswith("There is no choice")

    assert await scene.press(card, "No", by=admin) == "Noted: No"
    assert "Anna decided this already at" in await scene.press(card, "Yes")
    assert (await held.ended(question)).decided_name == "Anna"


@pytest.mark.capability("E4")
async def test_a_request_may_narrow_who_decides_and_never_widen_it(held: Asking) -> None:
    member, _ = await held.meet("Vasyl", within={"main": Role.MEMBER})
    admin, _ = await held.meet("Iryna", within={"main": Role.ADMIN})
    question, card = await held.ask_and_show("Narrow?", options=YES_NO, deciders=[handle(held.scene.owner)])
    assert await held.scene.press(card, "Yes", by=admin) == FORBIDDEN
    assert await held.scene.press(card, "Yes") == "Noted: Yes"
    await held.ended(question)
    held.agent.wants_to_ask("Wide?", options=YES_NO, deciders=[handle(member)])
    await held.scene.owner.says(held.chat, ASK)
    assert "Leave it out, or name others" in await held.says("Nobody of those whom")


@pytest.mark.capability("E6")
async def test_a_request_that_cannot_be_asked_tells_the_agent_what_to_change(held: Asking) -> None:
    def options(count: int) -> list[dict[str, str]]:
        return [{"id": f"o{number}", "label": f"Option {number}"} for number in range(count)]

    bad: list[tuple[dict[str, Any], str]] = [
        ({"options": options(12)}, "`arguments.options` has 12 entries; at most 8 are allowed."),
        ({"options": [{"id": "a", "label": "x" * 300}, *options(1)]}, "has 300 characters; at most 20"),
        ({"question": ""}, "`arguments.question` is empty."),
        ({"question": " \u200b "}, "`question` is empty."),
        (
            {"options": YES_NO, "default_action": "later"},
            "`later`, which is no option. The options are: yes, no.",
        ),
        ({"timeout_minutes": 0}, "is 0; it must be from 1 to 10080."),
        ({"timeout_minutes": 525_600}, "is 525600; it must be from 1 to 10080."),
        ({"context": "x" * (1 << 20)}, "has 1048576 characters; at most 20000 are allowed."),
        ({"context": {"draft": "x" * (1 << 20)}}, "at most 20000 are allowed. Shorten it"),
        ({"options": [*options(1), *options(1)]}, "Two options have the id `o0`"),
        ({"options": options(1), "kind": "choice"}, "A choice needs at least two `options`."),
        ({"kind": "review"}, "A review needs `document`"),
        ({"kind": "review", "document": "/etc/passwd"}, "below /work"),
        ({"kind": "review", "document": "nowhere.md"}, "cannot be sent"),
        (
            {
                "options": [each | {"safe": True} for each in YES_NO],
                "risk": "destructive",
                "default_action": "yes",
            },
            "no harm may be done: `no`, `cancel`",  # what the asker calls harmless counts for nothing
        ),
        (
            {"options": YES_NO, "risk": "destructive", "default_action": "yes"},
            "no harm may be done: `no`, `cancel`",
        ),
        ({"options": options(2), "risk": "publish", "default_action": "o1"}, "no harm may be done: `cancel`"),
        (
            {"options": [each | {"is_default": True} for each in YES_NO]},
            "More than one option is the default",
        ),
        ({"votes": 2, "deciders": [handle(held.scene.owner)]}, "`votes` is 2, and 1 may decide this."),
    ]
    held.agent.tool = "request_human"
    for number, (wrong, said) in enumerate(bad):
        before = held.chat.answers
        held.agent.wants = {"question": f"Bad {number}?"} | wrong
        await held.scene.owner.says(held.chat, ASK)
        await held.chat.wait_for(before + 1)
        assert (held.agent.told[-1].ok, said in held.agent.told[-1].text) == (False, True), wrong
    assert not await held.inbox.open()


async def test_the_same_id_is_the_same_question_and_other_words_under_it_are_refused(held: Asking) -> None:
    again = {"id": "deploy-7", "question": "Deploy seven?", "options": YES_NO}
    first = await held.inbox.ask(again)
    assert (await held.inbox.ask(again)).id == first.id
    await held.chat.wait_until(lambda: [text for text in held.chat.texts() if "Deploy seven?" in text])
    with pytest.raises(Refused) as refused:
        await held.inbox.ask(again | {"question": "Delete seven?"})
    assert "Give this one an id of its own" in str(refused.value.values)
    await held.inbox.decide(first.id, "no", None)
    assert (await held.inbox.ask(again)).chosen == "no"
    assert len([text for text in held.chat.texts() if "Deploy seven?" in text]) == 1


@pytest.mark.capability("E3")
async def test_an_id_too_long_for_a_button_is_carried_by_its_place(held: Asking) -> None:
    long = [
        {"id": "ї" * 40, "label": "Довгий"},
        {"id": "~again", "label": "Odd"},
        {"id": "ok", "label": "Ok"},
    ]
    question, card = await held.ask_and_show("Long ids?", options=long)
    data = [button.data for row in card.buttons for button in row]
    assert data == [f"hitl:{question.id}:~0", f"hitl:{question.id}:~1", f"hitl:{question.id}:ok"]
    assert all(len(each.encode()) <= 64 for each in data)
    assert await held.scene.press(card, "Odd") == "Noted: Odd"
    assert (await held.ended(question)).chosen == "~again"


@pytest.mark.capability("E4")
async def test_the_card_is_in_the_chat_of_the_session_when_a_decider_spoke_there_else_with_the_deciders(
    held: Asking,
) -> None:
    scene = held.scene
    member, _ = await held.meet("Solomiia", within={"sales": Role.MEMBER})
    admin, own = await held.meet("Bohdan", within={"sales": Role.ADMIN})
    room = await held.group("Sales", member, admin, agent="sales")
    question = await held.ask("Without a decider?", by=member, chat=room, options=YES_NO)
    card = await held.card(question, own)
    assert not cards_of(question, room)
    assert not cards_of(question, held.chat)  # the group's own admin is asked first
    await scene.press(card, "Yes", by=admin)
    assert "told: Bohdan chose" in await held.says("told: ", room)

    question = await held.ask("With a decider?", by=admin, chat=room, options=YES_NO)
    card = await held.card(question, room)
    assert not cards_of(question, own)
    await scene.press(card, "No", by=admin)
    await held.ended(question)


@pytest.mark.capability("E7")
async def test_who_has_something_else_to_say_is_answered_and_the_question_stays_open(held: Asking) -> None:
    question, card = await held.ask_and_show("Shall I go on?")
    before = held.chat.answers
    await held.scene.owner.says(held.chat, "what is this about?")
    await held.says("heard you", after=before)
    assert held.agent.told[-1].text.startswith("Nobody has answered yet.")
    assert "the answer will wake you" in held.agent.told[-1].text
    assert "what is this about?" in str(held.agent.steps[-1][-1])
    assert (await held.now(question)).is_open
    before = held.chat.answers
    await held.scene.press(card, "✅ Approve")
    await held.says("woken", after=before)
    assert 'Olena chose "✅ Approve" (approve)' in held.agent.asked[-1].prompt


async def test_stop_takes_open_questions_back_and_wakes_nobody(held: Asking) -> None:
    question, card = await held.ask_and_show("Stop me?")
    await held.scene.command(held.chat, "/stop")
    ended = await held.ended(question)
    assert (ended.status, ended.response, ended.made_by) == (Status.CANCELLED, None, "cancelled")
    assert "✖️ Taken back at" in await held.scene.settled(card)
    assert "This question was taken back at" in await held.scene.press(card, "✅ Approve")
    await held.looked_at(question)
    calls = len(held.agent.asked)
    assert await held.scene.ask("and now?") == ["heard you"]
    assert len(held.agent.asked) == calls + 1
    assert "Stop me?" not in held.agent.asked[-1].prompt


@pytest.mark.capability("E1")
async def test_whoever_decides_first_of_many_at_once_has_decided(held: Asking) -> None:
    question, card = await held.ask_and_show("Race?", options=YES_NO)
    said = await asyncio.gather(*(held.scene.press(card, label) for label in ("Yes", "No") * 6))
    assert len([each for each in said if each.startswith("Noted")]) == 1
    ended = await held.ended(question)
    assert ended.status is Status.COMPLETED
    audited = [entry for entry in await held.scene.audit(20) if entry.subject == question.id]
    assert len(audited) == 1
    lines = [line for line in decisions(held) if line["id"] == question.id]
    assert len(lines) == 1
    assert await held.scene.host.store.read(lambda tx: questions.count_open(tx)) == 0
