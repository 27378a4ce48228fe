"""Merges three versions of a text line by line, as git does it."""

import tempfile
from enum import Enum
from pathlib import Path

from nanoclaw.git.command import Git, GitFailed, spoken

_MOST_CONFLICTS = 127  # the exit code counts them; above that something else went wrong


class Favour(Enum):
    """What wins where both changed the same lines."""

    NOBODY = ""
    OURS = "--ours"
    THEIRS = "--theirs"
    BOTH = "--union"


def merge_text(
    git: Git, folder: Path, base: bytes, ours: bytes, theirs: bytes, favour: Favour = Favour.NOBODY
) -> bytes | None:
    """None if both changed the same lines, or it is not text."""
    if any(b"\0" in each for each in (base, ours, theirs)):
        return None
    with tempfile.TemporaryDirectory(dir=folder) as place:
        files = [Path(place) / name for name in ("ours", "base", "theirs")]
        for file, content in zip(files, (ours, base, theirs), strict=True):
            file.write_bytes(content)
        how = (favour.value,) if favour.value else ()
        code, merged, said = git.run("merge-file", "-p", "-q", *how, *map(str, files))
    if code == 0:
        return merged
    if code > _MOST_CONFLICTS:
        raise GitFailed("git-failed", what="merge-file", said=spoken(said))
    return None
