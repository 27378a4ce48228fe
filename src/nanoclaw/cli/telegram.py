"""`nanoclaw telegram ...` and `nanoclaw pair`: through the running host, or for the next one that starts."""

import asyncio
import sys
from contextlib import suppress
from getpass import getpass
from pathlib import Path
from typing import Annotated, Any

import typer

from nanoclaw.channels.telegram.names import bot_id_of
from nanoclaw.cli.database import settings_of, with_store
from nanoclaw.cli.init import prepare
from nanoclaw.cli.options import AsJson, guarded_home, help_of
from nanoclaw.cli.output import print_json, print_table
from nanoclaw.client.connection import Address, Client, as_part
from nanoclaw.console.bot_shapes import Pairing
from nanoclaw.domain.errors import BadSettings
from nanoclaw.durable import schema
from nanoclaw.durable.set_aside import kept
from nanoclaw.host import bots, host_lock
from nanoclaw.host.database import open_database, remember
from nanoclaw.host.settings import Settings
from nanoclaw.texts import say

app = typer.Typer()
telegram = typer.Typer(help=help_of("telegram"), no_args_is_help=True)
app.add_typer(telegram, name="telegram")

_MOST_ASIDE = 100


@telegram.command("connect", help=help_of("telegram-connect"))
def connect(token: Annotated[str | None, typer.Argument(help=help_of("telegram-token"))] = None) -> None:
    """The token may be omitted: on a command line others could read it while the command runs."""
    home = guarded_home()
    settings, _ = prepare(home)
    language = settings.language
    if token is None:
        written = getpass(say(language, "telegram-ask")) if sys.stdin.isatty() else sys.stdin.readline()
    else:
        written = token
    bot_id_of(written.strip())  # before anyone is asked
    username, pairing, is_running = asyncio.run(_connect(home, settings, written.strip()))
    typer.echo(say(language, "telegram-connected", bot=username))
    _tell_pairing(language, pairing, username)
    if not is_running:
        typer.echo(say(language, "telegram-not-running"))


@telegram.command("list", help=help_of("telegram-list"))
def list_bots(as_json: AsJson = False) -> None:
    home = guarded_home()
    settings = settings_of(home)
    if host_lock.find(home):
        found = asyncio.run(_ask(home, "GET", "/api/bots"))["bots"]
    else:
        found = [{"id": bot_id, "username": "", "trouble": None} for bot_id in bots.tokens_of(home, settings)]
    if as_json:
        print_json(found)
        return
    if not found:
        typer.echo(say(settings.language, "telegram-none"))
        return
    works = say(settings.language, "telegram-works" if host_lock.find(home) else "status-stopped")
    rows = [(bot["id"], bot["username"] and f"@{bot['username']}", bot["trouble"] or works) for bot in found]
    print_table([say(settings.language, f"telegram-{name}") for name in ("id", "name", "state")], rows)


@telegram.command("disconnect", help=help_of("telegram-disconnect"))
def disconnect(bot: Annotated[str, typer.Argument(help=help_of("telegram-bot"))]) -> None:
    home = guarded_home()
    settings = settings_of(home)
    bot_id = _id_of(home, settings, bot)
    if host_lock.find(home):
        asyncio.run(_ask(home, "DELETE", f"/api/bots/{as_part(bot_id)}"))
    else:
        bots.drop_token(home, settings, bot_id)
    typer.echo(say(settings.language, "telegram-disconnected", bot=bot))


@app.command(help=help_of("pair"))
def pair() -> None:
    """Issue a new code; earlier codes become invalid."""
    home = guarded_home()
    settings, _ = prepare(home)
    pairing, username = asyncio.run(_pair(home, settings))
    _tell_pairing(settings.language, pairing, username)


@telegram.command("aside", help=help_of("telegram-aside"))
def list_aside(as_json: AsJson = False) -> None:
    """List updates that could not be taken in."""
    home = guarded_home()
    settings = settings_of(home)
    found = with_store(home, settings, lambda tx: kept(tx, _MOST_ASIDE))
    if as_json:
        shown = [
            {
                "channel": each.channel,
                "update_id": each.update_id,
                "at": each.at.isoformat(),
                "error": each.error,
                "body": each.body,
            }
            for each in found
        ]
        print_json(shown)
        return
    if not found:
        typer.echo(say(settings.language, "telegram-aside-none"))
        return
    zone = settings.locale.zone
    rows = [
        (f"{each.at.astimezone(zone):%Y-%m-%d %H:%M:%S}", each.channel, each.update_id, each.error)
        for each in found
    ]
    names = ("at", "channel", "update", "error")
    print_table([say(settings.language, f"telegram-{name}") for name in names], rows)


async def _connect(home: Path, settings: Settings, token: str) -> tuple[str, Pairing, bool]:
    if host_lock.find(home):
        connected = await _ask(home, "POST", "/api/bots", {"token": token})
        pairing = await _ask(home, "POST", "/api/pairing")
        return str(connected["username"]), Pairing(**pairing), True
    seen = await bots.look_up(token, settings.telegram.api_base)
    bots.keep_token(home, token)
    return seen.username or bot_id_of(token), await _issue(home, settings), False


async def _pair(home: Path, settings: Settings) -> tuple[Pairing, str]:
    if not host_lock.find(home):
        return await _issue(home, settings), ""
    found = (await _ask(home, "GET", "/api/bots"))["bots"]
    username = str(found[0]["username"]) if len(found) == 1 else ""
    return Pairing(**await _ask(home, "POST", "/api/pairing")), username


async def _issue(home: Path, settings: Settings) -> Pairing:
    store = open_database(home, settings)
    try:
        schema.upgrade(store)
        remember(home, settings)
        return await bots.issue_code(store)
    finally:
        store.close()


async def _ask(home: Path, method: str, path: str, body: object = None) -> Any:
    async with Client(Address.of(home)) as client:
        return await client.ask(method, path, body)


def _id_of(home: Path, settings: Settings, bot: str) -> str:
    """The bot's id by its number, or by its name if a host can tell."""
    if host_lock.find(home):
        found = asyncio.run(_ask(home, "GET", "/api/bots"))["bots"]
        return next((str(each["id"]) for each in found if each["username"] == bot.removeprefix("@")), bot)
    for bot_id, token in bots.tokens_of(home, settings).items():
        with suppress(BadSettings):  # one that Telegram does not know has no name
            seen = asyncio.run(bots.look_up(token, settings.telegram.api_base))
            if seen.username == bot.removeprefix("@"):
                return bot_id
    return bot


def _tell_pairing(language: str, pairing: Pairing, username: str) -> None:
    typer.echo(say(language, "pair-code", code=pairing.code, minutes=pairing.minutes))
    if username:
        typer.echo(say(language, "pair-link", link=f"https://t.me/{username}?start={pairing.code}"))
