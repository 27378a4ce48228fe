"""A played drive: an MCP server over HTTP that keeps files, strict about its key and its schema.

`mood` makes it sloppy, as drive servers are: an error reported as a success, an answer that makes no sense,
or none.
"""

import asyncio
import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from nanoclaw.console.web_server import WebServer

Mood = Literal["strict", "error-as-text", "error-as-json", "refuses", "odd", "empty", "slow"]
_STRING = {"type": "string"}


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """What a drive calls its tool, and how it wants a file."""

    tool: str
    properties: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...]
    name: str
    content: str
    is_base64: bool = False


PLAIN = Dialect(
    tool="create_file",
    properties={"name": _STRING, "content": _STRING, "mimeType": _STRING, "parentFolderId": _STRING},
    required=("name", "content"),
    name="name",
    content="content",
)
ENCODED = Dialect(
    tool="create_file",
    properties={
        "title": _STRING,
        "content": {"type": "string", "description": "The content, Base64-encoded"},
        "parentId": _STRING,
    },
    required=("title", "content"),
    name="title",
    content="content",
    is_base64=True,
)
IN_FOLDERS = Dialect(
    tool="upload_file",
    properties={"path": _STRING, "fileName": _STRING, "contentBytes": _STRING},
    required=("path", "fileName", "contentBytes"),
    name="fileName",
    content="contentBytes",
    is_base64=True,
)


@dataclass
class DriveServer:
    """Use as `async with DriveServer() as drive`; `drive.files` is what it has."""

    dialect: Dialect = PLAIN
    mood: Mood = "strict"
    key: str = "drive-key-0123456789"
    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    given: list[dict[str, Any]] = field(default_factory=list)  # the arguments of each call
    awake: asyncio.Event = field(default_factory=asyncio.Event)  # until then a slow one gives no answer

    async def __aenter__(self) -> Self:
        self._serving = WebServer(0, for_everyone=True)
        self._serving.start(Starlette(routes=[Route("/mcp", self._answer, methods=["POST"])]))
        self.url = f"{self._serving.url}/mcp"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._serving.stop()

    async def _answer(self, request: Request) -> Response:
        if request.headers.get("authorization") != f"Bearer {self.key}":
            return Response(f"not {request.headers.get('authorization')}", 401)
        if request.headers.get("mcp-method"):  # it knows only MCP with a handshake
            return Response("what?", 400)
        message = await request.json()
        if "id" not in message:
            return Response(status_code=202)
        asked, params = message["method"], message.get("params", {})
        if asked == "tools/call" and self.mood == "slow":
            await self.awake.wait()
        answer = self._result(asked, params)
        told = {"result": answer} if answer else {"error": {"code": -32601, "message": "unknown method"}}
        return JSONResponse({"jsonrpc": "2.0", "id": message["id"], **told})

    def _result(self, asked: str, params: Mapping[str, Any]) -> dict[str, Any] | None:
        if asked == "initialize":
            about = {"protocolVersion": "2025-11-25", "serverInfo": {"name": "drive", "version": "1"}}
            return {**about, "capabilities": {"tools": {}}}
        if asked == "tools/list":
            schema = {
                "type": "object",
                "properties": self.dialect.properties,
                "required": list(self.dialect.required),
                "additionalProperties": False,
            }
            folder = {"type": "object", "properties": {"name": _STRING}, "required": ["name"]}
            return {
                "tools": [
                    {"name": "create_folder", "description": "A folder", "inputSchema": folder},
                    {"name": self.dialect.tool, "description": "A file", "inputSchema": schema},
                ]
            }
        return self._call(params) if asked == "tools/call" else None

    def _call(self, params: Mapping[str, Any]) -> dict[str, Any]:
        given = dict(params.get("arguments") or {})
        self.given.append(given)
        match self.mood:
            case "refuses":
                return _said(f"Quota exceeded for {self.key}", is_error=True)
            case "error-as-text":
                return _said("Error: the token has expired")
            case "error-as-json":
                return _said('{"success": false, "reason": "the token has expired"}')
            case "odd":
                return {"content": "what is this"}
        fault, content = self._read(params.get("name"), given)
        if fault:
            return _said(fault, is_error=True)
        self.files[given[self.dialect.name]] = content
        if self.mood == "empty":
            return {"content": []}
        return _said(f"Made: https://drive.test/{len(self.files)}")

    def _read(self, tool: object, given: Mapping[str, Any]) -> tuple[str, bytes]:
        dialect = self.dialect
        if tool != dialect.tool:
            return f"Unknown tool: {tool}", b""
        if unknown := given.keys() - dialect.properties.keys():
            return f"Unknown arguments: {sorted(unknown)}", b""
        if missing := [key for key in dialect.required if not isinstance(given.get(key), str)]:
            return f"Missing: {missing}", b""
        if not dialect.is_base64:
            return "", str(given[dialect.content]).encode()
        try:
            return "", base64.b64decode(given[dialect.content], validate=True)
        except binascii.Error:
            return "This is not base64", b""


def _said(text: str, *, is_error: bool = False) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": is_error}
