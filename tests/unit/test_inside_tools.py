"""The tool server in the box speaks MCP with any client, starts at once, and lets scripts use the same tools."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from nanoclaw.domain.file_protocol import RequestKind
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.tool_requests import ToolReply, ToolRequest
from nanoclaw.domain.tools import tool_table, tools_for
from nanoclaw.sandbox.request_watch import RequestWatch, furnish
from nanoclaw_inside.tools import VERSIONS

pytestmark = pytest.mark.capability("A17")

SERVER = ("-c", "import sys; from nanoclaw_inside import tools; sys.exit(tools.main([]))")
COMMAND = ("-c", "import sys; from nanoclaw_inside import tools; sys.exit(tools.call_main(sys.argv[1:]))")


class Desk:
    """A session whose host answers; a question to a person waits until `decided`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: asyncio.Queue[ToolRequest] = asyncio.Queue()
        self.decided = asyncio.Event()
        self.environment = {"PYTHONPATH": str(Path("src").absolute()), "NANOCLAW_IPC": str(folder)}
        self.request_watch = RequestWatch(self._answer)
        furnish(folder, os.getuid(), tool_table(tools_for(main=False), main=False))
        self.request_watch.open(folder, SessionId("s_01"), os.getuid())

    async def _answer(self, asking: ToolRequest) -> ToolReply:
        self.asked.put_nowait(asking)
        if asking.kind is RequestKind.HITL:
            await self.decided.wait()
            return ToolReply(ok=True, text="They chose yes.", data={"chosen": "yes"})
        return ToolReply(ok=asking.tool != "send_file", text=f"did {asking.tool}")

    async def run(self, *arguments: str) -> tuple[int, str, str]:
        """The command as a script in the box uses it."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *(*COMMAND, *arguments),
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        out, err = await process.communicate()
        return process.returncode or 0, out.decode(), err.decode()


class Raw:
    """A client that can also say what no library would."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process, self._in, self._out = process, process.stdin, process.stdout

    async def say(self, message: dict[str, Any] | bytes) -> None:
        line = message if isinstance(message, bytes) else json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._in.write(line + b"\n")
        await self._in.drain()

    async def hear(self) -> dict[str, Any]:
        async with asyncio.timeout(60):
            heard: dict[str, Any] = json.loads(await self._out.readline())
        return heard

    async def ask(self, method: str, **params: Any) -> dict[str, Any]:
        await self.say({"id": method, "method": method, "params": params})
        return await self.hear()

    async def leave(self) -> int:
        self._in.close()
        async with asyncio.timeout(60):
            return await self.process.wait()


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    desk = Desk(tmp_path / "groups" / "main" / "ipc" / "s_01")
    yield desk
    await desk.request_watch.shut()


@pytest.fixture
async def raw(desk: Desk) -> AsyncIterator[Raw]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, *SERVER, env=desk.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    raw = Raw(process)
    yield raw
    if process.returncode is None:
        assert await raw.leave() == 0


async def test_the_official_client_can_use_it(desk: Desk) -> None:
    mcp = pytest.importorskip("mcp")
    server = mcp.StdioServerParameters(command=sys.executable, args=list(SERVER), env=desk.environment)
    async with mcp.Client(server) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == [
            tool["name"] for tool in tool_table(tools_for(main=False), main=False)
        ]
        done = await client.call_tool("send_message", {"text": "Привіт"})
        assert (done.content[0].text, done.is_error) == ("did send_message", False)
        assert desk.asked.get_nowait().arguments.plain() == {"text": "Привіт"}
        refused = await client.call_tool("send_message", {"text": 7})
        assert refused.is_error
        assert "`arguments.text` must be a string." in refused.content[0].text
        with pytest.raises(mcp.MCPError):
            await client.call_tool("no_such_tool", {})


@pytest.mark.parametrize(
    ("asked", "given"),
    [*((version, version) for version in VERSIONS), ("1999-01-01", VERSIONS[0]), (None, VERSIONS[0])],
)
async def test_the_version_is_the_clients_if_it_is_known(raw: Raw, asked: str | None, given: str) -> None:
    answer = await raw.ask("initialize", protocolVersion=asked, capabilities={}, clientInfo={})
    assert answer["result"]["protocolVersion"] == given
    assert "tools" in answer["result"]["capabilities"]


async def test_who_waits_for_a_person_holds_up_no_other_call(raw: Raw, desk: Desk) -> None:
    question = {"name": "request_human", "arguments": {"question": "Publish?"}}
    await raw.say({"id": 1, "method": "tools/call", "params": question})
    await desk.asked.get()
    message = {"name": "send_message", "arguments": {"text": "hi"}}
    await raw.say({"id": 2, "method": "tools/call", "params": message})
    assert (await raw.hear())["id"] == 2
    assert (await raw.ask("ping"))["result"] == {}
    desk.decided.set()
    answer = await raw.hear()
    assert answer["id"] == 1
    assert answer["result"]["content"][0]["text"] == 'They chose yes.\n{"chosen": "yes"}'


async def test_a_cancelled_call_is_not_answered(raw: Raw, desk: Desk) -> None:
    question = {"name": "request_human", "arguments": {"question": "Publish?"}}
    await raw.say({"id": 1, "method": "tools/call", "params": question})
    asking = await desk.asked.get()
    await raw.say({"method": "notifications/cancelled", "params": {"requestId": 1}})
    assert (await raw.ask("ping"))["result"] == {}
    desk.decided.set()
    message = {"name": "send_message", "arguments": {"text": "hi"}}
    await raw.say({"id": 2, "method": "tools/call", "params": message})
    assert (await raw.hear())["id"] == 2
    assert (desk.folder / "hitl-responses" / f"{asking.id}.json").exists()


async def test_what_it_does_not_understand_is_told_and_survived(raw: Raw) -> None:
    await raw.say(b"no json")
    assert (await raw.hear())["error"]["code"] == -32700
    await raw.say(b"[]")
    assert (await raw.hear())["error"]["code"] == -32600
    assert (await raw.ask("resources/list"))["error"]["code"] == -32601
    assert (await raw.ask("tools/call", name="send_message", arguments="hi"))["error"]["code"] == -32602
    assert (await raw.ask("tools/call"))["error"]["code"] == -32602
    await raw.say({"method": "notifications/initialized"})
    await raw.say({"method": "notifications/cancelled", "params": {"requestId": []}})
    assert (await raw.ask("ping"))["result"] == {}


async def test_it_ends_when_its_client_leaves_even_while_a_person_is_asked(raw: Raw, desk: Desk) -> None:
    question = {"name": "request_human", "arguments": {"question": "Publish?"}}
    await raw.say({"id": 1, "method": "tools/call", "params": question})
    await desk.asked.get()
    assert await raw.leave() == 0


async def test_a_script_can_use_a_tool(desk: Desk) -> None:
    assert await desk.run("send_message", "--text", "--hi there--") == (0, "did send_message\n", "")
    assert desk.asked.get_nowait().arguments.plain() == {"text": "--hi there--"}
    assert (await desk.run("send_message", "--json", '{"text": "Привіт"}'))[0] == 0
    assert desk.asked.get_nowait().arguments.plain() == {"text": "Привіт"}


async def test_options_of_a_script_have_the_types_of_the_tool(desk: Desk) -> None:
    code, _, _ = await desk.run(
        *("background_task", "--prompt=7", "--estimated_minutes", "30", "--notify_on_complete"),
        *("--notify_thread_id", "42", "--priority", "low"),
    )
    assert code == 0
    assert desk.asked.get_nowait().arguments.plain() == {
        "prompt": "7",
        "estimated_minutes": 30,
        "notify_on_complete": True,
        "notify_thread_id": 42,
        "priority": "low",
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("send_file", "--path", "x"), "did send_file"),
        (("send_message",), "`arguments.text` is missing."),
        (("send_message", "--txt", "hi"), "send_message has no --txt; it has --text, --voice, --target."),
        (("send_message", "--text"), "--text needs a value."),
        (("send_message", "hi"), "'hi' is not an option."),
        (("send_message", "--json", "[]"), "--json must be a JSON object."),
        (("no_such_tool",), "There is no tool 'no_such_tool'; there are send_message"),
        ((), "usage: tool list"),
        (("request_human", "--question", "?", "--wait", "0.05"), "has not answered in time"),
    ],
)
async def test_a_script_is_told_what_went_wrong(desk: Desk, arguments: tuple[str, ...], said: str) -> None:
    code, out, err = await desk.run(*arguments)
    assert (code, out) == (1, "")
    assert said in err


async def test_the_tools_can_be_listed(desk: Desk) -> None:
    code, out, _ = await desk.run("list")
    assert code == 0
    assert out.startswith("send_message: Send a message to the chat now")
    assert "register_group" not in out
