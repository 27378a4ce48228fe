"""Live sessions with agents that have real boxes and tools: the native runtime, and the real Claude Code (SPEC S4)."""

import asyncio
import json
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.crash.test_session_terminal import LEAVE, window, written
from tests.flows.test_live_session import answered, said
from tests.flows.test_permission import SHELL
from tests.live_terminal_scene import OWNER, at_terminals, wanted
from tests.staging import KINDS, Kind, Stage, results, staged, until

from nanoclaw.client.connection import Address, Client
from nanoclaw.client.inbox import InboxClient
from nanoclaw.durable import live_sessions
from nanoclaw.durable.live_sessions import LiveSession
from nanoclaw.gateway import server_list
from nanoclaw.host.server_boxes import folder_of
from nanoclaw.sandbox import inside
from nanoclaw.testing.model_parts import Asked, Say, Use, Wait

pytestmark = pytest.mark.capability("S4")

DECISION = {"ship": True, "risk": 2}
SCHEMA = {
    "type": "object",
    "properties": {"ship": {"type": "boolean"}, "risk": {"type": "integer"}},
    "required": ["ship"],
}
WISH: dict[str, Any] = {
    "prompt": "Review the refactoring and decide",
    "context": {"branch": "new-names"},
    "systemPrompt": "Be strict about names.",
    "model": "opus",
    "cwd": "/work/src",
    "mcpConfig": "/work/mcp.json",
    "outcomeSchema": {"type": "structured", "jsonSchema": SCHEMA},
    "blockOrchestration": False,
}


def with_servers(home: Path, *names: str) -> None:
    """Servers that the main group has; the file of the session names the first one."""
    group = home / "groups" / "main" / "group.toml"
    group.write_text(f"{group.read_text()}\nmcp = {json.dumps(names)}\n")
    for name in names:
        folder_of(home, name).mkdir(parents=True)
        (folder_of(home, name) / "server.py").write_text(SHELL)
        command = [inside.python_inside(), "/work/server.py"]
        server_list.add(home, server_list.describe(name, {"command": command}))
    files = home / "groups" / "main" / "files"
    (files / "src").mkdir(parents=True)
    (files / "mcp.json").write_text(json.dumps({"mcpServers": {names[0]: {"command": "not what is run"}}}))


def script_of(kind: Kind, begun: asyncio.Event) -> Callable[[Asked], Any]:
    """The agent that asks, and the agent of the session."""

    def script(asked: Asked) -> Any:
        told, done = json.dumps(asked.messages), len(results(asked))
        tool = {name.rpartition("__")[2]: name for name in asked.tools}
        if "## Conclusion" not in told:
            if "have it reviewed" in told and not done:
                return Use(tool["request_session"], WISH)
            return "They decided." if "<decided-by>" in told else "I asked."
        if done == 0:
            return kind.bash("echo reviewed > here.md")
        if "take your time" in told:
            begun.set()
            return [Wait(60.0), Say("Too late.")]
        if "what is the result" in told:
            return f'This: ```json\n{{"other": 1}}\n```\n```json\n{json.dumps({"decision": DECISION})}\n```'
        if "with the server" in told and done == 1:
            return Use(tool["shell_run"], {"command": "touch lent"})
        return "The server has it." if done > 1 else "I looked at it."

    return script


async def live_of(stage: Stage, question_id: str) -> LiveSession:
    return await stage.host.store.read(lambda tx: live_sessions.get(tx, question_id))


@pytest.mark.parametrize("kind", KINDS[:2], ids=lambda kind: kind.name)
async def test_a_person_works_in_the_chat_of_a_session_with_its_tools_and_the_asker_gets_only_the_result(
    kind: Kind, home: Path
) -> None:
    with_servers(home, "shell", "other")
    begun = asyncio.Event()
    async with staged(kind, home, script_of(kind, begun)) as stage:
        address = Address(url=stage.host.url, token=stage.host.token)
        async with InboxClient(address) as inbox, Client(address) as room:
            await stage.far_end.say("chat", "have it reviewed")
            await until(lambda: "I asked." in stage.far_end.said_to("chat"))
            before = stage.server.asked[-1]
            [row] = (await room.ask("GET", "/api/sessions"))["sessions"]
            live = await stage.host.live_parts.sessions.open(row["id"], OWNER)
            room.stay_in(live.chat_id or "")
            await said(room, "I looked at it.")
            first = next(each for each in stage.server.asked if "## Conclusion" in str(each.messages))
            assert first.model == stage.host.settings.agents.opus
            assert "Be strict about names." in first.system
            assert "new-names" in json.dumps(first.messages)
            assert "have it reviewed" not in json.dumps(first.messages)
            offered = {name.rpartition("__")[2] for name in first.tools}
            assert {"shell_run", "request_human"} <= offered
            assert not {"other_run", "request_session"} & offered
            assert "other_run" in {name.rpartition("__")[2] for name in before.tools}
            assert (stage.files / "src" / "here.md").read_text() == "reviewed\n"

            await room.say("with the server", str(uuid.uuid4()))
            await said(room, "The server has it.")
            assert (folder_of(home, "shell") / "lent").exists()

            await room.say("what is the result?", str(uuid.uuid4()))
            await answered(room)

            async def is_checked() -> bool:
                return bool(((await live_of(stage, row["id"])).prefill or {}).get("fits"))

            await until(is_checked)
            assert (await live_of(stage, row["id"])).prefill["value"] == DECISION
            assert (await inbox.get(row["id"])).status == "pending"

            await room.say("take your time", str(uuid.uuid4()))
            await asyncio.wait_for(begun.wait(), 60)
            await inbox.conclude(row["id"], status="completed", response={"ship": False})
            await until(lambda: "They decided." in stage.far_end.said_to("chat"))
            woken = next(
                each for each in reversed(stage.server.asked) if "## Conclusion" not in str(each.messages)
            )
            told = json.dumps(woken.messages)
            assert "have it reviewed" in told
            assert "ship" in told
            assert "with the server" not in told  # what was said in the session stays there
            assert "Too late." not in str(await room.newest(50))


async def test_a_terminal_is_watched_from_the_command_line_and_the_chat_goes_on_where_it_was_left(
    home: Path,
) -> None:
    """A watcher starts nothing and types nothing; the agent is given the request once, wherever it began."""

    def script(asked: Asked) -> Any:
        proposal = f"Looked at it.\n\n```json\n{json.dumps({'decision': DECISION})}\n```"
        return "And so on." if "go on here" in json.dumps(asked.messages) else proposal

    async with at_terminals(home, script) as stage:
        terminal = await wanted(stage, "Review it with me", outcomeSchema=WISH["outcomeSchema"])
        with window(home, "session", "open", terminal.question.id, "--watch") as early:
            await early.sees("there is nothing to watch")
            assert await early.ended() == 1
        assert (await terminal.live()).opened_at is None
        eyes = await terminal.look()
        await eyes.see("Looked at it.")
        with window(home, "session", "open", terminal.question.id[-5:], "--watch") as watcher:
            await watcher.sees("Looked at it.")
            watcher.press(b"I only watch")
            eyes.type("typed")
            await watcher.sees("typed")
            watcher.press(LEAVE)
            assert await watcher.ended() == 3  # still open, and nobody was asked for a conclusion
        assert "Ionlywatch" not in eyes.seen
        await written(home, "Looked at it.")
        await eyes.leave()
        await terminal.terminals.leave(terminal.question.id)
        async with Client(Address(url=stage.host.url, token=stage.host.token)) as room:
            shown = await room.ask("GET", f"/api/sessions/{terminal.question.id}")
            assert (shown["prefill"]["value"], shown["question"]["status"]) == (DECISION, "pending")
            opened = await room.ask("POST", f"/api/sessions/{terminal.question.id}/open")
            room.stay_in(opened["live"]["room"])
            count = len(stage.server.asked)
            await room.say("go on here", str(uuid.uuid4()))
            await said(room, "And so on.")
        told = [json.dumps(each.messages) for each in stage.server.asked[count:]]
        assert [each.count("Review it with me") for each in told] == [1]
        assert "Looked at it." in told[0]
