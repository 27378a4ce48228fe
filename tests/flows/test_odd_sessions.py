"""What programs, agents and boxes get wrong about questions: they are told, and everyone else is asked as before."""

import fcntl
from collections.abc import AsyncIterator
from datetime import timedelta

import httpx
import pytest
import pytest_asyncio
from tests.question_scene import ASK, FREED, YES_NO, Asking, asking_scene, handle

from nanoclaw.domain.questions import Status

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("E1"),
]

OPTIONS = "`session.outcomeSchema.options` must be up to 8 texts that differ in their first 20 letters."


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Asking]:
    home = tmp_path_factory.mktemp("odd-sessions") / "nanoclaw"
    async with asking_scene(home, FREED) as asking:
        yield asking


@pytest_asyncio.fixture(loop_scope="module")
async def freed(stage: Asking) -> AsyncIterator[Asking]:
    yield stage
    await stage.clear_up()


async def ask_for_session(asking: Asking, outcome: object) -> httpx.Response:
    """As a program of this machine does."""
    host = asking.scene.host
    headers = {"Authorization": f"Bearer {host.token}"}
    body = {"question": "Work with me?", "kind": "input", "session": {"outcomeSchema": outcome}}
    async with httpx.AsyncClient(base_url=host.url, headers=headers) as client:
        return await client.post("/api/questions", json=body)


@pytest.mark.parametrize(
    "outcome",
    [
        "x",
        ["x"],
        *(
            {"type": "selection", "options": options}
            for options in (
                3,
                "yes",
                {"yes": "no"},
                [1, 2],
                [None],
                ["", "  "],
                ["yes", "\u200b"],
                ["yes", "yes"],
                ["a long option, cut off A", "a long option, cut off B"],
                [f"option {number}" for number in range(9)],
            )
        ),
    ],
    ids=str,
)
async def test_a_session_with_odd_choices_is_refused_and_nobody_is_asked(
    freed: Asking, outcome: object
) -> None:
    answer = await ask_for_session(freed, outcome)
    wanted = OPTIONS if isinstance(outcome, dict) else "`session.outcomeSchema` must be an object."
    assert (answer.status_code, wanted in answer.text) == (400, True)
    assert await freed.inbox.open() == []


@pytest.mark.parametrize(
    ("options", "labels"),
    [
        ([f"option {number}" for number in range(8)], [f"option {number}" for number in range(8)]),
        (["rings \x07", "x" * 60], ["rings \ufffd", "x" * 20]),
    ],
    ids=["eight", "odd letters"],
)
async def test_a_session_whose_choices_can_be_told_apart_has_a_button_for_each(
    freed: Asking, options: list[str], labels: list[str]
) -> None:
    answer = await ask_for_session(freed, {"type": "selection", "options": options})
    assert answer.status_code == 200
    card = await freed.card(await freed.asked("Work with me?"))
    assert card.labels == labels


async def test_half_a_letter_among_the_deciders_is_nobody_and_the_others_are_asked(freed: Asking) -> None:
    before = freed.chat.answers
    owner = handle(freed.scene.owner)
    freed.agent.wants_to_ask("Half?", options=YES_NO, deciders=[owner, "@ann\ud800"])
    await freed.scene.owner.says(freed.chat, ASK)
    told, *_ = (await freed.chat.wait_for(before + 1))[before:]
    assert "unexpected error" not in told
    question = await freed.asked("Half?")
    assert question.deciders == (owner, "@ann\ufffd")
    await freed.scene.press(await freed.card(question), "Yes")
    assert (await freed.ended(question)).chosen == "yes"


@pytest.mark.capability("A9", "E9")
async def test_a_box_that_locks_the_decisions_holds_up_no_other_question(freed: Asking) -> None:
    """Reading them is enough for that; as many decisions wait for the lock as the host works on at once."""
    file = freed.scene.host.home / "companies" / "demo" / "memory" / "decisions.jsonl"
    file.touch()
    decided = []
    with file.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for number in range(8):
            row = await freed.inbox.ask({"question": f"Locked {number}?"})
            decided.append(await freed.scene.host.question_parts.questions.get(row.id))
            await freed.inbox.decide(row.id, "approve", None)
        await freed.inbox.ask({"question": "Held up?", "timeout_minutes": 15})
        other = await freed.asked("Held up?")
        card = await freed.card(other)
        await freed.passes(other, timedelta(minutes=16))
        await freed.scene.settled(card)
        for each in (*decided, other):
            await freed.looked_at(each)
        assert (await freed.now(other)).status is Status.TIMEOUT
        assert {(await freed.now(each)).recorded_at for each in (*decided, other)} == {None}
    for each in (*decided, other):
        await freed.passes(each, timedelta())  # else it is tried again in half a minute
        await freed.ended(each)
    lines = file.read_text("utf-8")
    assert [lines.count(f'{{"id": "{each.id}"') for each in (*decided, other)] == [1] * 9
