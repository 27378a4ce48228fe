"""The commands about what companies know: search, show, change, take back, and look after the files.

They go through the host, which has one writer per company; if none runs, a temporary one is started.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from nanoclaw.cli import host_requests
from nanoclaw.cli.host_requests import locale_of_owner
from nanoclaw.cli.memory.lines import (
    entry_line,
    quarantine_line,
    result_lines,
    stats_lines,
    story_lines,
)
from nanoclaw.cli.memory.options import (
    KINDS,
    Company,
    Domain,
    EntryId,
    Kind,
    Topic,
    Yes,
    kind_named,
    moment,
    option,
)
from nanoclaw.cli.options import AsJson, help_of
from nanoclaw.cli.output import as_dict, print_json, print_list
from nanoclaw.cli.people.access import word, word_or_none
from nanoclaw.cli.plain_lines import one_line
from nanoclaw.client.connection import Address
from nanoclaw.client.memory import MemoryClient
from nanoclaw.console import memory_shapes as shapes
from nanoclaw.console.shape import Shape
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.memory import EntryKind
from nanoclaw.domain.text import storable
from nanoclaw.texts import say

T = TypeVar("T")

app = typer.Typer()
memory = typer.Typer(help=help_of("memory"))
quarantine = typer.Typer(help=help_of("memory-quarantine"))
app.add_typer(memory, name="memory")
memory.add_typer(quarantine, name="quarantine")

_MOST = 10_000
_MOST_IMPORTED = 6 * 1024 * 1024  # bytes; the body of a request has a limit too
_YES = ("y", "yes", "т", "так")

Text = Annotated[str, typer.Argument(metavar="TEXT", help=help_of("memory-text"))]


@memory.callback(invoke_without_command=True)
def overview(asked: typer.Context, company: Company = None, as_json: AsJson = False) -> None:
    if asked.invoked_subcommand is None:
        stats(company=company, as_json=as_json)


# Looking


@memory.command("search", help=help_of("memory-search"))
def search(
    words: Annotated[list[str] | None, typer.Argument(metavar="WORDS", help=help_of("memory-words"))] = None,
    kind: Kind = None,
    topic: Topic = None,
    domain: Domain = None,
    person: Annotated[str | None, option("person", metavar="PERSON")] = None,
    source: Annotated[str | None, option("source")] = None,
    trusted: Annotated[bool | None, option("trusted", "--trusted/--hearsay")] = None,
    since: Annotated[str | None, option("since", metavar="TIME")] = None,
    until: Annotated[str | None, option("until", metavar="TIME")] = None,
    past: Annotated[bool, option("past", "--past")] = False,
    limit: Annotated[int, typer.Option(min=1, max=_MOST, help=help_of("limit"))] = 20,
    offset: Annotated[int, option("offset", min=0, max=_MOST)] = 0,
    company: Company = None,
    as_json: AsJson = False,
) -> None:
    async def story(client: MemoryClient) -> shapes.MemoryList:
        zone = (await asyncio.to_thread(locale_of_owner)).zone
        wanted = {
            "words": word(" ".join(words or ())),
            "kind": kind_named(kind, *KINDS, EntryKind.ACTIVITY),
            "topic": word_or_none(topic),
            "domain": word_or_none(domain),
            "person": word_or_none(person),
            "source": word_or_none(source),
            "trusted": trusted,
            "since": moment(since, zone),
            "until": moment(until, zone),
            "past": past,
            "offset": offset,
            "company": word_or_none(company),
        }
        return await client.search(wanted, limit)

    found, locale = _through_host(story)
    none = (
        "memory-found-none"
        if any((words, kind, topic, domain, person, source, since, until, offset))
        else "memory-newest-none"
    )
    print_list(found.entries, locale, entry_line, none, as_json=as_json)


@memory.command("show", help=help_of("memory-show"))
def show(entry: EntryId, company: Company = None, as_json: AsJson = False) -> None:
    found, locale = _through_host(lambda client: client.story(_ref(entry), word_or_none(company)))
    _print(found, story_lines(locale, found), as_json=as_json)


@memory.command("stats", help=help_of("memory-stats"))
def stats(company: Company = None, as_json: AsJson = False) -> None:
    found, locale = _through_host(lambda client: client.stats(word_or_none(company)))
    _print(found, stats_lines(locale, found), as_json=as_json)


# Changing


@memory.command("add", help=help_of("memory-add"))
def add(
    text: Text,
    kind: Kind = None,
    topic: Topic = None,
    domain: Domain = None,
    public: Annotated[bool, option("public", "--public")] = False,
    expires: Annotated[str | None, option("expires", metavar="TIME")] = None,
    company: Company = None,
    as_json: AsJson = False,
) -> None:
    async def story(client: MemoryClient) -> shapes.MemoryResult:
        zone = (await asyncio.to_thread(locale_of_owner)).zone
        wanted = {
            "text": storable(text),
            "kind": kind_named(kind, *KINDS),
            "topic": word_or_none(topic),
            "domain": word_or_none(domain),
            "public": public,
            "expires": moment(expires, zone),
            "company": word_or_none(company),
        }
        return await client.add({name: value for name, value in wanted.items() if value is not None})

    result, locale = _through_host(story)
    _print_result(result, locale, "memory-added", as_json=as_json)


@memory.command("correct", help=help_of("memory-correct"))
def correct(entry: EntryId, text: Text, company: Company = None, as_json: AsJson = False) -> None:
    result, locale = _through_host(
        lambda client: client.correct(_ref(entry), storable(text), word_or_none(company))
    )
    _print_result(result, locale, "memory-done-correct", as_json=as_json)


@memory.command("forget", help=help_of("memory-forget"))
def forget(entry: EntryId, company: Company = None, as_json: AsJson = False) -> None:
    _change(entry, "forget", company, as_json=as_json)


@memory.command("restore", help=help_of("memory-restore"))
def restore(entry: EntryId, company: Company = None, as_json: AsJson = False) -> None:
    _change(entry, "restore", company, as_json=as_json)


def _change(entry: str, action: str, company: str | None, *, as_json: bool) -> None:
    result, locale = _through_host(lambda client: client.change(_ref(entry), action, word_or_none(company)))
    _print_result(result, locale, f"memory-done-{action}", as_json=as_json)


@memory.command("revert", help=help_of("memory-revert"))
def revert(
    turn: Annotated[str | None, option("revert-turn", metavar="TURN")] = None,
    person: Annotated[str | None, option("revert-person", metavar="PERSON")] = None,
    since: Annotated[str | None, option("revert-since", metavar="TIME")] = None,
    yes: Yes = False,
    company: Company = None,
    as_json: AsJson = False,
) -> None:
    """Show what it concerns; without --yes, a person at a terminal is asked, and a script changes nothing."""
    wanted: dict[str, object] = {}

    async def look(client: MemoryClient) -> shapes.MemoryReverted:
        zone = (await asyncio.to_thread(locale_of_owner)).zone
        given = {
            "turn": word_or_none(turn),
            "person": word_or_none(person),
            "since": moment(since, zone),
            "company": word_or_none(company),
        }
        wanted.update({name: value for name, value in given.items() if value is not None})
        return await client.revert({**wanted, "preview": True})

    found, locale = _through_host(look)
    language = locale.speaks
    if not as_json:
        print_list(found.entries, locale, entry_line, "memory-revert-none", as_json=False)
    if found.entries and (yes or _agrees(say(language, "memory-revert-sure", count=len(found.entries)))):
        found, locale = _through_host(lambda client: client.revert({**wanted, "preview": False}))
    if as_json:
        print_json(as_dict(found))
    elif found.entries:
        key = "memory-revert-not" if found.preview else "memory-reverted"
        typer.echo(say(language, key, count=len(found.entries)), err=found.preview)
    if found.entries and found.preview and not yes:
        raise typer.Exit(1)


@memory.command("import", help=help_of("memory-import"))
def import_file(
    file: Annotated[Path, typer.Argument(metavar="FILE", help=help_of("memory-file"))],
    preview: Annotated[bool, option("preview", "--preview")] = False,
    company: Company = None,
    as_json: AsJson = False,
) -> None:
    try:
        raw = sys.stdin.buffer.read() if str(file) == "-" else file.read_bytes()
        text = raw.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "UTF-8?"
        raise Refused("memory-cannot-read", file=str(file), said=said or "?") from error
    if len(raw) > _MOST_IMPORTED:
        raise Refused("memory-file-big", file=str(file), megabytes=_MOST_IMPORTED // 1024 // 1024)
    wanted = {"name": file.name, "text": text, "preview": preview, "company": word_or_none(company)}
    found, locale = _through_host(lambda client: client.import_file(wanted))
    language = locale.speaks
    lines = [
        say(
            language,
            "memory-imported-preview" if preview else "memory-imported",
            taken=found.taken,
            known=found.known,
        ),
        *(say(language, "memory-imported-not", line=each.line, why=each.reason) for each in found.refused),
    ]
    _print(found, lines, as_json=as_json)
    if found.refused:
        raise typer.Exit(1)


# Looking after the files


@memory.command("verify", help=help_of("memory-verify"))
def verify(company: Company = None, as_json: AsJson = False) -> None:
    """Exits with 1 if something is wrong."""
    found, locale = _through_host(lambda client: client.verify(word_or_none(company)))
    language = locale.speaks
    lines = [f"{each.where}: {one_line(each.sentence)}" for each in found.problems]
    key = "memory-verified" if found.ok else "memory-verified-not"
    total = say(language, key, company=found.company, entries=found.entries, count=len(found.problems))
    _print(found, [*lines, total], as_json=as_json)
    if not found.ok:
        raise typer.Exit(1)


@memory.command("compact", help=help_of("memory-compact"))
def compact(company: Company = None, as_json: AsJson = False) -> None:
    _maintain("compact", company, as_json=as_json)


@memory.command("rebuild", help=help_of("memory-rebuild"))
def rebuild(company: Company = None, as_json: AsJson = False) -> None:
    _maintain("rebuild", company, as_json=as_json)


def _maintain(action: str, company: str | None, *, as_json: bool) -> None:
    found, _ = _through_host(lambda client: client.maintain(action, word_or_none(company)))
    _print(found, [found.sentence], as_json=as_json)


@memory.command("purge", help=help_of("memory-purge"))
def purge(
    entry: EntryId,
    confirm: Annotated[str | None, option("purge-confirm", metavar="ID")] = None,
    company: Company = None,
    as_json: AsJson = False,
) -> None:
    """The whole id must be repeated, by a person or with --confirm: nothing brings it back."""
    story, locale = _through_host(lambda client: client.story(_ref(entry), word_or_none(company)))
    found, language = story.entry, locale.speaks
    if confirm is None:
        if not sys.stdin.isatty():
            raise Refused("memory-purge-confirm", id=found.id)
        typer.echo(entry_line(locale, found), err=True)
        typer.echo(f"{say(language, 'memory-purge-sure', id=found.id)} ", nl=False, err=True)
        confirm = sys.stdin.readline()
    if confirm.strip() != found.id:
        typer.echo(say(language, "memory-purge-not"), err=True)
        raise typer.Exit(1)
    gone, _ = _through_host(lambda client: client.purge(found.id, found.company))
    key = "memory-purged" if gone.state == "written" else "memory-under-way"
    lines = [say(language, key, id=gone.id)]
    lines += [say(language, "memory-purge-still", where=one_line(each)) for each in gone.still_in]
    lines += [say(language, "memory-purge-history", why=gone.history)] if gone.history else []
    if gone.commands:
        lines += [say(language, "memory-purge-remote"), *(f"  {command}" for command in gone.commands)]
    _print(gone, lines, as_json=as_json)


# Quarantine


@quarantine.callback(invoke_without_command=True)
def list_quarantine(asked: typer.Context, company: Company = None, as_json: AsJson = False) -> None:
    if asked.invoked_subcommand is not None:
        return
    found, locale = _through_host(lambda client: client.quarantine(word_or_none(company)))
    print_list(found.changes, locale, quarantine_line, "memory-quarantine-none", as_json=as_json)


Change = Annotated[str, typer.Argument(metavar="ID", help=help_of("memory-change"))]


@quarantine.command("drop", help=help_of("memory-drop"))
def drop(change: Change, as_json: AsJson = False) -> None:
    found, locale = _through_host(lambda client: client.drop(_ref(change)))
    _print(found, [say(locale.speaks, "memory-dropped")], as_json=as_json)


@quarantine.command("mend", help=help_of("memory-mend"))
def mend(
    change: Change,
    line: Annotated[str, typer.Argument(metavar="LINE", help=help_of("memory-line"))],
    as_json: AsJson = False,
) -> None:
    result, locale = _through_host(lambda client: client.mend(_ref(change), storable(line)))
    _print_result(result, locale, "memory-added", as_json=as_json)


# What they share


def _through_host(act: Callable[[MemoryClient], Awaitable[T]]) -> tuple[T, Locale]:
    async def ask(address: Address) -> T:
        async with MemoryClient(address) as client:
            return await act(client)

    return host_requests.through_host(ask)


def _ref(typed: str) -> str:
    if not word(typed):
        raise NotFound("no-such-memory", id='""')
    return word(typed)


def _agrees(question: str) -> bool:
    if not sys.stdin.isatty():
        return False
    typer.echo(f"{question} ", nl=False, err=True)
    return sys.stdin.readline().strip().lower() in _YES


def _print_result(result: shapes.MemoryResult, locale: Locale, done: str, *, as_json: bool) -> None:
    _print(result, result_lines(locale, result, done), as_json=as_json)
    if result.state in ("refused", "quarantined"):
        raise typer.Exit(1)


def _print(found: Shape, lines: Iterable[str], *, as_json: bool) -> None:
    if as_json:
        print_json(as_dict(found))
    else:
        typer.echo("\n".join(lines))
