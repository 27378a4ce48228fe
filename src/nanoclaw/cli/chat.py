"""The chat in a terminal: a conversation, until the person leaves."""

import asyncio
import sys
import uuid
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import typer

from nanoclaw.admission.commands import COMMANDS
from nanoclaw.cli.chat_cards import CardButton, Cards, number_in
from nanoclaw.cli.chat_plans import is_shown_by_card
from nanoclaw.cli.chat_questions import OpenQuestions
from nanoclaw.cli.host_words import shown
from nanoclaw.cli.margin import Margin, margin_of
from nanoclaw.cli.markdown import render
from nanoclaw.cli.paper import Paper
from nanoclaw.cli.screen import LEAVING, On, Screen
from nanoclaw.client.connection import JOINED, Address, Client, Line, Waiting, is_unasked
from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Skills
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.flows.incoming.template_commands import TemplateCommands
from nanoclaw.host.settings import read_settings
from nanoclaw.host.templates import make_catalogue
from nanoclaw.texts import say, tell


def run(home: Path, *, room: str | None) -> None:
    """`nanoclaw chat`: a conversation with the running host."""
    language = read_settings(home).language
    address = Address.of(home)

    async def story() -> None:
        if sys.stdin.isatty():
            typer.echo(say(language, "chat-hint"))
        await converse(address, language, home, asyncio.Event(), room=room)

    asyncio.run(story())


async def converse(
    address: Address,
    language: str,
    home: Path,
    stopping: asyncio.Event,
    *,
    room: str | None = None,
    room_id: str | None = None,
    since: str | None = None,
) -> None:
    """Talk until the person leaves (Ctrl-D, Ctrl-C at the prompt) or `stopping` is set. What came `since` is
    shown first; in a room named by its id, everything.
    """
    async with Client(address) as client:
        if room_id:
            client.stay_in(room_id)
        else:
            await client.enter(room, since=since)
        talk = _Talk(client, address, language, home, alone=room_id is not None)
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


def commands(language: str, known_skills: Skills, templates: Mapping[str, str]) -> Mapping[str, str]:
    """What can be typed after a slash, and what it does."""
    host = {
        name.replace("-", "_"): say(language, f"command-{name}")
        for name, command in COMMANDS.items()
        if command.listed
    }
    skills = {name: skill.head.description for name, skill in known_skills.commands().items()}
    leaving = {LEAVING[0].removeprefix("/"): say(language, "chat-quit")}
    pipelines = {name.replace("-", "_"): title for name, title in templates.items()}
    return {**pipelines, **skills, **host, **leaving}


class _Talk:
    """What is said and heard here, in reading order."""

    def __init__(
        self, client: Client, address: Address, language: str, home: Path, *, alone: bool = False
    ) -> None:
        """`alone`: a person who works in a session is not told what is asked elsewhere."""
        self._client = client
        self._is_alone = alone
        self._language = language
        known_skills = Skills(home)
        catalogue = make_catalogue(home, read_settings(home), Groups(home), known_skills)
        templates = TemplateCommands(catalogue=catalogue)
        self._screen = screen = Screen(
            language,
            home / "data" / "chat-history",
            commands=lambda: commands(language, known_skills, templates.listed()),
            stop=self._stop,
        )
        self._is_person = sys.stdin.isatty()
        self._is_seen = sys.stdout.isatty()
        rendered = (lambda text: render(text, screen.width)) if self._is_seen else None
        self._paper = Paper(screen.write, rendered, screen.grow)
        self._aside = Paper(screen.write, rendered)  # what cannot wait until the answer is written
        self._margin: Margin | None = margin_of(language, address, home, screen.write, screen.use)
        self._cards = Cards(self._aside, screen.write, self._words, language)
        self._questions = OpenQuestions(client, language)
        self._waiting: Waiting | None = None
        self._later: list[Waiting] = []  # what was said while an answer was written
        self._over = asyncio.Event()
        self._saying = asyncio.Lock()  # an answer can arrive before the host has confirmed the message
        self._said_here: set[str] = set()
        self._shown = ""  # of the answer being written
        self._meanwhile: dict[str, Line] = {}
        self._lost = False
        self._stopping: asyncio.Task[None] | None = None

    async def show_cards(self) -> None:
        """Show what was asked here before the person came, so that it can be decided here too."""
        if self._is_person:
            for card in await self._questions.cards():
                self._cards.show(card)

    async def _show_questions(self, name: str, data: Line) -> None:
        """Show questions without a card here."""
        if not self._is_person or self._is_alone:
            return
        with suppress(NanoClawError):  # the next one who joins will show them
            told = await self._questions.elsewhere() if name == JOINED else await self._questions.news(data)
            for line in told:
                self._tell(line)

    # What is said

    async def go_on(self) -> None:
        read = self._screen.read if self._screen.is_live else _piped
        unsent, client_id = "", ""
        while (text := await read(unsent)) is not None:
            if not text.strip():
                continue
            if text.strip() in LEAVING:
                return
            # The same text again is the same message: it may have arrived although nobody confirmed it.
            client_id = client_id if text == unsent else str(uuid.uuid4())
            unsent = ""
            try:
                if (number := number_in(text)) is not None:
                    await self._press_number(number)
                elif choice := self._cards.plan_choice(text):
                    await self._press(choice)
                else:
                    await self._say(text, client_id)
            except NanoClawError as error:
                if not self._is_person:
                    raise
                self._screen.tell_aside(say(self._language, "chat-kept", error=tell(self._language, error)))
                unsent = text

    async def _say(self, text: str, client_id: str) -> None:
        async with self._saying:
            message = await self._client.say(text, client_id)
            self._said_here.add(message["id"])
            if self._waiting is None:
                self._wait_for(Waiting(message))
            else:
                self._later.append(Waiting(message))
        if not self._screen.is_live:  # lines of a pipe are sent one after the other
            await self._over.wait()

    def _wait_for(self, waiting: Waiting | None) -> None:
        self._waiting, self._shown = waiting, ""
        self._screen.wait_for(On.AGENT if waiting else On.NOBODY)
        if waiting:
            self._over.clear()
        else:
            self._client.settled()
            self._over.set()

    def _stop(self) -> None:
        """Stop on Escape. If the host cannot be told, the answer simply continues."""

        async def send_stop() -> None:
            with suppress(NanoClawError):
                await self._client.say("/stop", str(uuid.uuid4()))

        self._stopping = asyncio.create_task(send_stop())

    async def _press_number(self, number: int) -> None:
        choice = self._cards.choice(number)
        if choice is None:
            known = self._cards.offered
            key = "chat-choices-unknown" if known else "chat-choices-none"
            self._tell(say(self._language, key, number=number, known=known))
            return
        await self._press(choice)

    async def _press(self, choice: CardButton) -> None:
        self._cards.begin_press(choice)
        pressed = await self._client.press(choice.card, choice.data)
        if self._waiting:
            self._screen.wait_for(On.AGENT)
        if pressed["taken"] and is_shown_by_card(choice.data):
            return
        instead = "" if pressed["taken"] else self._cards.not_taken(choice)
        self._tell("\n".join(filter(None, (pressed["text"], instead))))

    # What is heard

    async def listen(self) -> None:
        async for name, data in self._client.listen(self._tell_lost):
            self._lost = False
            if name in (JOINED, "question"):
                await self._show_questions(name, data)
                continue
            async with self._saying:
                for later in self._later:
                    later.hear(name, data)
                if self._waiting is None:
                    self._show_unasked(name, data)
                else:
                    self._show_asked(self._waiting, name, data)

    def _show_asked(self, waiting: Waiting, name: str, data: Line) -> None:
        waiting.hear(name, data)
        if self._cards.is_card(name, data):
            self._show_card(data)
        elif name == "message" and (is_unasked(data) or waiting.is_notice(name, data)) and not self._shown:
            self._show_unasked(name, data)  # at once, unless it would split the answer being written
        elif name == "message" and (
            # From another window: the coming answer may be to this, too.
            data["author"] == "person" or (data["author"] == "host" and not waiting.is_answer(data))
        ):
            self._show_aside(data)
        elif name == "message":
            self._meanwhile[data["id"]] = data
        elif name == "preview" and waiting.is_mine(name, data):
            self._grow(data["text"])
        elif self._margin and waiting.is_mine(name, data):
            if self._shown and self._margin.has_news(name, data):
                self._paper.end()  # what was said before belongs above what is done now
            self._margin.hear(name, data)
        if waiting.over:
            self._end(waiting)

    def _end(self, waiting: Waiting) -> None:
        for answer in waiting.mine:
            # A card is shown already, and so is an answer to two messages.
            if not self._cards.knows(answer) and answer["id"] not in self._said_here:
                self._finish(answer)
            self._said_here.add(answer["id"])
        if self._margin:
            self._margin.sum_up()
        if not waiting.mine and self._is_seen:
            self._paper.drop()
        if not waiting.mine and not waiting.decided:  # a decision is shown by its card
            self._screen.write(say(self._language, f"state-{waiting.message['state']}") + "\n")
        for other in self._meanwhile.values():  # what others said and heard while this one waited
            self._show_unasked("message", other)
        self._meanwhile.clear()
        self._later = [later for later in self._later if not later.over]
        self._wait_for(self._later.pop(0) if self._later else None)

    def _grow(self, text: str) -> None:
        """Write only what is new; a preview that does not continue the last one waits for the final text."""
        if text.startswith(self._shown):
            if self._margin:
                self._margin.close_line()
            self._paper.add(text[len(self._shown) :])
            self._shown = text
        if self._waiting:
            self._screen.wait_for(On.AGENT)

    def _finish(self, line: Line) -> None:
        """Write all of it, with the file that came with it."""
        text = self._words(line)
        if self._shown and not text.startswith(self._shown):
            self._paper.end()
            self._shown = ""
        self._grow(text)
        if text:
            self._paper.end()
        self._shown = ""
        if self._margin:
            self._margin.show_files(line)

    def _show_card(self, data: Line) -> None:
        """Show it at once, even between the paragraphs of an answer: often the answer waits for it."""
        if not self._cards.has_news(data):
            self._cards.pass_over(data)
            return
        is_new = not self._cards.knows(data)
        self._break_off()
        self._cards.show(data)
        if is_new and self._margin:
            self._margin.show_files(data)
        if self._waiting:
            self._screen.wait_for(On.PERSON if data["buttons"] or is_new else On.AGENT)

    def _show_aside(self, data: Line) -> None:
        """Show at once what the host says about something else: often a command that the answer waits for."""
        if data["id"] in self._said_here:
            return
        asked = self._meanwhile.pop(data["reply_to"], None)
        self._break_off()
        for line in filter(None, (asked, data)):
            if line["id"] not in self._said_here:
                self._said_here.add(line["id"])
                self._aside.add(self._named(line))
                self._aside.end()
                if self._margin:
                    self._margin.show_files(line)

    def _show_unasked(self, name: str, data: Line) -> None:
        if self._cards.is_card(name, data):
            self._show_card(data)
            return
        if name != "message" or data["id"] in self._said_here:
            return
        # A question belongs above its answer.
        if data["state"] == "running" and data["author"] != "person":
            return
        self._said_here.add(data["id"])
        self._aside.add(self._named(data))
        self._aside.end()
        if self._margin:
            self._margin.show_files(data)

    def _tell(self, text: str) -> None:
        self._break_off()
        self._screen.write(f"{text}\n\n")

    def _break_off(self) -> None:
        """In a pipe, what comes now goes on its own lines; on a screen, above the growing text."""
        if not self._is_seen and self._shown:
            self._paper.end()

    def _tell_lost(self) -> None:
        if not self._lost:
            self._lost = True
            self._screen.tell_aside(say(self._language, "chat-lost"))

    def _words(self, line: Line) -> str:
        """Rendered as Markdown on a screen; for a pipe, escapes are removed from what the host says."""
        return str(line["text"]) if self._is_seen else shown(line)

    def _named(self, line: Line) -> str:
        return f"{line['name']}: {self._words(line)}" if line["author"] == "person" else self._words(line)


async def _piped(_unsent: str) -> str | None:
    """Lines from a pipe, one message each."""
    line = await asyncio.to_thread(sys.stdin.readline)
    return line.rstrip("\n") if line else None
