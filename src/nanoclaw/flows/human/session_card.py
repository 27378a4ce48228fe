"""What the card of an interactive session adds: how to open it, how to conclude it, what is filled in."""

import json
from collections.abc import Mapping
from typing import Any

from nanoclaw.domain.outcomes import OutcomeType, mark_of, outcome_of
from nanoclaw.domain.parcels import Button
from nanoclaw.domain.questions import Question
from nanoclaw.domain.text import as_written
from nanoclaw.flows.human.misfit_text import from_stored
from nanoclaw.flows.human.misfit_text import said as said_of
from nanoclaw.texts import say

_SHOWN = 600


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
    read_as = [] if value is None or value == words else [f"→ {shown_value(value, language)}"]
    quoted = "\n".join(f"> {as_written(_cut(line))}" for line in (*_cut(words).splitlines(), *read_as))
    head = say(language, "session-filled", name=as_written(filled["by"]))
    said.append(f"{head}\n{quoted}")
    if filled["fits"] is False:
        why = said_of(from_stored(filled["why"] or ()), language) or say(language, "session-filled-unclear")
        said.append(say(language, "session-filled-unfit", why=as_written(_cut(why))))
    return said


def buttons(question: Question, language: str, filled: Mapping[str, Any] | None) -> tuple[Button, ...]:
    """The button that concludes with what is filled in, once it is known to fit."""
    if not filled or not filled["fits"]:
        return ()
    return (
        Button(label=say(language, "button-conclude"), data=question.conclude_data(mark_of(filled["value"]))),
    )


def shown_value(value: object, language: str) -> str:
    """A result as people read it: our own words in their language, everything else as it is."""
    if value in ("approved", "rejected"):
        return say(language, f"option-{value}")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
