"""API bodies about transfers: what leaves, what was removed before, how far it is, and the analyses that come back."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from nanoclaw.console.shape import Id, Shape, Word, Words

MOST_TRANSFERS = 100
"""The most per page."""
_Number = Annotated[int, Field(ge=1, le=1000)]


class TransferLine(Shape):
    """In a list. `asks`: someone has to say whether it may leave. `why`: a sentence, when it was given up."""

    id: str
    short: str
    state: str
    is_open: bool
    asks: bool
    target: str
    purpose: str
    company: str
    group: str
    session_id: str
    chat_id: str
    chat_title: str
    asked_by: str
    why: str | None
    created_at: datetime
    packed_at: datetime | None
    delivered_at: datetime | None
    expires_at: datetime
    ended_at: datetime | None


class PackedFile(Shape):
    """`tokens` are counted for texts only."""

    path: str
    size: int
    tokens: int | None


class UnchosenFile(Shape):
    """A file that stays unless somebody picks it, by its number. `why`: a sentence. `is_secret`: by its name."""

    number: int
    name: str
    size: int
    why: str
    is_secret: bool


class Found(Shape):
    """Something that an analysis says, and where in the document."""

    text: str
    source: str


class FoundDecision(Found):
    """`adopted`: None until someone decides."""

    number: int
    rationale: str
    adopted: bool | None


class FoundChange(Found):
    """A change of a context file: proposed, and applied only by people who may."""

    file: str


class Analysis(Shape):
    """A document that came back. `why`: a sentence, if it was refused or has to wait. `summary`: what was
    taken over, in words. `question_id`: the open question about it. `choices`: the transfers to choose
    from while it is asked which one it belongs to.
    """

    id: str
    short: str
    transfer_id: str | None
    state: str
    file_name: str
    via: str
    brought_by: str
    company: str
    group: str
    why: str | None
    summary: str
    facts: list[Found]
    decisions: list[FoundDecision]
    context_changes: list[FoundChange]
    next_step: str
    question_id: str | None
    choices: list[TransferLine]
    created_at: datetime
    ended_at: datetime | None
    undone_by: str | None
    undone_at: datetime | None


class Transfer(TransferLine):
    """`tokens` of all its texts, an estimate unless the vendor counted them. `has_package`: it is still here.
    `removed`: what was taken out of it, in words; `unseen`: files that leave as they are, because they are
    not text; `secrets`: files that leave with the secrets in them, because an owner picked them.
    `unchosen`: files that stay unless somebody picks them, and `unlisted` so many more.
    `delivered_to`: where it went, as the target says it. `question_id`: the open question whether it may
    leave.
    """

    source_runtime: str
    source_version: str
    content_hash: str | None
    files: list[PackedFile]
    size: int
    removed: list[str]
    unseen: list[str]
    secrets: list[str]
    unchosen: list[UnchosenFile]
    unlisted: int
    tokens: int | None
    is_estimate: bool
    has_package: bool
    delivered_to: dict[str, Any] | None
    question_id: str | None
    analyses: list[Analysis]


class TransferList(Shape):
    """`unmatched`: analyses whose transfer is not known yet."""

    transfers: list[TransferLine]
    more: bool
    unmatched: list[Analysis]


class TransfersOf(Shape):
    """Which part of the list; `chat`: only transfers of the chat with this id."""

    state: Literal["open", "over", "all"] = "all"
    chat: Id | None = None
    before: Id | None = None
    limit: int = Field(default=20, ge=1, le=MOST_TRANSFERS)


class NewTransfer(Shape):
    """Take a session by its id, or the newest conversation in this chat, of this group, or of the main group."""

    session: Id | None = None
    chat: Word | None = None
    group: Word | None = None
    target: Word = "claude-ai"
    purpose: Words = ""


class Release(Shape):
    """`content_hash`: that of the package that was looked at."""

    content_hash: Word | None = None


class PickedFiles(Shape):
    """Files that stay otherwise, by their numbers."""

    files: list[_Number] = Field(min_length=1, max_length=1000)


class FileOf(Shape):
    """A file by its place in the package."""

    path: Word


class WantedImport(Shape):
    """The body is the document. Without a transfer it is found from what the document says, or asked for."""

    name: Word
    transfer: Word | None = None
    group: Word | None = None


class Adopted(Shape):
    """The numbers of the decisions to adopt; empty: none."""

    adopted: list[_Number] = Field(max_length=1000)


class Match(Shape):
    transfer: Id


class Undone(Shape):
    """`counts`: what was taken back, by kind."""

    analysis: Analysis
    counts: dict[str, Any]
