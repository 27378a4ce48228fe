"""A person works with an agent in a live session, in a conversation of its own, until they conclude (SPEC S4, S5)."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from nanoclaw.client.connection import Address, Client
from nanoclaw.client.inbox import InboxClient
from nanoclaw.console.question_shapes import Question
from nanoclaw.domain.people import LOCAL_OWNER, Actor, Rights, Role
from nanoclaw.durable import live_sessions
from nanoclaw.durable.live_sessions import LiveSession
from nanoclaw.host.host import Host
from nanoclaw.testing import started_host
from nanoclaw.testing.model import ScriptedModel

pytestmark = pytest.mark.asyncio(loop_scope="module")

OWNER = Actor(
    handle=LOCAL_OWNER, name="Owner", rights=Rights(everywhere=Role.OWNER), via="web", language="en"
)


class Stage:
    """A host whose agent a test leads, and the inbox of its page."""

    def __init__(self, host: Host, model: ScriptedModel, inbox: InboxClient) -> None:
        self.host, self.model, self.inbox = host, model, inbox

    async def wanted(self, prompt: str, **config: Any) -> Question:
        """A program asks for a session."""
        session = {"captureTranscript": False, **config}
        return await self.inbox.ask({"question": prompt, "kind": "input", "session": session})

    async def opened(self, question: Question) -> LiveSession:
        return await self.host.live_parts.sessions.open(question.id, OWNER)

    async def live(self, question: Question) -> LiveSession:
        return await self.host.store.read(lambda tx: live_sessions.get(tx, question.id))

    def room(self, live: LiveSession) -> Client:
        client = Client(Address(url=self.host.url, token=self.host.token))
        client.stay_in(live.chat_id or "")
        return client


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    home = tmp_path_factory.mktemp("live") / "nanoclaw"
    model = ScriptedModel()
    async with (
        started_host(home, model=model) as host,
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
    stage.model.script = "I looked at auth.py."
    live, again = await asyncio.gather(stage.opened(question), stage.opened(question))
    assert live == again
    async with stage.room(live) as room:
        lines = await said(room, "I looked at auth.py.")
        assert [line["author"] for line in lines] == ["agent"]  # nobody in the room said the request
        rooms = (await room.ask("GET", "/api/rooms"))["rooms"]
        assert live.chat_id not in [each["id"] for each in rooms]
    request = stage.model.asked[-1]
    assert request.session_id == live.session_id != question.session_id
    assert "Review the refactoring and decide" in request.prompt
    assert "auth.py" in request.prompt.split("## Context")[1]
    assert "approve or reject" in request.prompt.split("## Conclusion")[1]
    assert "Be strict about names." in str(request.system_prompt)
    assert request.model == stage.host.settings.agents.opus
    assert request.flow == "E"
