"""The `nanoclaw` command: one function for each word a person can type. The work is done elsewhere."""

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from nanoclaw.cli.backup import words as backup_words
from nanoclaw.cli.inbox import words as inbox_words
from nanoclaw.cli.people import words as door_words
from nanoclaw.cli.tasks import words as task_words
from nanoclaw.cli.words import LANGUAGE, AsJson
from nanoclaw.cli.words import help_of as _help
from nanoclaw.cli.words import room as _room
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.host.masking import masked
from nanoclaw.host.safe_errors import traced
from nanoclaw.host.settings import home_folder
from nanoclaw.texts import tell

app = typer.Typer(
    name="nanoclaw",
    help=_help("app"),
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
failed = typer.Typer(help=_help("failed"), no_args_is_help=True)
app.add_typer(failed, name="failed")
key = typer.Typer(help=_help("key"), no_args_is_help=True)
app.add_typer(key, name="key")
sandbox = typer.Typer(help=_help("sandbox"), no_args_is_help=True)
app.add_typer(sandbox, name="sandbox")
telegram = typer.Typer(help=_help("telegram"), no_args_is_help=True)
app.add_typer(telegram, name="telegram")
adaptors = typer.Typer(help=_help("adaptors"), no_args_is_help=True)
app.add_typer(adaptors, name="adaptors")
mcp = typer.Typer(help=_help("mcp"), no_args_is_help=True)
app.add_typer(mcp, name="mcp")

Vendor = Annotated[str, typer.Argument(help=_help("vendor"))]
Ids = Annotated[list[str] | None, typer.Argument(help=_help("ids"))]
All = Annotated[bool, typer.Option("--all", help=_help("all"))]


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(version("nanoclaw-os"))
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool, typer.Option("--version", help=_help("version"), callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    pass


@app.command(help=_help("up"))
def up(
    no_chat: Annotated[bool, typer.Option("--no-chat", help=_help("no-chat"))] = False,
    new_database: Annotated[bool, typer.Option("--new-database", help=_help("new-database"))] = False,
) -> None:
    with_chat = not no_chat and sys.stdin.isatty()
    _room("up").run(home_folder(), with_chat=with_chat, new_database=new_database)


@app.command(help=_help("chat"))
def chat(
    message: Annotated[str | None, typer.Option("--message", "-m", help=_help("message"))] = None,
    room: Annotated[str | None, typer.Option(help=_help("room"))] = None,
    timeout: Annotated[float, typer.Option(min=1, help=_help("timeout"))] = 300,
    as_json: AsJson = False,
) -> None:
    if message is None:
        _room("chat").run(home_folder(), room=room)
    else:
        _room("up").say_once(home_folder(), message, room=room, timeout=timeout, as_json=as_json)


@app.command(help=_help("init"))
def init() -> None:
    _room("up").make_workspace(home_folder())


@app.command(help=_help("status"))
def status(as_json: AsJson = False) -> None:
    _room("report").status(home_folder(), as_json=as_json)


@app.command(help=_help("why"))
def why(
    message: Annotated[str | None, typer.Argument(help=_help("id"))] = None, as_json: AsJson = False
) -> None:
    _room("report").why(home_folder(), message, as_json=as_json)


@app.command(help=_help("doctor"))
def doctor(as_json: AsJson = False) -> None:
    _room("doctor").run(home_folder(), as_json=as_json)


@failed.command("list", help=_help("failed-list"))
def failed_list(as_json: AsJson = False) -> None:
    _room("report").failed(home_folder(), as_json=as_json)


@failed.command("drafts", help=_help("failed-drafts"))
def failed_drafts(as_json: AsJson = False) -> None:
    _room("report").drafts(home_folder(), as_json=as_json)


@failed.command("retry", help=_help("failed-retry"))
def failed_retry(ids: Ids = None, everything: All = False) -> None:
    _room("report").retry(home_folder(), ids or [], everything=everything)


@failed.command("drop", help=_help("failed-drop"))
def failed_drop(ids: Ids = None, everything: All = False) -> None:
    _room("report").drop(home_folder(), ids or [], everything=everything)


@key.command("set", help=_help("key-set"))
def key_set(vendor: Vendor = "anthropic") -> None:
    _room("keys").set_key(home_folder(), vendor)


@key.command("list", help=_help("key-list"))
def key_list(as_json: AsJson = False) -> None:
    _room("keys").list_keys(home_folder(), as_json=as_json)


@key.command("drop", help=_help("key-drop"))
def key_drop(vendor: Vendor = "anthropic") -> None:
    _room("keys").drop_key(home_folder(), vendor)


@sandbox.command("test", help=_help("sandbox-test"))
def sandbox_test(as_json: AsJson = False) -> None:
    _room("boxes").test(home_folder(), as_json=as_json)


@sandbox.command("shell", help=_help("sandbox-shell"))
def sandbox_shell(group: Annotated[str, typer.Argument(help=_help("group"))] = "main") -> None:
    _room("boxes").shell(home_folder(), group)


@mcp.command("add", help=_help("mcp-add"))
def mcp_add(
    name: Annotated[str, typer.Argument(help=_help("mcp-name"))],
    command: Annotated[list[str] | None, typer.Argument(help=_help("mcp-command"))] = None,
    url: Annotated[str | None, typer.Option(help=_help("mcp-url"))] = None,
    header: Annotated[list[str] | None, typer.Option(help=_help("mcp-header"))] = None,
    env: Annotated[list[str] | None, typer.Option(help=_help("mcp-env"))] = None,
    network: Annotated[list[str] | None, typer.Option(help=_help("mcp-network"))] = None,
    folder: Annotated[list[str] | None, typer.Option(help=_help("mcp-folder"))] = None,
) -> None:
    _room("mcp").add(
        home_folder(),
        name,
        url=url,
        headers=header or [],
        command=command or [],
        env=env or [],
        network=network or [],
        folders=folder or [],
    )


@mcp.command("remove", help=_help("mcp-remove"))
def mcp_remove(name: Annotated[str, typer.Argument(help=_help("mcp-name"))]) -> None:
    _room("mcp").remove(home_folder(), name)


@mcp.command("list", help=_help("mcp-list"))
def mcp_list(as_json: AsJson = False) -> None:
    _room("mcp").list_servers(home_folder(), as_json=as_json)


@mcp.command("test", help=_help("mcp-test"))
def mcp_test(name: Annotated[str, typer.Argument(help=_help("mcp-name"))], as_json: AsJson = False) -> None:
    _room("mcp").test(home_folder(), name, as_json=as_json)


@telegram.command("connect", help=_help("telegram-connect"))
def telegram_connect(
    token: Annotated[str | None, typer.Argument(help=_help("telegram-token"))] = None,
) -> None:
    _room("telegram").connect(home_folder(), token)


@telegram.command("list", help=_help("telegram-list"))
def telegram_list(as_json: AsJson = False) -> None:
    _room("telegram").list_bots(home_folder(), as_json=as_json)


@telegram.command("disconnect", help=_help("telegram-disconnect"))
def telegram_disconnect(bot: Annotated[str, typer.Argument(help=_help("telegram-bot"))]) -> None:
    _room("telegram").disconnect(home_folder(), bot)


@telegram.command("aside", help=_help("telegram-aside"))
def telegram_aside(as_json: AsJson = False) -> None:
    _room("telegram").list_aside(home_folder(), as_json=as_json)


@app.command(help=_help("pair"))
def pair() -> None:
    _room("telegram").pair(home_folder())


@adaptors.command("list", help=_help("adaptors-list"))
def adaptors_list(as_json: AsJson = False) -> None:
    _room("adaptors").list_adaptors(home_folder(), as_json=as_json)


@adaptors.command("check", help=_help("adaptors-check"))
def adaptors_check(
    file: Annotated[Path, typer.Argument(help=_help("adaptors-file"))],
    target: Annotated[str | None, typer.Option(help=_help("adaptors-target"))] = None,
    as_json: AsJson = False,
) -> None:
    _room("adaptors").check(home_folder(), file, target=target, as_json=as_json)


@app.command(help=_help("connections"))
def connections(as_json: AsJson = False) -> None:
    _room("outgoings").connections(home_folder(), as_json=as_json)


@app.command(help=_help("costs"))
def costs(as_json: AsJson = False) -> None:
    _room("outgoings").costs(home_folder(), as_json=as_json)


door_words.add_to(app)
inbox_words.add_to(app)
task_words.add_to(app)
backup_words.add_to(app)


def main() -> None:
    try:
        app()
    except NanoClawError as error:
        typer.echo(tell(LANGUAGE, error), err=True)
        sys.exit(1)
    except Exception as error:  # noqa: BLE001 - a fault of ours: told as a log tells it, since it may go into one
        typer.echo(masked(traced(error)), err=True)
        sys.exit(1)
