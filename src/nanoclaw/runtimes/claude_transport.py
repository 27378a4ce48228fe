"""Claude Code in a box: the SDK stays on the host and talks to the program inside through its standard
streams.

The SDK builds the program's command line; this asks for it by a private name, which one test pins down.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, CLIConnectionError, Transport
from claude_agent_sdk._internal.transport.subprocess_cli import SubprocessCLITransport

from nanoclaw.domain import bounds
from nanoclaw.domain.boxes import Box
from nanoclaw.runtimes.claude_options import BRIEF

Start = Callable[[Sequence[str]], Awaitable[Box]]

_LAST_WORDS = 2000  # bytes of its error output, to explain to a person why it ended


class BoxTransport(Transport):
    def __init__(self, options: ClaudeAgentOptions, start: Start) -> None:
        self._options = options
        self._start = start
        self._box: Box | None = None

    async def connect(self) -> None:
        self._box = await self._start(command_line(self._options))

    def is_ready(self) -> bool:
        return self._box is not None

    async def write(self, data: str) -> None:
        if self._box is None:
            raise CLIConnectionError("the box is closed")
        try:
            self._box.stdin.write(data.encode())
            await self._box.stdin.drain()
        except OSError as error:
            raise CLIConnectionError("Claude Code does not listen any more") from error

    def read_messages(self) -> AsyncIterator[dict[str, Any]]:
        return self._lines()

    async def end_input(self) -> None:
        if self._box is not None:
            self._box.stdin.close()

    async def close(self) -> None:
        box, self._box = self._box, None
        if box is not None:
            await box.kill()

    async def _lines(self) -> AsyncIterator[dict[str, Any]]:
        box = self._box
        if box is None:
            return
        try:
            async with aclosing(bounds.lines(box.stdout)) as lines:
                async for line in lines:
                    if said := bounds.said_in(line):  # anything but JSON is chatter of the program
                        yield dict(said)
        except bounds.TooMuch as error:  # no sane message is so long
            raise CLIConnectionError("Claude Code printed a line without an end") from error
        if self._box is not None:
            words = (await box.stderr.read(_LAST_WORDS)).decode("utf-8", "replace").strip()
            raise CLIConnectionError(f"Claude Code ended with {await box.wait()}. {words}".strip())


def command_line(options: ClaudeAgentOptions) -> list[str]:
    async def nothing() -> AsyncIterator[dict[str, Any]]:
        return
        yield {}

    line = SubprocessCLITransport(nothing(), options)._build_command()
    place = line.index("--system-prompt")
    line[place : place + 2] = ["--system-prompt-file", BRIEF]
    return line
