"""The commands about boxes: test whether they hold, and open a shell in one."""

import asyncio
import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from nanoclaw.cli.options import AsJson, guarded_home, help_of
from nanoclaw.cli.output import print_json
from nanoclaw.cli.people.access import word
from nanoclaw.context.groups import Groups
from nanoclaw.domain.boxes import BoxPlan
from nanoclaw.domain.errors import NotFound
from nanoclaw.host.agents import limits_of, sandbox_of
from nanoclaw.host.settings import Settings, read_settings
from nanoclaw.host.workspace import check
from nanoclaw.sandbox import probes
from nanoclaw.sandbox.folders import Folders
from nanoclaw.sandbox.probes import ProbeResult
from nanoclaw.sandbox.users import BoxUsers
from nanoclaw.texts import say

app = typer.Typer()
sandbox = typer.Typer(help=help_of("sandbox"), no_args_is_help=True)
app.add_typer(sandbox, name="sandbox")

_SHELL = ("/bin/bash", "-i")


@sandbox.command("test", help=help_of("sandbox-test"))
def try_boxes(as_json: AsJson = False) -> None:
    """Runs every probe from inside; the table says which held."""
    home = guarded_home()
    check(home)
    settings = read_settings(home)
    findings = asyncio.run(_examine(home, settings))
    open_ways = [finding for finding in findings if not finding.held]
    if as_json:
        print_json([asdict(finding) for finding in findings])
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


@sandbox.command("shell", help=help_of("sandbox-shell"))
def shell(group: Annotated[str, typer.Argument(help=help_of("group"))] = "main") -> None:
    """A shell for a person in a group's box: the same folders, limits and walls that its agent has."""
    home = guarded_home()
    check(home)
    settings = read_settings(home)
    groups = Groups(home)
    if group not in groups.names():  # a name with dots would be another folder
        raise NotFound("no-such-group", group=word(group), known=", ".join(groups.names()))
    found = groups.get(group)
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
        box = await sandbox_of(home, settings).start(plan, _SHELL, terminal=True)
        try:
            return await box.wait()
        finally:
            await box.kill()

    raise typer.Exit(asyncio.run(run()))


async def _examine(home: Path, settings: Settings) -> list[ProbeResult]:
    plan = BoxPlan(name=f"test-{os.getpid()}", tenant="proof", limits=limits_of(settings))
    return await probes.examine(sandbox_of(home, settings), plan)
