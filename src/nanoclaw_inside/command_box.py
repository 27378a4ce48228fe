"""The first program in the box beside Claude Code's: runs the commands that Claude Code asks for.

Claude Code's own box has a line to the model, its transcript and a way to ask the host in the person's name. What an
agent runs must have none of these, so it runs here. `stand_in` connects, hands over its standard streams, and gets
back how the command ended; if it goes away before that, the command is ended.

`command_box SOCKET`
"""

import array
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import threading
from typing import Any

_MOST = 4 << 20  # bytes of one request
_MOST_KEPT = 4096  # a path
_GRACE = 2000  # milliseconds for a command to clean up after itself
_STREAMS = 3
_NOT_RUN = 126


def main(argv: list[str]) -> int:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    fresh = f"{argv[0]}.new"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(fresh)  # noqa: PTH108 - pathlib takes longer to load than the program
    listener.bind(fresh)
    listener.listen(64)
    os.rename(fresh, argv[0])  # noqa: PTH104 - whoever sees it can connect
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        near, _ = listener.accept()
        with contextlib.suppress(RuntimeError):  # no more threads: the caller sees the connection end
            threading.Thread(target=_serve, args=(near,), daemon=True).start()
            continue
        near.close()


def _serve(near: socket.socket) -> None:
    with near, contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        asked, streams = _read(near)
        try:
            told = _run(near, asked, streams)
        finally:
            for stream in streams:
                with contextlib.suppress(OSError):
                    os.close(stream)
        near.sendall(json.dumps(told).encode() + b"\n")


def _read(near: socket.socket) -> tuple[dict[str, Any], list[int]]:
    streams = array.array("i")
    room = socket.CMSG_SPACE(_STREAMS * streams.itemsize)
    text, passed, _, _ = near.recvmsg(1 << 16, room)
    for level, kind, content in passed:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            streams.frombytes(content[: len(content) - len(content) % streams.itemsize])
    while text and not text.endswith(b"\n") and len(text) < _MOST:
        text += near.recv(1 << 16) or b"\n"
    found = json.loads(text)
    if len(streams) != _STREAMS or not isinstance(found, dict):
        raise ValueError("not a command")
    return found, list(streams)


def _run(near: socket.socket, asked: dict[str, Any], streams: list[int]) -> dict[str, Any]:
    kept = asked.get("kept")
    if kept:
        os.makedirs(os.path.dirname(kept), exist_ok=True)  # noqa: PTH103, PTH120
    folder = asked["cwd"] if os.path.isdir(asked["cwd"]) else None  # noqa: PTH112
    try:
        process = subprocess.Popen(  # noqa: S603 - running what the agent asks for is what the box is for
            [asked["program"], *asked["arguments"]],
            stdin=streams[0],
            stdout=streams[1],
            stderr=streams[2],
            cwd=folder,
            env=os.environ | asked["environment"],
            start_new_session=True,
        )
    except OSError as error:
        os.write(streams[2], f"{asked['program']}: {error.strerror}\n".encode())
        return {"code": 127 if isinstance(error, FileNotFoundError) else _NOT_RUN}
    _follow(near, process)
    code = process.wait()
    return {"code": code if code >= 0 else 128 - code, "kept": _text_of(kept) if kept else None}


def _follow(near: socket.socket, process: "subprocess.Popen[bytes]") -> None:
    """Until it ends. What it left running in the background stays: a server serves the next command too."""
    ended = os.pidfd_open(process.pid)
    try:
        poll = select.poll()
        poll.register(ended, select.POLLIN)
        poll.register(near, select.POLLIN)
        while True:
            ready = {file for file, _ in poll.poll()}
            if ended in ready:
                return
            if not near.recv(1):  # whoever asked is gone: it was stopped, or its time is over
                break
        for number in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, number)
            poll.unregister(near) if number == signal.SIGTERM else None
            if poll.poll(_GRACE):
                return
    finally:
        os.close(ended)


def _text_of(path: str) -> str | None:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            return os.read(file, _MOST_KEPT).decode("utf-8", "replace")
        finally:
            os.close(file)
            os.unlink(path)  # noqa: PTH108
    except OSError:
        return None
