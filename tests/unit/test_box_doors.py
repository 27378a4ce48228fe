"""The hook of Claude Code at a terminal asks the host on a socket, and forbids whatever has no clear answer."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from nanoclaw.domain import bounds
from nanoclaw.gateway.box_doors import BoxDoors
from nanoclaw.runtimes.live_terminal import ClaudeTerminals
from nanoclaw.sandbox.inside import PACKAGE


@pytest_asyncio.fixture
async def doors() -> AsyncIterator[BoxDoors]:
    doors = BoxDoors()
    yield doors
    await doors.close()


async def _hook(door: Path, said: str) -> tuple[int, str, str]:
    """What the program of the box does with what Claude Code tells it."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", "-S", "-B", str(PACKAGE), "gate"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={"NANOCLAW_DOOR": str(door)},
    )
    out, err = await process.communicate(said.encode())
    return process.returncode or 0, out.decode(), err.decode()


async def test_the_answer_of_the_host_is_the_answer_of_the_hook(doors: BoxDoors) -> None:
    asked: list[Mapping[str, Any]] = []

    async def answer(said: Mapping[str, Any]) -> Mapping[str, Any]:
        asked.append(said)
        return {"decision": "так"}

    code, out, _ = await _hook(doors.open(answer), json.dumps({"tool_name": "Bash"}))
    assert (code, json.loads(out)) == (0, {"decision": "так"})
    assert asked == [{"hook": {"tool_name": "Bash"}}]


async def test_without_a_clear_answer_nothing_is_allowed(doors: BoxDoors, tmp_path: Path) -> None:
    async def silent(_said: Mapping[str, Any]) -> Mapping[str, Any]:
        closing.append(asyncio.create_task(doors.close_door(door)))  # the box is given up while it waits
        await asyncio.Event().wait()
        return {}

    closing: list[asyncio.Task[None]] = []
    door = doors.open(silent)
    for place, said in (
        (door, "{}"),
        (tmp_path / "nobody.sock", "{}"),
        (doors.open(silent), "no JSON"),
        (doors.open(silent), json.dumps({"text": "x" * (bounds.MOST_ARGUMENTS + 1)})),
    ):
        code, out, err = await _hook(place, said)
        assert (code, out) == (2, "")  # which forbids
        assert "could not be asked" in err
    await asyncio.gather(*closing)


@pytest.mark.parametrize(
    "said", [{}, {"tool_name": 1, "tool_input": {}, "tool_use_id": "x"}, {"tool_name": "Bash"}, "Bash"]
)
async def test_a_call_that_the_host_does_not_understand_is_denied(said: object) -> None:
    nothing: Any = None
    told = await ClaudeTerminals._answer(nothing, {"hook": said}, nothing)
    assert told["hookSpecificOutput"]["permissionDecision"] == "deny"
