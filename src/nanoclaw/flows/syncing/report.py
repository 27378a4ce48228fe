"""What a meeting with the remote brought and sent, for the command, the page and the doctor."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Self

from nanoclaw.durable import notes
from nanoclaw.durable.store import Tx

SYNCED = "versions-synced"
"""The note that says when the remote was last met, and what came and went then."""
_MOST_NAMED = 100


@dataclass(frozen=True, kw_only=True, slots=True)
class Synced:
    """Paths of files. What waits is in git, and takes effect when the owner has decided."""

    branch: str = ""
    came: Sequence[str] = ()
    waits: Sequence[str] = ()
    refused: Sequence[str] = ()
    went: Sequence[str] = ()
    results: Sequence[str] = ()  # branches of transfers on which one came back
    lost: int = 0  # commits that the remote had lost, and has again

    def with_merge(self, files: Sequence[str], waits: Sequence[str], refused: Sequence[str]) -> Self:
        return replace(
            self,
            came=[*self.came, *files][:_MOST_NAMED],
            waits=[*self.waits, *waits][:_MOST_NAMED],
            refused=[*self.refused, *refused][:_MOST_NAMED],
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class LastSync:
    """`changed`: the last meeting that brought or sent something."""

    at: datetime
    what: Synced = field(default_factory=Synced)
    changed_at: datetime | None = None


def write(tx: Tx, synced: Synced, at: datetime) -> None:
    known = notes.read(tx, SYNCED)
    if known and not (synced.came or synced.waits or synced.went or synced.refused or synced.results):
        notes.write(tx, SYNCED, {**known, "at": at.isoformat()}, at)
    else:
        notes.write(tx, SYNCED, {"at": at.isoformat(), "changed_at": at.isoformat(), **asdict(synced)}, at)


def read(tx: Tx) -> LastSync | None:
    known = notes.read(tx, SYNCED)
    if known is None:
        return None
    at, changed_at = (datetime.fromisoformat(known.pop(name)) for name in ("at", "changed_at"))
    return LastSync(at=at, changed_at=changed_at, what=Synced(**known))
