"""An agent that is unsure answers with questions in JSON, `{"interactive": true, "questions": [...]}`: the
signal.

People see the questions as a card, and never the JSON: neither in the answer nor in what is shown of it while
it grows. Any other JSON is an ordinary answer.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from nanoclaw.domain.json_objects import DECODER, MOST_BROKEN, MOST_JSON, JsonObject, objects_in
from nanoclaw.domain.plans import Questionnaire
from nanoclaw.domain.questionnaires import questionnaire_of

# Of the code block around it. A mark begins only where no other precedes it, so a thousand in a row are read once.
_OPENING = re.compile(r"(?:(?<!`)`+|(?<!~)~{3,})[\w-]*\s*\Z")
_CLOSING = re.compile(r"\s*(?:`+|~{3,})[ \t]*")
_LONE_OPENING = re.compile(r"^[ \t]*(?:`{1,3}|~{1,3})[\w-]*\s*\Z", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_MAY_BEGIN = re.compile(r'\{\s*(?:\Z|")')
# It begins with one of these keys; any other object is shown while it grows, unless it turns out to be one.
_KEYS = ("interactive", "goal", "description", "questions")
_KEY = re.compile(r'\{\s*"(?P<key>[^"\\]*)(?P<end>"?)')
_SAYS_SO = re.compile(r'"interactive"\s*:\s*t')
# An error farther from the end than this is not just an unfinished word.
_UNFINISHED = len("\\u1234")


@dataclass(frozen=True, kw_only=True, slots=True)
class Signal:
    questionnaire: Questionnaire
    prose: str  # what was written around it, for people


def read_signal(text: str) -> Signal | None:
    """None for an ordinary answer."""
    found = _signals(text)
    if not found:
        return None
    questionnaire = _read(found[0].value)
    return Signal(questionnaire=questionnaire, prose=_without(text, found)) if questionnaire else None


def shown_of(growing: str) -> str:
    """What may be shown of an answer that is still being written: everything that can no longer become the signal."""
    if not any(sign in growing for sign in "{`~"):
        return growing
    text = _without(growing, found) if (found := _signals(growing)) else growing
    hidden = _hidden_from(text)
    if hidden is not None:
        return _OPENING.sub("", text[:hidden]).rstrip()
    lone = _LONE_OPENING.search(text)
    if lone and len(_FENCE.findall(text, 0, lone.start())) % 2 == 0:
        return text[: lone.start()].rstrip()
    return text


def _signals(text: str) -> list[JsonObject]:
    if '"interactive"' not in text:
        return []
    return [found for found in objects_in(text) if _read(found.value)]


def _read(said: dict[str, Any]) -> Questionnaire | None:
    if said.get("interactive") is not True:
        return None
    read = questionnaire_of(said, first_of_agent=True, in_round=1)
    return read if read and read.questions else None


def _without(text: str, found: list[JsonObject]) -> str:
    parts, since = [], 0
    for each in found:
        before = text[since : each.start]
        opening = _OPENING.search(before)
        parts.append(before[: opening.start()] if opening else before)
        closing = _CLOSING.match(text, each.end) if opening else None
        since = closing.end() if closing else each.end
    return "\n\n".join(filter(None, map(str.strip, [*parts, text[since:]])))


def _hidden_from(text: str) -> int | None:
    """Where an object begins that may still become the signal. Only a limited part is examined: a long answer
    is examined again and again while it grows.
    """
    at, broken, end = max(0, len(text) - MOST_JSON), 0, len(text.rstrip())
    while broken < MOST_BROKEN and (begins := _MAY_BEGIN.search(text, at)):
        start = begins.start()
        try:
            at = DECODER.raw_decode(text, start)[1]
        except json.JSONDecodeError as error:
            is_open_string = error.msg.startswith("Unterminated string")
            if is_open_string or end - error.pos <= _UNFINISHED:
                # It may continue, and what follows is inside it.
                return start if end - start < MOST_JSON and _may_be_signal(text, start) else None
            at, broken = start + 1, broken + 1
        except (ValueError, RecursionError):
            at, broken = start + 1, broken + 1
    return None


def _may_be_signal(text: str, start: int) -> bool:
    key = _KEY.match(text, start)
    if key is None:
        return True  # nothing is known yet
    if not key["end"]:
        return any(each.startswith(key["key"]) for each in _KEYS)
    return key["key"] in _KEYS or bool(_SAYS_SO.search(text, start))
