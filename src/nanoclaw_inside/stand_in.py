"""Stands in for the shells and git in Claude Code's own box: the real ones run in the box of commands.

Whatever Claude Code starts, a command of the model's, one that a person types behind `!`, or git looking at a folder
whose configuration somebody planted, runs where there is no line to the model. It starts for each command, so it loads
nothing that takes long: no `array`, `json`, `re` or `signal`. A request is texts with a NUL behind each; no argument
has one.
"""

import _socket
import os
import sys
import time

SOCKET = "/tmp/.commands"  # noqa: S108 - of the two boxes alone
_STREAMS = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2))
_PATIENCE = 10.0  # seconds for the other box to start
_AGAIN = 0.01
_GONE = 126
# Claude Code's environment has its token; of it, commands get what tells them how to behave.
_PASSED_ON = ("CLAUDECODE", "TERM", "COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR")
# Claude Code has the shell note the folder that it ended in, and reads that in its own box. Nothing else is written
# here: names of the group's files are words of these commands too.
_NOTES = "pwd -P >| "
_PLACE = "CLAUDE_CODE_TMPDIR"
_MOST = 1 << 16  # bytes of an answer: whatever runs in the other box could give it


def main(argv: list[str]) -> int:
    noted = argv[-1].rpartition(_NOTES)[2].strip("' \n") if _NOTES in argv[-1] else ""
    if os.path.dirname(noted) != os.environ.get(_PLACE):  # noqa: PTH120 - pathlib takes longer to load
        noted = ""
    given = [
        f"{name}={value}" for name, value in os.environ.items() if name in _PASSED_ON or name[:4] == "GIT_"
    ]
    folder = os.getcwd()  # noqa: PTH109 - as above
    words = [str(len(given)), folder, noted, *given, *argv]
    try:
        code, _, kept = _ask("".join(f"{word}\0" for word in words).encode(errors="surrogateescape"))
        if noted and kept:
            _note(noted, kept)
        return int(code)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{argv[0]}: the box of commands does not answer ({error}).\n")
        return _GONE


def _ask(words: bytes) -> tuple[bytes, bytes, bytes]:
    """How it ended, and where."""
    line = _connected()
    head = b"%d\0" % len(words)
    line.sendmsg([head], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, _STREAMS)])
    line.sendall(words)
    answer = b""
    while len(answer) < _MOST and (piece := line.recv(_MOST)):
        answer += piece
    return answer.partition(b"\n")


def _connected() -> _socket.socket:
    until = time.monotonic() + _PATIENCE
    while True:
        line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            line.connect(SOCKET)
        except OSError:
            line.close()
            if time.monotonic() > until:
                raise
            time.sleep(_AGAIN)
        else:
            return line


def _note(path: str, text: bytes) -> None:
    """Never through a link: this file is Claude Code's own."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    os.write(file, text)
    os.close(file)
