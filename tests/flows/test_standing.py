"""Whose rights a turn has: those of the person who woke it, whoever else shares its chat or its box (SPEC A5)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.staging import KINDS, Stage, claudes, results, staged, until

from nanoclaw.domain.people import Role
from nanoclaw.domain.steps import ModelPiece, Returned, ToolCall
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import memberships, people, tasks
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import messages, session_queue
from nanoclaw.host.host import Host
from nanoclaw.testing import FarEnd, ScriptedModel, started_host
from nanoclaw.testing.model_parts import Asked, Part, Say, Use

CLAUDE = KINDS[0]
SCHEDULE = Use(
    "mcp__nanoclaw__schedule_task",
    {"prompt": "send me the news", "schedule_type": "cron", "schedule_value": "0 8 * * 1"},
)
# A process that is left behind asks for things, by files, whoever speaks.
DAEMON = r"""
cat > /tmp/daemon.py <<'END'
import json, os, time, uuid
news = {"prompt": "pay the member", "schedule_type": "cron", "schedule_value": "0 8 * * 1"}
wanted = [("schedule_task", news), ("change_task", {"task_id": 1, "action": "delete"})]
while True:
    for tool, arguments in wanted:
        name = uuid.uuid4().hex
        with open(f"/ipc/tasks/.{name}", "w") as made:
            json.dump({"id": name, "tool": tool, "arguments": arguments}, made)
        os.rename(f"/ipc/tasks/.{name}", f"/ipc/tasks/{name}.json")
    time.sleep(0.05)
END
setsid nohup python3 /tmp/daemon.py >/dev/null 2>&1 &
"""


def know_mia(tx: Tx) -> None:
    """A member, in another zone than the owner."""
    mia = people.add_person(tx, handle="scripted:mia", name="mia", role=Role.STRANGER, at=now())
    people.set_preference(tx, mia.id, timezone="Asia/Tokyo")
    memberships.put(tx, mia.id, "main", Role.MEMBER, now())


async def alive(host: Host) -> list[tuple[str, str]]:
    """The prompt of each task, and whose it is."""

    def read(tx: Tx) -> list[tuple[str, str]]:
        return [(each.prompt, people.person(tx, each.owner).handle) for each in tasks.alive(tx, None, 100)]

    return await host.store.read(read)


async def says(stage: Stage, text: str, sender: str, answer: str) -> None:
    """Until this is answered."""
    before = stage.far_end.said_to("chat").count(answer)
    await stage.far_end.say("chat", text, sender=sender)
    await until(lambda: stage.far_end.said_to("chat").count(answer) > before)


def first_words(asked: Asked, **first: Part) -> Any:
    """By the words of the person: what the agent does first; then it says them."""
    said = [str(message) for message in asked.messages if message["role"] == "user"]
    named = next(reversed([word for each in said for word in first if word in each]))
    return Say(f"{named} is done") if "tool_result" in said[-1] else first[named]


@pytest.mark.capability("A5", "A9")
@pytest.mark.attack
async def test_what_a_member_left_in_the_box_does_nothing_in_the_owners_turn(home: Path) -> None:
    """Claude Code stays warm between turns, and not between people."""

    def script(asked: Asked) -> Any:
        return first_words(
            asked,
            scheduling=SCHEDULE,
            leaving=CLAUDE.bash(DAEMON, timeout=60),
            waiting=CLAUDE.bash("sleep 1; ps aux | grep -c '[d]aemon.py'", timeout=60),
        )

    async with staged(CLAUDE, home, script) as stage:
        await stage.host.store.write(know_mia)
        await says(stage, "scheduling", "tester", "scheduling is done")
        [owners] = claudes()
        await says(stage, "leaving", "mia", "leaving is done")
        assert owners not in claudes()
        await says(stage, "waiting", "tester", "waiting is done")
        assert '"0' in results(stage.server.asked[-1])[-1].replace(" ", "")  # it did not run on
        found = await alive(stage.host)
        assert ("send me the news", "scripted:tester") in found
        assert {whose for prompt, whose in found if prompt == "pay the member"} <= {"scripted:mia"}


@pytest.mark.capability("A5", "A17")
@pytest.mark.attack
async def test_the_agent_has_its_speakers_rights_and_a_script_in_its_box_a_members(home: Path) -> None:
    tool = "python3 -I /opt/nanoclaw/nanoclaw_inside tool change_task --task_id 1 --action delete"

    def change(action: str) -> Use:
        return Use("mcp__nanoclaw__change_task", {"task_id": 1, "action": action})

    def script(asked: Asked) -> Any:
        by_script = CLAUDE.bash(f"{tool} || true", timeout=60)
        return first_words(
            asked,
            scheduling=SCHEDULE,
            scripting=by_script,
            pausing=change("pause"),
            deleting=change("delete"),
        )

    async with staged(CLAUDE, home, script) as stage:
        await stage.host.store.write(know_mia)
        await says(stage, "scheduling", "tester", "scheduling is done")
        await says(stage, "scripting", "tester", "scripting is done")
        assert "A script in the box may not change tasks" in results(stage.server.asked[-1])[-1]
        await says(stage, "pausing", "mia", "pausing is done")
        assert "There is no task 1 here that is yours" in results(stage.server.asked[-1])[-1]
        assert len(await alive(stage.host)) == 1
        await says(stage, "deleting", "tester", "deleting is done")
        assert "Done. Task 1 is deleted" in results(stage.server.asked[-1])[-1]
        assert await alive(stage.host) == []


@pytest.mark.capability("A5", "T1")
async def test_people_with_different_rights_never_share_a_turn_nor_a_follow_up(home: Path) -> None:
    model = ScriptedModel()
    async with FarEnd() as far_end, started_host(home, model=model, scripted={"url": far_end.url}) as host:
        await host.store.write(know_mia)
        model.hold()
        await far_end.say("chat", "first")
        await model.wait_for_calls(1)
        for sender, text in (("tester", "second"), ("mia", "third"), ("mia", "fourth"), ("tester", "fifth")):
            await far_end.say("chat", text, sender=sender)
        await until(lambda: far_end.unconfirmed == 0)
        model.go_on()
        await far_end.wait_for("chat", 4)

        def shared(tx: Tx) -> list[tuple[str, ...]]:
            query = sa.select(session_queue.c.turn_id, messages.c.text).join(
                messages, messages.c.id == session_queue.c.message_id
            )
            found: dict[str, list[str]] = {}
            for row in tx.execute(query.order_by(messages.c.id)):
                found.setdefault(row.turn_id, []).append(row.text)
            return [tuple(each) for each in found.values()]

        parts = await host.store.read(shared)
        assert parts[-2:] == [("third", "fourth"), ("fifth",)]
        zones = ["Asia/Tokyo" in request.prompt for request in model.asked]
        assert zones == [("third" in request.prompt) for request in model.asked]


@pytest.mark.capability("A5", "T1", "T3")
async def test_of_people_who_share_a_turn_the_clock_and_the_task_are_those_of_the_first(home: Path) -> None:
    def know_tom(tx: Tx) -> None:
        tom = people.add_person(tx, handle="scripted:tom", name="tom", role=Role.STRANGER, at=now())
        people.set_preference(tx, tom.id, timezone="Europe/Kyiv")
        memberships.put(tx, tom.id, "main", Role.MEMBER, now())

    def script(request: TurnRequest) -> Iterator[str | ModelPiece]:
        if (
            isinstance(model.steps[-1][-1] if model.steps[-1] else None, Returned)
            or "both" not in request.prompt
        ):
            yield "ok"
        else:
            daily = {"prompt": "call", "schedule_type": "cron", "schedule_value": "0 9 * * *"}
            yield ToolCall(id="1", name="schedule_task", arguments=daily)

    model = ScriptedModel(script)
    async with FarEnd() as far_end, started_host(home, model=model, scripted={"url": far_end.url}) as host:
        await host.store.write(know_mia)
        await host.store.write(know_tom)
        model.hold()
        await far_end.say("chat", "wait a moment")
        await model.wait_for_calls(1)
        await far_end.say("chat", "both of us: first", sender="mia")
        await far_end.say("chat", "both of us: second", sender="tom")
        await until(lambda: far_end.unconfirmed == 0)
        model.go_on()
        await until(lambda: any("Task 1" in text for text in far_end.said_to("chat")))
        assert await alive(host) == [("call", "scripted:mia")]
        [task] = await host.store.read(lambda tx: tasks.alive(tx, None, 10))
        assert task.schedule.timezone == "Asia/Tokyo"
        both = next(request for request in model.asked if "first" in request.prompt)
        assert "second" in both.prompt
        assert 'timezone="Asia/Tokyo"' in both.prompt
