"""The words of the command line about who may speak, and to whom. The work is done elsewhere."""

from typing import Annotated

import typer

from nanoclaw.cli.words import AsJson
from nanoclaw.cli.words import help_of as _help
from nanoclaw.cli.words import room as _room
from nanoclaw.host.settings import home_folder

people = typer.Typer(help=_help("people"), no_args_is_help=True)
roles = typer.Typer(help=_help("roles"), no_args_is_help=True)
chats = typer.Typer(help=_help("chats"), no_args_is_help=True)
wirings = typer.Typer(help=_help("wirings"), no_args_is_help=True)
groups = typer.Typer(help=_help("groups"), no_args_is_help=True)
requests = typer.Typer(help=_help("requests"), no_args_is_help=True)
admission = typer.Typer(help=_help("admission"), no_args_is_help=True)
audit = typer.Typer(help=_help("audit"))

Person = Annotated[str, typer.Argument(help=_help("person"))]
Chat = Annotated[str, typer.Argument(help=_help("of-chat"))]
Group = Annotated[str, typer.Argument(help=_help("of-group"))]
WithinGroup = Annotated[str | None, typer.Option("--group", help=_help("within-group"))]
Limit = Annotated[int, typer.Option(min=1, max=1000, help=_help("limit"))]
# Addresses of groups are numbers below zero, which would be read as options.
_WITH_ADDRESS = {"ignore_unknown_options": True}


def add_to(app: typer.Typer) -> None:
    for name, words in {
        "people": people,
        "roles": roles,
        "chats": chats,
        "wirings": wirings,
        "groups": groups,
        "requests": requests,
        "admission": admission,
        "audit": audit,
    }.items():
        app.add_typer(words, name=name)
    app.command("drops", help=_help("drops"))(drops)


@people.command("list", help=_help("people-list"))
def people_list(as_json: AsJson = False) -> None:
    _room("people.commands").list_people(home_folder(), as_json=as_json)


@people.command("block", help=_help("people-block"))
def people_block(person: Person, as_json: AsJson = False) -> None:
    _room("people.commands").block(home_folder(), person, blocked=True, as_json=as_json)


@people.command("unblock", help=_help("people-unblock"))
def people_unblock(person: Person, as_json: AsJson = False) -> None:
    _room("people.commands").block(home_folder(), person, blocked=False, as_json=as_json)


@roles.command("list", help=_help("roles-list"))
def roles_list(as_json: AsJson = False) -> None:
    _room("people.commands").list_roles(home_folder(), as_json=as_json)


@roles.command("give", help=_help("roles-give"))
def roles_give(
    person: Person,
    role: Annotated[str, typer.Argument(help=_help("role"))],
    group: WithinGroup = None,
    as_json: AsJson = False,
) -> None:
    _room("people.commands").give_role(home_folder(), person, role, group, as_json=as_json)


@roles.command("take", help=_help("roles-take"))
def roles_take(person: Person, group: WithinGroup = None, as_json: AsJson = False) -> None:
    _room("people.commands").take_role(home_folder(), person, group, as_json=as_json)


@chats.command("list", help=_help("chats-list"))
def chats_list(as_json: AsJson = False) -> None:
    _room("people.commands").list_chats(home_folder(), as_json=as_json)


@chats.command("strangers", help=_help("chats-strangers"), context_settings=_WITH_ADDRESS)
def chats_strangers(
    chat: Chat, policy: Annotated[str, typer.Argument(help=_help("policy"))], as_json: AsJson = False
) -> None:
    _room("people.commands").set_strangers(home_folder(), chat, policy, as_json=as_json)


@wirings.command("list", help=_help("wirings-list"))
def wirings_list(
    chat: Annotated[str | None, typer.Option(help=_help("of-chat"))] = None, as_json: AsJson = False
) -> None:
    _room("people.commands").list_wirings(home_folder(), chat, as_json=as_json)


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
    change = _room("people.commands").WiringChange(
        engage=engage, pattern=pattern, senders=senders, ignored=ignored, priority=priority
    )
    _room("people.commands").set_wiring(home_folder(), chat, group, change, as_json=as_json)


@wirings.command("remove", help=_help("wirings-remove"), context_settings=_WITH_ADDRESS)
def wirings_remove(chat: Chat, group: Group, as_json: AsJson = False) -> None:
    _room("people.commands").remove_wiring(home_folder(), chat, group, as_json=as_json)


@groups.command("list", help=_help("groups-list"))
def groups_list(as_json: AsJson = False) -> None:
    _room("people.commands").list_groups(home_folder(), as_json=as_json)


@groups.command("add", help=_help("groups-add"))
def groups_add(
    name: Annotated[str, typer.Argument(help=_help("group-name"))],
    company: Annotated[str | None, typer.Option(help=_help("company"))] = None,
    as_json: AsJson = False,
) -> None:
    _room("people.commands").add_group(home_folder(), name, company, as_json=as_json)


@requests.command("list", help=_help("requests-list"))
def requests_list(as_json: AsJson = False) -> None:
    _room("people.cases").list_requests(home_folder(), as_json=as_json)


@requests.command("decide", help=_help("requests-decide"))
def requests_decide(
    request: Annotated[str, typer.Argument(metavar="ID", help=_help("request"))],
    choice: Annotated[str, typer.Argument(help=_help("choice"))],
    as_json: AsJson = False,
) -> None:
    _room("people.cases").decide(home_folder(), request, choice, as_json=as_json)


def drops(limit: Limit = 30, as_json: AsJson = False) -> None:
    _room("people.cases").list_drops(home_folder(), limit, as_json=as_json)


@audit.callback(invoke_without_command=True)
def audit_list(asked: typer.Context, limit: Limit = 30, as_json: AsJson = False) -> None:
    if asked.invoked_subcommand is None:
        _room("people.cases").list_audit(home_folder(), limit, as_json=as_json)


@audit.command("verify", help=_help("audit-verify"))
def audit_verify(asked: typer.Context, as_json: AsJson = False) -> None:
    before = asked.parent is not None and asked.parent.params["as_json"]  # `audit --json verify`
    _room("audit_check").check(home_folder(), as_json=as_json or before)


@admission.command("explain", help=_help("explain"))
def admission_explain(
    chat: Annotated[str, typer.Option(help=_help("explain-chat"))],
    person: Annotated[str, typer.Option("--from", help=_help("explain-from"))],
    text: Annotated[str, typer.Option(help=_help("explain-text"))],
    mention: Annotated[bool | None, typer.Option("--mention/--no-mention", help=_help("mention"))] = None,
    thread: Annotated[str | None, typer.Option(help=_help("thread"))] = None,
    as_json: AsJson = False,
) -> None:
    _room("people.cases").explain(
        home_folder(),
        chat=chat,
        person=person,
        text=text,
        addressed=mention,
        thread=thread,
        as_json=as_json,
    )
