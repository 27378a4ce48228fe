"""The `nanoclaw` command: one function for each word a person can type. The work is done elsewhere."""

import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer

from nanoclaw.app.settings import home_folder, read_settings
from nanoclaw.app.workspace import local_language
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.texts import say, tell


def _language() -> str:
    """Of the workspace; of the machine where the settings cannot be read."""
    try:
        return read_settings(home_folder()).language
    except NanoClawError:
        return local_language()


_LANGUAGE = _language()


def _help(word: str) -> str:
    return say(_LANGUAGE, f"help-{word}")


def _room(name: str) -> Any:
    """Loaded when its word is typed: `nanoclaw --help` need not wait for the web server and the database."""
    return import_module(f"nanoclaw.app.{name}")


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
people = typer.Typer(help=_help("people"), no_args_is_help=True)
app.add_typer(people, name="people")
roles = typer.Typer(help=_help("roles"), no_args_is_help=True)
app.add_typer(roles, name="roles")
chats = typer.Typer(help=_help("chats"), no_args_is_help=True)
app.add_typer(chats, name="chats")
wirings = typer.Typer(help=_help("wirings"), no_args_is_help=True)
app.add_typer(wirings, name="wirings")
groups = typer.Typer(help=_help("groups"), no_args_is_help=True)
app.add_typer(groups, name="groups")
requests = typer.Typer(help=_help("requests"), no_args_is_help=True)
app.add_typer(requests, name="requests")
admission = typer.Typer(help=_help("admission"), no_args_is_help=True)
app.add_typer(admission, name="admission")

AsJson = Annotated[bool, typer.Option("--json", help=_help("json"))]
Vendor = Annotated[str, typer.Argument(help=_help("vendor"))]
Ids = Annotated[list[str] | None, typer.Argument(help=_help("ids"))]
All = Annotated[bool, typer.Option("--all", help=_help("all"))]
Person = Annotated[str, typer.Argument(help=_help("person"))]
Chat = Annotated[str, typer.Argument(help=_help("of-chat"))]
Group = Annotated[str, typer.Argument(help=_help("of-group"))]
WithinGroup = Annotated[str | None, typer.Option("--group", help=_help("within-group"))]
Limit = Annotated[int, typer.Option(min=1, max=1000, help=_help("limit"))]
# Addresses of groups are numbers below zero, which would be read as options.
_WITH_ADDRESS = {"ignore_unknown_options": True}


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
def up(no_chat: Annotated[bool, typer.Option("--no-chat", help=_help("no-chat"))] = False) -> None:
    _room("up").run(home_folder(), with_chat=not no_chat and sys.stdin.isatty())


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


@people.command("list", help=_help("people-list"))
def people_list(as_json: AsJson = False) -> None:
    _room("door_commands").list_people(home_folder(), as_json=as_json)


@people.command("block", help=_help("people-block"))
def people_block(person: Person, as_json: AsJson = False) -> None:
    _room("door_commands").block(home_folder(), person, blocked=True, as_json=as_json)


@people.command("unblock", help=_help("people-unblock"))
def people_unblock(person: Person, as_json: AsJson = False) -> None:
    _room("door_commands").block(home_folder(), person, blocked=False, as_json=as_json)


@roles.command("list", help=_help("roles-list"))
def roles_list(as_json: AsJson = False) -> None:
    _room("door_commands").list_roles(home_folder(), as_json=as_json)


@roles.command("give", help=_help("roles-give"))
def roles_give(
    person: Person,
    role: Annotated[str, typer.Argument(help=_help("role"))],
    group: WithinGroup = None,
    as_json: AsJson = False,
) -> None:
    _room("door_commands").give_role(home_folder(), person, role, group, as_json=as_json)


@roles.command("take", help=_help("roles-take"))
def roles_take(person: Person, group: WithinGroup = None, as_json: AsJson = False) -> None:
    _room("door_commands").take_role(home_folder(), person, group, as_json=as_json)


@chats.command("list", help=_help("chats-list"))
def chats_list(as_json: AsJson = False) -> None:
    _room("door_commands").list_chats(home_folder(), as_json=as_json)


@chats.command("strangers", help=_help("chats-strangers"), context_settings=_WITH_ADDRESS)
def chats_strangers(
    chat: Chat, policy: Annotated[str, typer.Argument(help=_help("policy"))], as_json: AsJson = False
) -> None:
    _room("door_commands").set_strangers(home_folder(), chat, policy, as_json=as_json)


@wirings.command("list", help=_help("wirings-list"))
def wirings_list(
    chat: Annotated[str | None, typer.Option(help=_help("of-chat"))] = None, as_json: AsJson = False
) -> None:
    _room("door_commands").list_wirings(home_folder(), chat, as_json=as_json)


@wirings.command("set", help=_help("wirings-set"), context_settings=_WITH_ADDRESS)
def wirings_set(
    chat: Chat,
    group: Group,
    engage: Annotated[str | None, typer.Option(help=_help("engage"))] = None,
    pattern: Annotated[str | None, typer.Option(help=_help("pattern"))] = None,
    senders: Annotated[str | None, typer.Option(help=_help("senders"))] = None,
    ignored: Annotated[str | None, typer.Option(help=_help("ignored"))] = None,
    priority: Annotated[int | None, typer.Option(min=-1000, max=1000, help=_help("priority"))] = None,
    as_json: AsJson = False,
) -> None:
    change = _room("door_commands").WiringChange(
        engage=engage, pattern=pattern, senders=senders, ignored=ignored, priority=priority
    )
    _room("door_commands").set_wiring(home_folder(), chat, group, change, as_json=as_json)


@wirings.command("remove", help=_help("wirings-remove"), context_settings=_WITH_ADDRESS)
def wirings_remove(chat: Chat, group: Group, as_json: AsJson = False) -> None:
    _room("door_commands").remove_wiring(home_folder(), chat, group, as_json=as_json)


@groups.command("list", help=_help("groups-list"))
def groups_list(as_json: AsJson = False) -> None:
    _room("door_commands").list_groups(home_folder(), as_json=as_json)


@groups.command("add", help=_help("groups-add"))
def groups_add(
    name: Annotated[str, typer.Argument(help=_help("group-name"))],
    company: Annotated[str | None, typer.Option(help=_help("company"))] = None,
    as_json: AsJson = False,
) -> None:
    _room("door_commands").add_group(home_folder(), name, company, as_json=as_json)


@requests.command("list", help=_help("requests-list"))
def requests_list(as_json: AsJson = False) -> None:
    _room("door_cases").list_requests(home_folder(), as_json=as_json)


@requests.command("decide", help=_help("requests-decide"))
def requests_decide(
    request: Annotated[str, typer.Argument(metavar="ID", help=_help("request"))],
    choice: Annotated[str, typer.Argument(help=_help("choice"))],
    as_json: AsJson = False,
) -> None:
    _room("door_cases").decide(home_folder(), request, choice, as_json=as_json)


@app.command(help=_help("drops"))
def drops(limit: Limit = 30, as_json: AsJson = False) -> None:
    _room("door_cases").list_drops(home_folder(), limit, as_json=as_json)


@app.command(help=_help("audit"))
def audit(limit: Limit = 30, as_json: AsJson = False) -> None:
    _room("door_cases").list_audit(home_folder(), limit, as_json=as_json)


@admission.command("explain", help=_help("explain"))
def admission_explain(
    chat: Annotated[str, typer.Option(help=_help("explain-chat"))],
    person: Annotated[str, typer.Option("--from", help=_help("explain-from"))],
    text: Annotated[str, typer.Option(help=_help("explain-text"))],
    mention: Annotated[bool | None, typer.Option("--mention/--no-mention", help=_help("mention"))] = None,
    thread: Annotated[str | None, typer.Option(help=_help("thread"))] = None,
    as_json: AsJson = False,
) -> None:
    _room("door_cases").explain(
        home_folder(),
        chat=chat,
        person=person,
        text=text,
        addressed=mention,
        thread=thread,
        as_json=as_json,
    )


def main() -> None:
    try:
        app()
    except NanoClawError as error:
        typer.echo(tell(_LANGUAGE, error), err=True)
        sys.exit(1)
