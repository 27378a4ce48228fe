"""`nanoclaw sync`: meet the git remote now, and say what came and what went; or show its state."""

from collections.abc import Awaitable, Callable, Iterator
from datetime import datetime
from typing import Annotated, TypeVar

import typer

from nanoclaw.cli import host_requests
from nanoclaw.cli.options import AsJson, help_of
from nanoclaw.cli.output import as_dict, print_json
from nanoclaw.client.connection import Address
from nanoclaw.client.sync import SyncClient
from nanoclaw.console.sync_shapes import SyncState
from nanoclaw.domain.locale import Locale
from nanoclaw.flows.syncing.words import done_lines
from nanoclaw.flows.tasks.task_text import moment
from nanoclaw.texts import say

T = TypeVar("T")

app = typer.Typer()


@app.callback()
def words() -> None:
    """Present so that the single command keeps its name."""


@app.command("sync", help=help_of("sync"))
def sync(
    status: Annotated[bool, typer.Option("--status", help=help_of("sync-status"))] = False,
    as_json: AsJson = False,
) -> None:
    if not status:
        done, locale = _through_host(lambda client: client.now())
        if as_json:
            print_json(as_dict(done))
        else:
            typer.echo("\n".join(done_lines(locale.speaks, done)))
        return
    state, locale = _through_host(lambda client: client.state())
    if as_json:
        print_json(as_dict(state))
    else:
        typer.echo("\n".join(_state_lines(locale, state)))
    if state.trouble:
        raise typer.Exit(1)


def _state_lines(locale: Locale, state: SyncState) -> Iterator[str]:
    language = locale.speaks

    def at(when: datetime) -> str:
        return moment(when, locale)

    if state.remote is None:
        yield say(language, "error-sync-off")
    elif state.at is None:
        yield say(language, "sync-never", remote=state.remote)
    else:
        yield say(language, "sync-last", remote=state.remote, at=at(state.at))
    if state.what and state.changed_at:
        yield say(language, "sync-changed", at=at(state.changed_at))
        yield from done_lines(language, state.what)
    if state.trouble and state.since:
        yield say(language, "sync-trouble", at=at(state.since), reason=state.trouble)
    if state.due_at:
        yield say(language, "sync-due", at=at(state.due_at))


def _through_host(act: Callable[[SyncClient], Awaitable[T]]) -> tuple[T, Locale]:
    async def ask(address: Address) -> T:
        async with SyncClient(address) as client:
            return await act(client)

    return host_requests.through_host(ask)
