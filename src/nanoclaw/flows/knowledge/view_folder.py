"""The folder that a box sees as `/memory`, filled by the host. A box that still runs may have put anything there."""

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from nanoclaw.memory.entries import DECISIONS, FACTS

FILES = {"facts.jsonl": FACTS, "decisions.jsonl": DECISIONS}
CLAUDE_MD = "CLAUDE.md"
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST_REMOVED = 10_000


def fill(folder: Path, texts: Mapping[str, str], owner: int | None) -> None:
    """Replace everything in the folder, following nothing that lies there."""
    opened = os.open(folder, FOLDER)
    try:
        for _ in range(_MOST_REMOVED):
            left = os.listdir(opened)  # noqa: PTH208 - of a folder that is held open
            if not left:
                break
            for name in left:
                _remove(opened, name)
        for name, text in texts.items():
            with suppress(FileNotFoundError):
                os.unlink(name, dir_fd=opened)
            made = os.open(name, _NEW, 0o644, dir_fd=opened)
            with os.fdopen(made, "wb") as file:
                file.write(text.encode())
                if owner is not None and os.geteuid() == 0:
                    os.fchown(made, owner, owner)
    finally:
        os.close(opened)


def _remove(folder: int, name: str) -> None:
    """Remove anything. Folders are taken apart from the top: a box can nest them deeper than anyone can descend."""
    with suppress(FileNotFoundError):
        try:
            os.unlink(name, dir_fd=folder)
        except (IsADirectoryError, PermissionError):
            os.chmod(name, 0o700, dir_fd=folder)
        else:
            return
        below = os.open(name, FOLDER, dir_fd=folder)
        try:
            for each in os.listdir(below)[:_MOST_REMOVED]:  # noqa: PTH208 - of a folder that is held open
                os.rename(each, f"{time.monotonic_ns()}", src_dir_fd=below, dst_dir_fd=folder)
        finally:
            os.close(below)
        with suppress(OSError):  # there was more: the rest goes next time
            os.rmdir(name, dir_fd=folder)
