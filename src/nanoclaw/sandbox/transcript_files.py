"""The transcripts of Claude Code in the folder of a session. A box can write there, so nothing in it is trusted."""

import os
import stat
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from nanoclaw.sandbox.untrusted_files import Reject, open_beneath

_MOST_FOLDERS = 64  # one per folder in which it was started
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_PIECE = 1 << 20


def transcripts(session: Path, conversation: str, most_bytes: int) -> Iterator[bytes]:
    """The last part of each transcript of this conversation, in whole lines. Blocks: use a thread."""
    try:
        place = os.open(session / "projects", _FOLDER)
    except OSError:
        return
    try:
        with os.scandir(place) as found:
            folders = [each.name for each in islice(found, _MOST_FOLDERS)]
        for folder in sorted(folders):
            try:
                opened = open_beneath(place, f"{folder}/{conversation}.jsonl")
            except (OSError, Reject):
                continue
            try:
                yield _last_lines(opened, most_bytes)
            finally:
                os.close(opened)
    finally:
        os.close(place)


def _last_lines(opened: int, most_bytes: int) -> bytes:
    about = os.fstat(opened)
    if not stat.S_ISREG(about.st_mode):
        return b""
    start = max(about.st_size - most_bytes, 0)
    pieces, left = [], most_bytes
    while left > 0 and (piece := os.pread(opened, min(_PIECE, left), start + most_bytes - left)):
        pieces.append(piece)
        left -= len(piece)
    read = b"".join(pieces)
    return read.partition(b"\n")[2] if start else read
