"""Flow B. A package as a git branch of its own, and what comes back on it."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nanoclaw.domain.transfers import Transfer


@dataclass(frozen=True, kw_only=True, slots=True)
class Returned:
    """A document that somebody committed as `session_transfer/analysis.md` on the branch of a transfer."""

    transfer_id: str
    commit: str
    content: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class TransferBranches:
    """`remote` is the one that the workspace is shared through; None: the branch stays here."""

    home: Path
    remote: str | None = None

    async def publish(self, transfer: Transfer, folder: Path) -> dict[str, Any]:
        """`{"branch": ..., "commit": ..., "pushed": bool}`; `trouble` says why it was not pushed, as the key of an
        error and its values. Raises GitUnready or GitFailed when there can be no branch at all."""
        raise NotImplementedError

    async def remove(self, transfer: Transfer) -> dict[str, Any]:
        """Here and there. `{"removed": bool}`, and `trouble` as above when something of it stays."""
        raise NotImplementedError

    def returned(self, transfer_ids: Iterable[str]) -> list[Returned]:
        """What came back on the branches of these, and was not marked as read. Blocks: use a thread."""
        raise NotImplementedError

    def mark_read(self, returned: Returned) -> None:
        """After it was taken in. Blocks: use a thread."""
        raise NotImplementedError
