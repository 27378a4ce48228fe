"""Reads the workspace's files once per change. A person may edit any of them while the host runs."""

import os
from pathlib import Path


class FileCache:
    """A file is read again only when its time or size has changed; checking costs one `stat`."""

    def __init__(self) -> None:
        self._texts: dict[str, tuple[tuple[int, int], str]] = {}

    def read(self, path: Path | str) -> str:
        """The text of a file; empty if there is none."""
        path = str(path)
        try:
            stat = os.stat(path)  # noqa: PTH116 - dozens of these are on the way of every message
        except OSError:
            self._texts.pop(path, None)
            return ""
        stamp = (stat.st_mtime_ns, stat.st_size)
        known = self._texts.get(path)
        if known is None or known[0] != stamp:
            try:
                known = (stamp, Path(path).read_text("utf-8", errors="replace").strip())
            except OSError:
                return ""
            self._texts[path] = known
        return known[1]
