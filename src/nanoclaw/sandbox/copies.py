"""Copies of files that agents send from their boxes: kept in the data folder, as they were when sent."""

import asyncio
import hashlib
import mimetypes
import os
import time
from collections import deque
from pathlib import Path, PurePosixPath

from nanoclaw.domain.ids import ParcelId, new_id
from nanoclaw.domain.parcels import Attachment, Manner
from nanoclaw.domain.text import storable
from nanoclaw.sandbox.untrusted_files import Reject, copy_out

_MOST_BYTES = 50 << 20
_MOST_FILES = 50  # per session and hour
_MOST_BYTES_AN_HOUR = 500 << 20
_AN_HOUR = 3600.0


class CannotSend(Exception):
    """The text is for the agent."""


class Copies:
    def __init__(self, home: Path) -> None:
        self.folder = home / "data" / "attachments"
        self._groups = home / "groups"
        self._sent: dict[str, deque[tuple[float, int]]] = {}  # by session: when, and how many bytes

    async def keep_one(self, path: str, session_id: str, group: str) -> tuple[Attachment, str]:
        """Keep a file that belongs to no parcel yet; returns it with the hash of its content."""
        name = ParcelId(new_id("o"))
        kept = await self.keep(path, session_id, group, name, Manner.FITTING)
        return kept, await asyncio.to_thread(_sha256, self.folder / name)

    async def keep(self, path: str, session_id: str, group: str, kept_as: str, manner: Manner) -> Attachment:
        """`path` is as the agent sees it. Raises CannotSend."""
        inside = PurePosixPath("/work", path)
        if not inside.is_relative_to("/work"):
            raise CannotSend("Only files below /work can be sent; copy it there first.")
        kept = self.folder / kept_as
        try:
            await asyncio.to_thread(
                _copy, self._groups / group / "files", str(inside.relative_to("/work")), kept
            )
        except (Reject, OSError) as error:  # not a plain file, missing, or no space for the copy
            reason = error.strerror if isinstance(error, OSError) else error
            raise CannotSend(f"{path} cannot be sent: {reason}") from error
        size = kept.stat().st_size
        if not self._is_room_for(session_id, size):
            kept.unlink()
            raise CannotSend("Too many files were sent within an hour. Pack them into one, or wait.")
        name = storable(inside.name)
        media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return Attachment(name=name, media_type=media_type, size=size, kept=kept_as, manner=manner)

    def forget(self, kept: Attachment) -> None:
        """Delete a copy that is not sent after all."""
        (self.folder / kept.kept).unlink(missing_ok=True)

    def _is_room_for(self, session_id: str, size: int) -> bool:
        """Limit copies, so that an agent in a loop cannot fill the host's disk."""
        sent = self._sent.setdefault(session_id, deque())
        while sent and sent[0][0] < time.monotonic() - _AN_HOUR:
            sent.popleft()
        if len(sent) >= _MOST_FILES or sum(each for _, each in sent) + size > _MOST_BYTES_AN_HOUR:
            return False
        sent.append((time.monotonic(), size))
        return True


def _copy(files: Path, relative: str, kept: Path) -> None:
    kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = os.open(files, os.O_RDONLY | os.O_DIRECTORY)
    try:
        copy_out(folder, relative, kept, _MOST_BYTES)
    finally:
        os.close(folder)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
