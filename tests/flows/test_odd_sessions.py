"""What programs, agents and boxes get wrong about questions: they are told, and everyone else is asked as before."""

from collections.abc import AsyncIterator

import httpx
import pytest
import pytest_asyncio
from tests.question_scene import ASK, FREED, YES_NO, Asking, asking_scene, handle

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
