"""The commands about single messages: who waits for a decision, what was turned away, and what would become of one.

With the audit: who changed what.
"""

from collections.abc import Callable
from pathlib import Path

import typer

from nanoclaw.cli.people.asking import Desk, as_dict, ask, print_list, word, word_or_none
from nanoclaw.cli.people.lines import audit_line, drop_line, explained_lines, request_line
from nanoclaw.cli.report import print_json
from nanoclaw.console import people_views as views
from nanoclaw.console.explanation import explain as explain_trial
from nanoclaw.console.people_shapes import Trial, Verdict
from nanoclaw.domain.errors import NotFound
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.host import running
from nanoclaw.texts import say


def list_requests(home: Path, *, as_json: bool) -> None:
    found, locale = ask(home, lambda desk: views.show_requests(desk.tx, desk.door.groups, desk.by.language))
    print_list(found, locale, request_line, "requests-head-none", as_json=as_json)


def decide(home: Path, request: str, choice: str, *, as_json: bool) -> None:
    named = word(request)

    def story(desk: Desk) -> str:
        approvals = desk.door.approvals
        found = approvals.find(desk.tx, named)
        return views.plain(approvals.decide(desk.tx, found.id, word(choice), desk.by, now()).said)

    said, locale = ask(home, story, write=True)
    is_running = running.find(home) is not None
    if as_json:
        print_json({"request": named, "said": said, "running": is_running})
        return
    typer.echo(f"{named}: {said}")
    typer.echo(say(locale.speaks, "decided-running" if is_running else "decided-stopped"))


def list_drops(home: Path, limit: int, *, as_json: bool) -> None:
    found, locale = ask(home, lambda desk: views.show_drops(desk.tx, desk.by.language, limit))
    print_list(found, locale, drop_line, "drops-head-none", as_json=as_json)


def list_audit(home: Path, limit: int, *, as_json: bool) -> None:
    found, locale = ask(home, lambda desk: views.show_audit(desk.tx, desk.locale, limit))
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
    trial = Trial(chat=where, person=who, text=text, addressed=addressed, thread=word_or_none(thread))

    def story(desk: Desk) -> tuple[Verdict, list[str]]:
        door = desk.door
        known = {"chat": _is_known(door.rulings.find_chat, desk.tx, where)}
        known["person"] = _is_known(door.rulings.find_person, desk.tx, who)
        verdict = explain_trial(
            desk.tx,
            trial,
            desk.by.language,
            admitting=door.admitting,
            rulings=door.rulings,
            skills=door.shelf.commands().keys(),
        )
        return verdict, [kind for kind, found in known.items() if not found]

    (verdict, unknown), locale = ask(home, story)
    if as_json:
        print_json({**as_dict(verdict), "unknown": unknown})
        return
    for kind in unknown:
        typer.echo(say(locale.speaks, f"explain-new-{kind}", chat=where, person=who))
    typer.echo("\n".join(explained_lines(locale, verdict)))


def _is_known(find: Callable[[Tx, str], object], tx: Tx, ref: str) -> bool:
    try:
        find(tx, ref)
    except NotFound:
        return False
    return True
