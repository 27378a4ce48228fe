"""`nanoclaw transfer export`: packs a conversation, shows what would leave and what was removed, and releases it."""

import asyncio
import io
import sys
import zipfile
from pathlib import Path
from typing import Annotated, Any

import typer

from nanoclaw.cli.options import AsJson, help_of
from nanoclaw.cli.output import as_dict, print_json
from nanoclaw.cli.people.access import word, word_or_none
from nanoclaw.cli.plain_lines import one_line
from nanoclaw.cli.transfers.host_requests import TO_GO_ON, tell_lost, through_host
from nanoclaw.cli.transfers.lines import package_lines, standing, title
from nanoclaw.client.transfers import TransferClient
from nanoclaw.console.transfer_shapes import Transfer
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.transfers import FOLDER, Target
from nanoclaw.texts import say

_YES = ("y", "yes", "т", "так")
_ZIP = ".zip"
LEFT_OPEN = 3
"""The exit code if nothing was decided."""


def export(
    session: Annotated[str | None, typer.Option(help=help_of("transfer-session"))] = None,
    group: Annotated[str | None, typer.Option(help=help_of("transfer-group"))] = None,
    chat: Annotated[str | None, typer.Option(help=help_of("transfer-chat"))] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="[claude-ai|claude-code|git|manual]", help=help_of("transfer-target")),
    ] = None,
    purpose: Annotated[str, typer.Option("--for", metavar="WORDS", help=help_of("transfer-for"))] = "",
    to: Annotated[Path | None, typer.Option(metavar="FOLDER|FILE.zip", help=help_of("transfer-to"))] = None,
    yes: Annotated[bool, typer.Option("--yes", help=help_of("transfer-yes"))] = False,
    as_json: AsJson = False,
) -> None:
    """The exit code is 0 if it has left, 3 if it waits for a decision, 1 otherwise."""
    if to:
        expect_room(to)
    where = {"session": session, "group": group, "chat": chat}
    usual = Target.MANUAL if to else Target.CLAUDE_AI
    wanted: dict[str, Any] = {
        **{name: word_or_none(value) for name, value in where.items() if value},
        "target": word(target) if target else usual.value,
        "purpose": purpose,
    }

    async def pack(client: TransferClient) -> Transfer:
        return await packed(client, await client.start(wanted))

    async def leave(client: TransferClient) -> Transfer:
        left = await delivered(client, await client.release(row.id, row.content_hash))
        if to and left.delivered_at:
            await save(client, left, to)
        return left

    row, locale = through_host(pack, patience=TO_GO_ON)
    if row.asks and not yes:
        typer.echo("\n".join([title(row, locale.speaks), *package_lines(row, locale.speaks)]), err=True)
    # Asked between the two, so that a temporary host is not blocked meanwhile.
    if row.asks and (yes or (sys.stdin.isatty() and _is_meant(locale.speaks))):
        row, locale = through_host(leave, patience=TO_GO_ON)
    elif row.asks and sys.stdin.isatty():
        row, locale = through_host(lambda client: client.cancel(row.id), patience=TO_GO_ON)
    if as_json:
        print_json(as_dict(row))
    else:
        typer.echo(f"{row.short}  {standing(row, locale)}")
        typer.echo(_what_now(row, to, locale.speaks))
    if row.asks:
        raise typer.Exit(LEFT_OPEN)
    if not row.is_open:
        raise typer.Exit(1)


def _is_meant(language: str) -> bool:
    typer.echo(say(language, "transfers-sure") + " ", nl=False, err=True)
    return sys.stdin.readline().strip().lower() in _YES


def _what_now(row: Transfer, to: Path | None, language: str) -> str:
    if row.asks:
        return say(language, "transfers-waits", id=row.short)
    if not row.delivered_at:
        return say(language, "transfers-stays")
    if to:
        return say(language, "transfers-saved", path=str(to), id=row.short)
    went = row.delivered_to or {}
    if row.target == Target.GIT and not went.get("pushed"):
        return say(language, "transfers-here-git", branch=one_line(str(went.get("branch"))), id=row.short)
    return say(language, f"transfers-left-{row.target}", chat=one_line(row.chat_title), id=row.short)


async def delivered(client: TransferClient, row: Transfer) -> Transfer:
    """Wait until it has arrived, or it is clear that it never will."""
    async for _ in client.follow(row.id, tell_lost):
        row = await client.get(row.id)
        if row.delivered_at or row.asks or not row.is_open:  # packed again, it asks again
            break
    return row


async def packed(client: TransferClient, row: Transfer) -> Transfer:
    """Wait until it can be decided about."""
    async for _ in client.follow(row.id, tell_lost):
        row = await client.get(row.id)
        if row.asks or row.delivered_at or not row.is_open:
            break
    return row


def expect_room(to: Path) -> None:
    """Refuse to overwrite anything of the person's. Raises Refused."""
    place = to if to.suffix.lower() == _ZIP else to / FOLDER
    if place.exists():
        raise Refused("transfers-exists", path=str(place))


async def save(client: TransferClient, row: Transfer, to: Path) -> None:
    """Save it as a file, or as the folder that is in it."""
    content = await client.package(row.id)
    try:
        await asyncio.to_thread(_write, to, content)
    except OSError as error:
        raise Refused("transfers-unwritten", path=str(to), said=error.strerror or "") from error


def _write(to: Path, content: bytes) -> None:
    if to.suffix.lower() == _ZIP:
        to.parent.mkdir(parents=True, exist_ok=True)
        to.touch(mode=0o600, exist_ok=False)
        to.write_bytes(content)
        return
    to.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for each in archive.infolist():
            made = Path(archive.extract(each, to))
            made.chmod((each.external_attr >> 16) & 0o700 or 0o600)
