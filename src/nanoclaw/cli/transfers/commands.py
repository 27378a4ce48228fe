"""The commands about transfers: a session is taken elsewhere, and its result is brought back.

They go through the host, so that cards and pages change at once; a temporary one is started if none runs.
"""

from pathlib import Path
from typing import Annotated

import typer

from nanoclaw.cli.options import AsJson, help_of, lists_alone
from nanoclaw.cli.output import as_dict, print_json, print_list
from nanoclaw.cli.people.access import word
from nanoclaw.cli.transfers import export_command, import_command
from nanoclaw.cli.transfers.host_requests import TO_GO_ON, about, through_host
from nanoclaw.cli.transfers.lines import analysis_lines, transfer_line, whole_lines
from nanoclaw.client.transfers import TransferClient
from nanoclaw.console.transfer_shapes import Analysis, Transfer, Undone
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.texts import say

app = typer.Typer()
transfer = typer.Typer(help=help_of("transfer"))
app.add_typer(transfer, name="transfer")

transfer.command("export", help=help_of("transfer-export"))(export_command.export)
transfer.command("import", help=help_of("transfer-import"))(import_command.bring)

_MOST = 1000

Ref = Annotated[str, typer.Argument(metavar="TRANSFER", help=help_of("transfer-ref"))]
To = Annotated[Path | None, typer.Option(metavar="FOLDER|FILE.zip", help=help_of("transfer-to"))]


@transfer.command("list", help=help_of("transfer-list"))
def list_all(
    over: Annotated[bool, typer.Option("--all", help=help_of("transfer-all"))] = False,
    limit: Annotated[int, typer.Option(min=1, max=_MOST, help=help_of("limit"))] = 20,
    as_json: AsJson = False,
) -> None:
    (found, unmatched), locale = through_host(
        lambda client: client.all(limit, state="all" if over else "open")
    )
    print_list(found, locale, transfer_line, "transfers-none", as_json=as_json)
    if unmatched and not as_json:
        typer.echo()
        for each in unmatched:
            typer.echo(say(locale.speaks, "transfers-unmatched", id=each.id, name=each.file_name))


lists_alone(transfer, list_all)


@transfer.command("show", help=help_of("transfer-show"))
def show(ref: Ref, to: To = None, as_json: AsJson = False) -> None:
    async def story(client: TransferClient) -> Transfer:
        row = await client.get(word(ref))
        if to:
            await export_command.save(client, row, to)
        return row

    if to:
        export_command.expect_room(to)
    row, locale = about(ref, story)
    _print(row, locale, as_json=as_json)


@transfer.command("release", help=help_of("transfer-release"))
def release(ref: Ref, to: To = None, as_json: AsJson = False) -> None:
    async def story(client: TransferClient) -> Transfer:
        row = await export_command.delivered(client, await client.release(word(ref)))
        if to and row.delivered_at:
            await export_command.save(client, row, to)
        return row

    if to:
        export_command.expect_room(to)
    row, locale = about(ref, story, patience=TO_GO_ON)
    _print(row, locale, as_json=as_json)
    if not row.is_open:
        raise typer.Exit(1)


@transfer.command("pick", help=help_of("transfer-pick"))
def pick(
    ref: Ref,
    numbers: Annotated[list[int], typer.Argument(metavar="FILE...", help=help_of("transfer-pick-numbers"))],
    as_json: AsJson = False,
) -> None:
    async def story(client: TransferClient) -> Transfer:
        return await export_command.packed(client, await client.pick(word(ref), numbers))

    row, locale = about(ref, story, patience=TO_GO_ON)
    _print(row, locale, as_json=as_json)


@transfer.command("cancel", help=help_of("transfer-cancel"))
def cancel(ref: Ref, as_json: AsJson = False) -> None:
    row, locale = about(ref, lambda client: client.cancel(word(ref)), patience=TO_GO_ON)
    if as_json:
        print_json(as_dict(row))
    else:
        typer.echo(say(locale.speaks, "transfers-cancelled", id=row.short))


@transfer.command("match", help=help_of("transfer-match"))
def match(
    analysis: Annotated[str, typer.Argument(metavar="ANALYSIS", help=help_of("transfer-analysis"))],
    ref: Ref,
    as_json: AsJson = False,
) -> None:
    async def story(client: TransferClient) -> Analysis:
        return await import_command.settled(client, await client.match(word(analysis), word(ref)))

    row, locale = about(ref, story, patience=TO_GO_ON)
    import_command.print_outcome(row, locale, as_json=as_json)


@transfer.command("decide", help=help_of("transfer-decide"))
def decide(
    ref: Annotated[str, typer.Argument(metavar="TRANSFER", help=help_of("transfer-ref-analysis"))],
    numbers: Annotated[
        list[int] | None, typer.Argument(metavar="[DECISION]...", help=help_of("transfer-numbers"))
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help=help_of("transfer-adopt-all"))] = False,
    nothing: Annotated[bool, typer.Option("--none", help=help_of("transfer-adopt-none"))] = False,
    as_json: AsJson = False,
) -> None:
    if [bool(numbers), everything, nothing].count(True) != 1:
        raise Refused("transfers-decide-what")

    async def story(client: TransferClient) -> Analysis:
        analysis = await _analysis(client, word(ref))
        adopted = numbers or ([each.number for each in analysis.decisions] if everything else [])
        return await client.decide(analysis.id, adopted)

    row, locale = about(ref, story, patience=TO_GO_ON)
    _print_analysis(row, locale, as_json=as_json)


@transfer.command("undo", help=help_of("transfer-undo"))
def undo(
    ref: Annotated[str, typer.Argument(metavar="TRANSFER", help=help_of("transfer-ref-analysis"))],
    as_json: AsJson = False,
) -> None:
    async def story(client: TransferClient) -> Undone:
        return await client.undo((await _analysis(client, word(ref))).id)

    done, locale = about(ref, story, patience=TO_GO_ON)
    if as_json:
        print_json(as_dict(done))
    else:
        typer.echo(say(locale.speaks, "transfers-undone", name=done.analysis.file_name))


async def _analysis(client: TransferClient, ref: str) -> Analysis:
    """An analysis by its own id, or the last one of a transfer."""
    if ref.startswith("an_"):
        return await client.analysis(ref)
    row = await client.get(ref)
    taken = [each for each in row.analyses if each.state in ("imported", "undone")] or row.analyses
    if not taken:
        raise NotFound("transfers-no-analysis", id=row.short)
    return taken[-1]


def _print(row: Transfer, locale: Locale, *, as_json: bool) -> None:
    if as_json:
        print_json(as_dict(row))
    else:
        typer.echo("\n".join(whole_lines(locale, row)))


def _print_analysis(row: Analysis, locale: Locale, *, as_json: bool) -> None:
    if as_json:
        print_json(as_dict(row))
    else:
        typer.echo("\n".join(analysis_lines(locale, row)))
