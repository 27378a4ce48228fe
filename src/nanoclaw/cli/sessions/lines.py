"""How interactive sessions are printed on a terminal."""

import json
from datetime import datetime

from nanoclaw.cli.host_words import without_escapes
from nanoclaw.cli.inbox.lines import outcome, took
from nanoclaw.cli.plain_lines import clean, one_line
from nanoclaw.console.session_shapes import Session, SessionDetail
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.questions import PROGRAM, Status
from nanoclaw.flows.human.card_text import clock, span
from nanoclaw.texts import say

_INDENT = "    "
_CONTEXT_LINES = 20


def session_lines(locale: Locale, row: Session, at: datetime) -> str:
    """A session in a list: what is asked, by whom, how it stands."""
    asked = row.question
    first = next(iter(clean(without_escapes(asked.question))), "")
    lines = [f"{asked.short}  {first}", *(_INDENT + line for line in _standing(locale, row, at))]
    return "\n".join(lines)


def whole_session(locale: Locale, row: SessionDetail, at: datetime) -> str:
    language, asked = locale.speaks, row.question
    lines = [f"{asked.short}  {asked.id}", "", *clean(without_escapes(asked.question), longest=None)]
    if asked.context:
        shown = clean(asked.context)
        lines += ["", *(f"│ {line}" for line in shown[:_CONTEXT_LINES])]
        lines += [say(language, "sessions-context-more")] if len(shown) > _CONTEXT_LINES else []
    lines += ["", *_standing(locale, row, at), say(language, f"sessions-wants-{row.form['type']}")]
    lines += [f"  {place}  {one_line(str(each))}" for place, each in enumerate(row.form["options"], 1)]
    if row.form.get("schema"):
        lines += clean(json.dumps(row.form["schema"], ensure_ascii=False, indent=2), longest=None)
    if row.prefill and asked.status == Status.PENDING:
        filled = row.prefill.get("value")
        words = row.prefill.get("words") if filled is None else json.dumps(filled, ensure_ascii=False)
        lines += ["", say(language, "sessions-filled", said=one_line(str(words)))]
    for each in row.files:
        lines += ["", say(language, f"sessions-file-{each.change}", path=one_line(each.path))]
        lines += clean(each.diff, longest=None) if each.diff else []
    if asked.transcript:
        lines += ["", say(language, "sessions-transcript"), *clean(asked.transcript, longest=None)]
    return "\n".join(lines)


def _standing(locale: Locale, row: Session, at: datetime) -> list[str]:
    language, asked = locale.speaks, row.question
    is_program = asked.execution_id == PROGRAM
    key = "inbox-asker-program" if is_program else "inbox-asker"
    who = f"{asked.skill} ({asked.group})" if asked.skill else asked.group
    lines = [say(language, key, group=one_line(asked.group), who=one_line(who))]
    if asked.status != Status.PENDING:
        return [*lines, outcome(locale, asked)]
    if row.opened_at:
        since = took(language, (at - row.opened_at).total_seconds())
        lines.append(say(language, "sessions-live", name=one_line(row.opened_by or ""), since=since))
    else:
        lines.append(say(language, "sessions-waiting"))
    if row.warned_at:
        lines.append(say(language, "sessions-warned"))
    else:
        left = span(language, asked.deadline_at - at)
        time = clock(asked.deadline_at, locale, asked_at=at)
        lines.append(say(language, "inbox-until-nothing", left=left, time=time))
    return [*lines, say(language, "sessions-how", id=asked.short)]
