"""The first program in the box beside Claude Code's: runs the commands that Claude Code asks for.

Claude Code's own box has a line to the model, its transcript and a way to ask the host in the person's name. What an
agent runs must have none of these, so it runs here. `stand_in` connects, hands over its standard streams, and gets
back how the command ended; if it goes away before that, the command is ended.

`command_box SOCKET PROGRAM...` prints which of the programs there are, by what they lead to.
"""

import array
import contextlib
import os
import select
import signal
import socket
import subprocess
import threading

_MOST = 4 << 20  # bytes of one request
_MOST_NOTED = 4096  # a path
_GRACE = 2000  # milliseconds for a command to clean up after itself
_STREAMS = 3


def main(argv: list[str]) -> int:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    fresh = f"{argv[0]}.new"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(fresh)  # noqa: PTH108 - pathlib takes longer to load than the program
    listener.bind(fresh)
    listener.listen(64)
    os.rename(fresh, argv[0])  # noqa: PTH104 - whoever sees it can connect
    found = {os.path.realpath(program) for program in argv[1:] if os.path.exists(program)}  # noqa: PTH110
    os.write(1, f"{':'.join(sorted(found))}\n".encode())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        near, _ = listener.accept()
        with contextlib.suppress(RuntimeError):  # no more threads: the caller sees the connection end
            threading.Thread(target=_serve, args=(near,), daemon=True).start()
            continue
        near.close()


def _serve(near: socket.socket) -> None:
    with near, contextlib.suppress(OSError, ValueError):
        words, streams = _read(near)
        try:
            told = _run(near, words, streams)
        finally:
            for stream in streams:
                with contextlib.suppress(OSError):
                    os.close(stream)
        near.sendall(told)


def _read(near: socket.socket) -> tuple[list[str], list[int]]:
    """The words of a request (`stand_in` says which), and the streams of whoever asks."""
    streams = array.array("i")
    text, passed, _, _ = near.recvmsg(1 << 16, socket.CMSG_SPACE(_STREAMS * streams.itemsize))
    for level, kind, content in passed:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            streams.frombytes(content[: len(content) - len(content) % streams.itemsize])
    head, _, rest = text.partition(b"\0")
    length = int(head)
    if len(streams) != _STREAMS or length > _MOST:
        raise ValueError("not a command")
    while len(rest) < length:
        if not (piece := near.recv(1 << 16)):
            raise ValueError("half a command")
        rest += piece
    return rest[:length].decode(errors="surrogateescape").split("\0")[:-1], list(streams)


def _run(near: socket.socket, words: list[str], streams: list[int]) -> bytes:
    count, folder, noted = int(words[0]), words[1], words[2]
    given = dict(each.split("=", 1) for each in words[3 : 3 + count])
    command = words[3 + count :]
    if noted:
        os.makedirs(os.path.dirname(noted), exist_ok=True)  # noqa: PTH103, PTH120
    try:
        process = subprocess.Popen(  # noqa: S603 - running what the agent asks for is what the box is for
            command,
            stdin=streams[0],
            stdout=streams[1],
            stderr=streams[2],
            cwd=folder if os.path.isdir(folder) else None,  # noqa: PTH112
            env=os.environ | given,
            start_new_session=True,
        )
    except OSError as error:
        os.write(streams[2], f"{command[0]}: {error.strerror}\n".encode())
        return b"127\n" if isinstance(error, FileNotFoundError) else b"126\n"
    _follow(near, process)
    code = process.wait()
    return b"%d\n" % (code if code >= 0 else 128 - code) + (_text_of(noted) if noted else b"")


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
            if number == signal.SIGTERM:
                poll.unregister(near)
            if poll.poll(_GRACE):
                return
    finally:
        os.close(ended)


def _text_of(path: str) -> bytes:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            return os.read(file, _MOST_NOTED)
        finally:
            os.close(file)
            os.unlink(path)  # noqa: PTH108
    except OSError:
        return b""
