"""What the asker is told: as the tool's answer or, when nobody waits any more, as a message to the session."""

import unicodedata
from collections.abc import Callable
from datetime import datetime

from nanoclaw.domain.locale import Locale, clock_face
from nanoclaw.domain.questions import Option, Question, QuestionKind, Status
from nanoclaw.domain.tool_requests import ToolReply
from nanoclaw.flows.human.interaction_xml import as_xml
from nanoclaw.texts import LANGUAGES, say

_PICTURES = ("So", "Sk", "Mn", "Cf", "Zs")
_APART = "It was answered, and the answer comes to you as a message. Do not ask again."
_SHOWN = 300  # characters of a question that is quoted again


def label(option: Option, language: str) -> str:
    """The label given in the request; our own options in the reader's language."""
    return option.label or say(language, f"option-{option.id.replace('_', '-')}")


def option_meant(question: Question, choice: str) -> Option | None:
    """The option meant by the name that buttons and commands use, or by its label in any language, with or
    without emoji.
    """
    said = choice.strip()
    if said.startswith("~"):  # a position, never a name
        return question.option_of(said)
    # A label before a position: `3` may be the label of the first option.
    exact = question.option(said) or option_named(question, said) or question.option_of(said)
    return exact or _named(question, said, _bare)


def option_named(question: Question, said: str) -> Option | None:
    """Match by the whole label only, for questions that also take free text: there `1` may be an answer."""
    return _named(question, said, str.casefold) or _named(question, said, _without_picture)


def _named(question: Question, said: str, form: Callable[[str], str]) -> Option | None:
    fits = [option for option in question.options if form(said) in map(form, _names(option))]
    return fits[0] if len(fits) == 1 and form(said) else None  # without signs, `C` and `C++` look the same


def _names(option: Option) -> set[str]:
    return {option.id, *(label(option, language) for language in LANGUAGES)}


def _without_picture(text: str) -> str:
    """`✅ Approve` is matched by `approve`; the sign in `+1` is part of it."""
    while text and unicodedata.category(text[0]) in _PICTURES:
        text = text[1:]
    return text.casefold()


def _bare(text: str) -> str:
    return " ".join("".join(each if each.isalnum() else " " for each in text).split()).casefold()


def reply(question: Question, locale: Locale) -> ToolReply:
    """`chosen` is the id of an option or, for input, what the person wrote."""
    return ToolReply(ok=True, text=told(question, locale), data=values(question, locale))


def values(question: Question, locale: Locale) -> dict[str, object]:
    answer = question.response or {}
    return {
        "request_id": question.asked_id,
        "question_id": question.id,
        "status": question.status.value,
        "chosen": question.concluded,
        "user_input": answer.get("user_input"),
        "user_id": question.decided_by,
        "made_by": question.made_by,
        "timestamp": question.resolved_at.astimezone(locale.zone).isoformat()
        if question.resolved_at
        else None,
    }


def told(question: Question, locale: Locale) -> str:
    """The answer for an agent, in English, on the clock of the person it works for."""
    at = _clock(question.resolved_at, locale) if question.resolved_at else ""
    option = question.option(question.chosen)
    chosen = f'"{label(option, "en")}" ({option.id})' if option else ""
    match question.status:
        case Status.COMPLETED:
            who = question.decided_name or "Someone"
            did = f"{who} chose {chosen}, {at}." if chosen else f"{who} answered, {at}."
            said = question.user_input or (None if option else question.concluded)
            return f"{did} They wrote: {said}" if said else did
        case Status.TIMEOUT if chosen:
            return f"Nobody answered in time. The default is taken: {chosen}. No person decided this."
        case Status.TIMEOUT:
            return "Nobody answered in time, and nothing was decided. Do not take it for a yes or a no."
        case Status.CANCELLED:
            return "The question was taken back; nothing was decided."
        case Status.FAILED:
            return f"The question came to nothing: {question.error or 'it failed'}."
        case Status.PENDING:
            until = _clock(question.deadline_at, locale)
            return (
                f"Nobody has answered yet. The question stays open until {until}, and the answer will wake you. "
                "Do not ask again and do not go on with what depends on it. End your turn now."
            )


def _clock(moment: datetime, locale: Locale) -> str:
    """The time with its zone: the header that names the zone is far from a tool's answer."""
    return f"{clock_face(moment, locale.zone)} ({locale.zone.key})"


def reminded(question: Question, locale: Locale, *, apart: bool = False) -> str:
    """The answer with its question, for an agent that no longer has it in context. `apart`: the answer comes
    separately.
    """
    short = question.prompt if len(question.prompt) <= _SHOWN else f"{question.prompt[:_SHOWN]}…"
    if question.kind is QuestionKind.INTERACTIVE and not apart:
        return as_xml(question)
    exactly = f"\nThe arguments: {question.tool['arguments']}" if question.tool else ""
    return f"You asked: {short}{exactly}\n{_APART if apart else told(question, locale)}"
