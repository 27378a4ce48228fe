"""`nanoclaw transfer import`: brings an analysis back, waits until it is taken in, and shows the outcome."""

from pathlib import Path
from typing import Annotated, Any

import typer

from nanoclaw.cli.options import AsJson, help_of
from nanoclaw.cli.output import as_dict, print_json
from nanoclaw.cli.people.access import word_or_none
from nanoclaw.cli.transfers.host_requests import TO_GO_ON, about, tell_lost, through_host
from nanoclaw.cli.transfers.lines import analysis_lines, choice_lines
from nanoclaw.client.transfers import TransferClient
from nanoclaw.console.transfer_shapes import Analysis
from nanoclaw.domain.context_files import MOST_DOCUMENT_BYTES
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.texts import say

_UNDER_WAY = ("received", "understood")
LEFT_OPEN = 3
"""The exit code if a person has to say something first."""


def bring(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=help_of("transfer-file"))],
    transfer: Annotated[str | None, typer.Option(metavar="TRANSFER", help=help_of("transfer-of"))] = None,
    group: Annotated[str | None, typer.Option(help=help_of("transfer-import-group"))] = None,
    as_json: AsJson = False,
) -> None:
    """The exit code is 0 if it was taken in, 3 if a person is asked first, 1 if it was refused."""
    content = _read(file)
    named = {"transfer": transfer, "group": group}
    wanted: dict[str, Any] = {
        "name": file.name,
        **{name: word_or_none(value) for name, value in named.items() if value},
    }

    async def story(client: TransferClient) -> Analysis:
        return await settled(client, await client.bring(wanted, content))

    if transfer is not None:
        row, locale = about(transfer, story, patience=TO_GO_ON)
    else:
        row, locale = through_host(story, patience=TO_GO_ON)
    print_outcome(row, locale, as_json=as_json)


def print_outcome(row: Analysis, locale: Locale, *, as_json: bool) -> None:
    if as_json:
        print_json(as_dict(row))
    elif row.state == "asking":
        typer.echo("\n".join(choice_lines(locale, row)))
        typer.echo(say(locale.speaks, "transfers-say-which", id=row.id))
    else:
        typer.echo("\n".join(analysis_lines(locale, row)))
    if row.state == "refused":
        raise typer.Exit(1)
    if row.state != "imported":
        raise typer.Exit(LEFT_OPEN)


async def settled(client: TransferClient, row: Analysis) -> Analysis:
    """Wait until it is taken in or refused, or someone has to say something first."""
    async for _ in client.follow(row.id, tell_lost):
        row = await client.analysis(row.id)
        if row.state not in _UNDER_WAY or row.question_id:
            break
    return row


def _read(file: Path) -> bytes:
    """Read one byte more than allowed: the host says what is too big."""
    try:
        with file.open("rb") as opened:
            return opened.read(MOST_DOCUMENT_BYTES + 1)
    except OSError as error:
        raise Refused("context-unread", file=str(file), said=error.strerror or "") from error
