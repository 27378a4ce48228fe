"""The variables with which Claude Code is started in a box: a misspelled one would be ignored without a word."""

import mmap
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import claude_agent_sdk

from nanoclaw.runtimes.claude_options import environment_of


def test_claude_code_knows_every_variable_that_it_is_given() -> None:
    line = cast(Any, SimpleNamespace(token=""))
    program = Path(str(claude_agent_sdk.__file__)).parent / "_bundled" / "claude"
    with program.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        unknown = {name for name in environment_of(line) if text.find(name.encode()) < 0}
    assert not unknown
