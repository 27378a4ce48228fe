"""API bodies about what companies know: entries, their stories, changes, quarantine, and the state of the files."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from nanoclaw.console.shape import Shape, Word, Words

MOST_FOUND = 100
"""The most entries per page."""
_DEEPEST = 10_000


class MemoryEntry(Shape):
    """One thing that a company knows. `person` is the handle of the person who said it, `name` their name."""

    id: str
    company: str
    kind: str
    text: str
    at: datetime
    file: str
    domain: str
    topic: str
    related: list[str]
    source: str
    confidence: float
    expires: datetime | None
    is_expired: bool
    trust: str
    is_public: bool
    is_binding: bool
    person: str
    name: str
    state: str
    supersedes: str | None
    superseded_by: str | None
    turn_id: str | None
    message_id: str | None
    chat_id: str | None


class MemoryList(Shape):
    """`companies` are all that have a memory; `company` is the one that was searched."""

    company: str
    companies: list[str]
    entries: list[MemoryEntry]
    more: bool


class MemorySearched(Shape):
    """Without `words`: the newest. Without `company`: that of the main agent group."""

    company: Word | None = None
    words: Word = ""
    kind: Literal["fact", "decision", "preference", "priority", "activity"] | None = None
    topic: Word = ""
    domain: Word = ""
    person: Word = ""
    source: Word = ""
    trusted: bool | None = None
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None
    past: bool = False
    limit: int = Field(default=20, ge=1, le=MOST_FOUND)
    offset: int = Field(default=0, ge=0, le=_DEEPEST)


class OfCompany(Shape):
    company: Word | None = None


class MemoryMessage(Shape):
    """The message in which something was said; `room` is its chat if the page can open it."""

    id: str
    chat: str
    room: str | None
    sender: str
    text: str
    at: datetime


class MemoryUse(Shape):
    """A turn in whose prompt an entry was; `text` is how the message began that it answered."""

    turn_id: str
    at: datetime
    message_id: str | None
    chat: str
    text: str


class MemoryChange(Shape):
    """Something that was asked of memory. `reason` says why it was refused or set aside, `raw` is a line set aside."""

    id: str
    company: str
    action: str
    state: str
    entry_id: str | None
    at: datetime
    written_at: datetime | None
    name: str
    reason: str | None
    raw: str | None


class MemoryStory(Shape):
    """`replaced` and `replaced_by` follow the corrections, the nearest first. `line` is what the file says."""

    entry: MemoryEntry
    line: str | None
    message: MemoryMessage | None
    replaced: list[MemoryEntry]
    replaced_by: list[MemoryEntry]
    changes: list[MemoryChange]
    uses: list[MemoryUse]
    times_used: int


class NewMemory(Shape):
    company: Word | None = None
    text: Words
    kind: Literal["fact", "decision", "preference", "priority"] = "fact"
    topic: Word = ""
    domain: Word = ""
    public: bool = False
    expires: AwareDatetime | None = None


class MemoryText(Shape):
    text: Words


class MemoryResult(Shape):
    """`state` is `written`, `waiting` if that takes longer, `asked`, or `quarantined` or `refused` for a reason."""

    id: str
    state: str
    reason: str | None
    entry: MemoryEntry | None


class MemoryRevert(Shape):
    """Everything that came from a turn, from a person, or since a moment; with `preview` nothing is changed."""

    company: Word | None = None
    turn: Word | None = None
    person: Word | None = None
    since: AwareDatetime | None = None
    preview: bool = True


class MemoryReverted(Shape):
    company: str
    preview: bool
    entries: list[MemoryEntry]


class MemoryImport(Shape):
    """The content of a file: lines of JSON, or Markdown or plain text with an entry for each line or bullet."""

    company: Word | None = None
    name: Word
    text: str
    preview: bool = False


class RefusedLine(Shape):
    line: int
    reason: str


class MemoryImported(Shape):
    company: str
    preview: bool
    taken: int
    known: int
    refused: list[RefusedLine]


class MemoryCount(Shape):
    kind: str
    state: str
    count: int


class MemoryFile(Shape):
    name: str
    bytes: int
    lines: int | None


class MemoryStats(Shape):
    """`waiting` are changes that are not written yet; `hearsay` are live entries that no member vouches for."""

    company: str
    companies: list[str]
    live: int
    hearsay: int
    public: int
    counts: list[MemoryCount]
    files: list[MemoryFile]
    waiting: int
    quarantined: int
    oldest: datetime | None
    newest: datetime | None


class MemoryProblem(Shape):
    """`sentence` says what is wrong; `where` is the file and the line, or an id. `is_fault`: not only worth a look."""

    kind: str
    is_fault: bool
    where: str
    sentence: str


class MemoryVerified(Shape):
    company: str
    ok: bool
    entries: int
    problems: list[MemoryProblem]


class MemoryMaintained(Shape):
    """What was done, in a sentence; `state` is `waiting` when it is still under way."""

    company: str
    state: str
    sentence: str


class MemoryPurge(Shape):
    """`confirm` repeats the id."""

    confirm: Word


class MemoryPurged(Shape):
    """`still_in` are places where the words stand too; `history` says why git's could not be rewritten.

    `commands` are for the git remote, where the words still are. `state` is `waiting` while it is under way.
    """

    id: str
    state: str
    still_in: list[str]
    history: str | None
    commands: list[str]


class MemoryQuarantine(Shape):
    company: str
    companies: list[str]
    changes: list[MemoryChange]


class MendedLine(Shape):
    line: Annotated[str, Field(max_length=100_000)]


class NotesSection(Shape):
    """A section of `CLAUDE.md`; the first has no title."""

    title: str
    html: str
    text: str


class MemoryNotes(Shape):
    company: str
    companies: list[str]
    path: str
    sections: list[NotesSection]
    changed_at: datetime | None
