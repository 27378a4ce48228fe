"""What an interactive session should result in, and whether a conclusion is that."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from nanoclaw.domain.text import is_empty, storable

APPROVED, REJECTED = "approved", "rejected"
"""The two results of an approval."""

INTERACTION = "<human-interaction "
"""How the XML of a session begins."""

MOST_RESPONSE = 256 * 1024  # bytes as JSON
_MOST_TEXT = 100_000  # characters
_SHOWN = 80
_MARK = 8

# Phrases that only fill in the form: a person still has to confirm that this is their decision.
_YES = re.compile(
    r"\bapproved?\b|\bproceeding\b|\byes,?\s*(?:let'?s\s*)?proceed|"
    r"\b(?:схвалюю|схвалено|погоджую(?:сь)?|затверджую)\b",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\breject(?:ed)?\b|\b(?:do not|don'?t)\s+(?:proceed|approve)|"
    r"\b(?:відхиляю|відхилено|не\s+схвалюю|не\s+погоджую(?:сь)?)\b",
    re.IGNORECASE,
)
_UNKEPT = re.compile("[\\x00\\ud800-\\udfff]")
_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*?)\n?```", re.DOTALL)


class OutcomeType(StrEnum):
    APPROVAL = "approval"  # approved or rejected
    SELECTION = "selection"  # one of the options
    FREEFORM = "freeform"  # a text
    STRUCTURED = "structured"  # whatever the JSON Schema describes


@dataclass(frozen=True, kw_only=True, slots=True)
class WantedOutcome:
    """`type` is None if the asker does not care: then any JSON will do, and people write a text."""

    type: OutcomeType | None = None
    options: tuple[str, ...] = ()
    json_schema: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Misfit:
    """Why a response is not a result. The sentence is `misfit-<key>` with these values; `place` is where in it."""

    key: str
    values: Mapping[str, Any] = field(default_factory=dict)
    place: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Concluded:
    """A response as it is stored: the result, and what the person added in words."""

    value: object
    notes: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ProposedOutcome:
    """What an agent thinks was decided, as it wrote it and as a result."""

    words: str
    value: object


def outcome_of(config: Mapping[str, Any] | None) -> WantedOutcome:
    """The outcome from the stored configuration of a session."""
    wanted = (config or {}).get("outcomeSchema")
    if not isinstance(wanted, Mapping):
        return WantedOutcome()
    return WantedOutcome(
        type=OutcomeType(wanted["type"]),
        options=tuple(each.strip() for each in wanted.get("options") or ()),
        json_schema=wanted.get("jsonSchema"),
    )


def keepable(value: object) -> object:
    """The same JSON without what no database keeps in a text, and no card shows: NUL, and lone surrogates.
    Raises RecursionError.
    """
    match value:
        case str():
            return _UNKEPT.sub("\ufffd", value)
        case Mapping():
            return {keepable(name): keepable(of) for name, of in value.items()}
        case list() | tuple():
            return [keepable(each) for each in value]
    return value


def as_concluded(outcome: WantedOutcome, response: object) -> Concluded:
    """`true`, `approve` and `{"approved": true, "notes": "..."}` all mean `approved`; the notes are kept with it."""
    response = keepable(response)
    if outcome.type is OutcomeType.APPROVAL:
        if isinstance(response, Mapping) and isinstance(response.get("approved"), bool):
            notes = response.get("notes")
            said = notes.strip() if isinstance(notes, str) else ""
            return Concluded(value=_decision(response["approved"]), notes=said or None)
        return Concluded(value=_decision(response))
    if isinstance(response, str) and outcome.type is not OutcomeType.STRUCTURED:
        return Concluded(value=storable(response).strip())
    return Concluded(value=response)


def misfit_of(outcome: WantedOutcome, response: object) -> Misfit | None:
    """None if it is a result. `OutcomeChecks` checks structured ones."""
    if why := _unstorable(response):
        return why
    value = as_concluded(outcome, response).value
    match outcome.type:
        case OutcomeType.APPROVAL if value not in (APPROVED, REJECTED):
            return Misfit(key="approval", values={"given": _shown(response)})
        case OutcomeType.SELECTION if value not in outcome.options:
            known = ", ".join(f"`{each}`" for each in outcome.options)
            return Misfit(key="selection", values={"known": known, "given": _shown(response)})
        case OutcomeType.FREEFORM if not isinstance(value, str) or is_empty(value):
            return Misfit(key="text")
        case OutcomeType.FREEFORM if isinstance(value, str) and len(value) > _MOST_TEXT:
            return Misfit(key="text-long", values={"length": len(value), "most": _MOST_TEXT})
    return None


def mark_of(value: object) -> str:
    """Distinguishes results in few letters, for a button's data."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:_MARK]


def read_words(outcome: WantedOutcome, said: str) -> object:
    """What someone's words would be as a result, to fill in the form; None if they do not say."""
    try:
        return keepable(_read(outcome, said.strip()))
    except RecursionError:
        return None


def _read(outcome: WantedOutcome, words: str) -> object:
    match outcome.type:
        case OutcomeType.APPROVAL:
            yes, no = _YES.search(_NO.sub("", words)), _NO.search(words)
            return None if bool(yes) == bool(no) else APPROVED if yes else REJECTED
        case OutcomeType.SELECTION:
            named = [each for each in outcome.options if each.casefold() == words.casefold()]
            held = named or [each for each in outcome.options if each.casefold() in words.casefold()]
            return held[0] if len(held) == 1 else None
        case OutcomeType.STRUCTURED:
            return _structured(outcome.json_schema or {}, words)
    return words or None


def proposal_in(outcome: WantedOutcome, said: str) -> ProposedOutcome | None:
    """What an agent wrote down as the decision, as it was told to: the last JSON block with `decision`. Other
    JSON that it shows does not count.
    """
    if outcome.type is not OutcomeType.STRUCTURED:
        return None
    for written in reversed(_FENCED.findall(said)):
        try:
            found = json.loads(written)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and "decision" in found:
            inner = found["decision"]
            is_own = "decision" in _properties(outcome.json_schema or {}) and not isinstance(inner, dict)
            value = found if is_own else inner
            return (
                None
                if value is None or _unstorable(value)
                else ProposedOutcome(words=written, value=keepable(value))
            )
    return None


def _structured(schema: Mapping[str, Any], words: str) -> object:
    """The last JSON in it; otherwise the words, as the only text of the schema."""
    for written in (*reversed(_FENCED.findall(words)), words):
        try:
            found = json.loads(written)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and set(found) == {"decision"} and "decision" not in _properties(schema):
            return found["decision"]
        if isinstance(found, dict | list) or not _properties(schema):
            return found
    texts = [
        name
        for name, of in _properties(schema).items()
        if isinstance(of, dict) and of.get("type") == "string"
    ]
    return {texts[0]: words} if len(texts) == 1 and words else None


def _properties(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found = schema.get("properties")
    return found if isinstance(found, Mapping) else {}


def _decision(given: object) -> object:
    match given:
        case True:
            return APPROVED
        case False:
            return REJECTED
        case str():
            plain = given.strip().casefold()
            known = {"approve": APPROVED, APPROVED: APPROVED, "reject": REJECTED, REJECTED: REJECTED}
            return known.get(plain, given)
    return given


def _unstorable(response: object) -> Misfit | None:
    try:
        keepable(response)
        size = len(json.dumps(response, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace"))
    except (ValueError, TypeError):
        return Misfit(key="no-json")
    except RecursionError:
        return Misfit(key="deep")
    if size > MOST_RESPONSE:
        return Misfit(key="big", values={"size": size // 1024, "most": MOST_RESPONSE // 1024})
    return None


def _shown(response: object) -> str:
    written = json.dumps(response, ensure_ascii=False)
    return f"`{written[:_SHOWN]}{'…' if len(written) > _SHOWN else ''}`"
