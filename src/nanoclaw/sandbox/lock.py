"""One live box per session: two in the same session folder would overwrite each other's state."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from nanoclaw.domain.errors import BoxRefused


@contextlib.contextmanager
def hold(folder: Path, session_id: str) -> Iterator[None]:
    """Hold the session while its box lives. No box sees the folder; the file stays, only its lock counts. The
    system releases the lock when the host dies. Raises BoxRefused if someone else holds it.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = os.open(
        folder / f"{session_id}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
    )
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BoxRefused("session-busy", session=session_id) from error
        try:
            yield
        finally:
            # A child that another thread is just starting has the file too until it runs its program: closing ours
            # would leave the session busy for that moment, and its next turn would fail.
            fcntl.flock(file, fcntl.LOCK_UN)
    finally:
        os.close(file)
