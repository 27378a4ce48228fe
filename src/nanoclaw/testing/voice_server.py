"""The far end of voices: a server that plays OpenAI's audio API, hears what a test wants, and speaks silence.

As strict as the real one: a missing key, an unknown field, a file with an unknown extension or other content than that,
or a language that is no two-letter code is refused in the vendor's words.
"""

import asyncio
import hmac
import json
import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from nanoclaw.console.web_server import WebServer
from nanoclaw.testing.model_parts import Cut, Fail, Garbage, Wait
from nanoclaw.testing.voices import voice

MOST_BYTES = 25 << 20
MOST_INPUT = 4096
_HEARING = {"model", "file", "language", "response_format", "prompt", "temperature"}
_SPEAKING = {"model", "input", "voice", "response_format", "speed", "instructions", "stream_format"}
_FORMATS = {"mp3", "opus", "aac", "flac", "wav", "pcm"}
# The first bytes of a file with this extension, and their offset.
_BEGINNINGS: Mapping[str, tuple[int, tuple[bytes, ...]]] = {
    "flac": (0, (b"fLaC",)),
    "m4a": (4, (b"ftyp",)),
    "mp3": (0, (b"ID3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2")),
    "mp4": (4, (b"ftyp",)),
    "mpeg": (0, (b"ID3", b"\xff", b"\x00\x00\x01")),
    "mpga": (0, (b"ID3", b"\xff")),
    "oga": (0, (b"OggS",)),
    "ogg": (0, (b"OggS",)),
    "wav": (0, (b"RIFF",)),
    "webm": (0, (b"\x1a\x45\xdf\xa3",)),
}
_NAME = re.compile(r'form-data; name="([^"]+)"(?:; filename="([^"]+)")?')


@dataclass(frozen=True, kw_only=True, slots=True)
class Heard:
    """A voice as the engine got it."""

    model: str
    language: str | None
    name: str
    content: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class Words:
    """What is heard, and the seconds or tokens billed for it."""

    text: str
    usage: Mapping[str, Any] | None = None


Answer = Words | str | bytes | Fail | Cut | Garbage | Wait


class VoiceServer:
    """Use as `async with VoiceServer() as server`; `server.url` is the base url of the engine, `server.key` its key.

    `server.answers` are given in turn: words for a voice, bytes for a text, or what goes wrong. After them, and when
    there are none, it hears `words` and speaks silence. A `Wait` comes before the next one.
    """

    def __init__(self, words: str = "Good morning", *, key: str = "sk-voice") -> None:
        self.url = ""
        self.key = key
        self.words = words
        self.answers: deque[Answer] = deque()
        self.heard: list[Heard] = []
        self.spoken: list[dict[str, Any]] = []
        self.requests = 0  # including refused ones
        self._news = asyncio.Condition()

    async def __aenter__(self) -> Self:
        routes = [
            Route("/v1/audio/transcriptions", self._hear, methods=["POST"]),
            Route("/v1/audio/speech", self._speak, methods=["POST"]),
        ]
        self._closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._serving = WebServer(0, for_everyone=True)
        self._serving.start(Starlette(routes=routes))
        self.url = f"{self._serving.url}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._closed.set_result(None)  # nobody waits any more: a script that does would delay the end
        await self._serving.stop()

    async def wait_for(self, requests: int = 1, *, patience: float = 60) -> None:
        """Wait until it has been called that often."""
        async with asyncio.timeout(patience), self._news:
            await self._news.wait_for(lambda: self.requests >= requests)

    async def _hear(self, request: Request) -> Response:
        body = await request.body()
        try:
            await self._arrived(request)
            heard = _heard(request.headers.get("content-type", ""), body)
        except _Refused as refusal:
            return _failed(refusal.fail)
        self.heard.append(heard)
        answer = await self._next(self.words)
        words = Words(text=answer) if isinstance(answer, str) else answer
        if isinstance(words, Words):
            told = {"text": words.text} | ({} if words.usage is None else {"usage": dict(words.usage)})
            return JSONResponse(told)
        return _other(words)

    async def _speak(self, request: Request) -> Response:
        body = await request.body()
        try:
            await self._arrived(request)
            wanted = _wanted(request.headers.get("content-type", ""), body)
        except _Refused as refusal:
            return _failed(refusal.fail)
        self.spoken.append(wanted)
        answer = await self._next(voice(max(len(wanted["input"]) / 15, 0.5)))
        return Response(answer, media_type="audio/ogg") if isinstance(answer, bytes) else _other(answer)

    async def _arrived(self, request: Request) -> None:
        async with self._news:
            self.requests += 1
            self._news.notify_all()
        given = request.headers.get("authorization", "")
        if not hmac.compare_digest(given.encode(), f"Bearer {self.key}".encode()):
            raise _Refused(f"Incorrect API key provided: {given}", 401)

    async def _next(self, default: Answer) -> Answer:
        answer = self.answers.popleft() if self.answers else default
        while isinstance(answer, Wait):
            over = asyncio.ensure_future(answer.over())
            await asyncio.wait([over, self._closed], return_when=asyncio.FIRST_COMPLETED)
            over.cancel()
            answer = self.answers.popleft() if self.answers else default
        return answer


class _Refused(Exception):
    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.fail = Fail(status, "invalid_request_error", message)


def _heard(content_type: str, body: bytes) -> Heard:
    if len(body) > MOST_BYTES + 64 * 1024:
        raise _Refused("Maximum content size limit (26214400) exceeded", 413)
    fields = _fields(content_type, body)
    if unknown := fields.keys() - _HEARING:
        raise _Refused(f"Unrecognized request arguments: {sorted(unknown)}")
    if not {"model", "file"} <= fields.keys():
        raise _Refused("you must provide a model parameter and a file")
    name, content = fields["file"]
    if name is None or any(of is not None for field, (of, _) in fields.items() if field != "file"):
        raise _Refused("expected a file in 'file', and nowhere else")
    said = {field: value.decode() for field, (_, value) in fields.items() if field != "file"}
    if said.get("response_format", "json") != "json":
        raise _Refused("this server only plays response_format json")
    if not re.fullmatch("[a-z]{2}", said.get("language", "en")):
        raise _Refused(
            f"Invalid language '{said['language']}'. Language parameter must be in ISO-639-1 format."
        )
    at, beginnings = _BEGINNINGS.get(name.rpartition(".")[2].lower(), (0, ()))
    if not content[at:].startswith(beginnings or (b"\0not known",)):
        raise _Refused(f"Invalid file format. Supported formats: {sorted(_BEGINNINGS)}")
    return Heard(model=said["model"], language=said.get("language"), name=name, content=content)


def _wanted(content_type: str, body: bytes) -> dict[str, Any]:
    try:
        wanted = json.loads(body) if content_type == "application/json" else None
    except ValueError:
        wanted = None
    if not isinstance(wanted, dict):
        raise _Refused("We could not parse the JSON body of your request")
    if unknown := wanted.keys() - _SPEAKING:
        raise _Refused(f"Unrecognized request arguments: {sorted(unknown)}")
    for field in ("model", "input", "voice"):
        if not isinstance(wanted.get(field), str) or not wanted[field]:
            raise _Refused(f"Missing required parameter: '{field}'")
    if len(wanted["input"]) > MOST_INPUT:
        raise _Refused(f"String too long: expected at most {MOST_INPUT} characters")
    if wanted.get("response_format", "mp3") not in _FORMATS:
        raise _Refused(f"Invalid value for 'response_format': one of {sorted(_FORMATS)}")
    return wanted


def _fields(content_type: str, body: bytes) -> dict[str, tuple[str | None, bytes]]:
    """The fields of a form, each with its file name; anything that is not exactly a form is refused."""
    found = re.fullmatch(r'multipart/form-data; boundary="?([\w\'()+,./:=?-]{1,70})"?', content_type)
    if found is None:
        raise _Refused("expected multipart/form-data with a boundary")
    line = b"--" + found[1].encode()
    first, *parts = (b"\r\n" + body).split(b"\r\n" + line)
    if first or not parts or parts.pop() not in (b"--\r\n", b"--"):
        raise _Refused("the form has no end")
    fields: dict[str, tuple[str | None, bytes]] = {}
    for part in parts:
        head, gap, content = part.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        headers = {}
        for header in head.decode().split("\r\n"):
            name, _, value = header.partition(": ")
            headers[name.lower()] = value
        named = _NAME.fullmatch(headers.get("content-disposition", ""))
        if not part.startswith(b"\r\n") or not gap or named is None or named[1] in fields:
            raise _Refused("a part of the form cannot be read, or is there twice")
        fields[named[1]] = (named[2], content)
    return fields


def _failed(fail: Fail) -> Response:
    error = {"message": fail.message, "type": fail.type, "param": None, "code": None}
    return JSONResponse({"error": error}, fail.status, headers=dict(fail.headers))


def _other(answer: Answer) -> Response:
    match answer:
        case Fail():
            return _failed(answer)
        case Garbage(text=text):
            return Response(text, media_type="text/html")
        case Cut():
            return _Half()
        case _:
            raise TypeError(f"a script cannot answer this request with {answer!r}")


class _Half(Response):
    """For an incomplete answer the server closes the connection, which is what a cut looks like."""

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        headers = [(b"content-length", b"100")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b'{"text":', "more_body": True})
