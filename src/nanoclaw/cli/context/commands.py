"""The commands about a company's context: its files, proposed changes, and earlier versions.

They go through the host, so that cards and pages change at once; if none runs, a temporary one is started.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from nanoclaw.cli import host_requests
from nanoclaw.cli.context.lines import file_line, proposal_lines, text_lines, version_line
from nanoclaw.cli.options import AsJson, help_of
from nanoclaw.cli.output import as_dict, print_json, print_list
from nanoclaw.cli.plain_lines import clean
from nanoclaw.client.connection import Address
from nanoclaw.client.context import ContextClient
from nanoclaw.console.context_shapes import DocumentReading, Proposal
from nanoclaw.domain.context_files import MOST_DOCUMENT_BYTES, file_named
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.text import storable
from nanoclaw.texts import say

T = TypeVar("T")

app = typer.Typer()
context = typer.Typer(help=help_of("context"))
app.add_typer(context, name="context")

File = Annotated[str, typer.Argument(metavar="FILE", help=help_of("context-file"))]
Company = Annotated[str | None, typer.Option(help=help_of("context-company"))]
Yes = Annotated[bool, typer.Option("--yes", help=help_of("context-yes"))]
_TO_WRITE = 20.0  # seconds for a temporary host to carry out what was approved
_TO_READ = 900.0  # seconds: an agent reads the document, page by page
_WAITS = ("open", "editing")


@context.callback(invoke_without_command=True)
def overview(asked: typer.Context, company: Company = None, as_json: AsJson = False) -> None:
    if asked.invoked_subcommand is None:
        list_files(company=company, as_json=as_json)


@context.command("list", help=help_of("context-list"))
def list_files(company: Company = None, as_json: AsJson = False) -> None:
    found, locale = _through_host(lambda client: client.all(company))
    if as_json:
        print_json(as_dict(found))
    else:
        print_list(found.files, locale, file_line, "context-none", as_json=False)


@context.command("show", help=help_of("context-show"))
def show(file: File, company: Company = None, as_json: AsJson = False) -> None:
    name = file_named(file)
    found, locale = _through_host(lambda client: client.get(name, company))
    if as_json:
        print_json(as_dict(found))
    else:
        typer.echo("\n".join(text_lines(locale, found)))


@context.command("propose", help=help_of("context-propose"))
def propose(
    file: Annotated[str | None, typer.Argument(metavar="FILE", help=help_of("context-file"))] = None,
    words: Annotated[str | None, typer.Argument(metavar="WORDS", help=help_of("context-words"))] = None,
    source: Annotated[Path | None, typer.Option("--from", help=help_of("context-from"))] = None,
    document: Annotated[Path | None, typer.Option("--file", help=help_of("context-document"))] = None,
    summary: Annotated[str, typer.Option(help=help_of("context-summary"))] = "",
    company: Company = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    if document is not None and words is None and source is None:
        _propose_from(document, file or "", company, yes=yes, as_json=as_json)
        return
    if file is None or document is not None or (words is None) == (source is None):
        raise Refused("context-text-or-words")
    name, text = file_named(file), None if source is None else _read(source)
    wanted = {"words": words, "text": text, "summary": summary, "company": company}
    _print_proposal(lambda client: client.propose(name, **wanted), yes=yes, as_json=as_json)


@context.command("delete", help=help_of("context-delete"))
def delete(file: File, company: Company = None, yes: Yes = False, as_json: AsJson = False) -> None:
    name = file_named(file)
    _print_proposal(lambda client: client.delete(name, company), yes=yes, as_json=as_json)


@context.command("restore", help=help_of("context-restore"))
def restore(
    file: File,
    version: Annotated[str, typer.Argument(metavar="VERSION", help=help_of("context-version"))],
    company: Company = None,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    name = file_named(file)
    _print_proposal(lambda client: client.restore(name, version, company), yes=yes, as_json=as_json)


@context.command("history", help=help_of("context-history"))
def history(file: File, company: Company = None, as_json: AsJson = False) -> None:
    name = file_named(file)
    found, locale = _through_host(lambda client: client.versions(name, company))
    print_list(found, locale, version_line, "context-no-history", as_json=as_json)


@context.command("compare", help=help_of("context-compare"))
def compare(
    file: File,
    version: Annotated[str, typer.Argument(metavar="VERSION", help=help_of("context-version"))],
    other: Annotated[str | None, typer.Argument(metavar="OTHER", help=help_of("context-other"))] = None,
    company: Company = None,
    as_json: AsJson = False,
) -> None:
    name = file_named(file)
    found, locale = _through_host(lambda client: client.version(name, version, other, company))
    if as_json:
        print_json(as_dict(found))
    else:
        typer.echo(found.diff or say(locale.speaks, "context-same"))


@context.command("proposals", help=help_of("context-proposals"))
def list_proposals(company: Company = None, as_json: AsJson = False) -> None:
    found, locale = _through_host(lambda client: client.proposals(company))
    lines = (each if as_json else "\n".join(proposal_lines(locale, each)) for each in found)
    if as_json:
        print_json([as_dict(each) for each in found])
    else:
        typer.echo("\n\n".join(map(str, lines)) or say(locale.speaks, "context-no-proposals"))


def _propose_from(document: Path, about: str, company: str | None, *, yes: bool, as_json: bool) -> None:
    """Let the agent read it and propose; its final words are printed too."""
    content = _read_bytes(document)
    if len(content) > MOST_DOCUMENT_BYTES:  # the host would hang up midway
        raise Refused("context-too-big", file=str(document), megabytes=MOST_DOCUMENT_BYTES >> 20)

    async def act(client: ContextClient) -> DocumentReading:
        reading = await client.hand_in(document.name, content, about, company)
        with suppress(TimeoutError):  # it may ask someone first; what it proposes later is in the inbox
            async with asyncio.timeout(_TO_READ):
                while not reading.is_over:
                    await asyncio.sleep(0.3)
                    reading = await client.reading(reading.id)
        if yes:
            for each in reading.proposals:
                await client.approve(each)
            done = [await _carried_out(client, each) for each in reading.proposals]
            reading = reading.model_copy(update={"proposals": done})
        return reading

    reading, locale = _through_host(act, patience=_TO_WRITE if yes else 0)
    if as_json:
        print_json(as_dict(reading))
        return
    said = "\n".join(clean(reading.said, longest=None)) or say(locale.speaks, "context-still-reading")
    blocks = (said, *map(partial(_block, locale), reading.proposals))
    typer.echo("\n\n".join(blocks))


def _block(locale: Locale, proposal: Proposal) -> str:
    return "\n".join(proposal_lines(locale, proposal))


def _print_proposal(ask: Callable[[ContextClient], Awaitable[Proposal]], *, yes: bool, as_json: bool) -> None:
    async def act(client: ContextClient) -> Proposal:
        proposal = await ask(client)
        if not yes:
            return proposal
        await client.approve(proposal)
        return await _carried_out(client, proposal)

    proposal, locale = _through_host(act, patience=_TO_WRITE if yes else 0)
    if as_json:
        print_json(as_dict(proposal))
    else:
        typer.echo("\n".join(proposal_lines(locale, proposal)))


async def _carried_out(client: ContextClient, proposal: Proposal) -> Proposal:
    """The proposal once the host is done with it, which takes only moments."""
    async with asyncio.timeout(_TO_WRITE):
        while proposal.state in _WAITS:
            await asyncio.sleep(0.1)
            proposal = await client.proposal(proposal.id)
    return proposal


def _through_host(act: Callable[[ContextClient], Awaitable[T]], *, patience: float = 0) -> tuple[T, Locale]:
    async def ask(address: Address) -> T:
        async with ContextClient(address) as client:
            return await act(client)

    return host_requests.through_host(ask, patience=patience)


def _read(source: Path) -> str:
    return storable(_read_bytes(source).decode("utf-8-sig", "replace"))


def _read_bytes(source: Path) -> bytes:
    try:
        return sys.stdin.buffer.read() if str(source) == "-" else source.read_bytes()
    except OSError as error:
        raise Refused("context-unreadable", file=str(source), said=error.strerror or str(error)) from error
