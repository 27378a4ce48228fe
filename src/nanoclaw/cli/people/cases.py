"""The commands about single messages: who waits for a decision, what was turned away, and what would become of one.

With the audit: who changed what.
"""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path

import typer

from nanoclaw.cli.people.asking import ask, print_list, word, word_or_none
from nanoclaw.cli.people.lines import audit_line, drop_line, explained_lines, request_line
from nanoclaw.cli.report import print_json
from nanoclaw.console.keeper import Explained
from nanoclaw.domain.errors import NotFound
from nanoclaw.domain.text import storable
from nanoclaw.host import running
from nanoclaw.host.people.keeper import DoorKeeper
from nanoclaw.texts import say


def list_requests(home: Path, *, as_json: bool) -> None:
    found, locale = ask(home, DoorKeeper.requests)
    print_list(found, locale, request_line, "requests-head-none", as_json=as_json)


def decide(home: Path, request: str, choice: str, *, as_json: bool) -> None:
    named = word(request)
    said, locale = ask(home, lambda keeper: keeper.decide(named, word(choice)))
    is_running = running.find(home) is not None
    if as_json:
        print_json({"request": named, "said": said, "running": is_running})
        return
    typer.echo(f"{named}: {said}")
    typer.echo(say(locale.speaks, "decided-running" if is_running else "decided-stopped"))


def list_drops(home: Path, limit: int, *, as_json: bool) -> None:
    found, locale = ask(home, lambda keeper: keeper.drops(limit))
    print_list(found, locale, drop_line, "drops-head-none", as_json=as_json)


def list_audit(home: Path, limit: int, *, as_json: bool) -> None:
    found, locale = ask(home, lambda keeper: keeper.audit(limit))
    print_list(found, locale, audit_line, "audit-head-none", as_json=as_json)


def explain(
    home: Path,
    *,
    chat: str,
    person: str,
    text: str,
    addressed: bool | None,
    thread: str | None,
    as_json: bool,
) -> None:
    """Whoever is not known is taken for someone new, and that is said: it may be a slip of the finger."""
    where, who = word(chat), word(person)
    if not where or not who:
        raise NotFound("no-such-chat", chat=where) if not where else NotFound("no-such-person", person=who)

    async def story(keeper: DoorKeeper) -> tuple[Explained, list[str]]:
        unknown = [] if await _is_known(keeper.chat, where) else ["chat"]
        unknown += [] if await _is_known(keeper.person, who) else ["person"]
        told = await keeper.explain(
            where, who, storable(text), addressed=addressed, thread=word_or_none(thread)
        )
        return told, unknown

    (told, unknown), locale = ask(home, story)
    if as_json:
        print_json({**asdict(told), "unknown": unknown})
        return
    for kind in unknown:
        typer.echo(say(locale.speaks, f"explain-new-{kind}", chat=where, person=who))
    typer.echo("\n".join(explained_lines(locale, told)))


async def _is_known(find: Callable[[str], Awaitable[object]], ref: str) -> bool:
    try:
        await find(ref)
    except NotFound:
        return False
    return True
