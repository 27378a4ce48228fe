"""What the card of an interactive session adds: how to open it, how to conclude it, what is filled in."""

import json
from collections.abc import Mapping
from typing import Any

from nanoclaw.domain.outcomes import OutcomeType, mark_of, outcome_of
from nanoclaw.domain.parcels import Button
from nanoclaw.domain.questions import Question
from nanoclaw.domain.shown_text import shown
from nanoclaw.domain.text import as_written
from nanoclaw.flows.human.misfit_text import from_stored
from nanoclaw.flows.human.misfit_text import said as said_of
from nanoclaw.texts import say

_SHOWN = 600
_VALUE_SHOWN = 2000


def lines(question: Question, language: str, page: str, filled: Mapping[str, Any] | None) -> list[str]:
    """The lines while it is open. `page` is the address of the console; `filled` is what people said so far."""
    short = question.id[-5:]
    kind = outcome_of(question.config).type or OutcomeType.FREEFORM
    said = [
        say(language, "session-open", id=short, address=f"{page}sessions/{short}"),
        say(language, f"session-outcome-{kind}"),
    ]
    if not filled:
        return said
    words, value = filled["words"], filled["value"]
    parts = [_cut(shown(words), _VALUE_SHOWN if value == words else _SHOWN)]
    if value is not None and value != words:
        parts.append(f"→ {_cut(shown(shown_value(value, language)), _VALUE_SHOWN)}")
    quoted = "\n".join(f"> {as_written(line)}" for part in parts for line in part.split("\n"))
    head = say(language, "session-filled", name=as_written(filled["by"]))
    said.append(f"{head}\n{quoted}")
    if hidden := _hidden(value, language):
        said.append(say(language, "session-filled-cut", hidden=hidden))
    if filled["fits"] is False:
        why = said_of(from_stored(filled["why"] or ()), language) or say(language, "session-filled-unclear")
        said.append(say(language, "session-filled-unfit", why=as_written(_cut(why))))
    return said


def buttons(question: Question, language: str, filled: Mapping[str, Any] | None) -> tuple[Button, ...]:
    """The button that concludes with what is filled in, once it is known to fit, if the card shows all of it."""
    if not filled or not filled["fits"] or _hidden(filled["value"], language):
        return ()
    return (
        Button(label=say(language, "button-conclude"), data=question.conclude_data(mark_of(filled["value"]))),
    )


def shown_value(value: object, language: str) -> str:
    """A result as people read it: our own words in their language, everything else as it is."""
    if value in ("approved", "rejected"):
        return say(language, f"option-{value}")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _hidden(value: object, language: str) -> int:
    """The characters of it for which the card has no room."""
    return max(0, len(shown(shown_value(value, language))) - _VALUE_SHOWN)


def _cut(text: str, most: int = _SHOWN) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
