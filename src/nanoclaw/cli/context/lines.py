"""How context files, versions and proposals are printed on a terminal."""

from nanoclaw.cli.plain_lines import clean, one_line
from nanoclaw.console.context_shapes import ContextFile, ContextText, Proposal, Version
from nanoclaw.domain.locale import Locale
from nanoclaw.texts import say

_INDENT = "    "


def file_line(locale: Locale, row: ContextFile) -> str:
    return f"{row.file}  {row.title}\n{_INDENT}{row.purpose}\n{_INDENT}{_age(locale, row)}"


def text_lines(locale: Locale, row: ContextText) -> list[str]:
    return [
        f"{row.file}  {row.title}",
        _age(locale, row),
        "",
        *clean(row.text or say(locale.speaks, "context-file-none"), longest=None),
        *(line for each in row.waiting for line in ("", *proposal_lines(locale, each))),
    ]


def version_line(locale: Locale, row: Version) -> str:
    moment = f"{row.at.astimezone(locale.zone):%Y-%m-%d %H:%M}"
    return f"{row.id[:12]}  {moment}  {one_line(row.author)}  {one_line(row.subject)}"


def proposal_lines(locale: Locale, row: Proposal) -> list[str]:
    state = say(locale.speaks, "context-proposal-state", state=row.state)
    head = f"{row.file}: {one_line(row.summary)} ({state})"
    hint = (
        [say(locale.speaks, "context-decide", id=row.question_id[-5:])]
        if row.question_id and row.state == "open"
        else []
    )
    return [head, *clean(row.diff, longest=None), *hint]


def _age(locale: Locale, row: ContextFile) -> str:
    parts = [row.age]
    if row.stale:
        parts.append(say(locale.speaks, "context-stale"))
    if row.proposals:
        parts.append(say(locale.speaks, "context-waiting", count=row.proposals))
    return " · ".join(parts)
