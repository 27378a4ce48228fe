"""How the trials of `just chaos` that have a word of their own are started: what can be typed, and what is printed."""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.chaos import clock

Run = Callable[[argparse.Namespace, Path], Awaitable[Any]]
"""The trial as it was typed, in this folder. Its outcome has `faults`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Count:
    """An option with a number."""

    usual: int
    help: str | None = None


HOSTS = Count(usual=1, help="more than one needs PostgreSQL")
KILLS = Count(usual=30, help="kills, pauses and other troubles")
PATIENCE = Count(usual=90, help="seconds to wait in the end; what rests after many deaths needs some minutes")


def start(
    name: str,
    about: str | None,
    words: Sequence[str],
    run: Run,
    counts: Mapping[str, Count],
    figures: Callable[[Any], object] = vars,
) -> int:
    """The exit code: 1 if there are faults. Each has a `--seed`, and `--keep` leaves its workspaces in a folder."""
    parser = argparse.ArgumentParser(prog=f"just chaos {name}", description=about)
    for option, count in ({"seed": Count(usual=1)} | dict(counts)).items():
        parser.add_argument(f"--{option}", type=int, default=count.usual, help=count.help)
    parser.add_argument("--keep", type=Path, help="a folder for the workspaces, which stays")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="nanoclaw-chaos-", ignore_cleanup_errors=True) as made:
        folder = (given.keep or Path(made)).absolute()
        folder.mkdir(parents=True, exist_ok=True)

        async def ran() -> Any:
            return await run(given, folder)

        with clock.settable(folder) if clock.compiler() else nullcontext():
            outcome = asyncio.run(ran())
    sys.stdout.write(json.dumps(figures(outcome), ensure_ascii=False, indent=1) + "\n")
    return 1 if outcome.faults else 0
