"""The host is killed while an agent's tool runs in a box; and two hosts that would like the same session."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.crash.program import Program
from tests.staging import KINDS, Kind, once, processes, results, staged, until

from nanoclaw.domain.ids import new_id
from nanoclaw.testing import FarEnd, ModelServer
from nanoclaw.testing.model_parts import Asked

KEY = "sk-test-key"
INTERRUPTED = "You were interrupted"


@pytest.mark.capability("L3", "A9", "A15")
@pytest.mark.parametrize("kind", KINDS[:2], ids=lambda kind: kind.name)
async def test_killed_while_a_tool_runs_the_box_is_gone_and_the_session_goes_on(
    kind: Kind, home: Path
) -> None:
    marker = new_id("marker")
    tool = kind.bash(f"touch running; exec python3 -c 'import time; time.sleep(600)' {marker}", timeout=600)

    def script(asked: Asked) -> Any:
        said = json.dumps(asked.messages)
        if "thanks" in said:
            return "you are welcome"
        if "count to ten" not in said:
            return "teal it is"
        return "ten" if INTERRUPTED in said else tool

    async with ModelServer(script, key=KEY) as server, FarEnd() as far_end:
        program = Program(
            home,
            SCRIPTED_URL=far_end.url,
            ANTHROPIC_API_KEY=KEY,
            ANTHROPIC_BASE_URL=server.url,
            AGENTS_RUNTIME=str(kind.settings["agents"]["runtime"]),
        )
        await program.start()
        await far_end.say("chat", "my colour is teal")
        await far_end.wait_for("chat")
        before = transcripts(home)
        await far_end.say("chat", "count to ten")
        await until(lambda: (home / "groups/main/files/running").exists() and bool(processes(marker)))
        await program.die()
        await until(lambda: not processes(marker))

        async with program.running():
            await far_end.wait_for("chat", 2)
            again = next(asked for asked in server.asked if INTERRUPTED in json.dumps(asked.messages))
            assert "my colour is teal" in json.dumps(again.messages)
            await far_end.say("chat", "thanks")  # a third answer proves that no other is on its way before it
            await far_end.wait_for("chat", 3)
        assert far_end.said_to("chat") == ["teal it is", "ten", "you are welcome"]
        assert transcripts(home) == before  # it went on in the same conversation
        assert bool(before) == (kind.name == "claude-code")
    assert not processes(str(home))


def transcripts(home: Path) -> list[Path]:
    return sorted(home.glob("groups/main/session/*/projects/*/*.jsonl"))


@pytest.mark.capability("L3", "O4")
async def test_a_session_whose_box_another_process_has_is_refused_until_that_is_gone(home: Path) -> None:
    native = KINDS[1]
    async with staged(native, home, once(native.bash("echo hands"))) as stage:
        assert await stage.ask("hello") == "done"
        [session] = (home / "groups/main/ipc").iterdir()
        async with held_elsewhere(home / "data" / "locks", session.name):
            said = await stage.ask("and again")
            assert "still alive" in said
            assert "/retry" in said
        await stage.far_end.say("chat", "/retry")
        await until(lambda: stage.far_end.said_to("chat").count("done") == 2)
        assert "hands" in results(stage.server.asked[-1])[-1]


@asynccontextmanager
async def held_elsewhere(folder: Path, session: str) -> AsyncIterator[None]:
    """Another process holds the session until it is killed, which is all that is needed to let go."""
    code = (
        "import sys, pathlib, nanoclaw.sandbox.lock as lock\n"
        "with lock.hold(pathlib.Path(sys.argv[1]), sys.argv[2]): print('held', flush=True); sys.stdin.read()"
    )
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", code, folder, session),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    assert await process.stdout.readline() == b"held\n"
    try:
        yield
    finally:
        process.kill()
        await process.communicate()
