"""Copies a file of the host into a folder that boxes can write, where a box may have planted links on the path."""

import os
import shutil
from itertools import count
from pathlib import Path

RECEIVED = "received"  # the folder in a group's files for what people sent

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def place(source: Path, files: Path, name: str, owner: int) -> str:
    """Copies under an unused name; returns the path below `files`. Raises OSError; blocks: use a thread.

    Every step is taken from the descriptor of the folder before it, so a link planted meanwhile leads nowhere.
    """
    files.mkdir(parents=True, exist_ok=True)
    here = os.open(files, _FOLDER)
    try:
        received = _below(here, owner)
        try:
            made, chosen = _new_file(received, name)
            try:
                with os.fdopen(made, "wb") as copy, source.open("rb") as original:
                    shutil.copyfileobj(original, copy, 1 << 20)
                    os.fchmod(made, 0o644)
                    _own(made, owner)
            except OSError:
                os.unlink(chosen, dir_fd=received)  # half a file must not be taken for a whole one
                raise
        finally:
            os.close(received)
    finally:
        os.close(here)
    return f"{RECEIVED}/{chosen}"


def _below(here: int, owner: int) -> int:
    try:
        os.mkdir(RECEIVED, 0o755, dir_fd=here)
    except FileExistsError:
        return os.open(RECEIVED, _FOLDER, dir_fd=here)
    below = os.open(RECEIVED, _FOLDER, dir_fd=here)
    _own(below, owner)
    return below


def _new_file(folder: int, name: str) -> tuple[int, str]:
    stem, dot, suffix = name.rpartition(".")
    for number in count(1):
        chosen = name if number == 1 else f"{stem or name}-{number}{dot}{suffix if stem else ''}"
        try:
            return os.open(chosen, _NEW, 0o600, dir_fd=folder), chosen
        except FileExistsError:
            continue
    raise AssertionError("numbers do not end")


def _own(opened: int, owner: int) -> None:
    if os.fstat(opened).st_uid != owner:
        os.fchown(opened, owner, owner)
