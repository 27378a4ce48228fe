"""API bodies about pipelines: templates, what runs of them will cost, and how each run went. Spans are in seconds."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from nanoclaw.console.shape import Id, Letters, Shape, Word
from nanoclaw.domain.text import storable

MOST_RUNS = 100
"""The most runs per page."""
_LONGEST_TEMPLATE = 300_000  # the reader accepts less, and says so in a sentence
_LONGEST_TEXT = 1_000_000
_MOST_BUDGET = 1_000_000  # dollars

_Range = tuple[float, float]
_Status = Literal["asked", "running", "done", "failed", "cancelled"]


class PlannedStep(Shape):
    """A step as the template has it. `given` are the steps whose outputs it gets, `files` those of the context."""

    number: int
    role: str
    type: str
    skill: str
    model: str
    gates: list[str]
    conditions: list[str]
    given: list[int]
    files: list[str]
    outputs: list[str]
    timeout: float
    on_timeout: str | None
    retry: int
    budget_usd: float | None
    line: int


class StepExpectation(Shape):
    number: int
    model: str
    cost_usd: _Range | None
    seconds: _Range
    runs: int


class PipelineEstimate(Shape):
    """Least and most, without waits for people, from so many earlier `runs`; `author_`: what the file itself says."""

    cost_usd: _Range | None
    seconds: _Range
    runs: int
    author_cost_usd: _Range | None
    author_seconds: _Range | None
    steps: list[StepExpectation]


class PipelinePicture(Shape):
    """`rows` for drawing: the steps of one run at once, and the next row waits for all of them."""

    steps: list[PlannedStep]
    rows: list[list[int]]


class PipelineTemplate(PipelinePicture):
    name: str
    title: str
    description: str
    commands: list[str]
    phrases: list[str]
    budget_usd: float | None
    estimate: PipelineEstimate


class TemplateMistake(Shape):
    """`sentence` says what is wrong, and what is allowed there."""

    line: int
    column: int | None
    key: str
    sentence: str
    allowed: list[str]


class BrokenPipeline(Shape):
    """It is not used until its mistakes are fixed."""

    name: str
    path: str
    mistakes: list[TemplateMistake]


class PipelineList(Shape):
    templates: list[PipelineTemplate]
    broken: list[BrokenPipeline]


class CheckedTemplate(PipelinePicture):
    """What could be read of a text, even with mistakes, so that it can be drawn while someone writes it."""

    ok: bool
    title: str
    mistakes: list[TemplateMistake]


class TemplateText(CheckedTemplate):
    """A template's file. `version` changes with each change of it; saving names the version that was edited."""

    name: str
    path: str
    text: str
    version: str


class WantedCheck(Shape):
    """`name`: the template that the text replaces, whose commands then do not count as taken."""

    text: str = Field(max_length=_LONGEST_TEMPLATE)
    name: Word = ""


class WantedTemplate(Shape):
    """`version` is left out for a new template."""

    text: str = Field(max_length=_LONGEST_TEMPLATE)
    version: Id | None = None


class EstimateOf(Shape):
    template: Id
    group: Id | None = None


class RunsWanted(Shape):
    """Runs of one template, in one state; `before` is the id to page back from."""

    template: Id | None = None
    status: _Status | None = None
    before: Id | None = None
    limit: int = Field(default=20, ge=1, le=MOST_RUNS)


class NewRun(Shape):
    """`template` is a name, or one of its commands. `ask`: a card in the chat asks whether to start. The same
    `id` again is the same run.
    """

    template: Id
    subject: Word
    group: Id | None = None
    chat: Word | None = None
    budget: float | None = Field(default=None, gt=0, le=_MOST_BUDGET)
    ask: bool = False
    id: Id | None = None


class WantedRetry(Shape):
    """The step to start from; by default where it ended. `text` replaces the step's input, `note` adds to it."""

    from_step: int | None = Field(default=None, ge=1, le=1000)
    text: Annotated[str, Field(max_length=_LONGEST_TEXT), AfterValidator(storable)] | None = None
    note: Word | None = None


class PipelineRunLine(Shape):
    """A run in a list. `now` are the steps under way; `questions` wait for a person; `unpaid`: it waits for money."""

    id: str
    short: str
    template: str
    title: str
    subject: str
    status: str
    unpaid: bool
    company: str
    group: str
    chat_id: str
    chat_title: str
    started_by: str
    steps_done: int
    steps_total: int
    now: list[str]
    questions: list[str]
    cost_usd: float
    budget_usd: float | None
    expected_cost_usd: _Range | None
    expected_seconds: _Range | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    again_of: str | None
    from_step: int
    task_id: int | None
    message_id: str | None
    why: str | None


class RunOf(Shape):
    """`texts`: with what the steps made, otherwise only the names."""

    texts: bool = True


class PipelineRunList(Shape):
    runs: list[PipelineRunLine]
    more: bool


class StepText(Shape):
    name: str
    text: Letters


class ShownText(StepText):
    html: str


class StepInput(Shape):
    """What an earlier step made and this one was given."""

    number: int
    role: str
    type: str
    texts: list[ShownText]


class StepTexts(Shape):
    """What a step made and was given, rendered."""

    texts: list[ShownText]
    inputs: list[StepInput]


class GateValue(Shape):
    """What a gate asks for, and what the result was; `passed` is unknown until there is a result."""

    gate: str
    value: str | None
    passed: bool | None


class UnconfirmedClaim(Shape):
    """The agent claimed this about its text; counting gave something else."""

    key: str
    claimed: float
    counted: float


class PipelineStep(PlannedStep):
    """What became of a step. `changed_input` and `note` are a person's; `due_by` is when its time is over."""

    state: str
    attempt: int
    gate_values: list[GateValue]
    texts: list[StepText]
    results: dict[str, Any]
    claims: list[UnconfirmedClaim]
    faults: list[str]
    why: str | None
    changed_input: str | None
    note: str | None
    cost_usd: float
    started_at: datetime | None
    ended_at: datetime | None
    due_by: datetime | None
    question_id: str | None
    session_id: str | None


class PipelineRun(PipelineRunLine):
    """`source` is the text of its template, as it was when the run began."""

    steps: list[PipelineStep]
    rows: list[list[int]]
    source: str


class TextDifference(Shape):
    """Two texts of the same name, line by line; a text that only one of the runs has is compared with nothing."""

    name: str
    same: bool
    diff: str


class ComparedStep(Shape):
    """The same step in both runs, by its position and role, so that runs of a changed template can be
    compared too.
    """

    role: str
    one: int | None
    other: int | None
    texts: list[TextDifference]


class RunsCompared(Shape):
    one: PipelineRun
    other: PipelineRun
    steps: list[ComparedStep]


class RunsToCompare(Shape):
    one: Id
    other: Id
