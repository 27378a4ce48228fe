"""What a company knows: kinds of entries, how far each can be believed, and what was found for a turn."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class EntryKind(StrEnum):
    FACT = "fact"
    DECISION = "decision"
    PREFERENCE = "preference"  # how the owner wants things done
    PRIORITY = "priority"
    ACTIVITY = "activity"  # one line per run of an agent
    CONTEXT = "context"  # a passage of a context file: found like the others, changed in its own way


class Trust(StrEnum):
    """Whose word an entry is."""

    OWNER = "owner"
    MEMBER = "member"
    HEARSAY = "hearsay"  # from a stranger, a web page, a file or a tool: shown as such, and it binds nobody

    @property
    def is_trusted(self) -> bool:
        return self is not Trust.HEARSAY


class MemoryMode(StrEnum):
    """What the turns of a chat may do with the memory of their company."""

    OFF = "off"
    READ = "read"
    WRITE = "write"


class EntryState(StrEnum):
    """Only live entries are ever given to an agent. Expired ones count as live here: time decides that."""

    LIVE = "live"
    SUPERSEDED = "superseded"
    FORGOTTEN = "forgotten"


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One thing that a company knows, as the index holds it. The line in the file is the truth."""

    company: str
    id: str  # fact_20260228_k3v9q2, dec_...; of a passage: product/pricing#2
    kind: EntryKind
    text: str
    at: datetime
    file: str = ""  # below the company's folder: memory/facts.jsonl, context/product/pricing.md
    domain: str = ""
    topic: str = ""  # of a passage: its headings
    related: tuple[str, ...] = ()  # `related_to` of a fact, `affects` of a decision
    source: str = ""
    confidence: float = 1.0
    expires: datetime | None = None
    trust: Trust = Trust.OWNER
    is_public: bool = False  # may be shown to strangers
    is_binding: bool = False  # a decision that agents follow; routine approvals are not
    person: str = ""  # the handle of the person who said it
    turn_id: str | None = None
    message_id: str | None = None
    chat_id: str | None = None
    state: EntryState = EntryState.LIVE
    supersedes: str | None = None
    superseded_by: str | None = None

    def is_current(self, at: datetime) -> bool:
        return self.state is EntryState.LIVE and (self.expires is None or self.expires > at)


@dataclass(frozen=True, kw_only=True, slots=True)
class RecallWish:
    """What a turn wants to know before it begins."""

    company: str
    text: str  # of the messages that woke it
    near: tuple[str, ...] = ()  # what the conversation just mentioned, newest first
    is_public_only: bool = False  # a stranger speaks
    wants_memory: bool = True  # the chat's memory is not off
    passages_of: tuple[str, ...] = ()  # names of context files, such as product/pricing
    stamps: tuple[tuple[int, int], ...] = ()  # of all context files: a change means that they were edited
    most_passages: int = 6


@dataclass(frozen=True, kw_only=True, slots=True)
class Recalled:
    """What was found, within the limits, the best first; decisions newest first."""

    facts: tuple[Entry, ...] = ()
    decisions: tuple[Entry, ...] = ()
    passages: tuple[Entry, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(each.id for each in (*self.facts, *self.decisions, *self.passages))

    @property
    def is_trusted(self) -> bool:
        """Whether none of it is hearsay: what an agent makes of hearsay is hearsay again."""
        return all(each.trust.is_trusted for each in self.facts)


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryFile:
    """CLAUDE.md, split by how often it changes: a vendor caches the system prompt as long as it stays the same."""

    stable: str = ""  # all but its recent activity
    recent: tuple[str, ...] = ()  # lines of activity, newest first


@dataclass(frozen=True, kw_only=True, slots=True)
class EntryFilter:
    """Which entries a search may find. Empty fields filter nothing."""

    kinds: tuple[EntryKind, ...] = ()
    topic: str = ""
    domain: str = ""
    person: str = ""
    source: str = ""
    trusted: bool | None = None
    since: datetime | None = None
    until: datetime | None = None
    is_public_only: bool = False
    with_past: bool = False  # superseded, forgotten and expired ones too
    by_own_words: bool = False  # for people: without what was only said next to a hit
    without_presses: bool = False  # for people who look at what is new: without every press of a button
