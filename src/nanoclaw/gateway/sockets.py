"""Where boxes find the gateway: sockets in our own folder, and the proof that the caller is the box."""

import os
import secrets
import shutil
import socket
import struct
import tempfile
from pathlib import Path

import structlog

log = structlog.get_logger("sockets")

_LONGEST = 100  # bytes; the system takes 107 for the path of a socket
_WAITING = 128
_CREDENTIALS = struct.Struct("3i")  # process, user, group


class SocketFolder:
    """Created with the first socket, removed by `close`."""

    def __init__(self) -> None:
        self._folder: Path | None = None

    def listen(self) -> tuple[Path, socket.socket]:
        """A new socket. Only its owner may connect: the host, until the sandbox gives it to the user of a box."""
        if self._folder is None:
            self._folder = _made()
        path = self._folder / f"{secrets.token_hex(8)}.sock"
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listening.bind(os.fspath(path))
            path.chmod(0o600)  # before anyone can connect, whatever the umask is
            listening.listen(_WAITING)
        except OSError:
            listening.close()
            raise
        return path, listening

    def remove(self, path: Path) -> None:
        path.unlink(missing_ok=True)

    def close(self) -> None:
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None


def is_of_box(path: Path, accepted: socket.socket) -> bool:
    """Whether the other end is the socket's owner, or the host itself. The name of a socket is no secret:
    everyone on the machine can read it in /proc/net/unix.
    """
    _, uid, _ = _CREDENTIALS.unpack(
        accepted.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    )
    try:
        owner = path.stat(follow_symlinks=False).st_uid
    except OSError:
        return False
    if uid in (owner, os.geteuid(), 0):
        return True
    log.warning("another user knocked at the socket of a box", uid=uid, socket=path.name)
    return False


def _made() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="nanoclaw-"))
    if len(os.fsencode(folder / f"{'0' * 16}.sock")) > _LONGEST:
        folder.rmdir()
        folder = Path(tempfile.mkdtemp(prefix="nanoclaw-", dir="/tmp"))
    # A root host starts each box as its own user, who must get through the folder to the socket that is
    # mounted into the box. Nobody can list the folder.
    folder.chmod(0o711 if os.geteuid() == 0 else 0o700)
    return folder
