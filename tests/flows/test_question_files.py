"""E1: a script in the box asks a person with a file, and reads the answer in another; both are cleared away."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.permission_scene import Agent, Desk, desk, run_out
from tests.staging import until

from nanoclaw.domain.questions import Status
from nanoclaw.durable.clock import now

pytestmark = pytest.mark.capability("E1", "A9")

ASKED_ID = "0123456789abcdef" * 2
REQUEST = {
    "type": "hitl_request",
    "request_id": ASKED_ID,
    "skill": "marketing/content/copywriter",
    "question": "Публікувати цей пост зараз чи запланувати на 9:00?",
    "options": [
        {"id": "now", "label": "Зараз", "description": "Опублікувати негайно"},
        {"id": "schedule", "label": "О 9:00", "description": "Запланувати на завтра 9:00"},
        {"id": "edit", "label": "Редагувати", "description": "Повернути на редагування"},
    ],
    "timeout_minutes": 60,
    "default_action": "schedule",
    "context": {"draft_text": "...", "channel": "news"},
    "created_at": "2026-03-02T08:00:00Z",
}
DROP = f"""
    cat > /ipc/hitl/.new <<'END'
{json.dumps(REQUEST, ensure_ascii=False)}
END
    mv /ipc/hitl/.new /ipc/hitl/{ASKED_ID}.json
"""
READ = f"""
    until [ -e /ipc/hitl-responses/{ASKED_ID}.json ]; do sleep 0.02; done
    cat /ipc/hitl-responses/{ASKED_ID}.json
"""
LINGER = "touch /work/read; until [ -e /work/finish ]; do sleep 0.02; done"


class Post:
    """The folders of the only session, as the host sees them."""

    def __init__(self, home: Path) -> None:
        self._home = home

    def files(self, name: str) -> list[str]:
        return sorted(path.name for path in self._home.glob(f"groups/main/ipc/*/{name}/*"))

    @property
    def requests(self) -> list[str]:
        return self.files("hitl")

    @property
    def responses(self) -> list[str]:
        return self.files("hitl-responses")

    @property
    def quarantine(self) -> list[str]:
        return sorted(path.name for path in self._home.glob("groups/main/quarantine/*/*"))


def answer_in(told: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(told.removeprefix("told: "))
    return found


async def answered(here: Desk) -> dict[str, Any]:
    return answer_in(await here.says('"request_id"'))


async def test_a_script_gets_the_answer_and_what_it_wrote_is_cleared_away(home: Path) -> None:
    post = Post(home)
    async with desk(home, Agent("bash", command=DROP + READ + LINGER)) as here:
        await here.far_end.say("chat", "go")
        asked = await here.asked()
        # As whom it asks is what the host knows, not what the request says.
        assert (asked.asked_id, asked.skill, asked.default) == (ASKED_ID, "general-assistant", "schedule")
        assert [option.label for option in asked.options] == ["Зараз", "О 9:00", "Редагувати"]
        assert asked.deadline_at - asked.created_at == timedelta(minutes=60)
        assert "Публікувати" in await here.says("Your decision is needed")
        sweep = here.host.agents.session_boxes.request_watch.sweep
        sweep(now() + timedelta(minutes=61))
        assert post.requests == [f"{ASKED_ID}.json"]  # somebody still thinks about it
        await here.decide(asked, "schedule")
        await until((home / "groups" / "main" / "files" / "read").exists)
        assert (post.requests, post.responses) == ([], [f"{ASKED_ID}.json"])
        sweep(now() + timedelta(minutes=59))
        assert post.responses == [f"{ASKED_ID}.json"]
        sweep(now() + timedelta(minutes=61))
        assert post.responses == []
        (home / "groups" / "main" / "files" / "finish").touch()
        told = await answered(here)
        assert (told["request_id"], told["chosen"], told["user_id"]) == (
            ASKED_ID,
            "schedule",
            "scripted:tester",
        )
        assert told["timestamp"].startswith(f"{now():%Y-}")
        assert (told["ok"], told["status"]) == (True, "completed")


@pytest.mark.capability("E5")
async def test_a_script_gets_the_default_when_the_time_is_over(home: Path) -> None:
    post = Post(home)
    async with desk(home, Agent("bash", command=DROP + READ)) as here:
        await here.far_end.say("chat", "go")
        asked = await here.asked()
        await run_out(here.host, asked)
        told = await answered(here)
        assert (told["chosen"], told["made_by"], told["user_id"]) == ("schedule", "timeout", None)
        assert post.requests == []


@pytest.mark.capability("E7")
async def test_a_script_that_does_not_wait_asks_once_and_the_answer_wakes_the_agent(home: Path) -> None:
    """The box is gone when the person decides; the file that it left is answered with the next one."""
    post, agent = Post(home), Agent("bash", command=f"{DROP} echo dropped")
    async with desk(home, agent) as here:
        await here.far_end.say("chat", "go")
        asked = await here.asked()
        await here.says("told: dropped")
        agent.arguments = {"command": "ls /ipc/hitl-responses"}
        await here.decide(asked, "now")
        await here.says("told:", times=2)  # it was woken
        assert "(now)" in agent.asked[-1].prompt
        await until(lambda: post.requests == [])
        assert post.responses == [f"{ASKED_ID}.json"]
        assert await here.count() == 1
        assert (await here.host.question_parts.questions.get(asked.id)).status is Status.COMPLETED


async def test_what_is_no_request_is_answered_or_set_aside(home: Path) -> None:
    post = Post(home)
    bad, other = "a" * 32, "b" * 32
    command = f"""
        echo '{{"request_id": "{bad}", "question": "", "options": "yes"}}' > /ipc/hitl/{bad}.json
        echo '{{"request_id": "{other}", "question": "?"}}' > "/ipc/hitl/no name.json"
        echo '{{' > /ipc/hitl/unfinished.half
        until [ -e /ipc/hitl-responses/{bad}.json ]; do sleep 0.02; done
        cat /ipc/hitl-responses/{bad}.json; {LINGER}
    """
    async with desk(home, Agent("bash", command=command)) as here:
        await here.far_end.say("chat", "go")
        await until((home / "groups" / "main" / "files" / "read").exists)
        await until(lambda: post.requests == ["unfinished.half"])
        here.host.agents.session_boxes.request_watch.sweep(now() + timedelta(minutes=61))
        assert post.requests == post.responses == []
        assert [name.partition("-")[0] for name in post.quarantine] == ["name", "orphan"]
        (home / "groups" / "main" / "files" / "finish").touch()
        told = await answered(here)
        assert not told["ok"]
        for said in ("`arguments.question` is empty", "`arguments.options` must be a list"):
            assert said in told["text"]
        assert await here.count() == 0


@pytest.mark.capability("S1")
async def test_a_script_asks_in_python_and_as_a_command(home: Path) -> None:
    command = """
        python3 -c '
from nanoclaw_inside import human
answer = human.ask("Deploy?", ["yes=Deploy now", "no"], context={"files": 3}, timeout_minutes=30)
print(answer, answer.status, answer.user_id)
try:
    human.ask("Which?", ["only"])
except human.NotAsked as refused:
    print(refused)
'
        python3 -m nanoclaw_inside.human "Publish?" --options now,later; echo "code $?"
    """
    async with desk(home, Agent("bash", command=command)) as here:
        await here.far_end.say("chat", "go")
        first = await here.asked()
        assert first.deadline_at - first.created_at == timedelta(minutes=30)
        await here.decide(first, "yes")
        await here.says("Publish?")
        await here.decide(await here.asked(), "later")
        told = await here.says("code ")
        assert "yes completed scripted:tester\n" in told
        assert "A choice needs at least two `options`." in told
        assert "later\ncode 1" in told
