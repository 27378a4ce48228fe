"""The text on the card of a question, and on its reminders, in the reader's language."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from nanoclaw.delivery.markdown import render
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.parcels import Button
from nanoclaw.domain.questions import Question, QuestionKind, Risk, Status
from nanoclaw.domain.shown_text import shown, shown_line
from nanoclaw.domain.text import as_meant, as_written, gist
from nanoclaw.durable.question_cards import Vote
from nanoclaw.flows.human.answer_text import label
from nanoclaw.flows.human.each_language import (
    context_in,
    enclosed_with,
    prompt_in,
    seen_before,
    settings_of,
)
from nanoclaw.texts import say

SHORT = 5  # letters of an id, for people to type
_CONTEXT_SHOWN = 2000
_DIFF_SHOWN = 900
_SETTINGS_SHOWN = 600
_MAY_HIDE = re.compile(r"[\]<&~]|\|\|")
_FENCE = re.compile(r"(?m)^\s*(?:```+|~~~+)[\w+-]*$")
_WORD = re.compile(r"\w+")
_PROMPT_SHOWN = 6000
_MOST_NAMED = 12
_REMINDED_OF = 200
_ANSWERED_IN_WORDS = (QuestionKind.INPUT, QuestionKind.REVIEW, QuestionKind.ESCALATION)
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def card(
    question: Question,
    locale: Locale,
    votes: Sequence[Vote] = (),
    *,
    alone: bool = True,
    more: Sequence[str] = (),
    chat_id: str | None = None,
) -> str:
    """Question, context, choices, deadline and default; finally the outcome. `alone`: everything written
    there is meant for the bot, even without a reply. `more`: what an interactive session adds while it is
    open. `chat_id`: where the card is; a document that is there already is not sent again.
    """
    language = locale.speaks
    head = say(language, f"question-head-{question.kind.word.replace('_', '-')}")
    tool, pieces = question.tool, _pieces(question, language, chat_id)
    parts = [head, *(each.markdown for each in pieces if each.markdown)]
    if tool and tool.get("why"):
        parts.insert(1, as_written(tool["why"]))
    if question.risk is not Risk.NORMAL:
        parts.insert(1, say(language, f"question-risk-{question.risk}"))
    if any(each.missing for each in pieces):
        parts.append(_cut_note(question, pieces, language))
    if seen := _seen_in(question, chat_id):
        texts = enclosed_with(question, language)
        names, hidden = ", ".join(texts), sum(len(shown(text)) for text in texts.values())
        agreed_at = clock(datetime.fromisoformat(seen["at"]), locale, asked_at=question.created_at)
        values = {"by": as_written(seen["name"]), "time": agreed_at, "file": seen["file"]}
        parts.append(say(language, "question-seen", names=names, hidden=hidden, **values))
    if any("⟨U" in part for part in parts):
        parts.append(say(language, "question-marks"))
    described = [each for each in question.options if each.description]
    if described and question.is_open:
        lines = (
            f"- **{as_written(label(each, language))}**: {as_written(each.description)}" for each in described
        )
        parts.append("\n".join(lines))
    parts += more
    if question.is_open and question.kind in _ANSWERED_IN_WORDS and question.votes == 1:
        takes_next = question.kind is QuestionKind.INPUT and alone
        parts.append(say(language, "question-write" if takes_next else "question-write-reply"))
    if question.votes > 1:
        parts.append(_votes(question, votes, language))
    parts.append(
        _deadline(question, locale, question.created_at) if question.is_open else ending(question, locale)
    )
    asked_by = as_written(question.skill or question.group)
    return "\n\n".join([*parts, say(language, "question-foot", id=question.id[-SHORT:], who=asked_by)])


def document(question: Question, language: str, chat_id: str | None = None) -> str | None:
    """All that the card is about, if the card in this chat shows only part of it."""
    pieces = _pieces(question, language, chat_id)
    return "\n\n".join(each.whole for each in pieces) + "\n" if any(each.missing for each in pieces) else None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Piece:
    """Part of what people decide on: all of it, what the card shows of it, and the names of what it does not."""

    whole: str
    markdown: str
    missing: tuple[str, ...] = ()
    hidden: int = 0  # characters


def _pieces(question: Question, language: str, chat_id: str | None) -> list[_Piece]:
    tool, context = question.tool, context_in(question, language)
    if tool:
        asked, what = say(language, "tool-question", tool=tool["tool"]), shown(tool["shown"])
        return [_Piece(whole=asked, markdown=asked), _Piece(whole=what, markdown=_fenced(what))]
    pieces = [_prompt(shown(prompt_in(question, language)), language)]
    if isinstance(context, dict) and isinstance(changes := context.get("diff"), str):
        pieces.append(_diff(shown(changes), language))
    elif context is not None:
        pieces.append(_context(context, language))
    if settings := settings_of(question):
        pieces.append(_context(dict(settings), language, _SETTINGS_SHOWN))
    for name, text in enclosed_with(question, language).items():
        piece = _Piece(whole=f"{name}:\n{shown(text)}", markdown="")
        is_there = _seen_in(question, chat_id)
        pieces.append(piece if is_there else replace(piece, missing=(name,), hidden=len(piece.whole)))
    return pieces


def _seen_in(question: Question, chat_id: str | None) -> Mapping[str, str]:
    """When and by whom the enclosed texts were agreed to in this chat, if they were."""
    seen = seen_before(question)
    return seen if seen.get("chat_id") == chat_id else {}


def _prompt(whole: str, language: str) -> _Piece:
    if len(whole) <= _PROMPT_SHOWN:
        return _Piece(whole=as_meant(whole), markdown=readable(whole))
    names, first = (say(language, "question-part-prompt"),), f"{whole[:_PROMPT_SHOWN]}…"
    hidden = len(whole) - _PROMPT_SHOWN
    return _Piece(whole=as_meant(whole), markdown=readable(first), missing=names, hidden=hidden)


def readable(markdown: str) -> str:
    """The text as Markdown unless that would hide words of it, as it hides the address of a link: then as written."""
    if not _MAY_HIDE.search(markdown):
        return markdown
    there = Counter(_WORD.findall(as_meant(_FENCE.sub("", markdown))))
    return markdown if there <= Counter(_WORD.findall(render(markdown).text)) else as_written(markdown)


def _diff(whole: str, language: str) -> _Piece:
    """Only changed lines if the rest would not fit, and mostly the new ones."""
    if len(whole) <= _DIFF_SHOWN:
        return _Piece(whole=whole, markdown=_fenced(whole, "diff"))
    room = {"-": _DIFF_SHOWN // 3, "+": _DIFF_SHOWN * 2 // 3}
    kept: list[str] = []
    for line in whole.split("\n"):
        left = room.get(line[:1], 0)
        if left > 0:
            kept.append(line if len(line) <= left else f"{line[:left]}…")
            room[line[0]] = left - len(line) - 1
    short = "\n".join(kept)
    names = (say(language, "question-part-diff"),)
    return _Piece(
        whole=whole, markdown=_fenced(short, "diff"), missing=names, hidden=max(1, len(whole) - len(short))
    )


def _context(context: object, language: str, most: int = _CONTEXT_SHOWN) -> _Piece:
    if isinstance(context, dict):
        entries = [(shown_line(str(key)), shown(f"{key}:{_value(value)}")) for key, value in context.items()]
    else:
        text = context if isinstance(context, str) else _json(context)
        entries = [(say(language, "question-part-context"), shown(text))]
    whole = "\n".join(text for _, text in entries)
    missing, end = [], 0
    for name, text in entries:
        end += len(text) + 1
        if end - 1 > most:
            missing.append(name)
    short = f"{whole[:most]}…" if missing else whole
    quoted = "\n".join(f"> {_indented(line)}" for line in short.split("\n"))
    hidden = max(0, len(whole) - most)
    return _Piece(whole=whole, markdown=quoted, missing=tuple(missing), hidden=hidden)


def _cut_note(question: Question, pieces: Sequence[_Piece], language: str) -> str:
    names = [as_written(name) for each in pieces for name in each.missing]
    more = [f"+{len(names) - _MOST_NAMED}"] if len(names) > _MOST_NAMED else []
    return say(
        language,
        "question-cut",
        hidden=sum(each.hidden for each in pieces),
        whole=sum(len(each.whole) for each in pieces),
        names=", ".join([*names[:_MOST_NAMED], *more]),
        file=document_name(question),
    )


def document_name(question: Question) -> str:
    return f"{question.id[-SHORT:]}.txt"


def reminder(question: Question, locale: Locale, *, last: bool, at: datetime) -> str:
    language = locale.speaks
    left = span(language, question.deadline_at - at)
    has_default = question.option(question.default) is not None
    last_key = "question-reminder-last" if has_default else "question-reminder-end"
    head = say(language, last_key, left=left) if last else say(language, "question-reminder")
    asked = [_quoted(question, language), *([_fenced(question.tool["shown"])] if question.tool else [])]
    more = [] if question.tool else _not_on_the_reminder(question, language)
    return "\n\n".join([head, *asked, *more, _deadline(question, locale, at)])


def settled_reminder(question: Question, locale: Locale) -> str:
    return "\n\n".join([_quoted(question, locale.speaks), ending(question, locale)])


def buttons(question: Question, language: str) -> tuple[Button, ...]:
    return tuple(
        Button(label=label(option, language), data=question.button_data(option))
        for option in question.options
    )


def ending(question: Question, locale: Locale) -> str:
    """Who chose what, and when, or that nobody did."""
    language, option = locale.speaks, question.option(question.chosen)
    values = {
        "time": clock(question.resolved_at or question.deadline_at, locale, asked_at=question.created_at),
        "name": as_written(question.decided_name or ""),
        "label": as_written(label(option, language)) if option else "",
        "said": as_written(question.user_input or ""),
        "why": as_written(question.error or ""),
    }
    if question.kind is QuestionKind.INTERACTIVE and question.concluded is not None and not option:
        values["said"] = as_written(_short(question.concluded))
    match question.status:
        case Status.COMPLETED if option and question.user_input:
            return say(language, "question-chosen-and-said", **values)
        case Status.COMPLETED if option:
            return say(language, "question-chosen", **values)
        case Status.COMPLETED:
            return say(language, "question-answered", **values)
        case Status.TIMEOUT if option:
            return say(language, "question-timeout", **values)
        case Status.TIMEOUT:
            return say(language, "question-timeout-nothing", **values)
        case Status.FAILED:
            return say(language, "question-failed-why" if question.error else "question-failed", **values)
        case _:
            return say(language, "question-cancelled", **values)


def clock(moment: datetime, locale: Locale, *, asked_at: datetime) -> str:
    """The time, with its date unless it was asked on the same day."""
    local, asked = moment.astimezone(locale.zone), asked_at.astimezone(locale.zone)
    return f"{local:%H:%M}" if local.date() == asked.date() else f"{local:%Y-%m-%d %H:%M}"


def span(language: str, length: timedelta) -> str:
    seconds = max(0, round(length.total_seconds()))
    if seconds >= 2 * _DAY:
        return say(language, "span-days", count=round(seconds / _DAY))
    if seconds >= 2 * _HOUR:
        return say(language, "span-hours", count=round(seconds / _HOUR))
    if seconds >= _MINUTE:
        return say(language, "span-minutes", count=round(seconds / _MINUTE))
    return say(language, "span-seconds", count=seconds)


def _votes(question: Question, votes: Sequence[Vote], language: str) -> str:
    given = ", ".join(
        f"{as_written(vote.name)}: {as_written(label(option, language))}"
        for vote in votes
        if (option := question.option(vote.option))
    )
    return say(language, "question-votes", needed=question.votes, given=given or "–")


def _deadline(question: Question, locale: Locale, at: datetime) -> str:
    language, default = locale.speaks, question.option(question.default)
    values = {
        "left": span(language, question.deadline_at - at),
        "time": clock(question.deadline_at, locale, asked_at=question.created_at),
    }
    if default is None:
        return say(language, "question-deadline-nothing", **values)
    return say(language, "question-deadline", default=as_written(label(default, language)), **values)


def _value(value: object) -> str:
    """A value of several lines begins below its name, so that code stays aligned."""
    written = value if isinstance(value, str) else _json(value)
    return f"\n{written}" if "\n" in written else f" {written}"


def _indented(line: str) -> str:
    """Markdown drops leading spaces, which mean something in code."""
    words = line.expandtabs(4).lstrip(" ")
    return "\u00a0" * (len(line.expandtabs(4)) - len(words)) + as_written(words)


def _fenced(shown: str, kind: str = "") -> str:
    """A fence longer than any inside, so that the content is shown verbatim."""
    fence = "```"
    while fence in shown:
        fence += "`"
    return f"{fence}{kind}\n{shown}\n{fence}"


def _short(concluded: object) -> str:
    written = concluded if isinstance(concluded, str) else _json(concluded)
    return written if len(written) <= _CONTEXT_SHOWN else f"{written[:_CONTEXT_SHOWN]}…"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _quoted(question: Question, language: str) -> str:
    return "> " + as_written(_short_gist(question, language))


def _short_gist(question: Question, language: str) -> str:
    asked = gist(shown(prompt_in(question, language)))
    return asked if len(asked) <= _REMINDED_OF else f"{asked[:_REMINDED_OF]}…"


def _not_on_the_reminder(question: Question, language: str) -> list[str]:
    """It has the same buttons as the card, which alone shows what is decided."""
    whole = "\n".join(each.whole for each in _pieces(question, language, None))
    hidden = len(gist(whole.replace("\n", " "))) - len(_short_gist(question, language))
    return [say(language, "question-reminder-cut", hidden=hidden)] if hidden > 0 else []
