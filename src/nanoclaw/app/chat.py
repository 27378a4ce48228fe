"""The chat in a terminal: one message for a script, or a conversation for a person."""

import asyncio
import json
import sys
import termios
import uuid
from collections.abc import Callable, Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

import typer
from prompt_toolkit import PromptSession
from prompt_toolkit.history import FileHistory
from prompt_toolkit.patch_stdout import patch_stdout

from nanoclaw.app.client import Client, Door, Line, Waiting
from nanoclaw.app.paper import Paper
from nanoclaw.app.settings import read_settings
from nanoclaw.domain.errors import HostUnreachable, NanoClawError
from nanoclaw.texts import say, tell

_CYAN, _DIM, _PLAIN = "\x1b[36m", "\x1b[2m", "\x1b[0m"
_CLEAR_LINE = "\r\x1b[K"
_LEAVING = ("/quit", "/exit")


async def say_once(
    door: Door,
    language: str,
    text: str,
    *,
    client_id: str,
    room: str | None,
    patience: float,
    as_json: bool,
) -> int:
    """Say one thing, print the answer, and return the exit code: 0 answered, 1 not, 2 not yet.

    Raises HostUnreachable when the host goes away meanwhile; with the same `client_id` it can simply be said again.
    """

    def gone() -> None:
        raise HostUnreachable("host-unreachable", url=door.url, said="gone")

    async with Client(door) as client:
        await client.enter(room)
        waiting = Waiting(await client.say(text, client_id))
        try:
            async with asyncio.timeout(patience), aclosing(client.listen(gone)) as events:
                while not waiting.over:
                    waiting.hear(*await anext(events))
        except TimeoutError:
            late = say(language, "chat-timeout", seconds=round(patience), id=waiting.message["id"])
            typer.echo(late, err=True)
            return 2
    if as_json:
        told = {"message": waiting.message, "answers": waiting.mine}
        typer.echo(json.dumps(told, ensure_ascii=False, indent=2))
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
        self._waiting: Waiting | None = None
        self._over = asyncio.Event()
        self._saying = asyncio.Lock()  # an answer can come before the host has confirmed the message
        self._said_here: set[str] = set()
        self._shown = ""
        # Into a pipe or a file the lines go as they are.
        self._paper = Paper(get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize, _write)
        self._lost = False
        self._dots = False
        self._meanwhile: dict[str, Line] = {}

    async def go_on(self) -> None:
        read = self._prompt() if sys.stdin.isatty() else _piped()
        unsent, client_id = "", ""
        while (text := await read(unsent)) is not None:
            if not text.strip():
                continue
            if text.strip() in _LEAVING:
                return
            # The same words again are the same message: it may have arrived although nobody heard so.
            client_id = client_id if text == unsent else str(uuid.uuid4())
            unsent = ""
            try:
                await self._say(text, client_id)
            except NanoClawError as error:
                if not sys.stdin.isatty():
                    raise
                typer.echo(say(self._language, "chat-kept", error=tell(self._language, error)), err=True)
                unsent = text

    async def _say(self, text: str, client_id: str) -> None:
        self._over.clear()
        self._shown = ""
        with silent_keys():
            async with self._saying:
                message = await self._client.say(text, client_id)
                self._said_here.add(message["id"])
                self._waiting = Waiting(message)
                self._show_dots(on=True)
            await self._over.wait()
        self._client.settled()

    async def listen(self) -> None:
        async for name, data in self._client.listen(self._tell_lost):
            self._lost = False
            async with self._saying:
                if self._waiting is None:
                    self._show_unasked(name, data)
                else:
                    self._show_asked(self._waiting, name, data)

    def _show_asked(self, waiting: Waiting, name: str, data: Line) -> None:
        waiting.hear(name, data)
        if name == "message":
            self._meanwhile[data["id"]] = data
        if name == "preview" and data["turn"] == waiting.message["turn"]:
            self._grow(data["text"])
        if waiting.over:
            for answer in waiting.mine:
                self._finish(answer)
                self._said_here.add(answer["id"])
            if not waiting.mine:
                self._show_dots(on=False)
                typer.echo(say(self._language, f"state-{waiting.message['state']}"))
            for other in self._meanwhile.values():  # what others said and heard while this one waited
                self._show_unasked("message", other)
            self._meanwhile.clear()
            self._waiting = None
            self._over.set()

    def _show_dots(self, *, on: bool) -> None:
        """That the agent works, until its first word comes."""
        if on != self._dots and sys.stdout.isatty():
            self._dots = on
            _write(f"{_DIM}…{_PLAIN}" if on else _CLEAR_LINE)

    def _grow(self, text: str) -> None:
        """Only what is new is written; a preview that does not continue the last one waits for the final text."""
        self._show_dots(on=False)
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
                    return await session.prompt_async(default=unsent, handle_sigint=False)
            except KeyboardInterrupt:  # as in a shell: a half-written line is given up first
                return "" if session.default_buffer.text else None
            except EOFError:
                return None

        return read


@contextmanager
def silent_keys() -> Iterator[None]:
    """What is typed while an answer is written does not appear in the middle of it."""
    if not sys.stdin.isatty():
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    quiet = [*before[:3], before[3] & ~termios.ECHO, *before[4:]]
    termios.tcsetattr(sys.stdin, termios.TCSADRAIN, quiet)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _piped() -> Callable[[str], Any]:
    """Lines from a pipe, one message each."""

    async def read(_unsent: str) -> str | None:
        line = await asyncio.to_thread(sys.stdin.readline)
        return line.rstrip("\n") if line else None

    return read


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
