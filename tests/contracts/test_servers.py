"""MCP servers lend their tools to agents: local ones from real boxes, remote ones over real HTTP."""

import asyncio
import gzip
import json
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import structlog
import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from tests.staging import until

from nanoclaw.cli import mcp as commands
from nanoclaw.domain.boxes import BoxLimits
from nanoclaw.domain.errors import BadSettings, BoxRefused, Refused
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.money import Spender
from nanoclaw.durable.connections import Connection, ConnectionVerdict
from nanoclaw.gateway import server_list, server_streams
from nanoclaw.gateway.proxy import Proxy
from nanoclaw.gateway.server_list import Server, describe
from nanoclaw.gateway.servers import McpServers, ServerTimeouts
from nanoclaw.host.server_boxes import ServerBoxes
from nanoclaw.sandbox import inside
from nanoclaw.sandbox.drivers import choose
from nanoclaw.sandbox.users import BoxUsers

pytestmark = pytest.mark.capability("A18")

CANARY = "sk-canary-5up3r"
_PATIENCE = 60.0

# A server without any package, so that a box with it starts at once; it speaks MCP with a handshake.
SCRIPT = r"""
import json, os, pathlib, sys, threading, urllib.request

def say(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()

def tool(name, **hints):
    return {"name": name, "description": f"{name}!", "inputSchema": {"type": "object"}, "annotations": hints}

tools = [tool(name) for name in ("echo", "secret", "die", "wait", "go", "big", "odd", "grow", "fetch", "pid", "look")]
tools.append(tool("die_once", readOnlyHint=True))
waiting = threading.Event()

def call(name, arguments):
    if name == "echo":
        return arguments["text"]
    if name == "secret":
        return f"the key {os.environ['API_KEY']} is right"
    if name == "pid":
        return str(os.stat("/proc/self/ns/pid").st_ino)
    if name == "look":
        return " ".join(sorted(os.listdir(arguments["folder"])))
    if name == "big":
        return "x" * 1_000_000
    if name == "wait":
        waiting.wait()
        return "waited"
    if name == "go":
        waiting.set()
        return "gone"
    if name == "grow":
        tools.append(tool("grown"))
        say(method="notifications/tools/list_changed")
        return "grown"
    if name == "fetch":
        return urllib.request.urlopen(arguments["url"], timeout=5).read().decode()
    if name == "die_once" and pathlib.Path("/work/died").exists():
        return "alive"
    pathlib.Path("/work/died").write_text("yes")
    print("something broke", os.environ.get("API_KEY"), file=sys.stderr, flush=True)
    os._exit(3)

def serve(message):
    method, params = message["method"], message.get("params", {})
    if method == "initialize":
        about = {"protocolVersion": "2025-11-25", "serverInfo": {"name": "script", "version": "1"}}
        say(id=message["id"], result={**about, "capabilities": {"tools": {"listChanged": True}}})
    elif method == "tools/list":
        say(id=message["id"], result={"tools": tools})
    elif method == "tools/call" and params["name"] == "odd":
        say(id=message["id"], result={"content": "what is this"})
    elif method == "tools/call":
        try:
            text, wrong = call(params["name"], params.get("arguments", {})), False
        except Exception as error:
            text, wrong = str(error), True
        say(id=message["id"], result={"content": [{"type": "text", "text": text}], "isError": wrong})
    elif "id" in message:
        say(id=message["id"], error={"code": -32601, "message": "unknown method"})

print(os.environ.get("GREETING", "").encode().decode("unicode_escape"), flush=True)
for line in sys.stdin:
    threading.Thread(target=serve, args=(json.loads(line),), daemon=True).start()
"""

# One written with the package, as most are.
PACKAGED = '''
from mcp.server.mcpserver import MCPServer
from mcp_types import ImageContent, TextContent
server = MCPServer("packaged")

@server.tool()
def add(a: int, b: int) -> int:
    """Adds two numbers."""
    return a + b

@server.tool()
def picture() -> list[TextContent | ImageContent]:
    return [TextContent(type="text", text="Look:"), ImageContent(type="image", data="AAAA", mimeType="image/png")]

server.run()
'''


async def _here(_host: str, _port: int) -> list[str]:
    return ["127.0.0.1"]


class Scene:
    """A workspace with servers, and the host as their client."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.list: dict[str, Server] = {}
        self.connections: list[Connection] = []
        self.started = 0
        self.users = BoxUsers(home / "data" / "box-users.json")
        self._proxy = Proxy(self._note, resolver=_here)
        self._boxes = ServerBoxes(
            home=home,
            sandbox=self._sandbox,
            users=self.users,
            proxy=self._proxy,
            limits=BoxLimits(),
            private_hosts=frozenset({"news.test"}),
        )
        self._all: list[McpServers] = []
        self.servers = self.host()

    def host(self, **seconds: float) -> McpServers:
        self.servers = McpServers(lambda: self.list, self._start, patience=ServerTimeouts(**seconds))
        self._all.append(self.servers)
        return self.servers

    def local(self, name: str = "script", script: str = SCRIPT, **about: Any) -> None:
        path = self.home / "data" / "mcp" / name / "server.py"
        path.parent.mkdir(parents=True)
        path.write_text(script)
        command = [inside.python_inside(), "/work/server.py"]
        self.list[name] = describe(name, {"command": command, **about})

    async def close(self) -> None:
        for servers in self._all:
            await servers.close()
        await self._proxy.close()

    async def _sandbox(self) -> Any:
        return choose(
            "bubblewrap", users=self.users, workspace=self.home.name, folder=self.home / "data" / "box"
        )

    async def _start(self, server: Server) -> Any:
        self.started += 1
        return await self._boxes.start(server)

    def _note(self, _spender: Spender, connection: Connection) -> None:
        self.connections.append(connection)


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    home = tmp_path / new_id("w")
    home.mkdir()
    scene = Scene(home)
    try:
        await scene._sandbox()
    except BoxRefused as error:
        pytest.skip(f"bubblewrap does not work here: {error}")
    yield scene
    await scene.close()


async def names(servers: McpServers, *wanted: str) -> list[str]:
    return [offer.name for offer in await servers.offered(wanted)]


def boxes_of(scene: Scene) -> list[int]:
    """Processes that have this workspace's mark: everything a box of it is made of."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if scene.home.name.encode() in (folder / "environ").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue
    return found


# Local servers, each in a box


async def test_the_tools_of_a_local_server_are_offered_and_used(scene: Scene) -> None:
    scene.local()
    offers = {offer.name: offer for offer in await scene.servers.offered(["script"])}
    assert offers["script_echo"].description == "echo!"
    assert offers["script_echo"].arguments == {"type": "object"}
    assert await scene.servers.use("script_echo", {"text": "Привіт"}) == (True, "Привіт")
    assert await scene.servers.use("script_echo", {}) == (False, "'text'")
    ok, said = await scene.servers.use("script_nothing", {})
    assert (ok, "no tool script_nothing" in said) == (False, True)
    assert scene.started == 1


@pytest.fixture
def shown_folder() -> Iterator[Path]:
    """Where no box has something of its own; in /dev/shm, where tests write, each has."""
    with TemporaryDirectory(dir="/var/tmp") as folder:
        yield Path(folder)


async def test_a_server_written_with_the_package_works_in_a_box(scene: Scene, shown_folder: Path) -> None:
    packages = shown_folder / "packages"
    packages.symlink_to(next(path for path in sys.path if path.endswith("site-packages")))
    scene.local("packaged", PACKAGED, folders=[str(packages)], env={"PYTHONPATH": str(packages)})
    (add, picture) = await scene.servers.offered(["packaged"])
    assert (add.name, add.description) == ("packaged_add", "Adds two numbers.")
    assert add.arguments["required"] == ["a", "b"]
    assert picture.name == "packaged_picture"
    assert await scene.servers.use("packaged_add", {"a": 2, "b": 3}) == (True, "5")
    ok, said = await scene.servers.use("packaged_picture", {})
    assert (ok, said) == (True, "Look:\n[image: image/png, 3 bytes, not shown]")


async def test_a_server_sees_only_its_own_folder(scene: Scene) -> None:
    scene.local()
    (scene.home / "data" / "keys.json").write_text("secret")
    assert await scene.servers.use("script_look", {"folder": "/work"}) == (True, "server.py")
    ok, _ = await scene.servers.use("script_look", {"folder": str(scene.home)})
    assert not ok
    owner = scene.users.of("mcp-script")
    assert (scene.home / "data" / "mcp" / "script").stat().st_uid == owner


@pytest.mark.parametrize("folder", ["", "data", ".."])
async def test_a_server_may_not_be_shown_the_workspace(scene: Scene, folder: str) -> None:
    scene.local(folders=[str(scene.home / folder)])
    ok, said = await scene.servers.use("script_echo", {"text": "x"})
    assert (ok, "mcp-folder-ours" in said) == (False, True)


async def test_a_server_has_no_way_out_but_to_the_hosts_on_its_list(scene: Scene) -> None:
    async with web(PlainTextResponse("welcome")) as port:
        scene.local("alone")
        scene.local("out", network=[f"news.test:{port}"])
        url = f"http://news.test:{port}/"
        ok, _ = await scene.servers.use("alone_fetch", {"url": url})
        assert not ok
        assert await scene.servers.use("out_fetch", {"url": url}) == (True, "welcome")
        ok, said = await scene.servers.use("out_fetch", {"url": "http://example.com/"})
        assert (ok, "403" in said) == (False, True)
    assert [connection.verdict for connection in scene.connections] == [
        ConnectionVerdict.ALLOWED,
        ConnectionVerdict.NOT_LISTED,
    ]


async def test_garbage_on_its_output_does_no_harm(scene: Scene) -> None:
    greeting = (
        r"Listening!\n{}\n[1, 2]\n{\"jsonrpc\": \"2.0\", \"id\": 99, \"result\": 5}\nnull\n\x01\x02" + "x" * 9
    )
    scene.local(env={"GREETING": greeting})
    assert await scene.servers.use("script_echo", {"text": "clear"}) == (True, "clear")


async def test_a_server_that_dies_is_started_again_and_the_caller_knows_what_is_not_known(
    scene: Scene,
) -> None:
    scene.local()
    ok, said = await scene.servers.use("script_die", {})
    assert not ok
    assert "may have been done, or not" in said
    assert "something broke" in said
    assert await scene.servers.use("script_echo", {"text": "back"}) == (True, "back")
    assert scene.started == 2


async def test_a_call_that_can_be_repeated_survives_the_death_of_its_server(scene: Scene) -> None:
    scene.local()
    assert await scene.servers.use("script_die_once", {}) == (True, "alive")
    assert scene.started == 2


async def test_a_call_without_an_answer_ends_and_others_go_on(scene: Scene) -> None:
    scene.local()
    servers = scene.host(call=1.5)
    await servers.offered(["script"])
    slow = asyncio.create_task(servers.use("script_wait", {}))
    assert await servers.use("script_echo", {"text": "quick"}) == (True, "quick")
    ok, said = await slow
    assert (ok, "no answer within 1.5 s" in said) == (False, True)
    assert await servers.use("script_echo", {"text": "still here"}) == (True, "still here")


async def test_calls_do_not_wait_for_each_other(scene: Scene) -> None:
    scene.local()
    slow = asyncio.create_task(scene.servers.use("script_wait", {}))
    assert await scene.servers.use("script_go", {}) == (True, "gone")
    assert await slow == (True, "waited")


async def test_a_big_result_is_cut(scene: Scene) -> None:
    scene.local()
    ok, said = await scene.servers.use("script_big", {})
    assert ok
    assert 100_000 < len(said) < 100_200
    assert "1000000 characters" in said


async def test_an_answer_that_makes_no_sense_is_a_failure_and_nothing_more(scene: Scene) -> None:
    scene.local()
    ok, said = await scene.servers.use("script_odd", {})
    assert (ok, "makes no sense" in said) == (False, True)
    assert await scene.servers.use("script_echo", {"text": "fine"}) == (True, "fine")


async def test_the_list_is_asked_for_again_when_it_has_changed(scene: Scene) -> None:
    scene.local()
    assert "script_grown" not in await names(scene.servers, "script")
    await scene.servers.use("script_grow", {})

    async def grown() -> None:
        while "script_grown" not in await names(scene.servers, "script"):
            await asyncio.sleep(0.01)

    await asyncio.wait_for(grown(), _PATIENCE)
    assert scene.started == 1


async def test_a_server_that_nobody_uses_is_let_go_and_comes_back(scene: Scene) -> None:
    scene.local()
    servers = scene.host(idle=0.5)
    _, first = await servers.use("script_pid", {})
    await until(lambda: not boxes_of(scene))
    _, second = await servers.use("script_pid", {})
    assert first != second


async def test_a_server_that_is_removed_or_changed_is_let_go(scene: Scene) -> None:
    scene.local()
    assert await scene.servers.use("script_echo", {"text": "x"}) == (True, "x")
    known = scene.list.pop("script")
    assert await names(scene.servers, "script") == []
    await until(lambda: not boxes_of(scene))
    scene.list["script"] = describe("script", {"command": known.command, "env": {"API_KEY": CANARY}})
    assert await scene.servers.use("script_echo", {"text": "y"}) == (True, "y")


async def test_closing_leaves_no_process(scene: Scene) -> None:
    scene.local()
    await scene.servers.offered(["script"])
    waiting = asyncio.create_task(scene.servers.use("script_wait", {}))
    await scene.servers.use("script_echo", {"text": "x"})
    assert boxes_of(scene)
    await scene.servers.close()
    assert boxes_of(scene) == []
    ok, _ = await asyncio.wait_for(waiting, _PATIENCE)
    assert not ok


async def test_closing_in_a_hurry_leaves_no_process_of_a_server_that_does_not_end_by_itself(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_streams, "_FAREWELL", _PATIENCE)
    scene.local(script=f"{SCRIPT}\nthreading.Event().wait()")
    await scene.servers.offered(["script"])
    talk = scene.servers._kept["script"].connection
    closing = asyncio.create_task(scene.servers.close())
    while not talk.task.done():
        talk.task.cancel()
        await asyncio.sleep(0)
    await closing
    assert boxes_of(scene) == []


async def test_a_secret_is_told_to_nobody(scene: Scene, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(0)
    scene.local(env={"API_KEY": CANARY})
    with structlog.testing.capture_logs() as logged:
        offers = await scene.servers.offered(["script"])
        assert await scene.servers.use("script_secret", {}) == (True, "the key *** is right")
        _, died = await scene.servers.use("script_die", {})
    assert "something broke ***" in died
    shown = f"{offers} {died} {logged} {caplog.text} {scene.list} {scene.servers._kept}"
    assert CANARY not in shown


# What does not work stops nobody


async def test_a_server_that_cannot_start_offers_nothing_and_is_logged_once(scene: Scene) -> None:
    scene.local()
    scene.list["broken"] = describe("broken", {"command": ["/bin/sh", "-c", "echo I am broken >&2; exit 1"]})
    servers = scene.host(again=0.3)
    with structlog.testing.capture_logs() as logged:
        assert "script_echo" in await names(servers, "broken", "script", "unheard-of", "script")

        async def tried_again() -> None:
            began = scene.started
            while scene.started == began:
                await names(servers, "broken")
                await asyncio.sleep(0.01)

        await asyncio.wait_for(tried_again(), _PATIENCE)
        began = scene.started
        await names(servers, "broken")
        assert scene.started == began  # left alone for a while
        await asyncio.wait_for(tried_again(), _PATIENCE)
    told = [line for line in logged if line.get("server") == "broken" and line["log_level"] == "warning"]
    assert len(told) == 1
    assert "I am broken" not in str(told)  # a log quotes nobody; `mcp test` does
    ok, said = await servers.use("broken_tool", {})
    assert (ok, "cannot be reached" in said) == (False, True)


async def test_a_turn_does_not_wait_for_a_server_that_says_nothing(scene: Scene) -> None:
    scene.list["mute"] = describe("mute", {"command": ["/bin/sleep", "1000"]})
    servers = scene.host(offer=0.2, start=0.6)
    assert await names(servers, "mute") == []  # it would take a thousand seconds
    assert await names(servers, "mute") == []
    await until(lambda: not boxes_of(scene))  # given up, and not left behind


async def test_a_list_that_cannot_be_read_offers_nothing(scene: Scene) -> None:
    def broken() -> dict[str, Server]:
        raise BadSettings("mcp-broken", file="mcp.json", said="?")

    servers = McpServers(broken, scene._start)
    assert await names(servers, "script") == []
    ok, said = await servers.use("script_echo", {})
    assert (ok, "mcp-broken" in said) == (False, True)


# Remote servers


class Guarded:
    """Lets only those in who have the key. An `old` one knows only MCP with a handshake and a session."""

    def __init__(self, inner: ASGIApp, *, old: bool) -> None:
        self._inner = inner
        self._old = old

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = Request(scope).headers
            given = headers.get("authorization")
            if given != f"Bearer {CANARY}":
                return await PlainTextResponse(f"not {given}", 401)(scope, receive, send)
            if self._old and headers.get("mcp-method"):
                return await PlainTextResponse("what?", 400)(scope, receive, send)
        return await self._inner(scope, receive, send)


@asynccontextmanager
async def web(app: ASGIApp, port: int = 0) -> AsyncIterator[int]:
    listener = socket.create_server(("127.0.0.1", port))
    config = uvicorn.Config(app, log_config=None, lifespan="auto", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        await until(lambda: server.started)
        yield listener.getsockname()[1]
    finally:
        server.should_exit = True
        await serving
        listener.close()


def shop(*, json_response: bool = False, old: bool = False) -> ASGIApp:
    server = MCPServer("shop")

    @server.tool(name="look.up")
    def look_up(word: str) -> str:
        """Looks a word up."""
        return f"{word} is a word"

    @server.tool()
    def big() -> str:
        return "x" * 1_000_000

    @server.tool()
    async def grow(ctx: Context) -> str:
        server.add_tool(look_up, name="grown")
        await (ctx.session.send_tool_list_changed() if old else ctx.notify_tools_changed())
        return "grown"

    @server.tool()
    def tell() -> str:
        raise ToolError(f"the key {CANARY} is odd")

    return Guarded(server.streamable_http_app(json_response=json_response), old=old)


def at(port: int, key: str = CANARY, path: str = "/mcp") -> Server:
    about = {"url": f"http://127.0.0.1:{port}{path}", "headers": {"Authorization": f"Bearer {key}"}}
    return describe("shop", about)


@pytest.mark.parametrize("json_response", [False, True])
@pytest.mark.parametrize("old", [False, True])
async def test_the_tools_of_a_remote_server_are_offered_and_used(
    scene: Scene, json_response: bool, old: bool
) -> None:
    async with web(shop(json_response=json_response, old=old)) as port:
        scene.list["shop"] = at(port)
        assert await names(scene.servers, "shop") == ["shop_look_up", "shop_big", "shop_grow", "shop_tell"]
        assert await scene.servers.use("shop_look_up", {"word": "box"}) == (True, "box is a word")
        ok, said = await scene.servers.use("shop_big", {})
        assert (ok, len(said) > 100_000, "1000000 characters" in said) == (True, True, True)
        ok, said = await scene.servers.use("shop_tell", {})
        assert (ok, CANARY in said, "*** is odd" in said) == (False, False, True)
        await scene.servers.close()


async def test_a_remote_server_without_the_right_key_offers_nothing(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(0)
    async with web(shop()) as port:
        scene.list["shop"] = at(port, "wrong-key-0000", f"/mcp?token={CANARY}")
        with structlog.testing.capture_logs() as logged:
            assert await names(scene.servers, "shop") == []
        await scene.servers.close()
    assert len(logged) == 1
    ours = [record.getMessage() for record in caplog.records if not record.name.startswith("uvicorn")]
    assert "wrong-key-0000" not in f"{logged} {ours}"
    assert CANARY not in f"{logged} {ours}"


@pytest.mark.parametrize("old", [False, True])
async def test_a_remote_server_that_was_started_anew_is_found_again(scene: Scene, old: bool) -> None:
    async with web(shop(old=old)) as port:
        scene.list["shop"] = at(port)
        assert await scene.servers.use("shop_look_up", {"word": "one"}) == (True, "one is a word")
    ok, said = await scene.servers.use("shop_look_up", {"word": "two"})
    assert (ok, "cannot be reached" in said) == (False, True)
    servers = scene.host()
    async with web(shop(old=old), port):
        assert await servers.use("shop_look_up", {"word": "three"}) == (True, "three is a word")
    async with web(shop(old=old), port):
        assert await servers.use("shop_look_up", {"word": "four"}) == (True, "four is a word")
        await servers.close()


@pytest.mark.parametrize("old", [False, True])
async def test_a_remote_server_tells_that_its_list_has_changed(scene: Scene, old: bool) -> None:
    async with web(shop(old=old)) as port:
        scene.list["shop"] = at(port)
        assert "shop_grown" not in await names(scene.servers, "shop")
        await scene.servers.use("shop_grow", {})

        async def grown() -> None:
            while "shop_grown" not in await names(scene.servers, "shop"):
                await asyncio.sleep(0.01)

        await asyncio.wait_for(grown(), _PATIENCE)
        await scene.servers.close()


async def test_a_remote_server_that_never_answers_ends_in_time(scene: Scene) -> None:
    async def never(scope: Scope, receive: Receive, send: Send) -> None:
        while scope["type"] == "http" and (await receive())["type"] != "http.disconnect":
            pass

    async with web(never) as port:
        scene.list["shop"] = at(port)
        servers = scene.host(offer=0.2, call=0.5)
        assert await names(servers, "shop") == []
        ok, said = await servers.use("shop_look_up", {"word": "x"})
        assert (ok, "no answer within 0.5 s" in said) == (False, True)
        await servers.close()


@pytest.mark.attack
@pytest.mark.parametrize("packed", [False, True], ids=["as it is", "packed"])
async def test_a_remote_server_whose_answer_does_not_end_fills_no_memory(scene: Scene, packed: bool) -> None:
    spaces = b" " * (1 << 20)
    piece = gzip.compress(spaces) if packed else spaces
    encoding = [(b"content-encoding", b"gzip")] if packed else []
    sent = 0

    async def flood(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal sent
        if scope["type"] != "http":
            return
        while (await receive()).get("more_body"):
            pass
        leaving = asyncio.ensure_future(receive())
        headers = [(b"content-type", b"application/json"), *encoding]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        while not leaving.done() and sent < 256 << 20:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
            sent += len(spaces)
            await asyncio.sleep(0)
        leaving.cancel()

    async with web(flood) as port:
        scene.list["shop"] = at(port)
        servers = scene.host(offer=5.0, call=5.0)
        assert await names(servers, "shop") == []
        assert sent < 128 << 20  # what is on its way included; nobody's patience was at an end
        await servers.close()


async def test_what_is_no_mcp_server_offers_nothing(scene: Scene) -> None:
    response: Response = PlainTextResponse("It works!")
    async with web(response) as port:
        scene.list["shop"] = at(port)
        assert await names(scene.servers, "shop") == []
        await scene.servers.close()


# The command that tries one


def test_a_server_can_be_tried_from_the_command_line(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = home / "data" / "mcp" / "script" / "server.py"
    path.parent.mkdir(parents=True)
    path.write_text(SCRIPT)
    commands.add(
        "script",
        command=[inside.python_inside(), "/work/server.py"],
        env=[f"API_KEY={CANARY}", "GREETING=Welcome!"],
    )
    capsys.readouterr()
    commands.try_server("script", as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert told["server"] == "script"
    assert told["tools"][0] == {"name": "script_echo", "description": "echo!"}
    assert 0 < told["milliseconds"] < 60_000
    commands.try_server("script", as_json=False)
    assert "  script_echo  echo!" in capsys.readouterr().out


def test_a_server_that_does_not_answer_is_told_as_an_error(home: Path) -> None:
    server_list.add(home, describe("gone", {"url": "http://127.0.0.1:1/mcp", "headers": {"A": CANARY}}))
    with pytest.raises(Refused, match="mcp-silent") as refused:
        commands.try_server("gone", as_json=False)
    assert CANARY not in str(refused.value)
