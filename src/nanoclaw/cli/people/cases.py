"""The commands about single messages: who waits for a decision, what was refused, and what would happen to
one.

Also the audit: who changed what.
"""

from collections.abc import Callable
from typing import Annotated

import typer

from nanoclaw.cli import audit_check
from nanoclaw.cli.options import AsJson, guarded_home, help_of, lists_alone
from nanoclaw.cli.output import as_dict, print_json, print_list
from nanoclaw.cli.people.access import AsOwner, ask, word, word_or_none
from nanoclaw.cli.people.lines import audit_line, drop_line, explained_lines, request_line
from nanoclaw.console import people_views as views
from nanoclaw.console.explanation import explain as explain_trial
from nanoclaw.console.people_shapes import Trial, Verdict
from nanoclaw.domain.errors import NotFound
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.host import host_lock
from nanoclaw.texts import say

app = typer.Typer()
requests = typer.Typer(help=help_of("requests"))
admission = typer.Typer(help=help_of("admission"), no_args_is_help=True)
audit = typer.Typer(help=help_of("audit"))
app.add_typer(requests, name="requests")
app.add_typer(admission, name="admission")
app.add_typer(audit, name="audit")

Limit = Annotated[int, typer.Option(min=1, max=1000, help=help_of("limit"))]


@requests.command("list", help=help_of("requests-list"))
def list_requests(as_json: AsJson = False) -> None:
    found, locale = ask(
        lambda owner: views.show_requests(owner.tx, owner.admission.groups, owner.by.language)
    )
    print_list(found, locale, request_line, "requests-head-none", as_json=as_json)


lists_alone(requests, list_requests)


@requests.command("decide", help=help_of("requests-decide"))
def decide(
    request: Annotated[str, typer.Argument(metavar="ID", help=help_of("request"))],
    choice: Annotated[str, typer.Argument(help=help_of("choice"))],
    as_json: AsJson = False,
) -> None:
    named = word(request)

    def story(owner: AsOwner) -> str:
        approvals = owner.admission.approvals
        found = approvals.find(owner.tx, named)
        return views.plain(approvals.decide(owner.tx, found.id, word(choice), owner.by, now()).said)

    said, locale = ask(story, write=True)
    is_running = host_lock.find(guarded_home()) is not None
    if as_json:
        print_json({"request": named, "said": said, "running": is_running})
        return
    typer.echo(f"{named}: {said}")
    typer.echo(say(locale.speaks, "decided-running" if is_running else "decided-stopped"))


@app.command("drops", help=help_of("drops"))
def list_drops(limit: Limit = 30, as_json: AsJson = False) -> None:
    found, locale = ask(lambda owner: views.show_drops(owner.tx, owner.by.language, limit))
    print_list(found, locale, drop_line, "drops-head-none", as_json=as_json)


@audit.callback(invoke_without_command=True)
def list_audit(asked: typer.Context, limit: Limit = 30, as_json: AsJson = False) -> None:
    if asked.invoked_subcommand is not None:
        return
    found, locale = ask(lambda owner: views.show_audit(owner.tx, owner.locale, limit))
    print_list(found, locale, audit_line, "audit-head-none", as_json=as_json)


@audit.command("verify", help=help_of("audit-verify"))
def verify_audit(asked: typer.Context, as_json: AsJson = False) -> None:
    before = asked.parent is not None and asked.parent.params["as_json"]  # `audit --json verify`
    audit_check.check(guarded_home(), as_json=as_json or before)


@admission.command("explain", help=help_of("explain"))
def explain(
    chat: Annotated[str, typer.Option(help=help_of("explain-chat"))],
    person: Annotated[str, typer.Option("--from", help=help_of("explain-from"))],
    text: Annotated[str, typer.Option(help=help_of("explain-text"))],
    mention: Annotated[bool | None, typer.Option("--mention/--no-mention", help=help_of("mention"))] = None,
    thread: Annotated[str | None, typer.Option(help=help_of("thread"))] = None,
    as_json: AsJson = False,
) -> None:
    """An unknown person is treated as new, and the output says so: it may be a typo."""
    where, who = word(chat), word(person)
    if not where or not who:
        raise NotFound("no-such-chat", chat=where) if not where else NotFound("no-such-person", person=who)

    trial = Trial(chat=where, person=who, text=text, addressed=mention, thread=word_or_none(thread))

    def story(owner: AsOwner) -> tuple[Verdict, list[str]]:
        admission = owner.admission
        unknown = [] if _is_known(admission.access.find_chat, owner.tx, where) else ["chat"]
        unknown += [] if _is_known(admission.access.find_person, owner.tx, who) else ["person"]
        verdict = explain_trial(
            owner.tx,
            trial,
            owner.by.language,
            message_admission=admission.message_admission,
            access=admission.access,
            skills=admission.known_skills.commands().keys(),
        )
        return verdict, unknown

    (verdict, unknown), locale = ask(story)
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
