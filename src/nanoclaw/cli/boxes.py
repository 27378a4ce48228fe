"""The commands about boxes: try whether they hold, and open a shell in one."""

import asyncio
import json
import os
from dataclasses import asdict
from pathlib import Path

import typer

from nanoclaw.context.groups import Groups
from nanoclaw.domain.boxes import BoxPlan
from nanoclaw.host.agents import limits_of, sandbox_of
from nanoclaw.host.settings import Settings, read_settings
from nanoclaw.host.workspace import check
from nanoclaw.sandbox import probes
from nanoclaw.sandbox.folders import Folders
from nanoclaw.sandbox.probes import Finding
from nanoclaw.sandbox.users import BoxUsers
from nanoclaw.texts import say

_SHELL = ("/bin/bash", "-i")


def test(home: Path, *, as_json: bool) -> None:
    """Every way out is tried from inside; the table says which were closed."""
    check(home)
    settings = read_settings(home)
    findings = asyncio.run(_examine(home, settings))
    open_ways = [finding for finding in findings if not finding.held]
    if as_json:
        typer.echo(json.dumps([asdict(finding) for finding in findings], ensure_ascii=False, indent=2))
    else:
        language = settings.language
        for finding in findings:
            tried = say(language, f"probe-{finding.name}")
            typer.echo(f"✓ {tried}" if finding.held else f"✗ {tried}  ({finding.said})")
        if settings.boxes.driver == "process":
            typer.echo(say(language, "sandbox-process-warning"))
        else:
            verdict = "sandbox-leaks" if open_ways else "sandbox-holds"
            typer.echo(say(language, verdict, driver=settings.boxes.driver, count=len(open_ways)))
    if open_ways:
        raise typer.Exit(1)


def shell(home: Path, group: str) -> None:
    """A person's own hands in a group's box: the same folders, limits and walls that its agent has."""
    check(home)
    settings = read_settings(home)
    found = Groups(home).get(group)
    users = BoxUsers(home / "data" / "box-users.json")
    folders = Folders(home, users).prepare(found.company, group, "shell")
    plan = BoxPlan(
        name=f"shell-{os.getpid()}",
        tenant=found.company,
        mounts=folders.mounts(),
        environment={"TERM": os.environ.get("TERM", "dumb"), "PS1": f"{group} \\w $ "},
        limits=limits_of(settings),
    )
    typer.echo(say(settings.language, "sandbox-shell", group=group), err=True)

    async def run() -> int:
        sandbox = sandbox_of(home, settings)
        box = await sandbox.start(plan, _SHELL, terminal=True)
        try:
            return await box.wait()
        finally:
            await box.kill()

    raise typer.Exit(asyncio.run(run()))


async def _examine(home: Path, settings: Settings) -> list[Finding]:
    plan = BoxPlan(name=f"test-{os.getpid()}", tenant="proof", limits=limits_of(settings))
    return await probes.examine(sandbox_of(home, settings), plan)
