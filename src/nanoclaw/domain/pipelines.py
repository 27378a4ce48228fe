"""A pipeline's template: steps of agents and people, read from a Markdown file that a person wrote."""

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from functools import cache
from typing import Any, Literal

from pydantic import TypeAdapter

from nanoclaw.domain.questions import Risk

MOST_STEPS = 200
STEP_TIMEOUT = timedelta(minutes=10)  # of an agent's step that names none
APPROVAL_TIMEOUT = timedelta(minutes=15)  # of an approval that names none
RETRIES = 1  # of a step whose gate fails, unless it says otherwise

ResultKind = Literal["number", "text", "list"]
"""The type of a result; a gate compares the length of a list."""

KNOWN_RESULTS: Mapping[str, ResultKind] = {
    "confidence": "number",  # 0 to 1
    "keywords": "list",
    "sections": "number",
    "words": "number",
    "quality": "number",  # 0 to 100
}
"""What every step can give, whatever its skill declares."""

RESULT_RANGES: Mapping[str, tuple[float, float]] = {"confidence": (0, 1), "quality": (0, 100)}


class StepType(StrEnum):
    """How a step is done."""

    SUB_AGENT = "sub-agent"  # in the box of the run, with little context
    CONTAINER = "container"  # in a fresh box and session
    APPROVAL = "approval"  # by a person


class Operator(StrEnum):
    MORE = ">"
    AT_LEAST = ">="
    LESS = "<"
    AT_MOST = "<="
    EQUAL = "="


class OnTimeout(StrEnum):
    """What happens when nobody answers an approval."""

    GO_ON = "go on"
    CANCEL = "cancel"


_COMPARED: Mapping[Operator, Callable[[Any, Any], bool]] = {
    Operator.MORE: operator.gt,
    Operator.AT_LEAST: operator.ge,
    Operator.LESS: operator.lt,
    Operator.AT_MOST: operator.le,
    Operator.EQUAL: operator.eq,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Gate:
    """`confidence>0.6`: what a result must be for the run to continue. A text can only be equal."""

    key: str
    operator: Operator
    value: float | str

    def passes(self, results: Mapping[str, object]) -> bool:
        """A result that is missing, or cannot be compared, does not pass."""
        given = results.get(self.key)
        if isinstance(self.value, str):
            return isinstance(given, str) and given.strip().casefold() == self.value.casefold()
        number = _number(given)
        return number is not None and _COMPARED[self.operator](number, self.value)

    def __str__(self) -> str:
        value = self.value if isinstance(self.value, str) else f"{self.value:g}"
        return f"{self.key}{self.operator}{value}"


@dataclass(frozen=True, kw_only=True, slots=True)
class When:
    """`when: step 2.keywords>5`: a condition on an earlier result. Without a comparison the result must not
    be empty. `step` is None until it is known which step gives the key.
    """

    key: str
    step: int | None = None
    gate: Gate | None = None

    def holds(self, results: Mapping[str, object]) -> bool:
        """`results` are those of its step; a skipped step has none."""
        return self.gate.passes(results) if self.gate else bool(results.get(self.key))


@dataclass(frozen=True, kw_only=True, slots=True)
class Inputs:
    """What a step is given, besides the subject of the run."""

    steps: tuple[int, ...] = ()  # whose outputs; of an approval: what is approved
    files: tuple[str, ...] = ()  # of the company's context: `brand/voice`, or a whole area `audience/*`


@dataclass(frozen=True, kw_only=True, slots=True)
class Outputs:
    """How many texts a step makes; each name is the target of an adaptor."""

    count: int = 1
    names: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """Numbers go 1, 2, 3 through the template, even for steps that run at once."""

    number: int
    role: str  # as written: the last name of a skill, its path, or what a person is asked to approve
    type: StepType
    line: int
    skill: str = ""  # its path below skills/; empty before the check, and for approvals
    gates: tuple[Gate, ...] = ()
    when: tuple[When, ...] = ()
    inputs: Inputs = Inputs()
    outputs: Outputs = Outputs()
    together: tuple[int, ...] = ()  # the numbers of all steps that run at once with it, including its own
    model: str = ""  # empty: the skill's
    thinking: str = ""  # likewise
    timeout: timedelta = STEP_TIMEOUT
    retry: int = RETRIES
    budget: int | None = None  # in micros
    on_timeout: OnTimeout = OnTimeout.GO_ON
    risk: Risk = Risk.NORMAL
    in_session: bool = False  # for an approval: people look into it with an agent before they decide


@dataclass(frozen=True, kw_only=True, slots=True)
class TemplateEstimate:
    """What the author of a template expects: micros, and seconds."""

    cost: tuple[int, int] | None = None
    seconds: tuple[int, int] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Template:
    """The template as a run keeps it: `as_json` and `template_from` lose nothing."""

    name: str  # of its file, without .md
    title: str
    steps: tuple[Step, ...]
    triggers: tuple[str, ...] = ()  # "/write-article"
    phrases: tuple[str, ...] = ()  # what people say when they mean it
    description: str = ""
    estimate: TemplateEstimate = TemplateEstimate()
    budget: int | None = None  # of a run, in micros
    source: str = field(default="", repr=False)
    path: str = ""
    trigger_line: int = 1

    @property
    def stages(self) -> tuple[tuple[Step, ...], ...]:
        """The stages in order; the steps of one run at once, and the next stage waits for all of them."""
        stages: list[tuple[Step, ...]] = []
        for step in self.steps:
            if step.together and stages and stages[-1][0].together == step.together:
                stages[-1] = (*stages[-1], step)
            else:
                stages.append((step,))
        return tuple(stages)

    def step(self, number: int) -> Step:
        return self.steps[number - 1]

    def as_json(self) -> dict[str, Any]:
        plain: dict[str, Any] = _adapter().dump_python(self, mode="json")
        return plain


def template_from(plain: Mapping[str, Any]) -> Template:
    """The template from what `as_json` gave."""
    return _adapter().validate_python(plain)


@dataclass(frozen=True, kw_only=True, slots=True)
class PipelineWish:
    """A message asks for a pipeline, as far as a model can tell."""

    template: str  # its name
    subject: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Mistake:
    """What is wrong with a template, and where. The sentence is `mistake-<key>` in the catalogue."""

    line: int
    key: str
    column: int | None = None
    values: Mapping[str, object] = field(default_factory=dict)
    allowed: tuple[str, ...] = ()  # what could stand there


def in_order(mistakes: Iterable[Mistake]) -> tuple[Mistake, ...]:
    return tuple(sorted(mistakes, key=lambda each: (each.line, each.column or 0)))


def _number(given: object) -> float | None:
    if isinstance(given, list | tuple):
        return len(given)
    return given if isinstance(given, int | float) and not isinstance(given, bool) else None


@cache
def _adapter() -> TypeAdapter[Template]:
    return TypeAdapter(Template)
