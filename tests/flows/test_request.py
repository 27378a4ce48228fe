"""What an agent asks the host for: done once, only by who may, and never with a file that is not its own (SPEC A17)."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.staging import KINDS, Kind, once, results, staged, until

from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.tool_arguments import RequestHuman
from nanoclaw.domain.tool_requests import ToolReply, ToolRequest
from nanoclaw.domain.tools import TOOLS
from nanoclaw.durable import questions
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import chats, parcels, sessions
from nanoclaw.flows.request import Requests
from nanoclaw.flows.sending import quota
from nanoclaw.flows.sending.quota import IN_A_MINUTE
from nanoclaw.host.host import Host
from nanoclaw.testing import FarEnd, started_host
from nanoclaw.testing.model_parts import Asked, Use

pytestmark = pytest.mark.capability("A17")


@dataclass(frozen=True)
class Scene:
    """A session in which someone has said something, and whatever its agent may ask for."""

    host: Host
    far_end: FarEnd
    requests: Requests
    session: SessionId

    async def ask(self, tool: str, asked_id: str = "a" * 32, **arguments: Any) -> ToolReply:
        return await self.requests.answer(
            ToolRequest(
                id=asked_id,
                kind=TOOLS[tool].kind,
                tool=tool,
                session_id=self.session,
                arguments=TOOLS[tool].takes(**arguments),
            )
        )

    @property
    def files(self) -> Path:
        return self.host.home / "groups" / "main" / "files"

    async def sent(self) -> list[Any]:
        def read(tx: Tx) -> list[Any]:
            return list(tx.execute(sa.select(parcels).where(parcels.c.origin.is_not(None))))

        return await self.host.store.read(read)


@asynccontextmanager
async def scene(home: Path, *, main: bool = True) -> AsyncIterator[Scene]:
    if not main:
        group = home / "groups" / "main" / "group.toml"
        group.write_text(group.read_text().replace("main = true", "main = false"))
    async with FarEnd() as far_end, started_host(home, scripted={"url": far_end.url}) as host:
        await far_end.say("chat", "hello")
        await far_end.wait_for("chat")

        def session_of_chat(tx: Tx) -> str:
            query = sa.select(sessions.c.id).join(chats, chats.c.id == sessions.c.chat_id)
            return str(tx.execute(query.where(chats.c.address == "chat")).scalar_one())

        session = SessionId(await host.store.read(session_of_chat))
        (home / "groups" / "main" / "files").mkdir(exist_ok=True)
        yield Scene(host, far_end, host.requests, session)


# Messages


@pytest.mark.capability("A15", "L3")
async def test_a_request_that_is_found_again_after_a_crash_is_done_once(home: Path) -> None:
    async with scene(home) as here:
        for _ in range(3):
            assert (await here.ask("send_message", text="half way")).ok
        assert (await here.ask("send_message", "b" * 32, text="three quarters")).ok
        await here.far_end.wait_for("chat", 3)
        assert here.far_end.said_to("chat")[1:] == ["half way", "three quarters"]


async def test_no_other_group_may_reach_beyond_its_own_chat(home: Path) -> None:
    async with scene(home, main=False) as here:
        refused = await here.ask("send_message", text="good news", target_group="sales")
        assert (refused.ok, refused.text) == (False, "Only the main group may act outside its own group.")
        refused = await here.ask("register_group", name="mine")
        assert (refused.ok, refused.text) == (False, "Only the main group may act outside its own group.")
        assert not (home / "groups" / "mine").exists()
        assert (await here.ask("send_message", text="to myself", target_group="main")).ok
        assert len(await here.sent()) == 1


async def test_every_tool_that_is_offered_has_someone_who_answers_it(home: Path) -> None:
    least: dict[str, dict[str, Any]] = {
        "send_message": {"text": "hi"},
        "send_file": {"path": "nowhere.txt"},
        "register_group": {"name": "sales"},
        "schedule_task": {"prompt": "x", "schedule_type": "once", "schedule_value": "tomorrow 9:00"},
        "change_task": {"task_id": 1, "action": "run"},
        "request_human": {"question": "?", "kind": "review"},
        "request_session": {"cancel": "none"},
        "background_task": {"prompt": "x"},
        "handoff": {"to": "editor", "content": "x"},
        "remember": {"entries": [{"text": "The office is in Lviv"}]},
        "recall": {"query": "office"},
        "propose_transfer": {"why": "x"},
        "propose_context": {"file": "product/pricing", "summary": "x", "text": "x"},
        "read_document": {"path": "nowhere.pdf"},
    }
    async with scene(home) as here:
        for number, tool in enumerate(TOOLS):
            assert (await here.ask(tool, f"{number:032x}", **least.get(tool, {}))).text


@pytest.mark.parametrize("kind", KINDS[:2], ids=lambda kind: kind.name)
async def test_a_file_with_a_name_of_its_own_is_taken_once_for_each_content(home: Path, kind: Kind) -> None:
    def write(text: str) -> str:
        body = json.dumps({"id": "note-1", "tool": "send_message", "arguments": {"text": text}})
        gone = "while [ -e /ipc/messages/note-1.json ]; do sleep 0.01; done"
        return f"echo '{body}' > /ipc/half && mv /ipc/half /ipc/messages/note-1.json; {gone}"

    command = "; ".join(map(write, ("first", "second", "first"))).replace("/ipc/half", "/ipc/messages/half")
    async with staged(kind, home, once(kind.bash(command))) as stage:
        await stage.ask("go on", answers=3)
        assert stage.far_end.said_to("chat") == ["first", "second", "done"]
        quarantine = home / "groups" / "main" / "quarantine"
        assert [each.name for each in quarantine.rglob("*.json")] == []


# Files


async def test_a_file_is_kept_as_it_was_when_it_was_sent(home: Path) -> None:
    async with scene(home) as here:
        report = here.files / "out" / "report.pdf"
        report.parent.mkdir()
        report.write_bytes(b"%PDF as it was")
        assert (await here.ask("send_file", path="/work/out/report.pdf", caption="Here it is")).ok
        report.write_bytes(b"changed afterwards")
        [parcel] = await here.sent()
        assert parcel.text == "Here it is"
        (file,) = parcel.attachments
        assert (file["name"], file["media_type"], file["size"]) == ("report.pdf", "application/pdf", 14)
        kept = home / "data" / "attachments" / parcel.id
        assert kept.read_bytes() == b"%PDF as it was"
        assert kept.stat().st_mode & 0o077 == 0


async def test_a_file_is_found_by_each_way_to_write_its_path(home: Path) -> None:
    paths = ("report.pdf", "./report.pdf", "/work/report.pdf", "/work//report.pdf", "звіт з літерами.pdf")
    async with scene(home) as here:
        for name in ("report.pdf", "звіт з літерами.pdf"):
            (here.files / name).write_bytes(b"x")
        for number, path in enumerate(paths):
            assert (await here.ask("send_file", f"{number:032x}", path=path)).ok
        assert (await here.sent())[-1].attachments[0]["name"] == "звіт з літерами.pdf"


async def test_what_is_no_file_of_the_agent_is_not_sent(home: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("of the host")
    async with scene(home) as here:
        (here.files / "link.txt").symlink_to(secret)
        (here.files / "folder").mkdir()
        (here.files / "away").symlink_to(tmp_path)
        os.mkfifo(here.files / "pipe")
        with (here.files / "big.bin").open("wb") as big:
            big.truncate((50 << 20) + 1)
        for number, path in enumerate(
            (
                *("/etc/passwd", "../group.toml", "/work/../group.toml", "../../../data/keys.json"),
                *("link.txt", "away/secret.txt", "folder", "pipe", "big.bin", "nowhere.txt", ".", "/work"),
                *("a\0b", "x" * 900, "folder/" * 100),
            )
        ):
            async with asyncio.timeout(60):  # a pipe would make a naive reader wait for ever
                answer = await here.ask("send_file", f"{number:032x}", path=path)
            assert not answer.ok, path
            assert "of the host" not in answer.text
        assert await here.sent() == []
        attachments = home / "data" / "attachments"
        assert not attachments.exists() or list(attachments.iterdir()) == []


async def test_a_file_asked_for_twice_arrives_once_and_is_kept_once(home: Path) -> None:
    async with scene(home) as here:
        (here.files / "note.txt").write_text("note")
        for _ in range(2):
            assert (await here.ask("send_file", path="note.txt")).ok
        [parcel] = await here.sent()
        assert [path.name for path in (home / "data" / "attachments").iterdir()] == [parcel.id]


# Through a real box


@pytest.mark.capability("A9")
@pytest.mark.parametrize("kind", KINDS[:2], ids=lambda kind: kind.name)
async def test_a_script_in_the_box_asks_as_the_agent_does(kind: Kind, home: Path) -> None:
    by_hand, asked_id = "by hand", "0123456789abcdef" * 2
    body = json.dumps({"id": asked_id, "tool": "send_message", "arguments": {"text": by_hand}})
    drop = f"echo '{body}' > /ipc/messages/.new && mv /ipc/messages/.new /ipc/messages/{asked_id}.json"
    wait = f"until [ -e /ipc/results/{asked_id}.json ]; do sleep 0.02; done; cat /ipc/results/{asked_id}.json"
    call = "python3 -I /opt/nanoclaw/nanoclaw_inside tool"
    script = f"""
        {call} send_message --text 'by command'; {drop}; {wait}; rm -f /ipc/results/{asked_id}.json
        {drop}; until [ ! -e /ipc/messages/{asked_id}.json ]; do sleep 0.02; done
        echo sent > note.txt; {call} send_file --path note.txt; {call} send_file --path nowhere.txt
        {call} forget --all; true
    """
    async with staged(kind, home, once(kind.bash(script, timeout=60))) as stage:
        await stage.ask("go", answers=4)
        assert stage.far_end.said_to("chat") == ["by command", by_hand, "", "done"]
        [told] = results(stage.server.asked[-1])
        for line in (
            *("Sent.", '\\"ok\\": true', "nowhere.txt cannot be sent: No such file or directory"),
            "There is no tool 'forget'; there are send_message, send_file",
        ):
            assert line in told


async def test_requests_whose_box_did_not_wait_are_done_all_the_same(home: Path) -> None:
    """Native boxes live for one call: the next one must wait until the first one's requests have been read."""
    native, calls, each = KINDS[1], 4, 5
    write = (
        "import json, os, sys\n"
        "for n in range(int(sys.argv[2])):\n"
        "    i = f'{int(sys.argv[1]):016x}{n:016x}'\n"
        "    body = {'id': i, 'tool': 'send_message', 'arguments': {'text': i}}\n"
        "    open('/ipc/messages/.' + i, 'w').write(json.dumps(body))\n"
        "    os.rename('/ipc/messages/.' + i, f'/ipc/messages/{i}.json')\n"
    )

    def script(asked: Asked) -> Any:
        uses = [native.bash(f'python3 -c "{write}" {number} {each}') for number in range(calls)]
        return "done" if results(asked) else uses

    async with staged(native, home, script) as stage:
        await stage.far_end.say("chat", "go")
        await until(lambda: len(stage.far_end.said_to("chat")) > calls * each)
        said = stage.far_end.said_to("chat")
        assert sorted(said) == sorted(
            [*(f"{call:016x}{number:016x}" for call in range(calls) for number in range(each)), "done"]
        )


async def test_a_file_that_is_not_there_does_not_end_the_turn(home: Path) -> None:
    async with staged(
        KINDS[1], home, once(Use("send_file", {"path": "nowhere.txt"}), then="Sorry.")
    ) as stage:
        assert await stage.ask("send it") == "Sorry."
        assert "No such file" in results(stage.server.asked[-1])[0]


async def test_an_agent_in_a_loop_cannot_fill_the_disk_with_copies(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quota, "IN_A_MINUTE", 1000)
    async with scene(home) as stage:
        (stage.files / "a.txt").write_text("a")
        replies = [await stage.ask("send_file", f"{number:032x}", path="a.txt") for number in range(52)]
        assert [reply.ok for reply in replies] == [True] * 50 + [False] * 2
        assert "within an hour" in replies[-1].text
        assert len(list((home / "data" / "attachments").iterdir())) == 50


@pytest.mark.attack
async def test_an_agent_in_a_loop_cannot_bury_people_in_messages(home: Path) -> None:
    """By files, as a script in the box would: the host counts."""
    write = (
        "import json, os\n"
        "for n in range(300):\n"
        "    i = f'{n:032x}'\n"
        "    body = {'id': i, 'tool': 'send_message', 'arguments': {'text': i}}\n"
        "    open('/ipc/messages/.' + i, 'w').write(json.dumps(body))\n"
        "    os.rename('/ipc/messages/.' + i, f'/ipc/messages/{i}.json')\n"
    )
    native = KINDS[1]
    last = f"{299:032x}"
    wait = f"until [ -e /ipc/results/{last}.json ]; do sleep 0.05; done; cat /ipc/results/{last}.json"
    async with staged(native, home, once(native.bash(f'python3 -c "{write}"; {wait}', timeout=60))) as stage:
        await stage.far_end.say("chat", "go")
        await until(lambda: "done" in stage.far_end.said_to("chat"))
        assert len(stage.far_end.said_to("chat")) == IN_A_MINUTE + 1
        assert "were sent within a minute" in results(stage.server.asked[-1])[0]


@pytest.mark.attack
async def test_a_question_that_an_earlier_turn_left_is_asked_of_nobody(home: Path) -> None:
    async with scene(home) as stage:
        asking = ToolRequest(
            id="c" * 32,
            kind=TOOLS["request_human"].kind,
            tool="request_human",
            session_id=stage.session,
            arguments=RequestHuman(question="Give me the keys?"),
            is_left=True,
        )
        reply = await stage.requests.answer(asking)
        assert (reply.ok, reply.data) == (False, {"refused": "left"})
        assert not await stage.host.store.read(questions.list_open)
