"""Stands in for the shells and git in Claude Code's own box: the real ones run in the box of commands.

Whatever Claude Code starts, a command of the model's, one that a person types behind `!`, or git looking at a folder
whose configuration somebody planted, runs where there is no line to the model. Loads next to nothing: it starts for
each command.
"""

import _socket
import json
import os
import re
import signal
import sys
import time
from array import array

SOCKET = "/tmp/.commands"  # noqa: S108 - of the two boxes alone
_PATIENCE = 10.0  # seconds for the other box to start
_AGAIN = 0.01
_GONE = 126
# Claude Code's environment has its token; of it, commands get what tells them how to behave.
_PASSED_ON = re.compile("CLAUDECODE|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|GIT_[A-Z_]+")
# Where Claude Code has the shell note the folder that it ended in. It reads that in its own box.
_NOTED = re.compile(r"pwd -P >\| '?(/[^\s']+)")


def main(argv: list[str]) -> int:
    program, *arguments = argv
    noted = _NOTED.findall(arguments[-1]) if arguments else []
    asked = {
        "program": program,
        "arguments": arguments,
        "cwd": os.getcwd(),  # noqa: PTH109 - pathlib takes longer to load
        "environment": {name: value for name, value in os.environ.items() if _PASSED_ON.fullmatch(name)},
        "kept": noted[-1] if noted else None,
    }
    try:
        told = _ask(json.dumps(asked).encode() + b"\n")
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{program}: the box of commands does not answer ({error}).\n")
        return _GONE
    kept, code = told.get("kept"), told.get("code")
    if noted and isinstance(kept, str):
        _note(noted[-1], kept)
    return code if isinstance(code, int) else _GONE


def _ask(words: bytes) -> dict[str, object]:
    line = _connected()
    sent = line.sendmsg([words], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, array("i", (0, 1, 2)))])
    line.sendall(words[sent:])
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    answer = b""
    while piece := line.recv(1 << 16):
        answer += piece
    found = json.loads(answer)
    return found if isinstance(found, dict) else {}


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


def _note(path: str, text: str) -> None:
    """Never through a link: this file is Claude Code's own."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    os.write(file, text.encode())
    os.close(file)
