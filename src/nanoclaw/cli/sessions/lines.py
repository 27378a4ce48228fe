"""How interactive sessions are printed on a terminal."""

import json
from datetime import datetime

from nanoclaw.cli.host_words import without_escapes
from nanoclaw.cli.inbox.lines import outcome, took
from nanoclaw.cli.plain_lines import clean, one_line
from nanoclaw.console.session_shapes import Session, WholeSession
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.questions import Status
from nanoclaw.flows.human.card_text import clock, span
from nanoclaw.texts import say

_INDENT = "    "
_CONTEXT_LINES = 20


def session_lines(locale: Locale, row: Session, at: datetime) -> str:
    """A session in a list: what is asked, by whom, how it stands."""
    language = locale.speaks
    first = next(iter(clean(without_escapes(row.question))), "")
    lines = [say(language, "inbox-asker", who=one_line(row.asker))]
    if row.status == Status.PENDING:
        lines += _open(locale, row.opened_at, row.warned_at, row.deadline_at, at)
        lines.append(say(language, "sessions-how", id=row.short))
    else:
        spent = took(language, row.seconds)
        name, said = one_line(row.decided_name or ""), one_line(row.concluded)
        lines.append(say(language, f"sessions-{row.status}", name=name, said=said, took=spent))
    return "\n".join([f"{row.short}  {first}", *(_INDENT + line for line in lines)])


def standing_line(locale: Locale, row: WholeSession) -> str:
    """Its state in one line."""
    return f"{row.question.short}  {outcome(locale, row.question)}"


def whole_session(locale: Locale, row: WholeSession, at: datetime) -> str:
    language, asked, live = locale.speaks, row.question, row.live
    lines = [f"{asked.short}  {asked.id}", "", *clean(without_escapes(asked.question), longest=None)]
    if asked.context:
        shown = clean(asked.context)
        lines += ["", *(f"│ {line}" for line in shown[:_CONTEXT_LINES])]
        lines += ["│ …"] if len(shown) > _CONTEXT_LINES else []
    lines += ["", say(language, f"sessions-wants-{row.form['type']}")]
    lines += [f"  {place}  {one_line(str(each))}" for place, each in enumerate(row.form["options"], 1)]
    if row.form.get("schema"):
        lines += clean(json.dumps(row.form["schema"], ensure_ascii=False, indent=2), longest=None)
    if asked.status == Status.PENDING:
        lines += [*_open(locale, live.opened_at, live.warned_at, asked.deadline_at, at)]
        lines += [say(language, "sessions-filled", said=said)] if (said := _filled(row.prefill)) else []
        lines.append(say(language, "sessions-how", id=asked.short))
    else:
        lines.append(outcome(locale, asked))
    for each in row.files:
        lines += ["", say(language, f"sessions-file-{each.change}", path=one_line(each.path))]
        lines += clean(each.diff, longest=None) if each.diff else []
    if asked.transcript:
        lines += ["", say(language, "sessions-transcript"), *clean(asked.transcript, longest=None)]
    return "\n".join(lines)


def _open(
    locale: Locale, opened_at: datetime | None, warned_at: datetime | None, deadline: datetime, at: datetime
) -> list[str]:
    language = locale.speaks
    since = took(language, (at - opened_at).total_seconds()) if opened_at else ""
    lines = [say(language, "sessions-live", since=since) if opened_at else say(language, "sessions-waiting")]
    if warned_at:
        return [*lines, say(language, "sessions-warned")]
    left, time = span(language, deadline - at), clock(deadline, locale, asked_at=at)
    return [*lines, say(language, "inbox-until-nothing", left=left, time=time)]


def _filled(prefill: object) -> str:
    """What people said in passing, as the form would have it."""
    if not isinstance(prefill, dict):
        return ""
    value = prefill.get("value")
    shown = prefill.get("words") if value is None else json.dumps(value, ensure_ascii=False)
    return one_line(str(shown or ""))
