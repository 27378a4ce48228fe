"""The prompt for the small model that reads a conversation, and the strict reading of its answer."""

import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Literal
from xml.sax.saxutils import escape

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from nanoclaw.domain.ids import TurnId
from nanoclaw.domain.memory import Entry
from nanoclaw.domain.text import without_internal

MOST_OUTPUT = 2000  # tokens
_MOST_SAID, _MOST_ANSWERED = 2000, 800  # characters of each turn
_MOST_ENTRIES = 30
_LIST = re.compile(r"\[.*\]", re.DOTALL)
_PROMPT = """You keep the memory of a company. Below are the turns of one conversation: what members said, and what
their assistant answered. List what later conversations will need: facts about the company, its customers, products and
prices; decisions that a person made; preferences of how things are to be done; priorities. Nothing that only the
assistant said, no small talk, no questions, nothing that is known already.

Answer with one JSON list and nothing else; [] if there is nothing. Each entry:
{{"turn": <its number>, "kind": "fact" | "decision" | "preference" | "priority" | "priority_done",
"text": "<one sentence that stands alone, in the person's language, with their words and numbers>",
"topic": "<one word>", "domain": "<marketing, sales, product, ...>",
"related_to": ["<words to find it by, in English and in Ukrainian; for a decision: what it affects>"],
"confidence": <0.0 to 1.0>, "replaces": "<id of a known entry that this corrects, else null>",
"contradicts": "<id of a known decision that this goes against, else null>"}}

<known>
{known}
</known>
<conversation>
{turns}
</conversation>"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Heard:
    """A turn as the model reads it."""

    turn_id: TurnId
    asked: str
    answered: str


_Word = Annotated[str, Field(max_length=100)]


class Extracted(BaseModel):
    model_config = ConfigDict(defer_build=True, extra="ignore", frozen=True)

    turn: int = Field(ge=1)
    kind: Literal["fact", "decision", "preference", "priority", "priority_done"]
    text: str = Field(min_length=3, max_length=1000)
    topic: _Word = ""
    domain: _Word = ""
    related_to: list[_Word] = Field(default_factory=list, max_length=20)
    confidence: float = Field(default=0.8, ge=0, le=1)
    replaces: str | None = None
    contradicts: str | None = None

    @property
    def is_done(self) -> bool:
        return self.kind == "priority_done"


@cache
def _entries() -> TypeAdapter[list[Extracted]]:
    return TypeAdapter(list[Extracted])


def prompt_for(heard: Sequence[Heard], known: Sequence[Entry]) -> str:
    turns = "\n".join(
        f'<turn number="{number}">\n<said>{escape(each.asked[:_MOST_SAID])}</said>\n'
        f"<answered>{escape(without_internal(each.answered)[:_MOST_ANSWERED])}</answered>\n</turn>"
        for number, each in enumerate(heard, 1)
    )
    listed = "\n".join(f"{each.id} ({each.kind.value}): {escape(each.text[:300])}" for each in known)
    return _PROMPT.format(known=listed, turns=turns)


def read_extracted(said: str, turns: int, known: Collection[str]) -> list[Extracted] | None:
    """None if the answer is not such a list. Ids that the model was not shown are dropped."""
    found = _LIST.search(said)
    if not found:
        return None
    try:
        entries = _entries().validate_python(json.loads(found[0]))
    except (ValueError, ValidationError, RecursionError):
        return None
    return [
        each.model_copy(
            update={
                "replaces": each.replaces if each.replaces in known else None,
                "contradicts": each.contradicts if each.contradicts in known else None,
            }
        )
        for each in entries[:_MOST_ENTRIES]
        if each.turn <= turns
    ]
