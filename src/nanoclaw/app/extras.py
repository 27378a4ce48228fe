"""Extras: packages that only some settings need, installed when one asks for them."""

import subprocess
import sys
from importlib import invalidate_caches
from importlib.metadata import requires
from pathlib import Path

import typer

from nanoclaw.domain.errors import MissingExtra
from nanoclaw.texts import say

_PINNED = Path(__file__).parents[3] / "requirements"


def install(missing: MissingExtra, language: str) -> None:
    """With pip's own progress on the screen; from the pinned list when this is a clone."""
    extra = str(missing.values["extra"])
    typer.echo(say(language, "install-extra", extra=extra), err=True)
    pinned = _PINNED / f"{extra}.txt"
    wanted = ["--require-hashes", "-r", str(pinned)] if pinned.exists() else _requirements(extra)
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", *wanted]
    if subprocess.run(command, check=False, stdout=sys.stderr).returncode:  # noqa: S603 - our own words
        typer.echo(say(language, "install-failed", extra=extra, command=" ".join(command)), err=True)
        raise missing
    invalidate_caches()


def _requirements(extra: str) -> list[str]:
    marked = [line.partition(";") for line in requires("nanoclaw-os") or []]
    return [name.strip() for name, _, marker in marked if f"extra == '{extra}'" in marker.replace('"', "'")]
