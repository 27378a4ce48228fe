"""The vendor's key is looked for wherever an agent, a person or a log could see it, in the real program (SPEC A9)."""

import asyncio
import json
import os
import secrets
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.crash.program import Program, first_room, lines, say
from tests.staging import KINDS, Kind, claudes, once, processes, results, staged
from tests.telegram_scene import found_group

from nanoclaw.durable import people, wirings
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.gateway.http import Upstream
from nanoclaw.host.keys import Keys
from nanoclaw.host.settings import read_settings
from nanoclaw.testing import ModelServer
from nanoclaw.testing.model_parts import Asked, Fail, Use

pytestmark = pytest.mark.capability("A9", "J1")

_PROGRAM = Path(__file__).parents[2] / "src"

# Where a person may have put the key, and the only files of the workspace in which it may then be found.
PLACES = {"environment": [], "files": ["data/keys.json", "nanoclaw.toml"]}


@pytest.fixture
def canary() -> str:
    return f"sk-ant-{secrets.token_hex(16)}"


class Logged(Program):
    """Keeps what the host writes about itself. Its process is one that a person would start, with its environment."""

    async def start(self) -> None:
        with (self.home.parent / "host.log").open("wb") as log:
            self._host = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "nanoclaw", "up", "--no-chat"),
                env=self.environment,
                stdout=log,
                stderr=log,
            )
        async with asyncio.timeout(60):
            while "is running" not in self.log:
                assert self._host.returncode is None, self.log
                await asyncio.sleep(0.01)

    async def stop(self) -> int:
        self._host.terminate()
        async with asyncio.timeout(60):
            return await self._host.wait()

    @property
    def pid(self) -> int:
        return self._host.pid

    @property
    def log(self) -> str:
        return (self.home.parent / "host.log").read_text()


def runtime_token(pid: int) -> str:
    """With what Claude Code calls the gateway."""
    environment = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    return dict(each.split("=", 1) for each in environment if "=" in each)["ANTHROPIC_API_KEY"]


def look_in_box(canary: str) -> str:
    """Everything that can be read in the box, without the key in a command line itself; it must find what it plants."""
    key = f"a={canary[:12]}; b={canary[12:]}"
    programs = {"proc", "usr", "opt", "dev", Path(sys.base_prefix).name}  # and Python, which may be elsewhere
    left_out = " ".join(f"--exclude-dir={name}" for name in sorted(programs))
    files = f"grep -rlsF {left_out} -f <(printf $a$b) /"
    running = "cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2> /dev/null | grep -acF -f <(printf $a$b)"
    return f"{key}; printf $a$b > /tmp/planted; {files}; {running}; echo looked"


def script_of(canary: str) -> Any:
    def script(asked: Asked) -> Any:
        said = json.dumps(asked.messages)
        if "confuse me" in said:
            return Fail(400, "invalid_request_error", f"bad request with {canary}")
        if "refuse me" in said:
            return Fail(401, "authentication_error", f"the key {canary} is not valid")
        ran = len(results(asked))
        if ran == 0:
            return Use("Bash", {"command": "env; cat /proc/[0-9]*/environ | tr '\\0' '\\n'; ps axww"})
        return Use("Bash", {"command": look_in_box(canary)}) if ran == 1 else "looked everywhere"

    return script


@asynccontextmanager
async def host_with(canary: str, place: str, home: Path) -> AsyncIterator[tuple[Logged, ModelServer]]:
    async with ModelServer(script_of(canary), key=canary) as server:
        program = Logged(home, ANTHROPIC_BASE_URL=server.url, LOG_LEVEL="debug")
        if place == "environment":
            program.environment["ANTHROPIC_API_KEY"] = canary
        else:
            with (home / "nanoclaw.toml").open("a") as file:
                file.write(f'\n[anthropic]\napi_key = "{canary}"\n')
            (home / "data").mkdir(exist_ok=True)
            (home / "data" / "keys.json").write_text(json.dumps({"anthropic": canary}))
        async with program.running():
            yield program, server


@pytest.mark.parametrize("place", PLACES)
async def test_the_key_is_found_nowhere_but_where_it_was_put(canary: str, place: str, home: Path) -> None:
    seen: list[str] = []
    async with host_with(canary, place, home) as (program, server), program.client() as client:
        room = await first_room(client)
        await say(client, room, "look around", "1")
        assert await last_word(client, room, 1) == "looked everywhere"
        environment, search = results(server.asked[-1])
        assert "PATH=" in environment
        assert "ANTHROPIC_API_KEY" not in environment  # not even the runtime's token for the gateway
        assert '"/tmp/planted\\n0\\nlooked"' in search  # no other file, and no process
        assert not processes(canary)
        [token] = {runtime_token(pid) for pid in claudes(program.pid)}
        assert len(token) > 20
        assert not processes(token)
        if place == "environment":  # once: it takes seconds
            for number, text in enumerate(("refuse me", "confuse me"), 2):
                await say(client, room, text, str(number))
                assert "***" in await last_word(client, room, number)
            words = (("status",), ("why",), ("costs",), ("doctor",))
            seen += [
                printed for _, printed in await asyncio.gather(*(program.command(*each) for each in words))
            ]
        paths = ["rooms", f"rooms/{room}/messages", "status", "openapi.json"]
        paths += [f"messages/{line['id']}/why" for line in await lines(client, room)]
        seen += [(await client.get(f"/api/{path}")).text for path in paths]
        seen += [json.dumps(asked.body) for asked in server.asked]
    seen += [program.log, git_history(home)]
    assert [text for text in seen if canary in text] == []
    assert sorted(files_with(canary, home)) == PLACES[place]


async def last_word(client: httpx.AsyncClient, room: str, count: int) -> str:
    """The last word, from an agent or from the host that explains why there is no answer."""
    async with asyncio.timeout(60):
        while True:
            said = [line for line in await lines(client, room) if line["author"] != "person"]
            if len(said) >= count:
                return str(said[-1]["text"])
            await asyncio.sleep(0.02)


def files_with(canary: str, home: Path) -> list[str]:
    """The database, its journal, the cost log, transcripts and all the rest."""
    files = (Path(folder) / name for folder, _, names in os.walk(home) for name in names)
    return [
        str(file.relative_to(home))
        for file in files
        if file.is_file() and canary.encode() in file.read_bytes()
    ]


def git_history(home: Path) -> str:
    return subprocess.run(
        ["git", "-C", home, "log", "-p", "--all"], capture_output=True, check=True
    ).stdout.decode()


@pytest.mark.parametrize(("kind", "status"), [(KINDS[1], 401), (KINDS[1], 529), (KINDS[2], 400)], ids=str)
async def test_a_vendor_that_quotes_the_key_is_not_repeated(kind: Kind, status: int, home: Path) -> None:
    async with staged(kind, home, lambda asked: "") as stage:
        key = stage.server.key
        stage.server.reply = lambda asked: Fail(status, "some_error", f"no good: {key}.")
        said = await stage.ask("go")
        assert "no good: ***" in said
        assert files_with(key, home / "data") in ([], ["keys.json"])


def wire_to_main(tx: Tx) -> None:
    chat = people.add_chat(tx, channel="scripted", address="chat", title="chat", at=now())
    wirings.wire(tx, chat.id, chat.kind, "main", now())


async def test_what_the_host_holds_cannot_be_seen_from_the_box(home: Path) -> None:
    """The database, the keys, the token of the page, other groups, other companies, the code of the host."""
    kind = KINDS[0]
    other = home / "companies" / "other" / "context"
    other.mkdir(parents=True)
    (other / "secret.md").write_text("other-company-canary")
    look = (
        "cat /proc/self/mountinfo; ls -a / /work /memory /context /session /ipc; "
        "grep -rlsF --exclude-dir=proc --exclude-dir=usr --exclude-dir=opt 'other-company-'canary /; "
        f"ls {home} {home}/data /root {_PROGRAM} 2>&1; echo looked"
    )
    async with staged(kind, home, once(kind.bash(look))) as stage:
        found_group(home, "second")
        await stage.host.store.write(wire_to_main)  # with two groups, a new chat would be asked about
        assert await stage.ask("go") == "done"
        [seen] = results(stage.server.asked[-1])
        assert "looked" in seen
        for hidden in (
            "nanoclaw.db",
            "keys.json",
            "web-token",
            "second",
            "other-company-canary",
            "wiring.py",
        ):
            assert hidden not in seen


def test_nothing_that_holds_a_key_shows_it_when_it_is_printed(canary: str, home: Path) -> None:
    environment = {"ANTHROPIC_API_KEY": canary, "OPENAI_API_KEY": canary}
    (home / "data").mkdir(exist_ok=True)
    (home / "data" / "keys.json").write_text(json.dumps({"local": canary}))
    settings = read_settings(home, environment)
    keys = Keys(home, settings, environment)
    assert (keys.get("anthropic"), keys.get("openai"), keys.get("local")) == (canary,) * 3
    for held in (keys, settings, Upstream(base_url="http://localhost", key=canary)):
        assert canary not in f"{held!r} {held}"
    assert canary not in settings.model_dump_json()


@pytest.mark.parametrize(
    "written", ['[anthropic]\napi_key = ["{}"]', 'anthropic = "{}"', '[anthropic]\napi_key = "{}']
)
async def test_a_key_that_is_written_down_wrongly_is_not_repeated(
    canary: str, written: str, home: Path
) -> None:
    (home / "nanoclaw.toml").write_text(written.format(canary))
    code, printed = await Program(home).command("status")
    assert code == 1
    assert "nanoclaw.toml" in printed
    assert canary not in printed
