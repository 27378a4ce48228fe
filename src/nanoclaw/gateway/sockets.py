"""Where boxes find the gateway: sockets in a folder of our own, with short names that nobody can guess."""

import os
import secrets
import shutil
import tempfile
from pathlib import Path

_LONGEST = 100  # bytes; the system takes 107 for the path of a socket


class SocketFolder:
    """Made with the first socket, gone with `close`."""

    def __init__(self) -> None:
        self._folder: Path | None = None

    def fresh(self) -> Path:
        """A path for a new socket."""
        if self._folder is None:
            self._folder = _made()
        return self._folder / f"{secrets.token_hex(8)}.sock"

    def remove(self, path: Path) -> None:
        path.unlink(missing_ok=True)

    def close(self) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


def open_to_boxes(path: Path) -> None:
    """A box may run as another user; that it sees the socket at all is what lets it in."""
    path.chmod(0o666)


def _made() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="nanoclaw-"))
    if len(os.fsencode(folder / f"{'0' * 16}.sock")) > _LONGEST:
        folder.rmdir()
        folder = Path(tempfile.mkdtemp(prefix="nanoclaw-", dir="/tmp"))
    # A host that runs as root starts each box as a user of its own, who must get through the folder to the socket
    # that is mounted into the box. Nobody can list the folder, and names in it have 64 random bits.
    folder.chmod(0o711 if os.geteuid() == 0 else 0o700)
    return folder
