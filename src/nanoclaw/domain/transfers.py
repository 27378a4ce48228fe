"""A session that is taken to another runtime, and the analysis that comes back from there."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

LIFETIME = timedelta(hours=72)
SOURCE_RUNTIME = "nanoclaw"
FOLDER = "session_transfer"
"""The folder of the package, wherever it is."""
MANIFEST = "manifest.json"
TRANSFER_MD, CONTEXT_BUNDLE, MEMORY_SNAPSHOT = "transfer.md", "context_bundle.md", "memory_snapshot.jsonl"
ARTIFACTS = "work_artifacts"
AWAITING = "awaiting_external_result"
"""What a session does while a transfer of it is open."""
# Bytes (of a message: characters). What is older or bigger is cut or only named, and the package says so.
MOST_TRANSFER_MD, MOST_RECENT, MOST_MESSAGE = 120_000, 60_000, 4_000
MOST_BUNDLE, MOST_COMPANY = 20_000, 2_000  # about 5,000 and 500 tokens, in Latin and in Cyrillic letters
MOST_ARTIFACT, MOST_ARTIFACT_BYTES, MOST_ARTIFACTS = 10 << 20, 40 << 20, 100  # each, all together, how many


class Target(StrEnum):
    """Where a session is taken to."""

    CLAUDE_AI = "claude-ai"
    CLAUDE_CODE = "claude-code"
    GIT = "git"
    MANUAL = "manual"


class TransferState(StrEnum):
    CREATED = "created"
    DELIVERED = "delivered"
    RESUMED = "resumed"  # its result came back
    EXPIRED = "expired"
    CANCELLED = "cancelled"


@dataclass(frozen=True, kw_only=True, slots=True)
class Transfer:
    """`removed` counts by kind what was taken out (`phone`, `secret`, `messages` ...); `tokens` has a number
    for each file, and `is_estimate`.
    """

    id: str
    company: str
    group: str
    session_id: str
    chat_id: str
    person_id: str
    purpose: str
    source_runtime: str
    source_version: str
    target: Target
    language: str
    created_at: datetime
    expires_at: datetime
    thread: str | None = None
    message_id: str | None = None
    turn_id: str | None = None
    state: TransferState = TransferState.CREATED
    reason: str | None = None
    content_hash: str | None = None
    manifest: Mapping[str, Any] | None = None
    removed: Mapping[str, Any] | None = None
    tokens: Mapping[str, Any] | None = None
    question_id: str | None = None
    delivered_to: Mapping[str, Any] | None = None
    packed_at: datetime | None = None
    delivered_at: datetime | None = None
    ended_at: datetime | None = None
    cleared_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        return self.ended_at is None


class AnalysisState(StrEnum):
    RECEIVED = "received"
    ASKING = "asking"  # which transfer it belongs to
    UNDERSTOOD = "understood"
    IMPORTED = "imported"
    REFUSED = "refused"
    UNDONE = "undone"


@dataclass(frozen=True, kw_only=True, slots=True)
class Analysis:
    """A document that came back. `reason` is the key of an error and its values."""

    id: str
    company: str
    group: str
    chat_id: str
    person_id: str
    via: str
    file_name: str
    sha256: str
    language: str
    created_at: datetime
    transfer_id: str | None = None
    thread: str | None = None
    message_id: str | None = None
    state: AnalysisState = AnalysisState.RECEIVED
    found: Mapping[str, Any] | None = None
    question_id: str | None = None
    reason: Mapping[str, Any] | None = None
    ended_at: datetime | None = None
    undone_by: str | None = None
    undone_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Package:
    """What was packed: files by their place in it, with size and SHA-256, and the hash of that manifest.
    `removed` has counts by kind (`phone`, `e-mail`, `card`, `iban`, `secret`; `messages`: older ones that
    were cut), and details: `files` (these counts for each file), `referenced` (artifacts that are
    only named: `name`, `size`, `sha256`, `why`), `unseen` (names of artifacts that nobody looked into:
    pictures, archives), and what stays unless it is picked (`flows/transfers/picks.py`).
    `tokens` has a number for each of our texts, and `is_estimate`.
    """

    content_hash: str
    manifest: Mapping[str, Any]
    removed: Mapping[str, Any] = field(default_factory=dict)
    tokens: Mapping[str, Any] = field(default_factory=dict)
