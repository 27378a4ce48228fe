"""The commands about batches: starting and watching them, their texts, and what becomes of these.

They go through the host, so that cards and pages change at once. A batch needs a host that stays; for
everything else a temporary one is started if none runs.
"""

import csv
import io
import json
from typing import Annotated, Any

import typer

from nanoclaw.cli.batches import run_command
from nanoclaw.cli.batches.host_requests import about, through_host
from nanoclaw.cli.batches.lines import batch_line, scheduled_line, text_line, whole_lines
from nanoclaw.cli.options import AsJson, guarded_home, help_of, lists_alone
from nanoclaw.cli.output import as_dict, print_json, print_list
from nanoclaw.cli.people.access import word, word_or_none
from nanoclaw.client.batches import BatchClient
from nanoclaw.console.batch_shapes import BatchText, Scheduled
from nanoclaw.domain.batches import BatchStatus
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.durable.batch_texts import TextFilter
from nanoclaw.host import host_lock
from nanoclaw.texts import say

app = typer.Typer()
batches = typer.Typer(help=help_of("batches"))
app.add_typer(batches, name="batches")

batches.command("run", help=help_of("batches-run"))(run_command.run)

_MOST, _MOST_TEXTS = 1000, 100_000
_COLUMNS = (
    "number",
    "topic",
    "state",
    "verdict",
    "grade",
    "faults",
    "error",
    "text",
    "task_id",
    "send_at",
    "cost_usd",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

Ref = Annotated[str, typer.Argument(metavar="BATCH", help=help_of("batches-ref"))]
Texts = Annotated[list[int] | None, typer.Argument(metavar="[TEXT]...", help=help_of("batches-items"))]


@batches.command("list", help=help_of("batches-list"))
def list_all(
    status: Annotated[str | None, typer.Option(help=help_of("batches-status"))] = None,
    limit: Annotated[int, typer.Option(min=1, max=_MOST, help=help_of("limit"))] = 20,
    as_json: AsJson = False,
) -> None:
    known = [each.value for each in BatchStatus]
    if status is not None and status not in known:
        raise Refused("pipelines-no-such-status", value=status[:40], known=", ".join(known))
    found, locale = through_host(lambda client: client.all(limit, status=status))
    print_list(found, locale, batch_line, "batches-empty", as_json=as_json)


lists_alone(batches, list_all)


@batches.command("show", help=help_of("batches-show"))
def show(batch: Ref, as_json: AsJson = False) -> None:
    row, locale = about(batch, lambda client: client.get(word(batch)))
    if as_json:
        print_json(as_dict(row))
    else:
        typer.echo("\n".join(whole_lines(locale, row)))


@batches.command("cancel", help=help_of("batches-cancel"))
def cancel(batch: Ref, as_json: AsJson = False) -> None:
    row, locale = about(batch, lambda client: client.cancel(word(batch)))
    if as_json:
        print_json(as_dict(row))
    else:
        typer.echo("\n".join(whole_lines(locale, row)))


@batches.command("results", help=help_of("batches-results"))
def results(
    batch: Ref,
    only: Annotated[
        str,
        typer.Option(
            metavar="[all|open|passed|faulty|approved|rejected|failed]", help=help_of("batches-only")
        ),
    ] = "all",
    limit: Annotated[int, typer.Option(min=1, max=_MOST_TEXTS, help=help_of("limit"))] = _MOST_TEXTS,
    as_csv: Annotated[bool, typer.Option("--csv", help=help_of("batches-csv"))] = False,
    as_json: Annotated[bool, typer.Option("--json", help=help_of("batches-json"))] = False,
) -> None:
    """`--json` prints one object per line: ten thousand texts can be read as they come."""
    known = [each.value for each in TextFilter]
    if only not in known:
        raise Refused("pipelines-no-such-status", value=only[:40], known=", ".join(known))
    found, locale = about(batch, lambda client: client.texts(word(batch), only, limit))
    if as_json:
        for row in found:
            typer.echo(json.dumps(as_dict(row), ensure_ascii=False, default=str))
    elif as_csv:
        typer.echo(_csv(found), nl=False)
    elif not found:
        typer.echo(say(locale.speaks, "batches-no-texts"))
    else:
        typer.echo("\n".join(text_line(locale, row) for row in found))


@batches.command("resubmit", help=help_of("batches-resubmit"))
def resubmit(batch: Ref, items: Texts = None, as_json: AsJson = False) -> None:
    row, locale = about(batch, lambda client: client.resubmit(word(batch), items or None))
    if as_json:
        print_json(as_dict(row))
    else:
        typer.echo("\n".join(whole_lines(locale, row)))


@batches.command("approve", help=help_of("batches-approve"))
def approve(
    batch: Ref,
    items: Texts = None,
    passed: Annotated[bool, typer.Option("--passed", help=help_of("batches-passed"))] = False,
    as_json: AsJson = False,
) -> None:
    if passed and not items:
        count, locale = about(batch, lambda client: client.approve_passed(word(batch)))
        if as_json:
            print_json({"approved": count})
        else:
            typer.echo(say(locale.speaks, "batches-approved", count=count))
        return
    _decide(batch, items, "approve", as_json=as_json)


@batches.command("reject", help=help_of("batches-reject"))
def reject(batch: Ref, items: Texts = None, as_json: AsJson = False) -> None:
    _decide(batch, items, "reject", as_json=as_json)


@batches.command("edit", help=help_of("batches-edit"))
def edit(
    batch: Ref,
    number: Annotated[int, typer.Argument(metavar="TEXT", help=help_of("batches-item"))],
    text: Annotated[str, typer.Argument(metavar="WORDS", help=help_of("batches-words"))],
    as_json: AsJson = False,
) -> None:
    row, locale = about(batch, lambda client: client.edit(word(batch), number, text))
    print_list([row], locale, text_line, "batches-no-texts", as_json=as_json)


@batches.command("rewrite", help=help_of("batches-rewrite"))
def rewrite(
    batch: Ref,
    number: Annotated[int, typer.Argument(metavar="TEXT", help=help_of("batches-item"))],
    note: Annotated[str, typer.Option(help=help_of("batches-note"))] = "",
    as_json: AsJson = False,
) -> None:
    row, locale = about(batch, lambda client: client.rewrite(word(batch), number, note))
    print_list([row], locale, text_line, "batches-no-texts", as_json=as_json)


@batches.command("review", help=help_of("batches-review"))
def review(batch: Ref) -> None:
    row, locale = about(batch, lambda client: client.review(word(batch)))
    typer.echo(say(locale.speaks, "batches-review-begun", chat=row.chat_title))


@batches.command("schedule", help=help_of("batches-schedule"))
def schedule(
    batch: Ref,
    first: Annotated[str | None, typer.Option(metavar="DAY", help=help_of("batches-first"))] = None,
    at: Annotated[list[str] | None, typer.Option(metavar="TIME", help=help_of("batches-at"))] = None,
    weekdays: Annotated[bool, typer.Option("--weekdays", help=help_of("batches-weekdays"))] = False,
    to: Annotated[str | None, typer.Option(metavar="CHAT", help=help_of("batches-schedule-to"))] = None,
    as_json: AsJson = False,
) -> None:
    given: dict[str, Any] = {
        "first": first,
        "times": at or None,
        "weekdays": weekdays,
        "chat": word_or_none(to),
    }
    wanted = {name: value for name, value in given.items() if value is not None}

    async def story(client: BatchClient) -> Scheduled:
        return await client.schedule(word(batch), wanted)

    planned, locale = about(batch, story)
    if as_json:
        print_json(as_dict(planned))
        return
    if not planned.count:
        typer.echo(say(locale.speaks, "batches-scheduled-already"))
    typer.echo(scheduled_line(planned.batch, locale))
    _warn_of_no_host(locale)


@batches.command("unschedule", help=help_of("batches-unschedule"))
def unschedule(batch: Ref, as_json: AsJson = False) -> None:
    row, locale = about(batch, lambda client: client.unschedule(word(batch)))
    if as_json:
        print_json(as_dict(row))
    else:
        typer.echo(say(locale.speaks, "batches-unscheduled"))


@batches.command("save", help=help_of("batches-save"))
def save(batch: Ref, as_json: AsJson = False) -> None:
    row, locale = about(batch, lambda client: client.save(word(batch)))
    if as_json:
        print_json(as_dict(row))
    else:
        folder = f"groups/{row.group}/files/batches/{row.id}"
        count = row.counts.succeeded - row.counts.rejected
        typer.echo(say(locale.speaks, "batches-saving", count=count, folder=folder))
    _warn_of_no_host(locale)


def _warn_of_no_host(locale: Locale) -> None:
    """Warn that nothing is written or sent without a host."""
    if host_lock.find(guarded_home()) is None:
        typer.echo(say(locale.speaks, "batches-no-host"), err=True)


def _decide(batch: str, items: list[int] | None, action: str, *, as_json: bool) -> None:
    if not items:
        raise Refused("batches-which")

    async def story(client: BatchClient) -> list[BatchText]:
        return [await client.decide(word(batch), number, action) for number in items]

    found, locale = about(batch, story)
    print_list(found, locale, text_line, "batches-no-texts", as_json=as_json)


def _csv(found: list[BatchText]) -> str:
    written = io.StringIO()
    table = csv.writer(written)
    table.writerow(_COLUMNS)
    for row in found:
        values = {**as_dict(row), "faults": "; ".join(row.faults)}
        table.writerow([_cell(values[name]) for name in _COLUMNS])
    return written.getvalue()


def _cell(value: object) -> object:
    """Keep a spreadsheet from taking a text for a formula."""
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
