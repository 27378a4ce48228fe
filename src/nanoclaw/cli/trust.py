"""`nanoclaw trust`: what a brought workspace sends to whom and which programs it starts, and a person's yes to it."""

import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from nanoclaw.cli.options import AsJson, guarded_home, help_of, language_of
from nanoclaw.cli.output import print_json
from nanoclaw.domain.errors import BadWorkspace, Refused
from nanoclaw.host import outgoing, workspace_origin
from nanoclaw.host.outgoing import Destination
from nanoclaw.texts import say

app = typer.Typer()

_YES = ("y", "yes", "т", "так")


@app.command("trust", help=help_of("trust"))
def trust(
    accept: Annotated[str, typer.Option("--accept", metavar="DIGEST", help=help_of("trust-accept"))] = "",
    as_json: AsJson = False,
) -> None:
    home = guarded_home(brought=True)
    language = language_of(home)
    brought = workspace_origin.is_brought(home)
    found = outgoing.of_brought(home)
    if as_json:
        listed = [{"kind": each.kind, "name": each.name, "target": each.target} for each in found]
        print_json({"brought": brought, "digest": outgoing.digest(found), "destinations": listed})
    if not brought:
        typer.echo(say(language, "trust-ours"), err=as_json)
        return
    if accept or not as_json:
        if not is_accepted(language, found, accept):
            raise Refused("trust-refused")
        take_over(home)
        typer.echo(say(language, "trust-done"), err=as_json)


def expect_accepted(home: Path) -> None:
    """A brought workspace that sends nowhere and starts nothing needs no yes."""
    if outgoing.of_brought(home):
        raise BadWorkspace("workspace-brought", home=str(home))
    take_over(home)


def is_accepted(language: str, found: Sequence[Destination], accept: str) -> bool:
    """Whether a person said yes to exactly this list: here, or by its digest."""
    digest = outgoing.digest(found)
    if accept == digest:
        return True
    lines = [
        say(language, f"outgoing-{each.kind}", name=each.name, target=each.target or "-") for each in found
    ]
    typer.echo(say(language, "outgoing-new", count=len(lines)), err=True)
    for line in lines:
        typer.echo(f"  {line}", err=True)
    if accept or not sys.stdin.isatty():
        raise Refused("outgoing-needs-accept", digest=digest)
    typer.echo(f"{say(language, 'outgoing-sure')} ", nl=False, err=True)
    return sys.stdin.readline().strip().lower() in _YES


def take_over(home: Path) -> None:
    """From now on it is ours. Its token for the page is made anew: whoever brought it knows the old one."""
    for database in outgoing.databases_of(home):
        address = f"file:{quote(str(database))}?mode=ro"
        with suppress(sqlite3.Error), closing(sqlite3.connect(address, uri=True)) as opened:
            if opened.execute(outgoing.PROGRAMS).fetchone() is not None:
                raise BadWorkspace("workspace-database-program", file=str(database))
    with suppress(OSError):
        (home / "data" / "web-token").unlink(missing_ok=True)
    workspace_origin.mark(home)
