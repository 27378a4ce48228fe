"""Many texts at once: a batch, the parts in which it goes to a vendor, and its items."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from nanoclaw.domain.ids import ChatId, MessageId, ParcelId, PersonId
from nanoclaw.domain.money import Usage

MOST_ITEMS = 100_000
LONGEST_TOPIC = 20_000  # characters


class BatchStatus(StrEnum):
    ASKED = "asked"  # a card with the estimate waits for a yes
    PREPARING = "preparing"  # topics are found, and requests are written
    WAITING = "waiting"  # for money, or for the vendor
    RUNNING = "running"  # the vendor works on it
    CHECKING = "checking"  # results are read and checked
    READY = "ready"  # a person decides what becomes of the texts
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_over(self) -> bool:
        return self in (BatchStatus.DONE, BatchStatus.FAILED, BatchStatus.CANCELLED)


class PartState(StrEnum):
    NEW = "new"  # its requests are written
    READY = "ready"  # its money is set aside
    SENDING = "sending"  # the request may have arrived
    UNCLEAR = "unclear"  # nobody can tell whether it arrived: a person decides
    SENT = "sent"
    ENDED = "ended"  # its results were taken in
    CANCELLED = "cancelled"


class ItemState(StrEnum):
    WAITING = "waiting"
    SENT = "sent"
    SUCCEEDED = "succeeded"
    ERRORED = "errored"
    EXPIRED = "expired"
    CANCELED = "canceled"  # the vendor's spelling

    @property
    def is_over(self) -> bool:
        return self not in (ItemState.WAITING, ItemState.SENT)


class TextVerdict(StrEnum):
    """What a person decided about a text."""

    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    id: str
    status: BatchStatus
    company: str
    group: str
    chat_id: ChatId
    started_by: PersonId
    language: str
    subject: str  # what is wanted, in the person's words
    skill: str
    model: str  # as the vendor names it
    channel: str  # the channel whose rules the texts keep
    items: int
    max_tokens: int  # of one item
    created_at: datetime
    thread: str | None = None
    message_id: MessageId | None = None
    least_grade: int | None = None
    estimate: Mapping[str, Any] | None = None  # as it was shown before the start
    cost_id: str | None = None
    question_id: str | None = None
    parcel_id: ParcelId | None = None
    why: Mapping[str, Any] | None = None
    cancelled_by: str | None = None  # a name: what is done stays, the rest is called back
    plan: Mapping[str, Any] | None = None  # when its texts are delivered: see flows/batches/schedule.py
    started_at: datetime | None = None
    ended_at: datetime | None = None

    @property
    def is_unpaid(self) -> bool:
        """Whether it waits for money, not for its vendor."""
        key = str((self.why or {}).get("key", ""))
        return self.status is BatchStatus.WAITING and key.startswith("budget-")


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchPart:
    """What is one batch for the vendor."""

    batch_id: str
    number: int
    state: PartState
    first_item: int
    last_item: int
    vendor_id: str | None = None
    done: int = 0
    why: Mapping[str, Any] | None = None
    sent_at: datetime | None = None
    expires_at: datetime | None = None
    ended_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchItem:
    """One text. `faults` are what the check found: keys and values of texts."""

    batch_id: str
    number: int
    topic: str
    state: ItemState = ItemState.WAITING
    attempt: int = 1
    text: str = ""
    error: str | None = None
    faults: tuple[Mapping[str, Any], ...] = ()
    grade: int | None = None
    verdict: TextVerdict = TextVerdict.OPEN
    decided_by: str | None = None
    task_id: int | None = None
    micros: int = 0
    note: str | None = None  # a person's wish for a text that is rewritten
    part: int | None = None  # in which it was last sent
    reserved_micros: int = 0  # set aside for it

    @property
    def custom_id(self) -> str:
        return custom_id(self.batch_id, self.number, self.attempt)


def custom_id(batch_id: str, number: int, attempt: int) -> str:
    """The id by which the vendor names the answer for an item: at most 64 letters, digits, `_` and `-`."""
    return f"{batch_id}-{number}-{attempt}"


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchCounts:
    """How far a batch is, counted from its items."""

    items: int = 0  # that have a row: fewer than were asked for while topics are still being found
    waiting: int = 0
    sent: int = 0
    succeeded: int = 0
    errored: int = 0
    expired: int = 0
    canceled: int = 0
    passed: int = 0  # succeeded, and the check found no fault
    approved: int = 0
    rejected: int = 0
    micros: int = 0  # what they cost

    @property
    def failed(self) -> int:
        """The items that can be sent again."""
        return self.errored + self.expired

    @property
    def over(self) -> int:
        return self.succeeded + self.errored + self.expired + self.canceled


@dataclass(frozen=True, kw_only=True, slots=True)
class VendorBatch:
    """What a vendor says about a part. `done` is how many of its `total` requests are over."""

    vendor_id: str
    has_ended: bool
    total: int
    done: int = 0
    created_at: datetime | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ItemResult:
    """One line of a vendor's results. `micros` is set if the call was paid for separately."""

    custom_id: str
    state: ItemState
    text: str = ""
    error: str | None = None
    is_cut: bool = False  # it reached the token limit
    usage: Usage = field(default_factory=Usage)
    micros: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class BrokenLine:
    """A line of a vendor's results that cannot be read."""

    why: str
