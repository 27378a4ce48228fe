"""Extras: packages that only some settings need, installed on demand."""

import re
import subprocess
import sys
from importlib import invalidate_caches
from importlib.metadata import requires
from pathlib import Path

import typer

from nanoclaw.domain.errors import MissingExtra
from nanoclaw.texts import say

_PACKAGE = re.compile(r"^[\w.-]+(\[[^]]*\])?==", re.MULTILINE)
_LAST_LINES = 20
_PINNED = Path(__file__).parents[3] / "requirements"


def install(missing: MissingExtra, language: str) -> None:
    """Install with a progress bar per package; from the pinned list in a clone."""
    extra = str(missing.values["extra"])
    typer.echo(say(language, "install-extra", extra=extra), err=True)
    pinned = _PINNED / f"{extra}.txt"
    wanted = ["--require-hashes", "-r", str(pinned)] if pinned.exists() else _requirements(extra)
    count = len(_PACKAGE.findall(pinned.read_text("utf-8"))) if pinned.exists() else None
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", *wanted]
    code, said = _run(command, extra, count)
    if code:
        typer.echo(said, err=True)
        typer.echo(say(language, "install-failed", extra=extra, command=" ".join(command)), err=True)
        raise missing
    invalidate_caches()


def _run(command: list[str], extra: str, count: int | None) -> tuple[int, str]:
    """pip's output is shown only if it fails: it is long and says nothing a person waits for."""
    from rich.console import Console  # noqa: PLC0415 - a host that has all its packages need not load it
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    said: list[str] = []
    with (
        Progress(*columns, console=Console(stderr=True), transient=True) as progress,
        subprocess.Popen(  # noqa: S603 - our own words
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        ) as pip,
    ):
        bar = progress.add_task(extra, total=count)
        for line in pip.stdout or ():
            said.append(line)
            if line.startswith(("Collecting ", "Requirement already satisfied: ")):
                progress.advance(bar)
    return pip.returncode, "".join(said[-_LAST_LINES:])


def _requirements(extra: str) -> list[str]:
    marked = [line.partition(";") for line in requires("nanoclaw-os") or []]
    return [name.strip() for name, _, marker in marked if f"extra == '{extra}'" in marker.replace('"', "'")]
