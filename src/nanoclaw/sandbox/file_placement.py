"""Puts files of the host into a folder that boxes can write, where a box may have planted links on the path."""

import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path

RECEIVED = "received"  # the folder in a group's files for what people sent
PIPELINES, BATCHES = "pipelines", "batches"  # and those for what runs and batches of any chat made

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def place(source: Path, files: Path, name: str, owner: int) -> str:
    """Copy under an unused name; returns the path below `files`. Raises OSError; blocks: use a thread. Every
    step is taken from the descriptor of the folder before it, so a link planted meanwhile leads nowhere.
    """
    files.mkdir(parents=True, exist_ok=True)
    here = os.open(files, _FOLDER)
    try:
        received = _below(here, RECEIVED, owner)
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


def write_below(files: Path, folders: Sequence[str], name: str, content: bytes, owner: int) -> None:
    """Write a whole file, replacing whatever has its name. Raises OSError; blocks: use a thread. Anything
    that is in the way of one of the folders but is not a folder is removed: a box may have put a link
    there.
    """
    files.mkdir(parents=True, exist_ok=True)
    opened = [os.open(files, _FOLDER)]
    try:
        for folder in folders:
            opened.append(_cleared(opened[-1], folder, owner))
        here, fresh = opened[-1], f".{name}.new"
        with suppress(FileNotFoundError):  # left by a crash
            os.unlink(fresh, dir_fd=here)
        made = os.open(fresh, _NEW, 0o600, dir_fd=here)
        with os.fdopen(made, "wb") as file:
            file.write(content)
            os.fchmod(made, 0o644)
            _own(made, owner)
        os.rename(fresh, name, src_dir_fd=here, dst_dir_fd=here)
    finally:
        for each in reversed(opened):
            os.close(each)


def _cleared(here: int, name: str, owner: int) -> int:
    try:
        return _below(here, name, owner)
    except NotADirectoryError:  # a file, or a link
        os.unlink(name, dir_fd=here)
        return _below(here, name, owner)


def _below(here: int, name: str, owner: int) -> int:
    try:
        os.mkdir(name, 0o755, dir_fd=here)
    except FileExistsError:
        return os.open(name, _FOLDER, dir_fd=here)
    below = os.open(name, _FOLDER, dir_fd=here)
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
