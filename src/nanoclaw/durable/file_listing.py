"""The files of a folder that match a pattern, listed again only when one of its folders has changed.

Every message asks which skills, templates and adaptors there are. Listing them takes twenty times as long as
checking the times of their folders and of themselves.
"""

import os
import time
from collections.abc import Mapping
from pathlib import Path

Stamp = tuple[int, int]
"""When a file was changed, and its size; zeros if it cannot be examined."""

_RESCAN_AFTER = 1.0  # seconds until a change is noticed
_COARSE = 2.0  # seconds: the times of some file systems are no finer, so a more recent one proves nothing


class FileListing:
    """`pattern` as for `Path.glob`, with `*` for each folder."""

    def __init__(self, folder: Path, pattern: str) -> None:
        self._folder = folder
        self._pattern = pattern
        self._looked_at = float("-inf")
        self._folders: dict[str, Stamp] | None = None  # None: they prove nothing yet
        self._files: dict[Path, Stamp] = {}

    def look(self) -> Mapping[Path, Stamp]:
        """The files, sorted. The same object until something has changed."""
        if time.monotonic() - self._looked_at > _RESCAN_AFTER:
            if self._folders is None or any(_stamp(each) != known for each, known in self._folders.items()):
                self._list()
            else:
                self._keep({path: _stamp(path) for path in self._files})
            self._looked_at = time.monotonic()
        return self._files

    def look_again(self) -> None:
        """Look again at once: someone has just written a file."""
        self._looked_at = float("-inf")

    def _list(self) -> None:
        depth = self._pattern.count("/")
        folders = [
            self._folder,
            *(
                found
                for level in range(1, depth + 1)
                for found in self._folder.glob("/".join("*" * level))
                if found.is_dir()
            ),
        ]
        stamps = {str(folder): _stamp(folder) for folder in folders}  # before they are listed
        self._keep({path: _stamp(path) for path in sorted(self._folder.glob(self._pattern))})
        newest = max(changed_at for changed_at, _ in stamps.values())
        self._folders = stamps if newest < time.time_ns() - _COARSE * 1e9 else None

    def _keep(self, files: dict[Path, Stamp]) -> None:
        if files != self._files:
            self._files = files


def _stamp(path: Path | str) -> Stamp:
    try:
        about = os.stat(path)  # noqa: PTH116 - dozens of these are on the way of a message
    except OSError:
        return 0, 0
    return about.st_mtime_ns, about.st_size
