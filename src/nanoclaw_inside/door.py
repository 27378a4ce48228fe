"""What Claude Code in a terminal asks the host: whether it may use a tool, and to use a server's tool.

`gate` is its hook before every tool. It fails closed: without a clear answer from the host nothing is
allowed. `lent NAME` is an MCP server whose tools the host carries out: its own, or those of MCP servers. Only
the box of Claude Code itself has the door, and no command runs there.
"""

import json
import os
import socket
import sys
from typing import Any

from nanoclaw_inside.tools import Message, Server

SOCKET = "NANOCLAW_DOOR"
_BLOCK = 2  # the exit code of a hook that forbids


def ask(asked: dict[str, Any]) -> dict[str, Any]:
    """Ask, and wait as long as it takes: a person may have to decide. Raises OSError or ValueError."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as talk:
        talk.connect(os.environ.get(SOCKET, "/run/door.sock"))
        talk.sendall(json.dumps(asked).encode() + b"\n")
        answer = b""
        while not answer.endswith(b"\n"):
            piece = talk.recv(65536)
            if not piece:
                raise ConnectionResetError("the host has not answered")
            answer += piece
    found = json.loads(answer)
    if not isinstance(found, dict):
        raise ValueError("the host's answer is no object")  # noqa: TRY004 - one kind of trouble for the callers
    return found


def gate_main(_argv: list[str]) -> int:
    try:
        told = ask({"hook": json.loads(sys.stdin.buffer.read())})
    except (OSError, ValueError) as error:
        sys.stderr.write(f"Not done: the host could not be asked for permission ({error}).\n")
        return _BLOCK
    sys.stdout.write(json.dumps(told))
    return 0


class Lent(Server):
    """Tools that the host carries out: its own (`nanoclaw`), or those lent from servers."""

    def __init__(self, of: str) -> None:
        specs = {spec["name"]: spec for spec in ask({"offers": of})["tools"]}
        super().__init__(specs, sys.stdout.buffer.write, sys.stdout.buffer.flush)
        self._of = of

    def _called(self, params: Message) -> Message:
        name, arguments = params.get("name"), params.get("arguments") or {}
        try:
            told = ask({"use": name, "of": self._of, "arguments": arguments})
        except (OSError, ValueError) as error:
            told = {"ok": False, "text": f"The host cannot be asked: {error}."}
        return {
            "content": [{"type": "text", "text": str(told.get("text", ""))}],
            "isError": not told.get("ok"),
        }


def lent_main(argv: list[str]) -> int:
    Lent(argv[0]).serve(sys.stdin.buffer.readline)
    sys.stdout.buffer.flush()
    os._exit(0)  # as in `tools`
