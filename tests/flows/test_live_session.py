"""A person works with an agent in a live session, in a conversation of its own, until they conclude (SPEC S4, S5)."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio

from nanoclaw.client.connection import Address, Client
from nanoclaw.client.inbox import InboxClient
from nanoclaw.console.question_shapes import Question
from nanoclaw.domain.errors import HostSaid, Refused
from nanoclaw.domain.people import LOCAL_OWNER, Actor, Rights, Role
from nanoclaw.durable import live_sessions, questions, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.live_sessions import LiveSession
from nanoclaw.durable.store import Tx
from nanoclaw.host.host import Host
from nanoclaw.testing import started_host
from nanoclaw.testing.model import ScriptedModel

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.capability("S4")]

OWNER = Actor(
    handle=LOCAL_OWNER, name="Owner", rights=Rights(everywhere=Role.OWNER), via="web", language="en"
)
STRANGER = replace(OWNER, handle="telegram:7", rights=Rights(everywhere=Role.STRANGER))


class Stage:
    """A host whose agent a test leads, and the inbox of its page."""

    def __init__(self, host: Host, model: ScriptedModel, inbox: InboxClient) -> None:
        self.host, self.model, self.inbox = host, model, inbox

    async def wanted(self, prompt: str, **config: Any) -> Question:
        """A program asks for a session."""
        session = {"captureTranscript": False, **config}
        return await self.inbox.ask({"question": prompt, "session": session})

    async def opened(self, question: Question) -> LiveSession:
        return await self.host.live_parts.sessions.open(question.id, OWNER)

    async def live(self, question: Question) -> LiveSession:
        return await self.host.store.read(lambda tx: live_sessions.get(tx, question.id))

    def room(self, live: LiveSession) -> Client:
        client = Client(Address(url=self.host.url, token=self.host.token))
        client.stay_in(live.chat_id or "")
        return client

    def run_by(self, runtime: str) -> None:
        """The agent of the main group, from now on."""
        file = self.host.home / "groups" / "main" / "group.toml"
        lines = [line for line in file.read_text("utf-8").splitlines() if not line.startswith("runtime")]
        file.write_text("\n".join([f'runtime = "{runtime}"', *lines]), "utf-8")

    async def passes(self, question: Question, length: timedelta) -> None:
        """So much time: its row becomes that much older, and its work is due."""

        def story(tx: Tx) -> None:
            found = questions.get(tx, question.id)
            assert found
            questions.mark(
                tx,
                question.id,
                created_at=found.created_at - length,
                deadline_at=found.deadline_at - length,
            )
            warned = live_sessions.get(tx, question.id).warned_at
            if warned:
                live_sessions.mark(tx, question.id, warned_at=warned - length)
            work.due(tx, work.QUESTION, question.id, now())

        await self.host.store.write(story)
        self.host.engine.kick(work.QUESTION, question.id)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    home = tmp_path_factory.mktemp("live") / "nanoclaw"
    model = ScriptedModel()
    async with (
        started_host(home, model=model, questions={"grace_seconds": 0}) as host,
        InboxClient(Address(url=host.url, token=host.token)) as inbox,
    ):
        yield Stage(host, model, inbox)


async def said(room: Client, words: str) -> list[dict[str, Any]]:
    """What stands in the room, once these words do."""
    async with asyncio.timeout(60):
        while True:
            lines = await room.newest(50)
            if any(words in line["text"] for line in lines):
                return lines
            await asyncio.sleep(0.01)


async def test_it_is_opened_once_and_begins_with_the_request(stage: Stage) -> None:
    question = await stage.wanted(
        "Review the refactoring and decide",
        systemPrompt="Be strict about names.",
        context={"files": ["auth.py"]},
        model="opus",
        outcomeSchema={"type": "approval"},
    )
    with pytest.raises(Refused, match="question-forbidden"):
        await stage.host.live_parts.sessions.open(question.id, STRANGER)
    assert not (await stage.live(question)).opened_at
    stage.model.script = "I looked at auth.py."
    live, again = await asyncio.gather(stage.opened(question), stage.opened(question))
    assert live == again
    async with stage.room(live) as room:
        lines = await said(room, "I looked at auth.py.")
        assert [line["author"] for line in lines] == ["agent"]  # nobody in the room said the request
        rooms = (await room.ask("GET", "/api/rooms"))["rooms"]
        assert live.chat_id not in [each["id"] for each in rooms]
    request = stage.model.asked[-1]
    assert "INTERACTIVE MODE" not in str(request.system_prompt)  # it can simply ask: someone is there
    assert request.session_id == live.session_id != question.session_id
    assert "Review the refactoring and decide" in request.prompt
    assert "auth.py" in request.prompt.split("## Context")[1]
    assert "approve or reject" in request.prompt.split("## Conclusion")[1]
    assert "Be strict about names." in str(request.system_prompt)
    assert request.model == stage.host.settings.agents.opus
    assert request.flow == "E"


async def test_its_conclusion_ends_what_runs_in_it_and_leaves_the_room_to_be_read(stage: Stage) -> None:
    question = await stage.wanted("Decide about the release")
    stage.model.script = "Ready."
    live = await stage.opened(question)
    async with stage.room(live) as room:
        await said(room, "Ready.")
        stage.model.hold()
        asked = len(stage.model.asked)
        stage.model.script = "It would take long."
        await room.say("Go through everything", str(uuid.uuid4()))
        await stage.model.wait_for_calls(asked + 1)
        await stage.inbox.conclude(question.id, status="completed", response="ship it")
        lines = await said(room, "The session is over.")
        async with asyncio.timeout(60):
            while (lines := await room.newest(50))[1]["state"] != "stopped":
                await asyncio.sleep(0.01)
        stage.model.go_on()
        assert "It would take long." not in [line["text"] for line in lines]
        with pytest.raises(HostSaid, match="This session is over"):
            await room.say("And now?", str(uuid.uuid4()))
    with pytest.raises(Refused, match="session-over"):
        await stage.opened(question)
    assert (await stage.live(question)).ended_at


async def test_when_its_time_is_up_people_are_warned_and_have_a_minute(stage: Stage) -> None:
    """Nobody works in the second one: it ends at once."""
    question, unopened = await stage.wanted("Long review"), await stage.wanted("Never opened")
    stage.model.script = "Hello."
    live = await stage.opened(question)
    for each in (question, unopened):
        await stage.passes(each, each.deadline_at - each.created_at)
    async with stage.room(live) as room:
        await said(room, "You have 1 min to conclude it")
        card = next(
            line for line in await lines_of_main(room) if "The time of this session is up" in line["text"]
        )
        assert question.short in card["text"]
        await ended(stage, unopened)
        row = await stage.inbox.get(question.id)
        assert row.status == "pending"
        await stage.passes(question, timedelta(seconds=61))
        assert (await ended(stage, question)).status == "timeout"
        await said(room, "The session is over.")


async def test_whoever_concludes_in_the_last_minute_is_in_time(stage: Stage) -> None:
    question = await stage.wanted("Close call")
    live = await stage.opened(question)
    await stage.passes(question, question.deadline_at - question.created_at)
    async with stage.room(live) as room:
        await said(room, "⏰")
    row = await stage.inbox.conclude(question.id, status="completed", response="done")
    assert (row.status, row.response) == ("completed", "done")


async def ended(stage: Stage, question: Question) -> Question:
    async with asyncio.timeout(60):
        while (row := await stage.inbox.get(question.id)).status == "pending":
            await asyncio.sleep(0.01)
    return row


async def lines_of_main(client: Client) -> list[dict[str, Any]]:
    rooms = (await client.ask("GET", "/api/rooms"))["rooms"]
    main = next(each["id"] for each in rooms if each["channel"] == "web")
    lines: list[dict[str, Any]] = (await client.ask("GET", f"/api/rooms/{main}/messages?limit=50"))["items"]
    return lines


async def test_what_changed_in_the_files_since_it_was_opened_is_shown(stage: Stage) -> None:
    """Added, changed and removed, with differences of texts; of other files only their names, of links nothing."""
    files = stage.host.home / "groups" / "main" / "files"
    files.mkdir(exist_ok=True)
    (files / "long.txt").write_text("".join(f"line {n}\n" for n in range(5000)))
    (files / "old.md").write_text("gone soon\n")
    (files / "same.md").write_text("stays\n")
    (files / "photo.bin").write_bytes(b"\0\1")
    question = await stage.wanted("Look at the files")
    await stage.opened(question)
    text = (files / "long.txt").read_text()
    (files / "long.txt").write_text(text.replace("line 4000\n", "line four thousand\n"))
    (files / "old.md").unlink()
    (files / "same.md").chmod(0o600)
    (files / "photo.bin").write_bytes(b"\0\2")
    (files / "new.md").write_text("fresh")
    (files / "secret").symlink_to(stage.host.home / "nanoclaw.toml")
    changes = {each.path: each for each in await stage.host.live_parts.sessions.files(question.id)}
    assert {path: each.change for path, each in changes.items()} == {
        "long.txt": "changed",
        "new.md": "added",
        "old.md": "removed",
        "photo.bin": "changed",
    }
    diff = changes["long.txt"].diff or ""
    assert "-line 4000\n+line four thousand\n" in diff
    assert "@@ -3998,7 +3998,7 @@" in diff
    assert "+fresh" in (changes["new.md"].diff or "")
    assert changes["photo.bin"].diff is None


async def test_what_is_said_in_it_fills_in_the_form_and_decides_nothing(stage: Stage) -> None:
    """And the transcript is kept, because it was asked for."""
    question = await stage.wanted(
        "Approve the release", outcomeSchema={"type": "approval"}, captureTranscript=True
    )
    stage.model.script = "Shall we?"
    live = await stage.opened(question)
    async with stage.room(live) as room:
        await said(room, "Shall we?")
        stage.model.script = "It looks good to me."
        await room.say("Yes, approved from my side", str(uuid.uuid4()))
        await said(room, "It looks good to me.")
    filled = (await stage.live(question)).prefill
    assert (filled["value"], filled["fits"]) == ("approved", True)
    assert (await stage.inbox.get(question.id)).status == "pending"
    row = await stage.inbox.conclude(question.id, status="completed", response="rejected")
    assert row.response == "rejected"
    assert row.transcript == (
        f"agent: Shall we?\n\n{stage.host.settings.owner.name}: Yes, approved from my side\n\n"
        "agent: It looks good to me."
    )


async def test_chat_and_terminal_do_not_write_over_each_other(stage: Stage) -> None:
    """The second one is told; what they said can be tried again, and is answered once the other is done."""
    question = await stage.wanted("Both doors")
    stage.model.script = "Begun."
    live = await stage.opened(question)
    async with stage.room(live) as room:
        await said(room, "Begun.")
        with pytest.raises(Refused, match="no-terminal"):
            await stage.host.live_parts.sessions.terminal_request(question.id)
        stage.run_by("claude-code")
        request = await stage.host.live_parts.sessions.terminal_request(question.id)
        stage.run_by("demo")
        assert (request.prompt, request.session_id) == ("", live.session_id)  # it has begun in the chat
        stage.model.hold()
        asked = len(stage.model.asked)
        await room.say("Work", str(uuid.uuid4()))
        await stage.model.wait_for_calls(asked + 1)
        with pytest.raises(Refused, match="session-answering"):
            await stage.host.live_parts.sessions.terminal_request(question.id)
        stage.model.script = "Answered."
        stage.model.go_on()
        await answered(room)

        host = stage.host.engine.host
        await stage.host.store.write(lambda tx: live_sessions.mark(tx, question.id, host=host))
        # A host that is alone on its database tells nobody again and again that it lives.
        await stage.host.store.write(lambda tx: work.beat(tx, host, now() - timedelta(hours=1)))
        line = await room.say("And now?", str(uuid.uuid4()))
        await said(room, "This session is open in a terminal right now")
        await stage.host.store.write(lambda tx: live_sessions.mark(tx, question.id, host=None))
        await room.ask("POST", f"/api/messages/{line['id']}/retry")
        await answered(room)


async def answered(room: Client) -> None:
    """Everything that people said there."""
    async with asyncio.timeout(60):
        while any(
            line["state"] != "answered" for line in await room.newest(50) if line["author"] == "person"
        ):
            await asyncio.sleep(0.01)


async def test_a_terminal_begins_with_the_request_as_a_turn_of_the_session_has_it(stage: Stage) -> None:
    folder = stage.host.home / "groups" / "main" / "files" / "src"
    folder.mkdir(parents=True, exist_ok=True)
    question = await stage.wanted("In a terminal", cwd="/work/src", systemPrompt="Be brief.", model="haiku")
    asked = len(stage.model.asked)
    live = await stage.host.live_parts.sessions.open(question.id, OWNER, in_chat=False)
    stage.run_by("claude-code")
    request = await stage.host.live_parts.sessions.terminal_request(question.id)
    stage.run_by("demo")
    assert len(stage.model.asked) == asked  # nobody begins in the chat
    assert request.prompt.startswith("In a terminal")
    assert (request.session_id, request.cwd, request.flow) == (live.session_id, "/work/src", "E")
    assert "Be brief." in str(request.system_prompt)
    assert request.model == stage.host.settings.agents.haiku
