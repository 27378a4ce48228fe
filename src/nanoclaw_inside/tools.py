"""The host's tools, for whatever works in the box: an MCP server on stdin and stdout, and a command for scripts.

The list of tools is a file that the host wrote ($NANOCLAW_TOOLS, else tools.json in the file protocol's folder), so
that nothing about them is repeated here.
"""

import json
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from nanoclaw_inside.asking import NoAnswer, ask, ipc

TABLE = "NANOCLAW_TOOLS"
LISTED = "NANOCLAW_TOOLS_LISTED"  # a file to create when the tools have been listed, for programs that wait for that
# MCP versions with a handshake, the newest first.
VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")

_PARSE_ERROR, _INVALID_REQUEST, _NO_METHOD, _INVALID_PARAMS = -32700, -32600, -32601, -32602
_NO_ANSWER = (
    "The host has not answered in time. The request is not lost and may still be done: do not repeat it, "
    "and tell the person if it matters."
)
_USAGE = """\
usage: tool list
       tool NAME [--ARGUMENT VALUE]... [--wait SECONDS]
       tool NAME --json '{"ARGUMENT": VALUE, ...}' [--wait SECONDS]
"""

Spec = dict[str, Any]
Message = dict[str, Any]


class Wrong(Exception):
    """A request that cannot be carried out; the code is JSON-RPC's."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def main(_argv: list[str]) -> int:
    """Serve MCP until stdin ends."""
    Server(load(), sys.stdout.buffer.write, sys.stdout.buffer.flush).serve(sys.stdin.buffer.readline)
    sys.stdout.buffer.flush()
    os._exit(0)  # calls that still wait have nobody left to answer; their threads would keep us alive


def load() -> dict[str, Spec]:
    table = Path(os.environ.get(TABLE) or ipc() / "tools.json")
    return {spec["name"]: spec for spec in json.loads(table.read_bytes())}


def call(spec: Spec, arguments: dict[str, Any], wait: float | None) -> tuple[bool, str]:
    """Returns whether it was done, and what the host says; values that a program could use follow on a
    separate line.
    """
    try:
        reply = ask(spec["kind"], spec["name"], arguments, wait)
    except NoAnswer:
        return False, _NO_ANSWER
    except OSError as error:
        return False, f"The host cannot be asked: {error}."
    ok, data = bool(reply.get("ok")), reply.get("data")
    shown = [reply.get("text", ""), json.dumps(data, ensure_ascii=False) if ok and data else ""]
    return ok, "\n".join(part for part in shown if part)


class Server:
    """JSON-RPC 2.0, a message a line. Each call has a thread: one that waits for a person blocks no other."""

    def __init__(
        self, specs: dict[str, Spec], write: Callable[[bytes], object], flush: Callable[[], object]
    ) -> None:
        self._specs = specs
        self._write, self._flush = write, flush
        self._writing = threading.Lock()
        self._cancelled: set[str] = set()

    def serve(self, next_line: Callable[[], bytes]) -> None:
        while line := next_line():
            if line.strip():
                self._take(line)

    def _take(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            self._say({"id": None, "error": {"code": _PARSE_ERROR, "message": "Not JSON."}})
            return
        if not isinstance(message, dict) or not isinstance(message.get("method"), str):
            self._say({"id": None, "error": {"code": _INVALID_REQUEST, "message": "Not a request."}})
        elif message["method"] == "notifications/cancelled":
            self._cancelled.add(str(_params(message).get("requestId")))
        elif isinstance(message.get("id"), str | int):
            if message["method"] == "tools/call":
                threading.Thread(target=self._answer, args=(message,), daemon=True).start()
            else:
                self._answer(message)

    def _answer(self, message: Message) -> None:
        try:
            said: Message = {"result": self._result(message["method"], _params(message))}
        except Wrong as wrong:
            said = {"error": {"code": wrong.code, "message": str(wrong)}}
        if str(message["id"]) not in self._cancelled:
            self._say({"id": message["id"], **said})
        if message["method"] == "tools/list" and (mark := os.environ.get(LISTED)):
            with suppress(OSError):  # a command may have put something in its place
                os.close(os.open(mark, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))

    def _result(self, method: str, params: Message) -> Message:
        if method == "initialize":
            asked = params.get("protocolVersion")
            return {
                "protocolVersion": asked if asked in VERSIONS else VERSIONS[0],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "nanoclaw", "version": "1"},
            }
        if method == "ping":
            return {}
        if method == "tools/list":
            shown = {"name": "name", "description": "description", "inputSchema": "offer"}
            return {"tools": [{key: spec[of] for key, of in shown.items()} for spec in self._specs.values()]}
        if method == "tools/call":
            return self._called(params)
        raise Wrong(_NO_METHOD, f"There is no method {method}.")

    def _called(self, params: Message) -> Message:
        name, arguments = params.get("name"), params.get("arguments") or {}
        spec = self._specs.get(name) if isinstance(name, str) else None
        if spec is None:
            raise Wrong(_INVALID_PARAMS, f"There is no tool {name!r}.")
        if not isinstance(arguments, dict):
            raise Wrong(_INVALID_PARAMS, "`arguments` must be an object.")
        ok, text = call(spec, arguments, spec["wait"])
        return {"content": [{"type": "text", "text": text}], "isError": not ok}

    def _say(self, message: Message) -> None:
        line = (
            json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        )
        with self._writing:
            self._write(line)
            self._flush()


def _params(message: Message) -> Message:
    params = message.get("params")
    return params if isinstance(params, dict) else {}


def call_main(argv: list[str]) -> int:
    """Use one tool from a script."""
    specs = load()
    if argv == ["list"]:
        for spec in specs.values():
            sys.stdout.write(f"{spec['name']}: {spec['description']}\n")
        return 0
    try:
        if not argv or argv[0] not in specs:
            known = f"There is no tool {argv[0]!r}; there are {', '.join(specs)}.\n" if argv else ""
            raise ValueError(known + _USAGE)
        spec = specs[argv[0]]
        arguments, wait = _from_options(argv[1:], spec)
    except ValueError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    ok, text = call(spec, arguments, wait)
    (sys.stdout if ok else sys.stderr).write(text + "\n")
    return 0 if ok else 1


def _from_options(options: list[str], spec: Spec) -> tuple[dict[str, Any], float | None]:
    arguments: dict[str, Any] = {}
    wait: float | None = spec["wait"]
    known: dict[str, Spec] = spec["inputSchema"]["properties"]
    rest = list(options)
    while rest:
        option = rest.pop(0)
        name, has_value, value = option.removeprefix("--").partition("=")
        if not option.startswith("--"):
            raise ValueError(f"{option!r} is not an option.\n{_USAGE}")
        types = known.get(name, {}).get("type", "string")
        if not has_value:
            if types == "boolean" and (not rest or rest[0].startswith("--")):
                value = "true"
            elif rest:
                value = rest.pop(0)
            else:
                raise ValueError(f"--{name} needs a value.")
        if name == "json":
            arguments.update(_json(value, name))
        elif name == "wait":
            wait = float(value)
        elif name in known:
            arguments[name] = _typed(value, types, name)
        else:
            raise ValueError(
                f"{spec['name']} has no --{name}; it has {', '.join('--' + key for key in known)}."
            )
    return arguments, wait


def _typed(value: str, types: str | list[str], name: str) -> object:
    """The value as its schema says; if text is allowed too, what is not JSON of the other type is text."""
    if types == "string":
        return value
    if isinstance(types, str):
        return _json(value, name, anything=True)
    try:
        found = json.loads(value)
    except ValueError:
        return value
    return found if isinstance(found, dict | int) or found is None else value


def _json(value: str, name: str, *, anything: bool = False) -> Any:
    try:
        found = json.loads(value)
    except ValueError as error:
        raise ValueError(f"--{name} must be JSON: {error}.") from error
    if not anything and not isinstance(found, dict):
        raise ValueError(f"--{name} must be a JSON object.")
    return found
