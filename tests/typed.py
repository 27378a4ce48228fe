"""A command as someone types it: the whole of it, in a thread of this process; a new one takes seconds to load."""

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from nanoclaw.cli import main


@dataclass(frozen=True, kw_only=True)
class Printed:
    code: int
    out: str
    err: str

    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)


Typed = Callable[..., Coroutine[None, None, Printed]]


def typing_in(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    monkeypatch.setattr(main, "LANGUAGE", "en")
    monkeypatch.setenv("NANOCLAW_HOME", str(home))

    def run(*words: str) -> Printed:
        monkeypatch.setattr(sys, "argv", ["nanoclaw", *words])
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            main.main()
        said = capfd.readouterr()
        assert isinstance(ended.value.code, int)
        return Printed(code=ended.value.code, out=said.out, err=said.err)

    async def in_thread(*words: str) -> Printed:
        async with asyncio.timeout(60):
            return await asyncio.to_thread(run, *words)

    return in_thread
