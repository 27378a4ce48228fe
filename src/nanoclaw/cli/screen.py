"""The screen of a terminal chat: what was said, and below it the growing text, what is waited for, and the prompt."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from shutil import get_terminal_size
from time import monotonic

import typer
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from nanoclaw.cli.markdown import wrap
from nanoclaw.texts import say

PROMPT = "> "
LEAVING = ("/quit", "/exit")
_LEFT = 5  # lines of the screen that growing text leaves free


class On(Enum):
    """Whom the person waits for, or who waits for them."""

    NOBODY = "nobody"
    AGENT = "agent"
    PERSON = "person"


class ChatScreen:
    """Everything is written through it, in whole lines. Without a terminal it only writes.

    The prompt stays there all the time, and what is not final yet belongs to it: prompt-toolkit redraws it when it
    grows or the window changes, so that nothing final is ever erased.
    """

    def __init__(
        self,
        language: str,
        history: Path,
        *,
        commands: Callable[[], Mapping[str, str]],
        stop: Callable[[], None],
    ) -> None:
        """`commands` are what Tab completes, with descriptions; `stop` runs on Escape while an agent works."""
        self._language = language
        self._grows = ""
        self._tools: tuple[str, ...] = ()
        self._waits = On.NOBODY
        self._since = 0.0
        self._session: PromptSession[str] | None = None
        if sys.stdin.isatty() and sys.stdout.isatty():
            self._session = PromptSession(
                self._below,
                history=FileHistory(str(history)),
                completer=_Commands(commands),
                complete_while_typing=False,
                key_bindings=self._keys(stop),
                erase_when_done=True,
                refresh_interval=1.0,
            )

    async def read(self, unsent: str = "") -> str | None:
        """A line that the person typed; None if they leave. It stays where it was typed."""
        if self._session is None:
            raise RuntimeError("there is no terminal to read from")
        try:
            typed = await self._session.prompt_async(default=unsent, handle_sigint=False)
        except KeyboardInterrupt:  # as in a shell: the first one discards a half-written line
            return "" if self._session.default_buffer.text else None
        except EOFError:
            return None
        self.write(f"{PROMPT}{typed}\n")
        return typed

    def write(self, text: str) -> None:
        app = self._session.app if self._session else None
        if app is None or not app.is_running:
            sys.stdout.write(text)
            sys.stdout.flush()
            return
        app.renderer.erase()
        app.output.write_raw(text)
        app.output.flush()
        app.renderer.reset()
        app.invalidate()

    def tell_aside(self, text: str) -> None:
        """Show it aside; nothing in a pipe."""
        if self._session:
            self.write(f"{text}\n")
        else:
            typer.echo(text, err=True)

    def grow(self, text: str) -> None:
        """Show the beginning of a paragraph that is not complete yet."""
        self._grows = text
        self._draw()

    def use(self, tools: Iterable[str]) -> None:
        """Show what the agent is doing."""
        self._tools = tuple(tools)
        self._draw()

    def wait_for(self, whom: On) -> None:
        if whom is not self._waits:
            self._waits, self._since = whom, monotonic()
            self._draw()

    @property
    def is_live(self) -> bool:
        """Whether a person is there who can read what is written, and type."""
        return self._session is not None

    @property
    def width(self) -> int:
        """Read each time: a window can be resized while an answer is written."""
        if self._session is None:
            return get_terminal_size().columns
        return self._session.app.output.get_size().columns

    def _draw(self) -> None:
        if self._session and self._session.app.is_running:
            self._session.app.invalidate()

    def _below(self) -> StyleAndTextTuples:
        """What is between the conversation and the prompt."""
        if self._session is None:
            return []
        size = self._session.app.output.get_size()
        lines: StyleAndTextTuples = []
        room = max(size.rows - _LEFT - len(self._tools), 1)
        if self._grows.strip():
            lines += [("", f"{line}\n") for line in wrap(self._grows, size.columns - 1)[-room:]]
        lines += [("fg:ansigray", f"{tool}\n") for tool in self._tools]
        if self._waits is not On.NOBODY:
            passed = divmod(int(monotonic() - self._since), 60)
            told = say(self._language, f"chat-waits-{self._waits.value}", time=f"{passed[0]}:{passed[1]:02}")
            lines.append(("fg:ansigray", f"{told}\n"))
        return [*lines, ("", PROMPT)]

    def _keys(self, stop: Callable[[], None]) -> KeyBindings:
        keys = KeyBindings()

        # At once: no longer sequence that begins with Escape means anything while an agent works.
        @keys.add("escape", filter=Condition(lambda: self._waits is not On.NOBODY), eager=True)
        def _(_event: KeyPressEvent) -> None:
            stop()

        return keys


class _Commands(Completer):
    def __init__(self, commands: Callable[[], Mapping[str, str]]) -> None:
        self._commands = commands

    def get_completions(self, document: Document, _event: CompleteEvent) -> Iterator[Completion]:
        typed = document.text_before_cursor
        if not typed.startswith("/") or " " in typed:
            return
        for name, meaning in self._commands().items():
            if f"/{name}".startswith(typed):
                yield Completion(
                    f"/{name} ", start_position=-len(typed), display=f"/{name}", display_meta=meaning
                )
