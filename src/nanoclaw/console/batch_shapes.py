"""API bodies about batches: what is wanted, what it will cost, how far it is, and each of its texts."""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from nanoclaw.console.shape import Id, Shape, Word
from nanoclaw.domain.batches import MOST_ITEMS
from nanoclaw.domain.text import storable

MOST_BATCHES = 100
MOST_TEXTS = 200
"""The most per page."""
_LONGEST = 1_000_000  # characters; the flows say how much a topic or a text may have

_Number = Annotated[int, Field(ge=1, le=MOST_ITEMS)]
_Topic = Annotated[str, Field(max_length=_LONGEST), AfterValidator(storable)]
_Range = tuple[float, float]
_Status = Literal[
    "asked", "preparing", "waiting", "running", "checking", "ready", "done", "failed", "cancelled"
]
_Choice = Literal["all", "open", "passed", "faulty", "approved", "rejected", "failed", "scheduled"]


class BatchCounts(Shape):
    """`items` have a row: fewer than were wanted while topics are being found. `passed`: the check found no fault."""

    items: int
    waiting: int
    sent: int
    succeeded: int
    errored: int
    expired: int
    canceled: int
    passed: int
    approved: int
    rejected: int


class BatchLine(Shape):
    """In a list. `why` is a sentence; `question_id` is the card that waits for a decision; `unpaid`: it waits for
    money."""

    id: str
    short: str
    status: str
    unpaid: bool
    subject: str
    company: str
    group: str
    chat_id: str
    chat_title: str
    started_by: str
    model: str
    skill: str
    channel: str
    language: str
    items: int
    least_grade: int | None
    counts: BatchCounts
    cost_usd: float
    expected_cost_usd: _Range | None
    one_by_one_usd: float | None
    why: str | None
    cancelled_by: str | None
    question_id: str | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None


class BatchPart(Shape):
    """What is one batch for the vendor."""

    number: int
    state: str
    first_item: int
    last_item: int
    done: int
    vendor_id: str | None
    sent_at: datetime | None
    expires_at: datetime | None
    ended_at: datetime | None


class ScheduledTexts(Shape):
    """Those that wait for their day; `left` get theirs in a moment."""

    count: int
    paused: int
    left: int
    next_at: datetime | None
    last_at: datetime | None


class SavedTexts(Shape):
    """`folder` is below the workspace; none while they are being written."""

    folder: str | None
    count: int


class Batch(BatchLine):
    parts: list[BatchPart]
    scheduled: ScheduledTexts | None
    saved: SavedTexts | None
    timezone: str


class BatchList(Shape):
    batches: list[BatchLine]
    more: bool


class BatchText(Shape):
    """One item. `faults` and `error` are sentences; `send_at` is when its task delivers it. `text_sha256` is that of
    the text as written, whatever marks it is shown with.
    """

    number: int
    topic: str
    state: str
    attempt: int
    text: str
    text_sha256: str
    html: str
    error: str | None
    faults: list[str]
    grade: int | None
    verdict: str
    decided_by: str | None
    task_id: int | None
    send_at: datetime | None
    is_sent: bool
    note: str | None
    cost_usd: float


class BatchTexts(Shape):
    """`count` is how many of this choice there are in all."""

    texts: list[BatchText]
    more: bool
    count: int


class BatchCost(Shape):
    """Least and most; `fits` is how many the budget can pay for. `model` and `skill` are those that would be used."""

    count: int
    cost_usd: _Range
    one_by_one_usd: float
    reserved_usd: float
    left_usd: float | None
    fits: int
    model: str
    skill: str
    channel: str
    language: str


class Approved(Shape):
    count: int


class Scheduled(Shape):
    """`count` texts got a day now: none when all have theirs already."""

    count: int
    first_at: datetime | None
    last_at: datetime | None
    batch: Batch


class NewBatch(Shape):
    """So many texts about a subject, or one for each topic. The same `id` again is the same batch; with `ask` a card in
    the chat asks first."""

    id: Id | None = None
    subject: Word = ""
    count: int | None = None
    topics: list[_Topic] | None = Field(default=None, max_length=MOST_ITEMS + 1)
    skill: Word | None = None
    model: Word | None = None
    channel: Word | None = None
    language: Word | None = None
    least_grade: int | None = Field(default=None, ge=1, le=10)
    group: Word | None = None
    chat: Word | None = None
    ask: bool = False


class BatchesOf(Shape):
    status: _Status | None = None
    before: Word | None = None
    limit: int = Field(default=20, ge=1, le=MOST_BATCHES)


class TextsOf(Shape):
    choice: _Choice = "all"
    after: int = Field(default=0, ge=0, le=MOST_ITEMS)
    limit: int = Field(default=50, ge=1, le=MOST_TEXTS)
    html: bool = True


class WantedSchedule(Shape):
    """`first` is a day, tomorrow if left out; `times` are hours of each day, as `10:00`; `chat` as for tasks."""

    first: date | None = None
    times: list[Word] = Field(default=["10:00"], max_length=100)
    weekdays: bool = False
    chat: Word | None = None


class WantedAgain(Shape):
    """These items; left out, all that failed or expired."""

    items: list[_Number] | None = Field(default=None, max_length=MOST_ITEMS)


class NewText(Shape):
    text: _Topic


class SeenText(Shape):
    """`text_sha256`: that of the text that was looked at."""

    text_sha256: Word | None = None


class RewriteNote(Shape):
    note: Word = ""
