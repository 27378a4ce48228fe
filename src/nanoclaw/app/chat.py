"""The chat in a terminal: a client of the host's own HTTP API, so that it works beside the host or inside it."""

import asyncio
import json
import sys
import uuid
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from shutil import get_terminal_size
from typing import Any, Self

import httpx
import typer
from prompt_toolkit import PromptSession
from prompt_toolkit.history import FileHistory
from prompt_toolkit.patch_stdout import patch_stdout

from nanoclaw.app import running
from nanoclaw.app.paper import Paper
from nanoclaw.app.settings import read_settings
from nanoclaw.domain.errors import NanoClawError, NotFound, NotRunning
from nanoclaw.texts import say, tell

_RECONNECT_AFTER = 0.5
_ENDS = {"answered", "refused", "failed", "silent", "dropped"}
_CYAN, _PLAIN = "\x1b[36m", "\x1b[0m"

Line = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Door:
    """Where the host listens, and the token that opens it."""

    url: str
    token: str

    @classmethod
    def of(cls, home: Path) -> Self:
        found = running.find(home)
        if found is None:
            raise NotRunning("not-running", home=str(home))
        return cls(url=found.url, token=(home / "data" / "web-token").read_text("ascii").strip())


class HostUnreachable(NanoClawError):
    """The host does not answer over HTTP."""


class HostSaid(NanoClawError):
    """The host refused, in its own words."""


class Client:
    """Speaks to one room of a host."""

    def __init__(self, door: Door) -> None:
        headers = {"Authorization": f"Bearer {door.token}"}
        timeout = httpx.Timeout(30, read=60)
        self._http = httpx.AsyncClient(base_url=door.url, headers=headers, timeout=timeout, trust_env=False)
        self._room = ""
        self._last: str | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.aclose()

    async def enter(self, title: str | None) -> None:
        """By title, or the terminal's own room."""
        rooms = (await self._ask("GET", "/api/rooms"))["rooms"]
        fits = [
            room for room in rooms if (room["title"] == title if title else room["channel"] == "terminal")
        ]
        if not fits:
            raise NotFound(
                "no-such-room-titled", title=title or "", known=", ".join(room["title"] for room in rooms)
            )
        self._room = fits[0]["id"]
        newest = (await self._ask("GET", f"/api/rooms/{self._room}/messages?limit=1"))["items"]
        self._last = newest[-1]["id"] if newest else None

    async def say(self, text: str, client_id: str) -> Line:
        body = {"text": text, "client_id": client_id}
        line: Line = await self._ask("POST", f"/api/rooms/{self._room}/messages", body)
        return line

    async def listen(self, lost: Callable[[], None]) -> AsyncIterator[tuple[str, Line]]:
        """What happens in the room, for ever: after a break it goes on where it was."""
        while True:
            try:
                async for name, data in self._events():
                    if name == "message" and (self._last is None or data["id"][2:] > self._last[2:]):
                        self._last = data["id"]
                    yield name, data
            except httpx.HTTPError:
                lost()
            await asyncio.sleep(_RECONNECT_AFTER)

    async def _events(self) -> AsyncIterator[tuple[str, Line]]:
        after = f"?after={self._last}" if self._last else "?after=m_0"
        async with self._http.stream("GET", f"/api/rooms/{self._room}/live{after}") as answer:
            answer.raise_for_status()
            name = ""
            async for line in answer.aiter_lines():
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    yield name, json.loads(line.removeprefix("data: "))

    async def _ask(self, method: str, path: str, body: object = None) -> Any:
        try:
            answer = await self._http.request(method, path, json=body)
        except httpx.HTTPError as error:
            raise HostUnreachable(
                "host-unreachable", url=str(self._http.base_url), said=type(error).__name__
            ) from error
        if answer.is_error:
            raise HostSaid("said", said=answer.json()["error"])
        return answer.json()


class _Waiting:
    """Knows when a message has its end: its state is final, and what was said to it has been seen."""

    def __init__(self, message: Line) -> None:
        self.message = message
        self.answers: dict[str, Line] = {}

    def hear(self, name: str, data: Line) -> None:
        if name == "message" and data["id"] == self.message["id"]:
            self.message = data
        elif name == "message" and data["author"] != "person":
            self.answers[data["id"]] = data

    @property
    def mine(self) -> list[Line]:
        turn = self.message["turn"]
        fits = [
            a
            for a in self.answers.values()
            if a["reply_to"] == self.message["id"] or (turn and a["turn"] == turn)
        ]
        return sorted(fits, key=lambda answer: str(answer["id"]))

    @property
    def over(self) -> bool:
        ended = self.message["state"] in _ENDS
        return ended and (bool(self.mine) or self.message["state"] in ("silent", "dropped"))


async def say_once(
    door: Door, language: str, text: str, room: str | None, patience: float, *, as_json: bool
) -> int:
    """Say one thing, print the answer, and return the exit code: 0 answered, 1 not, 2 not yet."""
    async with Client(door) as client:
        await client.enter(room)
        events = client.listen(lambda: None)
        waiting = _Waiting(await client.say(text, str(uuid.uuid4())))
        try:
            async with asyncio.timeout(patience):
                while not waiting.over:
                    waiting.hear(*await anext(events))
        except TimeoutError:
            typer.echo(
                say(language, "chat-timeout", seconds=round(patience), id=waiting.message["id"]), err=True
            )
            return 2
        finally:
            await events.aclose()  # type: ignore[attr-defined]
    if as_json:
        typer.echo(
            json.dumps({"message": waiting.message, "answers": waiting.mine}, ensure_ascii=False, indent=2)
        )
    else:
        for answer in waiting.mine:
            typer.echo(answer["text"])
        if not waiting.mine:
            typer.echo(say(language, f"state-{waiting.message['state']}"), err=True)
    return 0 if waiting.message["state"] in ("answered", "silent") else 1


def run(home: Path, *, room: str | None) -> None:
    """`nanoclaw chat`: a conversation with the host that runs already."""
    language = read_settings(home).language
    door = Door.of(home)

    async def story() -> None:
        if sys.stdin.isatty():
            typer.echo(say(language, "chat-hint"))
        await converse(door, language, home, asyncio.Event(), room=room)

    asyncio.run(story())


async def converse(
    door: Door, language: str, home: Path, stopping: asyncio.Event, *, room: str | None = None
) -> None:
    """Until the person leaves (Ctrl-D, Ctrl-C at the prompt) or `stopping` is set."""
    async with Client(door) as client:
        await client.enter(room)
        talk = _Talk(client, language, home)
        listening = asyncio.create_task(talk.listen())
        talking = asyncio.create_task(talk.go_on())
        ending = asyncio.create_task(stopping.wait())
        await asyncio.wait((talking, ending, listening), return_when=asyncio.FIRST_COMPLETED)
        for task in (talking, ending, listening):
            task.cancel()
        results = await asyncio.gather(talking, listening, return_exceptions=True)
    for result in results:
        if isinstance(result, Exception):
            raise result


class _Talk:
    """What is on the screen: the answer that is growing, or the prompt with what others say above it."""

    def __init__(self, client: Client, language: str, home: Path) -> None:
        self._client = client
        self._language = language
        self._history = home / "data" / "chat-history"
        self._waiting: _Waiting | None = None
        self._over = asyncio.Event()
        self._saying = asyncio.Lock()  # an answer can come before the host has confirmed the message
        self._said_here: set[str] = set()
        self._shown = ""
        self._paper = Paper(get_terminal_size().columns, _write)
        self._lost = False

    async def go_on(self) -> None:
        read = self._prompt() if sys.stdin.isatty() else _piped()
        unsent = ""
        while (text := await read(unsent)) is not None:
            unsent = ""
            if not text.strip():
                continue
            try:
                await self._say(text)
            except NanoClawError as error:
                typer.echo(say(self._language, "chat-kept", error=tell(self._language, error)), err=True)
                unsent = text

    async def _say(self, text: str) -> None:
        self._over.clear()
        self._shown = ""
        async with self._saying:
            message = await self._client.say(text, str(uuid.uuid4()))
            self._said_here.add(message["id"])
            self._waiting = _Waiting(message)
        await self._over.wait()

    async def listen(self) -> None:
        async for name, data in self._client.listen(self._tell_lost):
            self._lost = False
            async with self._saying:
                if self._waiting is None:
                    self._show_unasked(name, data)
                else:
                    self._show_asked(self._waiting, name, data)

    def _show_asked(self, waiting: _Waiting, name: str, data: Line) -> None:
        waiting.hear(name, data)
        if name == "preview" and data["turn"] == waiting.message["turn"]:
            self._grow(data["text"])
        if waiting.over:
            for answer in waiting.mine:
                self._finish(answer)
            if not waiting.mine:
                typer.echo(say(self._language, f"state-{waiting.message['state']}"))
            self._waiting = None
            self._over.set()

    def _grow(self, text: str) -> None:
        """Only what is new is written; a preview that does not continue the last one waits for the final text."""
        if text.startswith(self._shown):
            self._paper.add(text[len(self._shown) :])
            self._shown = text

    def _finish(self, answer: Line) -> None:
        text = str(answer["text"])
        if self._shown and not text.startswith(self._shown):
            self._paper.end()
            self._shown = ""
        self._grow(text)
        self._paper.end()
        self._shown = ""

    def _show_unasked(self, name: str, data: Line) -> None:
        if name != "message" or data["state"] in ("running",) or data["id"] in self._said_here:
            return
        self._said_here.add(data["id"])
        who = f"{_CYAN}{data['name']}:{_PLAIN} " if data["author"] == "person" else ""
        _write(who)
        self._grow(str(data["text"]))
        self._paper.end()
        self._shown = ""

    def _tell_lost(self) -> None:
        if not self._lost:
            self._lost = True
            typer.echo(say(self._language, "chat-lost"), err=True)

    def _prompt(self) -> Callable[[str], Any]:
        session: PromptSession[str] = PromptSession("> ", history=FileHistory(str(self._history)))

        async def read(unsent: str) -> str | None:
            try:
                with patch_stdout(raw=True):
                    return await session.prompt_async(default=unsent)
            except (EOFError, KeyboardInterrupt):
                return None

        return read


def _piped() -> Callable[[str], Any]:
    """Lines from a pipe, one message each."""

    async def read(_unsent: str) -> str | None:
        line = await asyncio.to_thread(sys.stdin.readline)
        return line.rstrip("\n") if line else None

    return read


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
