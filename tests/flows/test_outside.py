"""What of the world an agent may reach, tried from real boxes: listed hosts, MCP servers, the model's own search."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from tests.staging import KINDS, Kind, claudes, once, results, staged, until

from nanoclaw.console.web_server import WebServer
from nanoclaw.durable import connection_pages
from nanoclaw.gateway import server_list
from nanoclaw.host.server_boxes import folder_of
from nanoclaw.sandbox import inside
from nanoclaw.testing import Asked, Say, Use

AGENTS = [kind for kind in KINDS if "OpenAI" not in kind.name]
SERVER = r"""
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    method, answer = asked.get("method"), None
    if method == "initialize":
        about = {"protocolVersion": "2025-11-25", "serverInfo": {"name": "s", "version": "1"}}
        answer = {**about, "capabilities": {"tools": {}}}
    elif method == "tools/list":
        answer = {"tools": [{"name": "weather", "description": "How it is", "inputSchema": {"type": "object"}}]}
    elif method == "tools/call":
        answer = {"content": [{"type": "text", "text": "sunny, key " + str(len(os.environ["API_KEY"]))}]}
    if "id" in asked:
        shape = {"result": answer} if answer else {"error": {"code": -32601, "message": "unknown"}}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **shape}), flush=True)
"""


@pytest.fixture(params=AGENTS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


@asynccontextmanager
async def web_site() -> AsyncIterator[int]:
    """A page on loopback, which stands for a host in the world."""

    def page(_request: Request) -> Response:
        return PlainTextResponse("hello from outside")

    serving = WebServer(0, for_everyone=True)
    serving.start(Starlette(routes=[Route("/", page)]))
    try:
        yield int(serving.url.rpartition(":")[2])
    finally:
        await serving.stop()


def write_group(home: Path, *lines: str) -> None:
    text = "\n".join(('company = "demo"', "main = true", *lines))
    (home / "groups" / "main" / "group.toml").write_text(text + "\n")


@pytest.mark.capability("A18")
async def test_a_listed_host_is_reached_others_are_not_and_all_is_written_down(
    kind: Kind, home: Path
) -> None:
    async with web_site() as port:
        write_group(home, f'network = ["localhost:{port}", "api.example.com"]')
        urls = (f"http://localhost:{port}/", "http://other.example.com/", "https://api.example.com/")
        command = "; ".join(f"curl -sS -m 5 {url} 2>&1" for url in urls)
        # curl does not ask a proxy for localhost, so the name of this machine must not be on that list here.
        script = once(kind.bash(f"export no_proxy= NO_PROXY=; {command}", timeout=30), then="tried")
        async with staged(kind, home, script, boxes={"private_hosts": "localhost"}) as stage:
            assert await stage.ask("look outside") == "tried"
            told = results(stage.server.asked[-1])[0]
            assert "hello from outside" in told
            assert "not on the list" in told

            async def written() -> dict[str, str]:
                found, _more = await stage.host.store.read(connection_pages.newest)
                return {each.connection.host: each.connection.verdict.value for each in found}

            while len(await written()) < 3:
                pass
            assert await written() == {
                "localhost": "allowed",
                "other.example.com": "not-listed",
                "api.example.com": "unresolved",
            }


@pytest.mark.capability("A18")
async def test_without_a_list_there_is_no_way_out(kind: Kind, home: Path) -> None:
    async with web_site() as port:
        script = once(kind.bash(f"curl -sS -m 5 http://localhost:{port}/ 2>&1; env"), then="tried")
        async with staged(kind, home, script) as stage:
            assert await stage.ask("look outside") == "tried"
            told = results(stage.server.asked[-1])[0]
            assert "hello from outside" not in told
            assert "http_proxy" not in told


@pytest.mark.capability("A18")
async def test_the_tools_of_an_mcp_server_are_lent_and_its_key_stays_outside(kind: Kind, home: Path) -> None:
    write_group(home, 'mcp = ["sky"]')
    folder_of(home, "sky").mkdir(parents=True)
    (folder_of(home, "sky") / "server.py").write_text(SERVER)
    command = [inside.python_inside(), "/work/server.py"]
    server_list.add(
        home, server_list.describe("sky", {"command": command, "env": {"API_KEY": "sk-sky-canary"}})
    )

    def script(asked: Asked) -> Any:
        offered = next(name for name in asked.tools if name.endswith("sky_weather"))
        if not results(asked):
            return [Use(offered, {}), kind.bash("env; ls / /work")]
        return "sunny"

    async with staged(kind, home, script) as stage:
        assert await stage.ask("how is the weather?") == "sunny"
        told = " ".join(results(stage.server.asked[-1]))
        assert "sunny, key 13" in told
        assert "sk-sky-canary" not in json.dumps([asked.body for asked in stage.server.asked])


@pytest.mark.capability("A18")
@pytest.mark.parametrize("wanted", [True, False])
async def test_the_models_own_search_is_offered_only_where_it_is_wanted(
    kind: Kind, home: Path, wanted: bool
) -> None:
    write_group(home, f"web_search = {str(wanted).lower()}")
    async with staged(kind, home, lambda _asked: "ok") as stage:
        await stage.ask("hello")
        offered = " ".join(stage.server.asked[0].tools).lower().replace("_", "")
        assert ("websearch" in offered) is wanted


@pytest.mark.capability("A9", "A20")
async def test_an_extra_folder_is_seen_and_cannot_be_written(
    kind: Kind, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = tmp_path / "reports"
    reports.mkdir()
    (reports / "q3.txt").write_text("third quarter")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    listed = tmp_path / "config" / "nanoclaw" / "mounts.toml"
    listed.parent.mkdir(parents=True)
    listed.write_text(f'[[mount]]\npath = "{reports}"\n')
    write_group(home, f'mounts = ["{reports}"]')
    script = once(kind.bash("cat /extra/reports/q3.txt; echo no > /extra/reports/q3.txt"), then="read")
    async with staged(kind, home, script) as stage:
        assert await stage.ask("read it") == "read"
        assert "third quarter" in results(stage.server.asked[-1])[0]
    assert (reports / "q3.txt").read_text() == "third quarter"


@pytest.mark.capability("A19")
async def test_the_skills_of_the_workspace_can_be_read_and_asked(home: Path) -> None:
    claude = AGENTS[0]

    def script(asked: Asked) -> Any:
        if "writes a post" in asked.system or "telegram-poster" in asked.text:
            return "a post"
        if not results(asked):
            return [
                claude.bash("ls /skills/skills; head -3 /skills/skills/news-curator/SKILL.md"),
                Use(
                    "Agent",
                    {"subagent_type": "telegram-poster", "description": "post", "prompt": "telegram-poster!"},
                ),
            ]
        return Say("done")

    async with staged(claude, home, script) as stage:
        assert await stage.ask("work") == "done"
        told = " ".join(results(stage.server.asked[-1]))
        assert "name: news-curator" in told
        assert "a post" in told


@pytest.mark.capability("A5")
async def test_claude_code_is_made_ready_when_someone_opens_the_room(home: Path) -> None:
    async with staged(AGENTS[0], home, lambda _asked: "quick") as stage:
        host = stage.host
        headers = {"Authorization": f"Bearer {host.token}"}
        async with httpx.AsyncClient(base_url=host.url, headers=headers, timeout=60) as page:
            room = (await page.get("/api/rooms")).json()["rooms"][0]["id"]
            async with page.stream("GET", f"/api/rooms/{room}/live"):
                await until(lambda: any((home / "data" / "briefs").glob("*.md")))
        assert not stage.server.asked


@pytest.mark.capability("A5")
async def test_a_claude_code_that_is_kept_ready_holds_no_place_and_is_let_go(home: Path) -> None:
    claude = AGENTS[0]
    async with staged(claude, home, lambda _asked: "quick", turns={"concurrent": 1}) as stage:
        for chat in ("chat", "other chat"):
            await stage.far_end.say(chat, "hello")
            assert await stage.far_end.wait_for(chat) == ["quick"]
        assert len(claudes()) == 2
        late: Any = stage.host.agents.runtimes["claude-code"]
        runtime = await late.load()
        for session in list(runtime._processes):  # and who waits for that is cancelled
            leaving = asyncio.create_task(runtime.let_go(session))
            await asyncio.sleep(0)
            leaving.cancel()
            await asyncio.wait([leaving])
        await runtime.close()
        assert claudes() == []
    async with staged(claude, home, lambda _asked: "quick", agents={"warm_minutes": 0.001}) as stage:
        assert await stage.ask("hello") == "quick"
        await until(lambda: not claudes())
