"""The box beside an agent's own in which its commands run: what the two share, and what stands in for the shell.

What an agent runs must not have the agent's line to the model, its transcript or its way to the host: a script that
somebody planted would speak for the model. A box within the box is impossible (no user namespaces there), so the host
starts a second one, which lives as long as the first. The two share the group's files, `/memory` and `/tmp`. The
shells and git of the agent's own box are replaced by a program that has the other box run the real ones.
"""

import asyncio
import os
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from nanoclaw.domain.boxes import Box, Mount
from nanoclaw.domain.errors import BoxRefused
from nanoclaw.sandbox.inside import PACKAGE_TARGET, python_inside, run_inside

SOCKET = "/tmp/.commands"  # noqa: S108 - as `nanoclaw_inside/stand_in.py` names it
# Whatever runs commands of others: a shell by its nature, git by what the configuration of a folder names.
_REPLACED = ("bash", "dash", "fish", "git", "ksh", "sh", "zsh")
_FOLDERS = ("/usr/local/bin", "/usr/bin", "/bin")
_PATIENCE = 30.0  # seconds for it to start
_MOST_SAID = 2000
TMP = "/tmp"  # noqa: S108 - in the boxes
_STAND_IN = """#!{python} -ISB
import sys
sys.path[0] = "{place}"
from nanoclaw_inside.stand_in import main
sys.exit(main(sys.argv))
"""


def command() -> tuple[str, ...]:
    """What runs in the box of commands. First it says which programs are to be replaced beside it."""
    return run_inside("command_box", SOCKET, *map(str, _named()))


async def found_in(box: Box) -> tuple[str, ...]:
    """What it said: only an image itself knows where it has which shells. Raises BoxRefused."""
    async with asyncio.timeout(_PATIENCE):
        said = await box.stdout.readline()
    if not said.endswith(b"\n"):
        raise BoxRefused(
            "box-unmade", said=(await box.stderr.read(_MOST_SAID)).decode(errors="replace").strip()
        )
    return tuple(filter(None, said.decode().strip().split(":")))


def stand_ins(folder: Path, targets: Iterable[str]) -> Iterator[Mount]:
    """What replaces the shells and git in the agent's own box; the program is kept in this folder of the host."""
    program = folder / "stand-in"
    text = _STAND_IN.format(python=python_inside(), place=Path(PACKAGE_TARGET).parent)
    if not program.exists() or program.read_text("utf-8") != text:
        folder.mkdir(parents=True, exist_ok=True)
        fresh = program.with_name(f"stand-in.{os.getpid()}.new")
        fresh.write_text(text, "utf-8")
        fresh.chmod(0o755)
        fresh.replace(program)
    for target in targets:
        yield Mount(source=program, target=target)


def _named() -> Iterator[Path]:
    return (Path(folder, name) for folder in _FOLDERS for name in _REPLACED)


@cache
def found_here() -> tuple[str, ...]:
    """Where they really are: `/bin/sh` is a link, and what it leads to is replaced."""
    return tuple(sorted({str(path.resolve()) for path in _named() if path.exists()}))
