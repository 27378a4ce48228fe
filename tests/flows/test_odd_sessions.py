"""What programs, agents and boxes get wrong about questions: they are told, and everyone else is asked as before."""

import os
from collections.abc import AsyncIterator, Mapping
from datetime import timedelta
from typing import Any

import httpx
import pytest
import pytest_asyncio
from tests.question_scene import ASK, FREED, YES_NO, Asking, asking_scene, handle

from nanoclaw.domain.errors import HostSaid

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("E1"),
]

DEEP: dict[str, Any] = {}
for _ in range(40):
    DEEP = {"properties": {"a": DEEP}}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Asking]:
    home = tmp_path_factory.mktemp("odd-sessions") / "nanoclaw"
    async with asking_scene(home, FREED) as asking:
        yield asking


@pytest_asyncio.fixture(loop_scope="module")
async def freed(stage: Asking) -> AsyncIterator[Asking]:
    yield stage
    await stage.clear_up()


async def ask_for_session(asking: Asking, session: Mapping[str, Any], **more: Any) -> httpx.Response:
    """As a program of this machine does."""
    host = asking.scene.host
    headers = {"Authorization": f"Bearer {host.token}"}
    body = {"question": "Work with me?", "session": dict(session), **more}
    async with httpx.AsyncClient(base_url=host.url, headers=headers) as client:
        return await client.post("/api/questions", json=body)


def selection(*options: object) -> dict[str, Any]:
    return {"type": "selection", "options": list(options)}


@pytest.mark.attack
@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        ("x", "must be an object"),
        (["x"], "must be an object"),
        ({}, "`arguments.outcomeSchema.type` is missing"),
        ({"type": "vote"}, "must be one of approval, selection, freeform, structured"),
        ({"type": "selection", "options": 3}, "must be a list"),
        ({"type": "selection"}, "2 to 8 `options`; these are 0"),
        (selection(1, 2), "must be a string"),
        (selection("", "  "), "is empty"),
        (selection("yes", "\u200b"), "An option is empty"),
        (selection("yes", "YES"), "Two `options` are the same"),
        (selection(*(f"option {number}" for number in range(9))), "2 to 8 `options`; these are 9"),
        (selection("a", "b" * 201), "at most 200 are allowed"),
        ({"type": "approval", "options": ["a", "b"]}, "`options` are for a selection"),
        ({"type": "freeform", "jsonSchema": {}}, "`jsonSchema` is for what is structured"),
        ({"type": "structured"}, "needs a `jsonSchema`"),
        ({"type": "structured", "jsonSchema": {"type": "any"}}, "cannot be used. At `/type`"),
        ({"type": "structured", "jsonSchema": {"not": {}}}, "Nothing fits it"),
        ({"type": "structured", "jsonSchema": {"$ref": "#"}}, "leads in circles"),
        ({"type": "structured", "jsonSchema": {"$ref": "#/$defs/gone"}}, "which it does not have"),
        ({"type": "structured", "jsonSchema": {"$ref": "https://example.org/s"}}, "are not followed"),
        ({"type": "structured", "jsonSchema": {"$ref": "file:///etc/passwd"}}, "are not followed"),
        ({"type": "structured", "jsonSchema": {"pattern": "("}}, "is not a 'regex'"),
        ({"type": "structured", "jsonSchema": DEEP}, "nested too deep"),
        ({"type": "structured", "jsonSchema": {"description": "x" * 2**20}}, "at most 64 kB are allowed"),
    ],
    ids=lambda each: str(each)[:50],
)
async def test_an_outcome_that_cannot_be_is_refused_and_nobody_is_asked(
    freed: Asking, outcome: object, said: str
) -> None:
    answer = await ask_for_session(freed, {"outcomeSchema": outcome})
    assert (answer.status_code, said in answer.text) == (400, True), answer.text
    assert await freed.inbox.open() == []


@pytest.mark.attack
@pytest.mark.capability("S1")
async def test_an_option_that_cannot_be_used_is_refused_with_the_reason(freed: Asking) -> None:
    files = freed.scene.host.home / "groups" / "main" / "files"
    (files / "app").mkdir(parents=True, exist_ok=True)
    (files / "out").symlink_to("/etc")
    (files / "up").symlink_to("../../../data")
    (files / "round").symlink_to("round")
    (files / "mcp.json").write_text('{"mcpServers": {"github": {"command": "sh"}}}')
    (files / "broken.json").write_text("[1]")
    (files / "big.json").write_text(" " * 2**17)
    (files / "passwd.json").symlink_to("/etc/passwd")
    os.mkfifo(files / "pipe.json")
    for session, said in (
        ({"cwd": "/etc"}, "it must be a full path in `/work`"),
        ({"cwd": "/work/../etc"}, "it must be a full path in `/work`"),
        ({"cwd": "/workshop"}, "it must be a full path in `/work`"),
        ({"cwd": "app"}, "it must be a full path in `/work`"),
        ({"cwd": "/work/out"}, "there is no such folder"),
        ({"cwd": "/work/up"}, "there is no such folder"),
        ({"cwd": "/work/round"}, "there is no such folder"),
        ({"cwd": "/work/gone"}, "there is no such folder"),
        ({"cwd": "/work/mcp.json"}, "there is no such folder"),
        ({"cwd": "/ipc"}, "it must be a full path in `/work`"),
        ({"cwd": "  "}, "`arguments.cwd` is empty"),
        ({"mcpConfig": "/etc/passwd"}, "it must be a full path in `/work`"),
        ({"mcpConfig": "/work/passwd.json"}, "there is no such file"),
        ({"mcpConfig": "/work/app"}, "there is no such file"),
        ({"mcpConfig": "/work/pipe.json"}, "there is no such file"),
        ({"mcpConfig": "/work/broken.json"}, "must be JSON like"),
        ({"mcpConfig": "/work/big.json"}, "has more than 64 kB"),
        ({"mcpConfig": "/work/mcp.json"}, "names the server `github`, which the group main does not have"),
        ({"model": "gpt-99"}, "`gpt-99`, which this workspace does not allow. Use one of `opus`, `sonnet`"),
        ({"model": "../opus"}, "which this workspace does not allow"),
        ({"timeout": 999}, "it must be from 1000 to 604800000"),
        ({"timeout": 604_800_001}, "it must be from 1000 to 604800000"),
        ({"timeout": "30m"}, "must be a whole number"),
        ({"context": {"log": "x" * 2**18}}, "`context` has 256 kB; at most 256 kB are allowed"),
        ({"context": "text"}, "must be an object"),
        ({"systemPrompt": "x" * 20_001}, "at most 20000 are allowed"),
        ({"captureTranscript": "yes"}, "must be true or false"),
        ({"haltExecution": True}, "`session` has no `haltExecution`; it may have systemPrompt, context"),
        ({"prompt": "two"}, "`session` has no `prompt`"),
    ):
        answer = await ask_for_session(freed, session)
        assert (answer.status_code, said in answer.json()["error"]) == (400, True), answer.text
    others: tuple[dict[str, Any], ...] = (
        {"votes": 2},
        {"risk": "publish"},
        {"kind": "input"},
        {"options": []},
    )
    for more in (*others, {"timeout_minutes": 5}):
        answer = await ask_for_session(freed, {}, **more)
        assert (answer.status_code, "cannot be said of a session" in answer.text) == (400, True), answer.text
    assert await freed.inbox.open() == []


@pytest.mark.capability("S1")
async def test_what_can_be_used_is_kept_with_the_session(freed: Asking) -> None:
    files = freed.scene.host.home / "groups" / "main" / "files"
    (files / "src").mkdir(parents=True, exist_ok=True)
    (files / "link").symlink_to("/work/src")
    answer = await ask_for_session(
        freed, {"cwd": "/work/link/../src/.", "model": "haiku", "timeout": 1500, "context": {"a": None}}
    )
    asked = answer.json()
    assert asked["config"] == {
        "cwd": "/work/src",
        "model": "haiku",
        "timeout": 1500,
        "context": {"a": None},
        "captureTranscript": False,
        "blockOrchestration": True,
    }
    question = await freed.asked("Work with me?")
    assert question.deadline_at - question.created_at == timedelta(seconds=1.5)
    assert "session_sha256" in question.payload


@pytest.mark.parametrize(
    ("options", "labels"),
    [
        ([f"option {number}" for number in range(8)], [f"option {number}" for number in range(8)]),
        (["rings \x07", "x" * 60], ["rings \ufffd", "x" * 19 + "…"]),
        (
            ["a long option, cut off A", "a long option, cut off B"],
            ["1. a long option, cu", "2. a long option, cu"],
        ),
    ],
    ids=["eight", "odd letters", "alike"],
)
async def test_a_session_has_a_button_for_each_choice(
    freed: Asking, options: list[str], labels: list[str]
) -> None:
    answer = await ask_for_session(freed, {"outcomeSchema": selection(*options)})
    assert answer.status_code == 200
    card = await freed.card(await freed.asked("Work with me?"))
    assert card.labels == labels


@pytest.mark.attack
@pytest.mark.capability("S3")
async def test_a_conclusion_that_does_not_fit_is_asked_for_again_and_then_fails(freed: Asking) -> None:
    """Whatever brings it: the page, the command line, or somebody else's harness."""
    schema = {
        "type": "object",
        "properties": {"n": {"type": "string", "pattern": "^(a+)+$"}},
        "required": ["n"],
    }
    for session, responses, failed in (
        (
            {"outcomeSchema": {"type": "structured", "jsonSchema": schema}},
            ({}, {"n": "a" * 40 + "!"}, {"n": 1}),
            "must be of the type string",
        ),
        (
            {"outcomeSchema": {"type": "approval"}},
            ("perhaps", None, {"approved": "yes"}),
            "ends with `approved`",
        ),
        ({"outcomeSchema": selection("a", "b")}, ("c", ["a"], 0), "It must be one of `a`, `b`"),
        ({"outcomeSchema": {"type": "freeform"}}, ("", " \u200b", {"x": 1}), "must be a text"),
        ({}, ("x" * 2**19, ["y" * 2**18], "z" * 2**20), "at most 256 kB are kept"),
    ):
        asked = (await ask_for_session(freed, session)).json()
        for number, response in enumerate(responses, 1):
            with pytest.raises(HostSaid) as said:
                await freed.inbox.conclude(asked["id"], status="completed", response=response)
            assert ("try again" if number < 3 else "has failed") in str(said.value.values)
        ended = await freed.inbox.get(asked["id"])
        assert (ended.status, failed in (ended.error or ""), ended.response) == ("failed", True, None)
        with pytest.raises(HostSaid):
            await freed.inbox.conclude(asked["id"], status="completed", response="approved")
    asked = (await ask_for_session(freed, {})).json()
    async with httpx.AsyncClient(
        base_url=freed.scene.host.url, headers={"Authorization": f"Bearer {freed.scene.host.token}"}
    ) as client:
        huge = await client.post(
            f"/api/questions/{asked['id']}/conclude", json={"status": "completed", "response": "x" * 10**7}
        )
        odd = await client.post(
            f"/api/questions/{asked['id']}/conclude", content=b'{"status": "completed", "response": NaN}'
        )
    assert (huge.status_code, odd.status_code) == (413, 400)


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
