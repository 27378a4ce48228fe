"""The commands for MCP servers: add one, remove it, list them, try one."""

import asyncio
import sys
import time
from collections.abc import Sequence
from getpass import getpass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import structlog
import typer

from nanoclaw.cli.options import AsJson, guarded_home, help_of
from nanoclaw.cli.output import print_json
from nanoclaw.cli.plain_lines import one_line
from nanoclaw.domain.boxes import BoxPlan, Sandbox
from nanoclaw.domain.errors import BoxRefused, MissingExtra, Refused
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.money import Spender
from nanoclaw.domain.steps import ToolOffer
from nanoclaw.durable.connections import Connection
from nanoclaw.gateway import server_list
from nanoclaw.gateway.proxy import Proxy
from nanoclaw.gateway.server_list import Server
from nanoclaw.gateway.servers import McpServers, Silent
from nanoclaw.host import agents, extras, logs, workspace_origin
from nanoclaw.host.host_lock import workspace_id
from nanoclaw.host.server_boxes import ServerBoxes, folder_of, shown_folder
from nanoclaw.host.settings import Settings, read_settings
from nanoclaw.sandbox import drivers, probes
from nanoclaw.sandbox.users import BoxUsers
from nanoclaw.texts import say

log = structlog.get_logger("servers")
app = typer.Typer()
mcp = typer.Typer(help=help_of("mcp"), no_args_is_help=True)
app.add_typer(mcp, name="mcp")

Name = Annotated[str, typer.Argument(help=help_of("mcp-name"))]

EXTRA = "native"  # brings the package `mcp`
_LONGEST_LINE = 100


@mcp.command("add", help=help_of("mcp-add"))
def add(
    name: Name,
    command: Annotated[list[str] | None, typer.Argument(help=help_of("mcp-command"))] = None,
    url: Annotated[str | None, typer.Option(help=help_of("mcp-url"))] = None,
    header: Annotated[list[str] | None, typer.Option(help=help_of("mcp-header"))] = None,
    env: Annotated[list[str] | None, typer.Option(help=help_of("mcp-env"))] = None,
    network: Annotated[list[str] | None, typer.Option(help=help_of("mcp-network"))] = None,
    folder: Annotated[list[str] | None, typer.Option(help=help_of("mcp-folder"))] = None,
) -> None:
    """`NAME=value` is taken as written; `NAME` alone is prompted for, so that no key ends up in a shell's history."""
    home = guarded_home()
    language = read_settings(home).language
    about: dict[str, object] = {"command": command or [], "network": network or [], "folders": folder or []}
    shown = server_list.describe(name, about | ({"url": url} if url else {}))  # refuse before asking for keys
    if name in server_list.read(home):
        raise server_list.exists(name)
    for each in shown.folders:
        shown_folder(home, each)
    secrets = {
        "headers": _values(language, name, header or [], "mcp-ask-header"),
        "env": _values(language, name, env or [], "mcp-ask-env"),
    }
    server_list.add(home, server_list.describe(name, shown.model_dump(exclude={"name"}) | secrets))
    workspace_origin.mark(home)  # it may be the first file there
    typer.echo(say(language, "mcp-added", server=name))


@mcp.command("remove", help=help_of("mcp-remove"))
def remove(name: Name) -> None:
    home = guarded_home()
    language = read_settings(home).language
    server_list.remove(home, name)
    typer.echo(say(language, "mcp-removed", server=name))
    if (folder := folder_of(home, name)).exists():
        typer.echo(say(language, "mcp-files-stay", folder=str(folder)))


@mcp.command("list", help=help_of("mcp-list"))
def list_servers(as_json: AsJson = False) -> None:
    """With the names of headers and variables, never their values."""
    home = guarded_home()
    servers = server_list.read(home).values()
    if as_json:
        print_json([_shown(server) for server in servers])
    elif not servers:
        typer.echo(say(read_settings(home).language, "mcp-none"))
    for server in () if as_json else servers:
        details = {
            "header": server.headers,
            "env": server.env,
            "network": server.network,
            "folder": server.folders,
        }
        where = " ".join(server.command) or server.where
        options = [f"--{option} {value}" for option, values in details.items() for value in values]
        typer.echo("  ".join([server.name, where, *options]))


@mcp.command("test", help=help_of("mcp-test"))
def try_server(name: Name, as_json: AsJson = False) -> None:
    """Connects for real, a local one in a real box, and shows its tools."""
    home = guarded_home()
    settings = read_settings(home)
    known = server_list.read(home)
    if name not in known:
        raise server_list.unknown(name, known)
    if find_spec("mcp") is None:
        extras.install(MissingExtra("missing-extra", extra=EXTRA), settings.language)
    # Where it connects to goes to stderr: stdout is for the list of tools, which a program may read.
    logs.write_to_terminal("info")
    offers, left_out, seconds = asyncio.run(_try(home, settings, known[name]))
    if as_json:
        tools = [{"name": offer.name, "description": offer.description} for offer in offers]
        found = {
            "server": name,
            "milliseconds": round(seconds * 1000),
            "tools": tools,
            "left_out": left_out,
        }
        print_json(found)
        return
    typer.echo(
        say(settings.language, "mcp-answers", server=name, count=len(offers), seconds=f"{seconds:.1f}")
    )
    for offer in offers:
        first = offer.description.strip().partition("\n")[0]
        typer.echo(f"  {offer.name}  {one_line(first)}"[:_LONGEST_LINE])
    if left_out:
        typer.echo(say(settings.language, "mcp-left-out", count=left_out))


async def _try(home: Path, settings: Settings, server: Server) -> tuple[list[ToolOffer], int, float]:
    import_module("nanoclaw.gateway.server_talk")  # loading time is not the server's time
    users = BoxUsers(home / "data" / "box-users.json")
    sandbox = await _sandbox(home, settings, users) if server.local else None

    async def proved() -> Sandbox:
        if sandbox is None:
            raise BoxRefused("box-unmade", said=server.name)
        return sandbox

    proxy = Proxy(_told)
    boxes = ServerBoxes(
        home=home,
        sandbox=proved,
        users=users,
        proxy=proxy,
        limits=agents.limits_of(settings),
        private_hosts=frozenset(settings.boxes.private_hosts),
    )
    servers = McpServers(lambda: {server.name: server}, boxes.start)
    try:
        began = time.monotonic()
        offers = await servers.tools(server.name)
        return offers, servers.left_out(server.name), time.monotonic() - began
    except Silent as silent:
        raise Refused("mcp-silent", server=server.name, said=str(silent)) from silent
    finally:
        await servers.close()
        await proxy.close()


async def _sandbox(home: Path, settings: Settings, users: BoxUsers) -> Sandbox:
    """The sandbox, proved as the host does it. Nothing is swept: a host may be running, and its boxes are not
    ours.
    """
    sandbox = drivers.choose(
        settings.boxes.driver,
        users=users,
        workspace=workspace_id(home),
        folder=home / "data" / "boxes",
        image=settings.boxes.image or None,
    )
    if sandbox.name != "process":
        await probes.prove(sandbox, BoxPlan(name=new_id("proof"), tenant="proof"))
    return sandbox


def _told(spender: Spender, connection: Connection) -> None:
    log.info("connection", server=spender.group, host=connection.host, verdict=connection.verdict)


def _values(language: str, server: str, written: Sequence[str], question: str) -> dict[str, str]:
    given = (word.partition("=") for word in written)
    return {
        name.strip(): value if cut else _ask(say(language, question, server=server, name=name))
        for name, cut, value in given
    }


def _ask(question: str) -> str:
    """Prompt without echo; from a pipe, one line each."""
    return (getpass(question) if sys.stdin.isatty() else sys.stdin.readline()).strip()


def _shown(server: Server) -> dict[str, object]:
    return {
        "name": server.name,
        "kind": "local" if server.local else "remote",
        "where": server.where,
        "command": list(server.command),
        "headers": sorted(server.headers),
        "env": sorted(server.env),
        "network": list(server.network),
        "folders": list(server.folders),
    }
