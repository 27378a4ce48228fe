"""`nanoclaw batches run`: starts a batch after showing what it will cost, and reports progress until it ends."""

import asyncio
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from nanoclaw.cli.batches.host_requests import in_words_of_the_command_line
from nanoclaw.cli.batches.lines import estimate_lines, standing, whole_lines
from nanoclaw.cli.host_requests import locale_of_owner
from nanoclaw.cli.options import AsJson, guarded_home, help_of
from nanoclaw.cli.output import as_dict, print_json
from nanoclaw.cli.people.access import word_or_none
from nanoclaw.cli.plain_lines import one_line
from nanoclaw.client.batches import BatchClient
from nanoclaw.client.connection import Address
from nanoclaw.console.batch_shapes import Batch
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.locale import Locale
from nanoclaw.flows.batches.given_topics import topics_in
from nanoclaw.texts import say

_YES = ("y", "yes", "т", "так")
_INTERRUPTED = 130
_GOOD = ("ready", "done")


def run(
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help=help_of("batches-subject"))] = "",
    count: Annotated[int | None, typer.Option(help=help_of("batches-count"))] = None,
    topics: Annotated[Path | None, typer.Option(metavar="FILE", help=help_of("batches-topics"))] = None,
    skill: Annotated[str | None, typer.Option(help=help_of("batches-skill"))] = None,
    model: Annotated[str | None, typer.Option(help=help_of("batches-model"))] = None,
    channel: Annotated[str | None, typer.Option(help=help_of("batches-channel"))] = None,
    language: Annotated[str | None, typer.Option(help=help_of("batches-language"))] = None,
    grade: Annotated[int | None, typer.Option(min=1, max=10, help=help_of("batches-grade"))] = None,
    group: Annotated[str | None, typer.Option(help=help_of("pipelines-group"))] = None,
    to: Annotated[str | None, typer.Option(metavar="CHAT", help=help_of("batches-to"))] = None,
    yes: Annotated[bool, typer.Option("--yes", help=help_of("pipelines-yes"))] = False,
    detach: Annotated[bool, typer.Option("--detach", help=help_of("batches-detach"))] = False,
    as_json: AsJson = False,
) -> None:
    """Needs a host that stays: a batch outlives the command."""
    home = guarded_home()
    if count is None and topics is None:
        raise Refused("batches-no-count")
    named = {"skill": skill, "model": model, "channel": channel, "language": language}
    given: dict[str, Any] = {
        "subject": subject,
        "count": count,
        "topics": _read_topics(topics) if topics else None,
        **{name: word_or_none(value) for name, value in named.items()},
        "least_grade": grade,
        "group": word_or_none(group),
        "chat": word_or_none(to),
        "id": new_id("a"),
    }
    wanted = {name: value for name, value in given.items() if value is not None}

    async def start(locale: Locale) -> Batch:
        async with BatchClient(Address.of(home)) as client:
            if not yes:
                _be_sure(estimate_lines(await client.estimate(wanted), locale.speaks), locale.speaks)
            return await client.start(wanted)

    Address.of(home)  # before anything is asked
    locale = locale_of_owner()
    with in_words_of_the_command_line():
        begun = asyncio.run(start(locale))
    follow(begun, locale, detach=detach, as_json=as_json)


def follow(begun: Batch, locale: Locale, *, detach: bool, as_json: bool) -> None:
    """Follow it until its texts are ready. The exit code is 0 only then."""
    language = locale.speaks
    if not as_json:
        typer.echo(
            say(language, "batches-begun", id=begun.short, count=begun.items, subject=one_line(begun.subject))
        )
    if detach:
        ended = begun
    else:
        try:
            ended = asyncio.run(_watched(begun, language, quiet=as_json))
        except (KeyboardInterrupt, asyncio.CancelledError) as gone:
            typer.echo(say(language, "batches-goes-on", id=begun.short), err=True)
            raise typer.Exit(_INTERRUPTED) from gone
    if as_json:
        print_json(as_dict(ended))
    elif not detach:
        typer.echo("\n".join(whole_lines(locale, ended)))
        typer.echo(say(language, "batches-now-what", id=ended.short))
    if not detach and ended.status not in _GOOD:
        raise typer.Exit(1)


async def _watched(begun: Batch, language: str, *, quiet: bool) -> Batch:
    """Print a line whenever its state changes."""
    told, last = "", begun

    def lost() -> None:
        typer.echo(say(language, "pipelines-lost"), err=True)

    async with BatchClient(Address.of(guarded_home())) as client:
        async for batch in client.follow(begun.id, lost):
            last, line = batch, standing(batch, language)
            if line != told and not quiet:
                typer.echo(line)
            told = line
    return last


def _read_topics(file: Path) -> list[str]:
    """Each line of .txt, the first column of .csv, the listed items of .md."""
    try:
        return list(topics_in(file.name, file.read_bytes()))
    except OSError as error:
        raise Refused("pipelines-text-unreadable", path=str(file), said=error.strerror or "") from error


def _be_sure(estimate: list[str], language: str) -> None:
    """Ask for confirmation, because it costs money; a script has to say `--yes`."""
    for line in estimate:
        typer.echo(line, err=True)
    if not sys.stdin.isatty():
        raise Refused("pipelines-say-yes")
    typer.echo(f"{say(language, 'pipelines-sure')} ", nl=False, err=True)
    if sys.stdin.readline().strip().lower() not in _YES:
        typer.echo(say(language, "pipelines-not-begun"), err=True)
        raise typer.Exit(1)
