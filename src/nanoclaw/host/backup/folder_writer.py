"""Writes files below a folder without ever following a link: each part of a path is opened from the handle of the
folder before it.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER_MODE, _FILE_MODE = 0o700, 0o600
_SHARED = 0o755  # never more, and no bits that change the user


class FolderWriter:
    """The handles of the last path stay open: most entries are beside the one before."""

    def __init__(self, root: Path) -> None:
        root.mkdir(mode=_FOLDER_MODE)
        self._root = os.open(root, _FOLDER)
        self._open: list[tuple[str, int]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close_down_to(0)
        os.close(self._root)

    def folder(self, parts: list[str], mode: int) -> None:
        os.fchmod(self._opened(parts), mode & _SHARED | _FOLDER_MODE)

    def file(self, parts: list[str], pieces: Iterable[bytes], *, mode: int, mtime: int) -> None:
        made = os.open(parts[-1], _NEW, _FILE_MODE, dir_fd=self._opened(parts[:-1]))
        try:
            for piece in pieces:
                left = memoryview(piece)
                while left:
                    left = left[os.write(made, left) :]
            os.fchmod(made, mode & _SHARED | _FILE_MODE)
            with suppress(OSError, OverflowError):
                os.utime(made, (mtime, mtime))
        finally:
            os.close(made)

    def link(self, parts: list[str], target: str) -> None:
        os.symlink(target, parts[-1], dir_fd=self._opened(parts[:-1]))

    def _opened(self, parts: list[str]) -> int:
        """The handle of a folder, which is made where it is missing."""
        same = 0
        for (name, _), part in zip(self._open, parts, strict=False):
            if name != part:
                break
            same += 1
        self._close_down_to(same)
        for part in parts[same:]:
            above = self._open[-1][1] if self._open else self._root
            with suppress(FileExistsError):
                os.mkdir(part, _FOLDER_MODE, dir_fd=above)
            self._open.append((part, os.open(part, _FOLDER, dir_fd=above)))
        return self._open[-1][1] if self._open else self._root

    def _close_down_to(self, count: int) -> None:
        while len(self._open) > count:
            os.close(self._open.pop()[1])
