"""The text on the card of a question, and on its reminders, in the reader's language."""

import json
from collections.abc import Sequence
from datetime import datetime, timedelta

from nanoclaw.domain.locale import Locale
from nanoclaw.domain.parcels import Button
from nanoclaw.domain.questions import Question, QuestionKind, Risk, Status
from nanoclaw.domain.text import as_written, gist
from nanoclaw.durable.question_cards import Vote
from nanoclaw.flows.human.answer_text import label
from nanoclaw.flows.human.each_language import context_in, prompt_in
from nanoclaw.texts import say

SHORT = 5  # letters of an id, for people to type
_CONTEXT_SHOWN = 2000
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
) -> str:
    """Question, context, choices, deadline and default; finally the outcome. `alone`: everything written
    there is meant for the bot, even without a reply. `more`: what an interactive session adds while it is
    open.
    """
    language = locale.speaks
    head = say(language, f"question-head-{question.kind.word.replace('_', '-')}")
    tool, context = question.tool, context_in(question, language)
    parts = [
        head,
        say(language, "tool-question", tool=tool["tool"]) if tool else prompt_in(question, language),
    ]
    if tool and tool.get("why"):
        parts.insert(1, as_written(tool["why"]))
    if question.risk is not Risk.NORMAL:
        parts.insert(1, say(language, f"question-risk-{question.risk}"))
    if tool:
        parts.append(_fenced(tool["shown"]))
    elif isinstance(context, dict) and isinstance(shown := context.get("diff"), str):
        parts.append(_fenced(shown, "diff"))
    elif shown := _context(context):
        parts.append("\n".join(f"> {_indented(line)}" for line in shown.splitlines()))
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


def reminder(question: Question, locale: Locale, *, last: bool, at: datetime) -> str:
    language = locale.speaks
    left = span(language, question.deadline_at - at)
    has_default = question.option(question.default) is not None
    last_key = "question-reminder-last" if has_default else "question-reminder-end"
    head = say(language, last_key, left=left) if last else say(language, "question-reminder")
    asked = [_quoted(question, language), *([_fenced(question.tool["shown"])] if question.tool else [])]
    return "\n\n".join([head, *asked, _deadline(question, locale, at)])


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


def _context(context: object) -> str:
    """As much context as fits on a card; the inbox shows all of it."""
    if context is None:
        return ""
    if isinstance(context, dict):
        lines = (f"{key}:{_value(value)}" for key, value in context.items())
        written = "\n".join(lines)
    else:
        written = context if isinstance(context, str) else _json(context)
    return written if len(written) <= _CONTEXT_SHOWN else f"{written[:_CONTEXT_SHOWN]}…"


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
    return "> " + as_written(gist(prompt_in(question, language))[:_REMINDED_OF])
