"""The box tools: one tool call, read as JSON from stdin, reported as lines of JSON on stdout.

In: `{"tool": "bash", "arguments": {"command": "ls"}}`. Out: any number of `{"event": "output", "text": ...}` while a
command prints, then exactly one `{"event": "end", "ok": ..., "text": ...}`. The sentences here are for the agent.
"""

import json
import os
import sys
from collections.abc import Callable
from typing import Any

from nanoclaw_inside import files, shell
from nanoclaw_inside.files import CannotDo

_LONGEST, _USUAL = 3600.0, 120.0

_REQUIRED: dict[str, type] = {
    "command": str,
    "path": str,
    "content": str,
    "old": str,
    "new": str,
    "pattern": str,
}


def main(_arguments: list[str]) -> int:
    # What a tool prints by itself must not mix with the lines that the host reads.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", errors="replace")

    def tell(**event: object) -> None:
        out.write(json.dumps(event) + "\n")
        out.flush()

    ok, text = _answer(sys.stdin.buffer.readline(), lambda piece: tell(event="output", text=piece))
    tell(event="end", ok=ok, text=text)
    return 0


def _answer(line: bytes, tell: Callable[[str], None]) -> tuple[bool, str]:
    try:
        request = json.loads(line)
        tool, arguments = request["tool"], request["arguments"]
        act = _TOOLS[tool]
    except (ValueError, KeyError, TypeError):
        return False, f"This is not a call of one of these tools: {', '.join(_TOOLS)}."
    try:
        return act(_checked(arguments), tell)
    except CannotDo as error:
        return False, str(error)
    except OSError as error:
        return False, files.sentence(error, str(arguments.get("path", ".")))


def _checked(arguments: Any) -> dict[str, Any]:
    if not isinstance(arguments, dict):
        raise CannotDo("The arguments must be an object.")
    for name, kind in _REQUIRED.items():
        if not isinstance(arguments.get(name, kind()), kind):
            raise CannotDo(f"`{name}` must be a text.")
    for name in ("offset", "limit", "timeout"):
        if not isinstance(arguments.get(name) or 0, int | float):
            raise CannotDo(f"`{name}` must be a number.")
    if "\0" in str(arguments.get("path", "")):
        raise CannotDo("A path cannot have a NUL in it.")
    return arguments


def _need(arguments: dict[str, Any], *names: str) -> list[str]:
    for name in names:
        if name not in arguments:
            raise CannotDo(f"`{name}` is missing.")
    return [arguments[name] for name in names]


def _bash(arguments: dict[str, Any], tell: Callable[[str], None]) -> tuple[bool, str]:
    (command,) = _need(arguments, "command")
    if "\0" in command:
        raise CannotDo("A command cannot have a NUL in it.")
    timeout = min(max(float(arguments.get("timeout") or _USUAL), 0.1), _LONGEST)
    return shell.run(command, timeout, tell)


def _read(arguments: dict[str, Any], _tell: Callable[[str], None]) -> tuple[bool, str]:
    (path,) = _need(arguments, "path")
    offset, limit = int(arguments.get("offset") or 1), int(arguments.get("limit") or files.LINES)
    return True, files.read(path, max(offset, 1), max(limit, 1))


def _write(arguments: dict[str, Any], _tell: Callable[[str], None]) -> tuple[bool, str]:
    path, content = _need(arguments, "path", "content")
    return True, files.write(path, content)


def _edit(arguments: dict[str, Any], _tell: Callable[[str], None]) -> tuple[bool, str]:
    path, old, new = _need(arguments, "path", "old", "new")
    return True, files.edit(path, old, new, everywhere=bool(arguments.get("all")))


def _search(arguments: dict[str, Any], _tell: Callable[[str], None]) -> tuple[bool, str]:
    (pattern,) = _need(arguments, "pattern")
    return True, files.search(pattern, arguments.get("path") or ".", arguments.get("glob") or "")


def _list(arguments: dict[str, Any], _tell: Callable[[str], None]) -> tuple[bool, str]:
    return True, files.list_folder(arguments.get("path") or ".")


_TOOLS = {"bash": _bash, "read": _read, "write": _write, "edit": _edit, "search": _search, "list": _list}
