"""The keeper of the inbox, as the page, the command line and programs ask for it: questions, decisions, permits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

VIA = "X-NanoClaw-Via"
"""The header in which a client of the API says who it is, when it is not the page."""
COMMAND_LINE = "command line"
MOST_ROWS = 500
"""So many questions at a time."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OptionRow:
    id: str
    label: str
    description: str
    safe: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class VoteRow:
    name: str
    option: str
    at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionRow:
    """A question, open or decided. `context` is all of it, as text; `seconds` is how long it was open."""

    id: str
    short: str
    kind: str
    type: str
    question: str
    options: tuple[OptionRow, ...]
    takes_words: bool
    status: str
    context: str
    tool: str | None
    document: str | None  # the name of the file
    document_kept: str | None  # where its bytes are found among the attachments
    risk: str
    default: str | None
    default_label: str
    votes_needed: int
    votes: tuple[VoteRow, ...]
    group: str
    company: str
    skill: str
    session_id: str | None
    execution_id: str
    created_at: datetime
    deadline_at: datetime
    resolved_at: datetime | None
    seconds: float | None
    chosen: str | None
    chosen_label: str
    user_input: str | None
    made_by: str | None
    decided_by: str | None
    decided_name: str | None
    via: str | None
    payload: str
    payload_hash: str
    repeats: str | None
    may_decide: bool  # whoever asks for this row
    config: Mapping[str, Any] | None
    response: Any  # what came of it, also where that is no choice
    transcript: str | None
    duration_ms: int | None
    error: str | None

    @property
    def legacy_status(self) -> str:
        """The status as older programs know it: a confirmation that a person decided is approved or rejected.

        A third way is neither, and so is what nobody decided: their status is that of the life cycle.
        """
        places = {option.id: place for place, option in enumerate(self.options)}
        if (self.type, self.status) != ("confirmation", "completed") or self.chosen not in places:
            return self.status
        place = places[self.chosen]
        if self.options[place].safe:
            return "rejected"
        # Once, for the session, or always.
        if self.chosen == "approve" or place == 0 or self.tool is not None:
            return "approved"
        # A plain no; what calls it off may be beside it.
        return "rejected" if sum(not option.safe for option in self.options) == 2 else self.status


@dataclass(frozen=True, kw_only=True, slots=True)
class FigureRow:
    """How questions of one kind, or of one skill, ended. Times are seconds, of those that a person decided."""

    name: str
    asked: int
    answered: int
    timed_out: int
    mean: float | None
    median: float | None
    timeout_rate: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    days: int
    total: FigureRow
    by_kind: tuple[FigureRow, ...]
    by_skill: tuple[FigureRow, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class PermitRow:
    id: str
    short: str
    scope: str
    group: str
    tool: str
    rule: str
    shown: str
    granted_by: str
    granted_name: str
    created_at: datetime
    expires_at: datetime | None


class InboxKeeper(Protocol):
    """Everything is done in the name of the owner of this machine. Raises NanoClawError with what is wrong.

    A question or permit is named by its id, or the last five letters of it or more.
    """

    def through(self, via: str) -> "InboxKeeper":
        """The same, where what is done comes from elsewhere than the page."""

    async def open(
        self, execution_id: str = "*", *, limit: int = MOST_ROWS, after: str | None = None
    ) -> Sequence[QuestionRow]:
        """First asked first, those that were asked after the one with that id."""

    async def count_open(self) -> int: ...

    async def get(self, ref: str) -> QuestionRow: ...

    async def ask(self, given: Mapping[str, Any]) -> QuestionRow:
        """In the words of the tool `request_human`, and `id` (so that a repeat is the same question) and `group`."""

    async def wait(self, ref: str, seconds: float) -> QuestionRow:
        """As soon as it is decided, or as it stands then."""

    async def decide(self, ref: str, option: str | None, words: str | None) -> tuple[str, QuestionRow]:
        """What came of it, as a sentence."""

    async def cancel(self, ref: str) -> QuestionRow: ...

    async def ask_again(self, ref: str) -> QuestionRow:
        """One that ran out of time; returns the new one."""

    async def conclude(
        self,
        ref: str,
        *,
        status: str,
        response: object = None,
        transcript: str | None = None,
        duration_ms: int | None = None,
        error: str | None = None,
    ) -> QuestionRow:
        """An interactive session is over: completed, cancelled, timeout or failed."""

    async def decided(self, limit: int, before: str | None = None) -> Sequence[QuestionRow]: ...

    async def figures(self, days: int) -> Figures: ...

    async def permits(self) -> Sequence[PermitRow]: ...

    async def revoke(self, ref: str) -> None: ...
