"""Moves a refused file out of a box's reach for a person to look at. What could hurt that person is deleted."""

import errno
import os
import secrets
import stat
from pathlib import Path

from nanoclaw.sandbox.untrusted_files import ENDING, MOST_BYTES, UnreadReason, is_name

MOST_KEPT = 100  # per session: a box must not fill the disk with files that it knows to be refused


def set_aside(folder: int, name: str, quarantine: Path, reason: UnreadReason) -> None:
    """Move a file into the quarantine, or delete it if it is a link, a pipe, empty or too big. A folder is
    removed if empty and otherwise stays: if moved, it could still be written by a box that holds it open.
    """
    seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if stat.S_ISDIR(seen.st_mode):
        os.rmdir(name, dir_fd=folder)
    elif not stat.S_ISREG(seen.st_mode) or not 0 < seen.st_size <= MOST_BYTES or _full(quarantine):
        os.unlink(name, dir_fd=folder)
    else:
        plain = name.removesuffix(ENDING)
        kept = f"{reason}-{plain if is_name(plain) else secrets.token_hex(16)}{ENDING}"
        try:
            os.rename(name, quarantine / kept, src_dir_fd=folder)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            os.unlink(name, dir_fd=folder)  # the box's folder is a file system of its own


def _full(quarantine: Path) -> bool:
    quarantine.mkdir(parents=True, exist_ok=True, mode=0o700)
    return sum(1 for _ in quarantine.iterdir()) >= MOST_KEPT
