"""The chat in a terminal: one message for a script, or a conversation for a person."""

import asyncio
import json
import sys
import uuid
from collections.abc import Callable
from contextlib import aclosing, suppress
from datetime import timedelta
from pathlib import Path
from shutil import get_terminal_size
from typing import Any

import typer
from prompt_toolkit import PromptSession
from prompt_toolkit.history import FileHistory
from prompt_toolkit.patch_stdout import patch_stdout

from nanoclaw.cli.chat_cards import Cards, Seen, number_in
from nanoclaw.cli.chat_questions import OpenQuestions
from nanoclaw.cli.host_words import shown
from nanoclaw.cli.keyboard import LEAVING, Keyboard
from nanoclaw.cli.margin import Margin
from nanoclaw.cli.paper import Paper
from nanoclaw.cli.screen import Screen
from nanoclaw.client.connection import JOINED, Client, Door, Line, Waiting, is_unasked
from nanoclaw.domain.errors import HostUnreachable, NanoClawError
from nanoclaw.flows.human.words import span
from nanoclaw.host.settings import read_settings
from nanoclaw.texts import say, tell

_CYAN, _PLAIN = "\x1b[36m", "\x1b[0m"


async def say_once(
    door: Door,
    language: str,
    text: str,
    *,
    client_id: str,
    room: str | None,
    patience: float,
    as_json: bool,
    home: Path | None = None,
) -> int:
    """Say one thing, print the answer, and return the exit code: 0 answered, 1 not, 2 not yet.

    What the agent does is shown to a person at a terminal only; `home` tells where the files are that it sends.

    Raises HostUnreachable when the host goes away meanwhile; with the same `client_id` it can simply be said again.
    """

    def gone() -> None:
        raise HostUnreachable("host-unreachable", url=door.url, said="gone")

    async with Client(door) as client:
        await client.enter(room)
        waiting = Waiting(await client.say(text, client_id))
        is_held = (await client.ask("GET", "/api/status"))[
            "held"
        ]  # then nobody answers before a person says go
        margin = None if as_json else _margin(language, door, home, _write)
        cards = Seen()  # the answer may wait for one of them
        try:
            async with asyncio.timeout(0 if is_held else patience), aclosing(client.listen(gone)) as events:
                while not waiting.over:
                    name, data = await anext(events)
                    waiting.hear(name, data)
                    is_aside = cards.is_new(name, data) and not waiting.is_answer(data)
                    if waiting.is_notice(name, data) or is_aside:
                        typer.echo(shown(data), err=True)
                    if margin and waiting.is_mine(name, data):
                        margin.hear(name, data)
        except TimeoutError:
            length = span(language, timedelta(seconds=patience))
            key = "held-kept" if is_held else "chat-timeout"
            late = say(language, key, span=length, id=waiting.message["id"])
            typer.echo(late, err=True)
            return 2
    said = sorted((*waiting.along, *waiting.mine), key=lambda line: str(line["id"]))
    if as_json:
        told = {"message": waiting.message, "answers": said}
        typer.echo(json.dumps(told, ensure_ascii=False, indent=2))
    else:
        for answer in said:
            if margin:
                margin.close_line()
            if answer["text"]:
                typer.echo(shown(answer))
            if margin:
                margin.show_files(answer)
        if margin:
            margin.sum_up()
        if not waiting.mine and not waiting.decided:
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
    door: Door,
    language: str,
    home: Path,
    stopping: asyncio.Event,
    *,
    room: str | None = None,
    since: str | None = None,
) -> None:
    """Until the person leaves (Ctrl-D, Ctrl-C at the prompt) or `stopping` is set. What came `since` is shown first."""
    async with Client(door) as client:
        await client.enter(room, since=since)
        screen = Screen(get_terminal_size().columns)
        talk = _Talk(client, language, home, screen, _margin(language, door, home, screen.write))
        await talk.show_cards()
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

    def __init__(
        self, client: Client, language: str, home: Path, screen: Screen, margin: Margin | None
    ) -> None:
        self._client = client
        self._language = language
        self._history = home / "data" / "chat-history"
        self._waiting: Waiting | None = None
        self._over = asyncio.Event()
        self._saying = asyncio.Lock()  # an answer can come before the host has confirmed the message
        self._said_here: set[str] = set()
        self._shown = ""
        self._screen = screen
        self._margin = margin
        self._interrupted = False  # a line of the margin stands between what was shown and what comes
        # Into a pipe or a file the lines go as they are.
        width = get_terminal_size().columns if sys.stdout.isatty() else sys.maxsize
        self._paper = Paper(width, screen.write)
        self._aside = Paper(width, screen.write)  # what cannot wait until the answer is written
        self._cards = Cards(self._aside, screen.write)
        self._questions = OpenQuestions(client, language)
        self._lost = False
        self._leaves = False
        self._meanwhile: dict[str, Line] = {}
        self._keyboard = Keyboard(
            lambda: self._say_meanwhile("/stop", is_seen=False), self._take_line, screen.type
        )
        self._saying_meanwhile: set[asyncio.Task[None]] = set()

    async def show_cards(self) -> None:
        """For a person who looks: what was asked here before they came can be decided here too."""
        if sys.stdin.isatty():
            for card in await self._questions.cards():
                self._cards.show(card)

    async def _show_questions(self, name: str, data: Line) -> None:
        """Those that have no card here."""
        if not sys.stdin.isatty():
            return
        with suppress(NanoClawError):  # the next one who joins tells of them
            told = await self._questions.elsewhere() if name == JOINED else await self._questions.news(data)
            for line in told:
                self._tell(line)

    async def go_on(self) -> None:
        read = self._prompt() if sys.stdin.isatty() else _piped()
        unsent, client_id = "", ""
        while (text := await read(unsent)) is not None:
            if not text.strip():
                continue
            if text.strip() in LEAVING:
                return
            # The same words again are the same message: it may have arrived although nobody heard so.
            client_id = client_id if text == unsent else str(uuid.uuid4())
            unsent = ""
            try:
                if (number := number_in(text)) is not None:
                    await self._press(number)
                    continue
                await self._say(text, client_id)
                if self._leaves:
                    return
                unsent = self._keyboard.take()
            except NanoClawError as error:
                if not sys.stdin.isatty():
                    raise
                self._screen.tell_aside(say(self._language, "chat-kept", error=tell(self._language, error)))
                unsent = text

    async def _say(self, text: str, client_id: str) -> None:
        self._over.clear()
        self._shown, self._interrupted = "", False
        with self._keyboard.watched():
            async with self._saying:
                message = await self._client.say(text, client_id)
                self._said_here.add(message["id"])
                self._waiting = Waiting(message)
                self._screen.work(on=True)
            await self._over.wait()
        self._screen.rest()
        self._client.settled()

    def _take_line(self, text: str) -> None:
        if text in LEAVING:  # the answer comes all the same, and is there the next time
            self._leaves = True
            self._over.set()
            return
        self._say_meanwhile(text, is_seen=self._screen.keep(text))

    def _say_meanwhile(self, text: str, *, is_seen: bool) -> None:
        """A line, or Escape, while an answer is written. If the host cannot be told, the answer simply goes on."""

        async def order() -> None:
            with suppress(NanoClawError):
                if (number := number_in(text)) is not None:
                    await self._press(number)
                    return
                async with self._saying:
                    message = await self._client.say(text, str(uuid.uuid4()))
                    if is_seen:
                        self._said_here.add(message["id"])

        task = asyncio.create_task(order())
        self._saying_meanwhile.add(task)
        task.add_done_callback(self._saying_meanwhile.discard)

    async def _press(self, number: int) -> None:
        choice = self._cards.choice(number)
        if choice is None:
            known = self._cards.offered
            key = "chat-choices-unknown" if known else "chat-choices-none"
            self._tell(say(self._language, key, number=number, known=known))
            return
        self._cards.pressing(choice)
        pressed = await self._client.press(choice.card, choice.data)
        instead = "" if pressed["taken"] else self._cards.not_taken(choice)
        self._tell("\n".join(filter(None, (pressed["text"], instead))))

    async def listen(self) -> None:
        async for name, data in self._client.listen(self._tell_lost):
            self._lost = False
            if name in (JOINED, "question"):
                await self._show_questions(name, data)
                continue
            async with self._saying:
                if self._waiting is None:
                    self._show_unasked(name, data)
                else:
                    self._show_asked(self._waiting, name, data)

    def _show_asked(self, waiting: Waiting, name: str, data: Line) -> None:
        waiting.hear(name, data)
        if self._cards.is_card(name, data):
            self._show_card(data)
        elif name == "message" and (is_unasked(data) or waiting.is_notice(name, data)) and not self._shown:
            self._show_unasked(name, data)  # at once, unless it would tear the answer that is being written
        elif name == "message" and (
            # From another window: the answer that comes may be to this, too.
            data["author"] == "person" or (data["author"] == "host" and not waiting.is_answer(data))
        ):
            self._show_aside(data)
        elif name == "message":
            self._meanwhile[data["id"]] = data
        elif name == "preview" and waiting.is_mine(name, data):
            self._grow(data["text"])
        elif self._margin and waiting.is_mine(name, data):
            self._note(self._margin, name, data)
        if waiting.over:
            for answer in waiting.mine:
                if not self._cards.knows(answer):  # one with buttons stands there already
                    self._finish(answer)
                self._said_here.add(answer["id"])
            self._screen.work(on=False)
            if self._margin:
                self._margin.sum_up()
            if not waiting.mine and not waiting.decided:  # of a decision its card tells
                self._screen.write(say(self._language, f"state-{waiting.message['state']}") + "\n")
            for other in self._meanwhile.values():  # what others said and heard while this one waited
                self._show_unasked("message", other)
            self._meanwhile.clear()
            self._waiting = None
            self._over.set()

    def _note(self, margin: Margin, name: str, data: Line) -> None:
        """What the agent does stands on lines of its own, between the paragraphs of its answer."""
        if margin.has_news(name, data):
            self._screen.work(on=False)
            if self._shown and not self._interrupted:
                self._paper.end()
                self._interrupted = True
        margin.hear(name, data)

    def _grow(self, text: str) -> None:
        """Only what is new is written; a preview that does not continue the last one waits for the final text."""
        self._screen.work(on=False)
        self._screen.ask(on=False)
        if text.startswith(self._shown):
            fresh = text[len(self._shown) :]
            if self._interrupted:
                # A line that was broken off begins anew: nobody reads half a sentence above a card and half below it.
                broken_off = "" if fresh.startswith("\n") else self._shown.rpartition("\n")[2]
                fresh = (broken_off + fresh).lstrip()
            if fresh:
                if self._margin:
                    self._margin.close_line()
                self._paper.add(fresh)
                self._interrupted = False
            self._shown = text

    def _finish(self, answer: Line) -> None:
        text = shown(answer)
        if self._shown and not text.startswith(self._shown):
            self._paper.end()
            self._shown = ""
        self._grow(text)
        self._end_of(answer)

    def _end_of(self, line: Line) -> None:
        """Of what stands on the paper, with the file that came with it."""
        if not self._interrupted and line["text"]:
            self._paper.end()
        self._shown, self._interrupted = "", False
        if self._margin:
            self._margin.show_files(line)

    def _show_card(self, data: Line) -> None:
        """At once, even between the paragraphs of an answer: often the answer waits for it."""
        if not self._cards.has_news(data):
            self._cards.pass_over(data)
            return
        self._break_off()
        self._cards.show(data)
        self._screen.ask(on=self._waiting is not None)

    def _show_aside(self, data: Line) -> None:
        """What the host says to something else, at once: often it is a command about what the answer waits for."""
        if data["id"] in self._said_here:
            return
        asked = self._meanwhile.pop(data["reply_to"], None)
        self._break_off()
        for line in filter(None, (asked, data)):
            if line["id"] not in self._said_here:
                self._said_here.add(line["id"])
                self._screen.write(_who(line))
                self._aside.add(shown(line))
                self._aside.end()

    def _tell(self, text: str) -> None:
        self._break_off()
        self._screen.write(f"{text}\n\n")

    def _break_off(self) -> None:
        """What comes now stands on lines of its own."""
        self._screen.work(on=False)
        if self._shown and not self._interrupted:
            self._paper.end()
            self._interrupted = True
        if self._margin:
            self._margin.close_line()

    def _show_unasked(self, name: str, data: Line) -> None:
        if self._cards.is_card(name, data):
            self._show_card(data)
            return
        if name != "message" or data["id"] in self._said_here:
            return
        if (
            data["state"] == "running" and data["author"] != "person"
        ):  # what someone asked stands above its answer
            return
        self._said_here.add(data["id"])
        self._screen.work(on=False)
        self._screen.write(_who(data))
        self._grow(shown(data))
        self._end_of(data)

    def _tell_lost(self) -> None:
        if not self._lost:
            self._lost = True
            self._screen.tell_aside(say(self._language, "chat-lost"))

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


def _margin(language: str, door: Door, home: Path | None, write: Callable[[str], None]) -> Margin | None:
    """Only for a person who looks: a script gets the words of the answer and nothing else."""
    if not sys.stdout.isatty():
        return None

    def place_of(file: Line) -> str:
        if home is None:
            return door.url.rstrip("/") + str(file["url"])
        return str(home / "data" / "attachments" / str(file["url"]).rpartition("/")[2])

    return Margin(language, get_terminal_size().columns, write, place_of)


def _who(line: Line) -> str:
    return f"{_CYAN}{line['name']}:{_PLAIN} " if line["author"] == "person" else ""


def _piped() -> Callable[[str], Any]:
    """Lines from a pipe, one message each."""

    async def read(_unsent: str) -> str | None:
        line = await asyncio.to_thread(sys.stdin.readline)
        return line.rstrip("\n") if line else None

    return read


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
