"""API bodies about a company's context: its files, their versions, and proposed changes."""

from datetime import datetime

from pydantic import Field

from nanoclaw.console.shape import Id, Shape, Word

_LONGEST_TEXT = 200_000


class CompanyOf(Shape):
    """Whose context; left out: that of the main agent group."""

    company: Id | None = None


class VersionsOf(CompanyOf):
    """What a version is compared with: another version, or left out, what the file says now."""

    against: Id | None = None


class Proposal(Shape):
    """A change that people decide, by its question. `after` is empty for a deletion."""

    id: str
    company: str
    file: str
    summary: str
    source: str
    state: str
    question_id: str | None
    person: str
    diff: str
    after: str | None
    created_at: datetime
    decided_at: datetime | None


class ContextFile(Shape):
    """`days` since its last change, which `age` tells in words with its rhythm; `stale`: more than that allows."""

    file: str
    area: str
    title: str
    purpose: str
    rhythm: str
    changed_at: datetime | None
    days: int | None
    age: str
    stale: bool
    proposals: int


class ContextList(Shape):
    company: str
    companies: list[str]
    files: list[ContextFile]


class ContextText(ContextFile):
    company: str
    text: str | None
    html: str
    waiting: list[Proposal]


class WantedChange(CompanyOf):
    """Either the whole text, or a change in words: `690 instead of 490`, or what is to be added at the end."""

    text: str | None = Field(default=None, max_length=_LONGEST_TEXT)
    words: Word | None = None
    summary: Word = ""
    replaces: Id | None = None  # a proposal that is taken back for this one


class WantedVersion(CompanyOf):
    version: Id


class Version(Shape):
    id: str
    at: datetime
    author: str
    subject: str


class VersionList(Shape):
    versions: list[Version]


class VersionText(Shape):
    """What a file said then, and how that differs from what it is compared with."""

    file: str
    version: str
    text: str | None
    diff: str


class WantedDocument(CompanyOf):
    """The document's file name, and the area or file that it is about; if left out, whatever it names."""

    name: Id
    about: Word = ""


class DocumentReading(Shape):
    """The outcome of a document: `said` is the agent's answer, in the room with the id `room`."""

    id: str
    room: str
    is_over: bool
    said: str
    html: str
    proposals: list[Proposal]


class ProposalList(Shape):
    proposals: list[Proposal]
