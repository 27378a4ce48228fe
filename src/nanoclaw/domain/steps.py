"""The steps of a turn as a model sees them: what it said and called, the results, and what people said meanwhile."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from nanoclaw.domain.turns import AnswerCut, ModelAsked, Spent, TextDelta, TextWritten


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolOffer:
    """A tool as offered to a model: a description, and a JSON Schema of its arguments."""

    name: str
    description: str
    arguments: Mapping[str, Any]
    ends_turn: bool = False  # once it is done, the model is not asked again


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCall:
    """The model calls a tool."""

    id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    is_cut: bool = False  # the answer was too long, and ended in the middle of it


@dataclass(frozen=True, kw_only=True, slots=True)
class Spoke:
    """What the model said and called in one step. `kept` is what its vendor needs to see again, opaque to us."""

    text: str
    calls: tuple[ToolCall, ...]
    kept: Any = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Returned:
    """The result of a tool."""

    call: ToolCall
    ok: bool
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """What people said while the turn ran."""

    prompt: str


@dataclass(frozen=True, kw_only=True, slots=True)
class VendorState:
    """At the end of a step: what the model's vendor needs to see again."""

    value: Any


Step = Spoke | Returned | Told
ModelPiece = TextDelta | TextWritten | ToolCall | ModelAsked | AnswerCut | Spent | VendorState


def calls_in(steps: Sequence[Step]) -> frozenset[str]:
    """The ids of the calls that were already made."""
    return frozenset(call.id for step in steps if isinstance(step, Spoke) for call in step.calls)


def new_call_id(given: str, taken: Collection[str]) -> str:
    """The vendor's id, or one like it: some restart with each answer, and two calls would count as one."""
    if given and given not in taken:
        return given
    return next(
        made for number in count(len(taken) + 1) if (made := f"{given or 'call'}_{number}") not in taken
    )
