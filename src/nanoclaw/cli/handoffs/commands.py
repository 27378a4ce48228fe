"""The commands about handoffs: what agents gave to each other, how far it is, and cancelling it."""

from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

import typer

from nanoclaw.cli import host_requests
from nanoclaw.cli.handoffs.lines import handoff_line, whole_lines
from nanoclaw.cli.options import AsJson, help_of
from nanoclaw.cli.output import as_dict, print_json, print_list
from nanoclaw.client.connection import Address
from nanoclaw.client.handoffs import HandoffClient
from nanoclaw.domain.locale import Locale
from nanoclaw.texts import say

T = TypeVar("T")

app = typer.Typer()
handoffs = typer.Typer(help=help_of("handoffs"))
app.add_typer(handoffs, name="handoffs")

Ref = Annotated[str, typer.Argument(metavar="ID", help=help_of("handoffs-id"))]
_MOST = 10_000


@handoffs.callback(invoke_without_command=True)
def list_usual(asked: typer.Context, as_json: AsJson = False) -> None:
    if asked.invoked_subcommand is None:
        _print_list(20, is_open=False, as_json=as_json)


@handoffs.command("list", help=help_of("handoffs-list"))
def list_handoffs(
    is_open: Annotated[bool, typer.Option("--open", help=help_of("handoffs-open"))] = False,
    limit: Annotated[int, typer.Option(min=1, max=_MOST, help=help_of("limit"))] = 20,
    as_json: AsJson = False,
) -> None:
    _print_list(limit, is_open=is_open, as_json=as_json)


@handoffs.command("show", help=help_of("handoffs-show"))
def show(ref: Ref, as_json: AsJson = False) -> None:
    found, locale = _through_host(lambda client: client.get(ref))
    if as_json:
        print_json(as_dict(found))
    else:
        typer.echo("\n".join(whole_lines(locale, found)))


@handoffs.command("cancel", help=help_of("handoffs-cancel"))
def cancel(ref: Ref, as_json: AsJson = False) -> None:
    ended, locale = _through_host(lambda client: client.cancel(ref))
    if as_json:
        print_json(as_dict(ended))
    else:
        typer.echo(say(locale.speaks, "handoffs-cancelled-now", skill=ended.to_skill))


def _print_list(limit: int, *, is_open: bool, as_json: bool) -> None:
    found, locale = _through_host(lambda client: client.all(limit, is_open=is_open))
    print_list(found, locale, handoff_line, "handoffs-none", as_json=as_json)


def _through_host(act: Callable[[HandoffClient], Awaitable[T]]) -> tuple[T, Locale]:
    async def ask(address: Address) -> T:
        async with HandoffClient(address) as client:
            return await act(client)

    return host_requests.through_host(ask)
