"""The real Claude Code at a terminal in the box of a live session: who sees it, what it may do, what stays of it."""

import asyncio
import json
import os
import signal
import uuid
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from tests.flows.test_live_session import said
from tests.flows.test_permission import SHELL
from tests.live_terminal_scene import OWNER, Eyes, asked_for_permission, at_terminals, decide, wanted
from tests.staging import Stage, claudes, results, until

from nanoclaw.client.connection import Address, Client
from nanoclaw.domain.boxes import Box, TerminalSize
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.people import Actor, Rights, Role
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import people, questions
from nanoclaw.durable.clock import now
from nanoclaw.gateway import server_list
from nanoclaw.host.server_boxes import folder_of
from nanoclaw.sandbox import inside
from nanoclaw.testing.model_parts import Asked, Use
from nanoclaw.testing.starter import made_workspace

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.capability("S4")]


def _script(asked: Asked) -> Any:
    made = len(results(asked))
    if "Make two files" in json.dumps(asked.messages) and made < 2:
        return Use("Bash", {"command": f"touch made-{made + 1}", "description": "make it"})
    if "through the server" in json.dumps(asked.messages) and not made:
        offered = next((name for name in asked.tools if name.endswith("shell_run")), None)
        return Use(offered, {"command": "touch lent"}) if offered else "Not connected."
    return "We are done here." if made else "Looked at it."


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    home = tmp_path_factory.mktemp("terminal") / "nanoclaw"
    made_workspace(home)
    group = home / "groups" / "main" / "group.toml"
    group.write_text(f'{group.read_text()}\nmcp = ["shell"]\n')
    folder_of(home, "shell").mkdir(parents=True)
    (folder_of(home, "shell") / "server.py").write_text(SHELL)
    command = [inside.python_inside(), "/work/server.py"]
    server_list.add(home, server_list.describe("shell", {"command": command}))
    async with at_terminals(home, _script, approvals=[{"tool": "bash", "pattern": "touch made-"}]) as stage:
        yield stage


async def test_whoever_opens_it_is_at_the_prompt_with_the_request_and_comes_back_to_it(stage: Stage) -> None:
    terminal = await wanted(
        stage,
        "Review the refactoring and decide",
        systemPrompt="Be strict about names.",
        timeout=8 * 3_600_000,
    )
    eyes = await terminal.look()
    await eyes.see("Review the refactoring and decide")
    await eyes.see("Looked at it.")
    asked = stage.server.asked[-1]
    assert "Be strict about names." in asked.system
    assert {"mcp__nanoclaw__request_human", "mcp__servers__shell_run"} <= set(asked.tools)
    assert "Review the refactoring and decide" in json.dumps(asked.messages)
    assert not _anywhere_in_boxes(stage.server.key)
    live = await terminal.live()
    assert (live.host, live.typist) == (stage.host.engine.host, OWNER.handle)
    costs = stage.host.home / "data" / "cost_log.jsonl"
    await until(lambda: costs.exists() and '"flow":"E"' in costs.read_text().replace(" ", ""))
    line = json.loads(costs.read_text().splitlines()[-1])
    assert (line["session_id"], line["person"]) == (live.session_id, OWNER.handle)

    watcher = await terminal.look(rows=10, cols=20)
    await watcher.see("Looked at it.")
    watcher.type("I only watch")
    watcher.attachment.resize(5, 5)
    eyes.type("ї і 日本")
    await watcher.see("ї і 日本")
    assert "I only watch".replace(" ", "") not in watcher.seen
    await eyes.leave()
    assert watcher.attachment.is_typist
    await watcher.leave()

    again = await terminal.look()  # the same Claude Code, and what it showed
    await again.see("ї і 日本")
    [claude] = claudes()
    os.kill(claude, signal.SIGKILL)
    await until(lambda: again.attachment.ended)
    assert "still open" in (again.attachment.ended or "")
    assert (await terminal.live()).host is None

    resumed = await terminal.look()
    await resumed.see("Looked at it.")
    count = len(stage.server.asked)
    resumed.type("and now?\r")
    [*_, asked] = await stage.server.wait_for(count + 1)
    assert json.dumps(asked.messages).count("Review the refactoring") == 1
    await terminal.passes(timedelta(hours=9))
    await resumed.see("The time of this session is up")
    assert resumed.attachment.ended is None
    await terminal.passes(timedelta(minutes=2))
    await until(lambda: resumed.attachment.ended)
    assert resumed.attachment.ended == "The session is over."
    await until(lambda: not claudes())
    with pytest.raises(Refused, match="session-over"):
        await terminal.look()


async def test_a_tool_that_needs_a_person_waits_for_one_and_a_refusal_reaches_the_agent(stage: Stage) -> None:
    approval = {"type": "approval"}
    terminal = await wanted(stage, "Make two files", captureTranscript=True, outcomeSchema=approval)
    eyes = await terminal.look()
    first = await asked_for_permission(stage)
    assert "touch made-1" in first.prompt
    await decide(stage, first, "reject")
    second = await asked_for_permission(stage)
    assert "touch made-2" in second.prompt
    await decide(stage, second, "once")
    await eyes.see("We are done here.")
    assert "needs a person's permission" in results(stage.server.asked[-1])[0]
    assert not (stage.files / "made-1").exists()
    assert (stage.files / "made-2").exists()
    conclusions = stage.host.question_parts.conclusions

    async def is_written() -> bool:  # a moment after it was shown
        said = await conclusions.said_at_terminal(terminal.question)
        return (said or "").endswith("We are done here.")

    await until(is_written)
    await decide(stage, terminal.question, "approved")  # on its card: nothing reads a file before that counts
    await until(lambda: eyes.attachment.ended == "The session is over.")

    async def transcript() -> str:
        kept = await stage.host.store.read(lambda tx: questions.get(tx, terminal.question.id))
        return (kept and kept.transcript) or ""

    await until(transcript)
    said = (await transcript()).split("\n\n")
    assert said[0].startswith("person: Make two files")
    assert said[-2:] == ["agent: [Bash] touch made-2", "agent: We are done here."]


@pytest.mark.attack
async def test_what_one_person_left_running_never_acts_for_the_next_who_types(stage: Stage) -> None:
    terminal = await wanted(stage, "Whose box is it?")
    first = await terminal.look()
    await first.see("Looked at it.")
    [before] = claudes()
    olena = Actor(
        handle="telegram:77", name="Olena", rights=Rights(everywhere=Role.ADMIN), via="web", language="en"
    )
    with pytest.raises(Refused, match="question-forbidden"):
        await terminal.look(by=olena)
    person = await stage.host.store.write(
        lambda tx: people.add_person(tx, handle=olena.handle, name="Olena", role=Role.ADMIN, at=now())
    )
    hasty = await terminal.look(by=olena)
    await first.leave()
    await hasty.leave()  # gone before there was a box of hers
    first = await terminal.look()
    first.type("still mine")
    await first.see("still mine")
    first.type("\b" * len("still mine"))
    second = await terminal.look(by=olena)
    await second.see("Looked at it.")
    second.raw = b""
    said_at_terminal = stage.host.question_parts.conclusions.said_at_terminal

    async def is_written() -> bool:  # a moment after it was shown; what is not cannot be resumed
        return (await said_at_terminal(terminal.question) or "").endswith("Looked at it.")

    await until(is_written)
    await first.leave()
    second.type("typed too early\r")  # into nobody's box
    await until(lambda: claudes() and before not in claudes())
    await second.see("Looked at it.")
    count = len(stage.server.asked)
    second.type("and now?\r")
    [*_, asked] = await stage.server.wait_for(count + 1)
    said = json.dumps(asked.messages)
    assert (said.count("Whose box is it?"), "too early" in said) == (1, False)
    assert (await terminal.live()).typist == olena.handle
    costs = stage.host.home / "data" / "cost_log.jsonl"
    await until(lambda: json.loads(costs.read_text().splitlines()[-1])["person"] == olena.handle)

    await stage.host.store.write(lambda tx: people.block(tx, person.id, blocked=True))
    await until(lambda: second.attachment.ended)
    assert "decide" in (second.attachment.ended or "")
    await until(lambda: not claudes())


async def test_what_began_in_the_chat_goes_on_at_the_terminal_with_the_tools_of_servers(stage: Stage) -> None:
    terminal = await wanted(stage, "Do it together with me")
    live = await stage.host.live_parts.sessions.open(terminal.question.id, OWNER)
    async with Client(Address(url=stage.host.url, token=stage.host.token)) as room:
        room.stay_in(live.chat_id or "")
        await said(room, "Looked at it.")

        async def is_open() -> bool:
            with suppress(Refused):  # its turn is just ending
                await terminal.look()
            return bool(terminal.eyes)

        await until(is_open)
        [eyes] = terminal.eyes
        await eyes.see("Looked at it.")
        assert len(claudes()) == 1  # the one of the chat has left the conversation to this one
        await room.say("Are you there?", str(uuid.uuid4()))
        await said(room, "This session is open in a terminal right now.")
    tried = looks = 0

    def is_done() -> bool:
        nonlocal tried, looks
        looks += 1
        if eyes.seen.count("Notconnected.") >= tried:  # continuing at once may be quicker than its servers
            eyes.type("now through the server")
            tried += 1
        if looks % 100 == 0:  # with the words it would be taken for a pasted line while it is busy starting
            eyes.type("\r")
        return "Wearedonehere." in eyes.seen

    await until(is_done)
    assert (folder_of(stage.host.home, "shell") / "lent").exists()
    [*_, asked] = stage.server.asked
    assert "Do it together with me" in json.dumps(asked.messages)
    await terminal.terminals.end(terminal.question.id)


class PlayedTerminal:
    """`cat` in place of Claude Code."""

    def __init__(self, box: Box) -> None:
        self.box = box

    async def close(self) -> None:
        await self.box.kill()


async def test_a_terminal_at_which_nobody_looks_ends_after_a_while(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = await wanted(stage, "Type to cat")
    made: list[PlayedTerminal] = []

    async def start(request: TurnRequest, size: TerminalSize) -> PlayedTerminal:
        box = await stage.host.agents.session_boxes.start(request, ["/bin/cat"], own_terminal=size)
        made.append(PlayedTerminal(box))
        return made[-1]

    async def is_free() -> bool:
        live = await terminal.live()
        return live.host is None and live.typist is None

    monkeypatch.setattr(terminal.terminals, "start", start)
    monkeypatch.setattr(terminal.terminals, "linger", 0.05)
    first, second = await terminal.look(), await terminal.look()
    await first.leave()
    second.type("somebody is here\r")
    await second.see("somebody is here")
    assert not await is_free()
    await second.leave()
    await until(is_free)
    [played] = made
    assert await played.box.wait() != 0


def _anywhere_in_boxes(secret: str) -> list[str]:
    """The processes of boxes with it in their environment or on their command line."""
    places = [Path(f"/proc/{pid}/{name}") for pid in claudes() for name in ("environ", "cmdline")]
    assert places
    return [str(place) for place in places if secret.encode() in place.read_bytes()]


@pytest.mark.attack
async def test_two_hosts_are_asked_for_the_same_terminal_at_once_and_one_has_it(
    tmp_path: Path, postgres_url: str
) -> None:
    database = {"url": postgres_url}
    homes = [tmp_path / "first", tmp_path / "second"]
    for home in homes:
        home.mkdir()
    async with (
        at_terminals(homes[0], _script, database=database) as first,
        at_terminals(homes[1], _script, database=database) as second,
    ):
        terminal = await wanted(first, "Who has it?")
        there = replace(terminal, stage=second)
        got = await asyncio.gather(terminal.look(), there.look(), return_exceptions=True)
        [refused] = [each for each in got if isinstance(each, BaseException)]
        assert isinstance(refused, Refused)
        assert refused.key == "session-terminal-elsewhere"
        [eyes] = [each for each in got if isinstance(each, Eyes)]
        await eyes.see("Looked at it.")
        assert len(claudes()) == 1
        ends = await asyncio.gather(
            *(
                stage.host.question_parts.conclusions.conclude(terminal.question.id, OWNER, response=word)
                for word in ("yes", "no", "perhaps")
                for stage in (first, second)
            ),
            return_exceptions=True,
        )
        [ended] = [each for each in ends if not isinstance(each, BaseException)]
        stored = await second.host.store.read(lambda tx: questions.get(tx, terminal.question.id))
        assert stored
        assert stored.concluded == ended.concluded
        await until(lambda: eyes.attachment.ended == "The session is over.")
        await until(lambda: not claudes())
