"""S1: a script in the box asks for a session, gets a typed result, and takes one back, all through files."""

import json
from pathlib import Path

import pytest
from tests.permission_scene import Agent, Desk, desk

from nanoclaw.client.connection import Address
from nanoclaw.client.inbox import InboxClient
from nanoclaw.domain.questions import Question, QuestionKind, Status

pytestmark = pytest.mark.capability("S1", "S3")

SCRIPT = """
cat > /tmp/review.py <<'END'
import json
from nanoclaw_inside import human

session = human.InteractiveSession()
seen = [session.status]
asking = session.request_async(
    "Review this refactoring and decide",
    context={"files": ["a.py"]},
    cwd="/work",
    outcome_schema={"type": "structured", "jsonSchema": {"type": "object", "required": ["ok"]}},
    capture_transcript=True,
)
seen.append(session.status)
try:
    session.request("a second one")
except human.HumanError as error:
    seen.append(str(error))
result = asking.result()
seen += [session.status, session.data == result, bool(session.session_id)]
for wrong in ({"cwd": "/etc"}, {"model": "gpt-99"}):
    try:
        session.request_async("again", **wrong).result()
    except human.NotAsked as error:
        seen += [session.status, str(error)]
taken = session.request_async("Never mind")
session.cancel()
seen += [taken.result().outcome]
session.reset()
print(json.dumps({"seen": [*seen, session.status], "response": result.response, "outcome": result.outcome,
                  "transcript": result.transcript, "duration": result.duration}))
END
python3 /tmp/review.py
"""
BESIDE = """
python3 - <<'END'
from nanoclaw_inside import human

session = human.InteractiveSession()
try:
    session.request_async("When you have time", block_orchestration=False).result()
except human.Pending as pending:
    print(session.status, "human-interaction" in str(pending), session.session_id[:2])
END
"""


async def asked_session(here: Desk) -> Question:
    asked = await here.asked()
    assert asked.kind is QuestionKind.INTERACTIVE
    return asked


async def test_a_script_in_the_box_gets_a_typed_result_and_takes_another_back(home: Path) -> None:
    async with desk(home, Agent("bash", command=SCRIPT)) as here:
        await here.far_end.say("chat", "go")
        asked = await asked_session(here)
        assert (asked.config or {})["cwd"] == "/work"
        async with InboxClient(Address(url=here.host.url, token=here.host.token)) as inbox:
            await inbox.conclude(
                asked.id, status="completed", response={"ok": True}, transcript="We talked", duration_ms=10**9
            )
        told = json.loads((await here.says("told: {")).removeprefix("told: "))
        decided = await here.host.store.read(
            lambda tx: here.host.question_parts.question_decisions.find(tx, asked.id)
        )
    assert told["seen"][:2] == ["idle", "pending"]
    assert "waits for a session already" in told["seen"][2]
    assert told["seen"][3:6] == ["success", True, True]
    assert "`cwd` is `/etc`" in told["seen"][7]
    assert "`gpt-99`, which this workspace does not allow" in told["seen"][9]
    assert (told["seen"][6], told["seen"][10:]) == ("error", ["cancelled", "idle"])
    assert (told["outcome"], told["response"], told["transcript"]) == ("completed", {"ok": True}, "We talked")
    assert told["duration"] == decided.duration_ms
    assert decided.status is Status.COMPLETED
    assert decided.resolved_at
    open_for = (decided.resolved_at - decided.created_at).total_seconds()
    assert 0 <= told["duration"] / 1000 <= open_for + 1


async def test_a_script_that_does_not_wait_is_told_that_the_result_wakes_the_agent(home: Path) -> None:
    async with desk(home, Agent("bash", command=BESIDE)) as here:
        await here.far_end.say("chat", "go")
        asked = await asked_session(here)
        assert "pending True i_" in await here.says("told: ")
        assert asked.waiter is None
