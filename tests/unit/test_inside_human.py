"""What a script in the box gets for its question: the answer, or which of the ways in which there is none."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from nanoclaw.domain import question_requests
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.tool_requests import ToolReply, ToolRequest
from nanoclaw.domain.tools import tool_table, tools_for
from nanoclaw.sandbox.request_watch import RequestWatch, furnish
from nanoclaw_inside import human

pytestmark = pytest.mark.capability("S1", "E1")

NOT_SO = ToolReply(ok=False, text="Nobody could decide.", data={"refused": "arguments"})


class Script:
    """A command of the box, whose host answers as it is told to."""

    def __init__(self, folder: Path) -> None:
        self.reply = NOT_SO
        self.arguments: dict[str, Any] = {}
        self._environment = {"PYTHONPATH": str(Path("src").absolute()), "NANOCLAW_IPC": str(folder)}
        self.request_watch = RequestWatch(self._answer)
        furnish(folder, os.getuid(), tool_table(tools_for(main=False), main=False))
        self.request_watch.open(folder, SessionId("s_01"), os.getuid())

    async def _answer(self, asking: ToolRequest) -> ToolReply:
        self.arguments = asking.arguments.plain()
        return self.reply

    async def run(self, *arguments: str, **said: object) -> tuple[int, str, str]:
        if said:
            self.reply = ToolReply(ok=True, text="So it is.", data=said)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "nanoclaw_inside.human", *arguments),
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        out, err = await process.communicate()
        return process.returncode or 0, out.decode().strip(), err.decode().strip()


@pytest.fixture
async def script(tmp_path: Path) -> AsyncIterator[Script]:
    made = Script(tmp_path)
    yield made
    await made.request_watch.close(SessionId("s_01"))


async def test_the_exit_code_is_the_place_of_what_was_chosen(script: Script) -> None:
    asked = ("Deploy?", "--options", "yes=Deploy now,no", "--default", "no", "--risk", "publish")
    assert await script.run(*asked, "--timeout", "2h", status="completed", chosen="no") == (1, "no", "")
    assert script.arguments == {
        "question": "Deploy?",
        "options": [
            {"id": "yes", "label": "Deploy now"},
            {"id": "no", "label": "no"},
        ],
        "timeout_minutes": 120,
        "default_action": "no",
        "risk": "publish",
    }
    assert await script.run("Deploy?", status="completed", chosen="reject") == (1, "reject", "")
    assert await script.run("Name?", "--input", status="completed", chosen="Nano") == (0, "Nano", "")
    for kind in (("--input",), ("--kind", "escalation")):  # a word, whatever else it is the name of
        assert await script.run("Name?", *kind, status="completed", chosen="reject") == (0, "reject", "")
    late = ("When?", "--layout", "schedule_choice", "--options", "noon")
    assert await script.run(*late, status="timeout", chosen="noon") == (1, "noon", "So it is.")
    code, out, _ = await script.run("Deploy?", "--json", status="completed", chosen="approve", user_id="a:b")
    assert (code, json.loads(out)["user_id"], json.loads(out)["code"]) == (0, "a:b", 0)


async def test_without_an_answer_the_exit_code_says_why(script: Script) -> None:
    assert await script.run("Deploy?") == (125, "", NOT_SO.text)
    for status, code in (("pending", 75), ("timeout", 124), ("cancelled", 130), ("failed", 125)):
        assert await script.run("Deploy?", status=status) == (code, "", "So it is.")
    code, _, said = await script.run("Deploy?", "--timeout", "soon")
    assert (code, said.endswith("'soon' is no length of time; write it like 30m, 2h or 1d")) == (125, True)


def test_the_choices_of_the_layouts_are_those_of_the_host() -> None:
    named = {name: tuple(each.id for each in options) for name, options in question_requests.LAYOUTS.items()}
    assert named == human.LAYOUTS
