"""A client of the host's HTTP API: how the terminal chat talks to a host, in the same process or another."""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import quote

import httpx
from pydantic import ValidationError

from nanoclaw.console.shape import COMMAND_LINE, VIA, Shape
from nanoclaw.domain.errors import HostSaid, HostUnreachable, NotFound, NotRunning
from nanoclaw.domain.parcels import PLAN
from nanoclaw.host import host_lock

_RECONNECT_AFTER = 0.5
_BEGINNING = "m_0"
JOINED = "joined"
NO_SUCH_REF = "no-such-ref"
_LONGEST_PART = 200  # characters; no id, name of a file or of a company is longer
_SHOWN = 40
_ENDS = {"answered", "refused", "failed", "silent", "stopped", "dropped"}

Line = dict[str, Any]
S = TypeVar("S", bound=Shape)


@dataclass(frozen=True, kw_only=True)
class Address:
    """Where the host listens, and the token that opens it."""

    url: str
    token: str

    @classmethod
    def of(cls, home: Path) -> Self:
        found = host_lock.find(home)
        if found is None:
            raise NotRunning("not-running", home=str(home))
        return cls(url=found.url, token=(home / "data" / "web-token").read_text("ascii").strip())


class Client:
    """Speaks to one room of a host."""

    def __init__(self, address: Address, *, via: str = "") -> None:
        """`via` says who speaks for the owner, if not the page: it is recorded in the audit."""
        headers = {"Authorization": f"Bearer {address.token}", **({VIA: via} if via else {})}
        timeout = httpx.Timeout(30, read=60)
        self._http = httpx.AsyncClient(
            base_url=address.url, headers=headers, timeout=timeout, trust_env=False
        )
        self._room = ""
        self._last: str | None = None
        self._awaiting_since: str | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def enter(self, title: str | None, *, since: str | None = None) -> None:
        """Enter a room by title, or the terminal's own. Includes what was said after `since`, otherwise only
        what comes now.
        """
        rooms = (await self.ask("GET", "/api/rooms"))["rooms"]
        fits = [
            room for room in rooms if (room["title"] == title if title else room["channel"] == "terminal")
        ]
        if not fits:
            raise NotFound(
                "no-such-room-titled", title=title or "", known=", ".join(room["title"] for room in rooms)
            )
        self._room = fits[0]["id"]
        if since:
            self._last = since
            return
        newest = await self.newest(1)
        self._last = newest[-1]["id"] if newest else None

    def stay_in(self, room: str) -> None:
        """Stay in a room known by its id, with everything said there."""
        self._room = room

    async def say(self, text: str, client_id: str) -> Line:
        """Say something. From now on a broken stream is read again from here, so that the end of this message
        is not missed. If the host went away, it may have been stored, and even answered, before this
        client came in.
        """
        since = self._awaiting_since or self._last or _BEGINNING
        body = {"text": text, "client_id": client_id}
        line: Line = await self.ask("POST", f"/api/rooms/{self._room}/messages", body)
        just_before = line["id"][:-1]
        self._awaiting_since = min(since, just_before, key=lambda cursor: str(cursor[2:]))
        return line

    async def newest(self, limit: int) -> list[Line]:
        """The last lines of the room, oldest first."""
        path = f"/api/rooms/{self._room}/messages?limit={limit}"
        items: list[Line] = (await self.ask("GET", path))["items"]
        return items

    async def press(self, line: str, data: str) -> Line:
        """Press a button under a line; whether it was `taken`, and what the person is told."""
        body = {"line": line, "data": data}
        pressed: Line = await self.ask("POST", f"/api/rooms/{self._room}/press", body)
        return pressed

    def settled(self) -> None:
        """What was said has its end: no need to go back."""
        self._awaiting_since = None

    async def listen(self, lost: Callable[[], None]) -> AsyncGenerator[tuple[str, Line], None]:
        """What happens in the room, for ever: after a break it resumes where it was, and `JOINED` comes first."""
        while True:
            try:
                async for name, data in self._events():
                    if name == "message" and (self._last is None or data["id"][2:] > self._last[2:]):
                        self._last = data["id"]
                    yield name, data
            except httpx.HTTPError:
                lost()
            await asyncio.sleep(_RECONNECT_AFTER)

    async def _events(self) -> AsyncGenerator[tuple[str, Line], None]:
        after = f"?after={self._awaiting_since or self._last or _BEGINNING}"
        async with self._http.stream("GET", f"/api/rooms/{self._room}/live{after}") as answer:
            answer.raise_for_status()
            yield JOINED, {}
            name, rest = "", b""
            # Split at newlines only: a tool's output may hold other characters that Python takes for line ends.
            async for piece in answer.aiter_bytes():
                *lines, rest = (rest + piece).split(b"\n")
                for line in lines:
                    if line.startswith(b"event: "):
                        name = line.removeprefix(b"event: ").decode()
                    elif line.startswith(b"data: "):
                        yield name, json.loads(line.removeprefix(b"data: "))

    async def ask(self, method: str, path: str, body: object = None) -> Any:
        """`body` goes as JSON, a file as it is."""
        sent: dict[str, Any] = {"content": body} if isinstance(body, bytes) else {"json": body}
        return _read(await self._sent(method, path, **sent))

    async def fetch(self, path: str) -> bytes:
        """Fetch a file."""
        answer = await self._sent("GET", path)
        if answer.is_error:
            _read(answer)
        return answer.content

    async def _sent(self, method: str, path: str, **sent: Any) -> httpx.Response:
        try:
            return await self._http.request(method, path, **sent)
        except httpx.HTTPError as error:
            raise HostUnreachable(
                "host-unreachable", url=str(self._http.base_url), said=type(error).__name__
            ) from error


def as_part(ref: str) -> str:
    """What a person calls a thing, as one part of a path. Raises NotFound for what cannot be a name. A slash
    would be read as two parts even if it is quoted, and dots as another folder: the host would be asked
    for something other than what was meant.
    """
    if not ref.strip():
        raise NotFound("ref-empty")
    is_name = ref.isprintable() and len(ref) <= _LONGEST_PART
    if not is_name or "/" in ref or ref.strip() in (".", ".."):
        shown = "".join(each if each.isprintable() else " " for each in ref[:_SHOWN])
        raise NotFound(NO_SUCH_REF, ref=shown if len(ref) <= _SHOWN else f"{shown}…")
    return quote(ref, safe="")


def _read(answer: httpx.Response) -> Any:
    try:
        given = answer.json()
    except ValueError as error:
        raise HostUnreachable(
            "host-unreachable", url=str(answer.url), said=str(answer.status_code)
        ) from error
    if answer.is_error:
        raise HostSaid("said", said=given["error"], code=given.get("code"))
    return given


class OnCommandLine:
    """Everything a command does is done as the command line."""

    def __init__(self, address: Address, *, via: str = COMMAND_LINE) -> None:
        self._client = Client(address, via=via)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.__aexit__()

    async def _ask(self, shape: type[S], method: str, path: str, body: object = None) -> S:
        return read_as(shape, await self._client.ask(method, path, body))


def read_as(shape: type[S], given: object) -> S:
    """A host that was not restarted after an update may lack fields that this program knows."""
    try:
        return shape.model_validate(given)
    except ValidationError as error:
        raise HostSaid("host-other") from error


def is_unasked(line: Line) -> bool:
    """Whether an agent said this on its own: a file that it sends, a remark in between."""
    return line["author"] == "agent" and line["turn"] is None and line["reply_to"] is None


class Waiting:
    """Knows when a message has its end: its state is final, and what was said to it has been seen."""

    def __init__(self, message: Line) -> None:
        self.message = message
        self.answers: dict[str, Line] = {}

    def hear(self, name: str, data: Line) -> None:
        if name == "message" and data["id"] == self.message["id"]:
            self.message = data
        elif name == "message" and data["author"] != "person" and not self.is_notice(name, data):
            self.answers[data["id"]] = data

    def is_answer(self, line: Line) -> bool:
        """Whether this was said to the message, or in its turn."""
        turn = self.message["turn"]
        said_to_it = line["reply_to"] == self.message["id"] or (turn and line["turn"] == turn)
        return bool(said_to_it or (turn is None and self._is_next_question(line)))

    def _is_next_question(self, line: Line) -> bool:
        """A person who answers a question of a plan in words is asked the next one, and told nothing else."""
        is_later = str(line["id"])[2:] > str(self.message["id"])[2:]
        return is_later and any(str(button["data"]).startswith(f"{PLAN}:") for button in line["buttons"])

    def is_mine(self, name: str, data: Line) -> bool:
        """Whether this event of a turn belongs to the turn of the message."""
        return name in ("preview", "tool", "spent") and data["turn"] == self.message["turn"]

    @property
    def along(self) -> list[Line]:
        """What the agent said or sent while it worked, besides its answer."""
        return [answer for answer in self.answers.values() if is_unasked(answer)]

    @property
    def mine(self) -> list[Line]:
        return sorted(filter(self.is_answer, self.answers.values()), key=lambda answer: str(answer["id"]))

    @property
    def over(self) -> bool:
        # An answer to a question is done: the asker continues in its own turn.
        needs_none = self.message["state"] in ("silent", "stopped", "dropped") or self.decided
        return self.message["state"] in _ENDS and (bool(self.mine) or needs_none)

    @property
    def decided(self) -> bool:
        """Whether it was the answer to a question."""
        return self.message["answers"] is not None

    def is_notice(self, name: str, data: Line) -> bool:
        """Whether the host says this about the message before its end, as during an outage: it cannot wait."""
        about = name == "message" and data["author"] == "host" and data["reply_to"] == self.message["id"]
        return about and data["turn"] is None and self.message["state"] not in _ENDS
