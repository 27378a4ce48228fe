"""The host is killed while a person works in a live session: it continues where it was, and is concluded once."""

import asyncio
import uuid
from pathlib import Path

import pytest
from tests.crash.program import Program
from tests.flows.test_live_session import said

from nanoclaw.client.connection import Address, Client
from nanoclaw.client.inbox import InboxClient
from nanoclaw.client.sessions import SessionClient
from nanoclaw.testing import started_host

pytestmark = pytest.mark.capability("S4", "L3")


async def test_a_session_goes_on_after_a_kill_with_its_room_its_answer_and_what_was_in_the_files(
    home: Path, database_url: str
) -> None:
    files = home / "groups" / "main" / "files"
    files.mkdir(exist_ok=True)
    (files / "plan.md").write_text("old\n")
    program = Program(home, DEMO_PACE="0", DATABASE_URL=database_url, DATABASE_HOST_LIFETIME="2")
    await program.start()
    address = Address.of(home)
    async with InboxClient(address) as inbox, SessionClient(address) as sessions, Client(address) as room:
        config = {"outcomeSchema": {"type": "approval"}}
        asked = await inbox.ask({"question": "Review the plan", "session": config})
        opened = await sessions.open(asked.id, in_chat=True)
        room.stay_in(opened.live.room or "")
        await said(room, "We are here to decide about this")
        client_id = str(uuid.uuid4())
        await room.say("What do you think?", client_id)
        program.kill()  # in the middle of its answer, or before it
    await program.die()
    (files / "plan.md").write_text("new\n")

    async with started_host(home, database={"url": database_url, "host_lifetime": 2}) as host:
        address = Address(url=host.url, token=host.token)
        async with SessionClient(address) as sessions, Client(address) as room:
            standing = await sessions.open(asked.id, in_chat=True)
            assert standing.live.room == opened.live.room
            assert [(each.path, each.change) for each in standing.files] == [("plan.md", "changed")]
            room.stay_in(standing.live.room or "")
            await room.say("What do you think?", client_id)  # nobody confirmed it: the same message again
            lines = await said(room, "A real agent would look into that with you")
            assert [line["text"] for line in lines if line["author"] == "person"] == ["What do you think?"]
            assert sum("We are here to decide" in line["text"] for line in lines) == 1
            ended = await sessions.conclude(asked.id, "approved")
            assert (ended.question.status, ended.question.response) == ("completed", "approved")
            await said(room, "The session is over.")
            async with asyncio.timeout(60):
                while not (await sessions.get(asked.id)).live.ended_at:
                    await asyncio.sleep(0.01)
