"""The steps of a turn as a model sees them: what it said, what it called, what came out, what was said meanwhile."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nanoclaw.domain.turns import ModelAsked, Spent, TextDelta, TextWritten


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolOffer:
    """A tool as it is offered to a model: what it does in its words, and a JSON Schema of what it takes."""

    name: str
    description: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """The model wants a tool to be used."""

    id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Spoke:
    """What the model said and called in one step. `kept` is what its vendor needs to see again, opaque to us."""

    text: str
    calls: tuple[ToolCall, ...]
    kept: Any = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Returned:
    """What came out of a tool."""

    call: ToolCall
    ok: bool
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """What people said while the turn ran."""

    prompt: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Kept:
    """At the end of a step: what the model's vendor needs to see again."""

    value: Any


Step = Spoke | Returned | Told
ModelPiece = TextDelta | TextWritten | ToolCall | ModelAsked | Spent | Kept
