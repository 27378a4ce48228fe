"""`nanoclaw session open` at a real terminal, with the real Claude Code, while the host is killed."""

import fcntl
import os
import re
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.crash.program import Program
from tests.staging import until

from nanoclaw.cli.sessions.commands import LEFT_OPEN
from nanoclaw.client.connection import Address
from nanoclaw.client.inbox import InboxClient
from nanoclaw.testing.model_parts import Asked, Say
from nanoclaw.testing.model_server import ModelServer

pytestmark = pytest.mark.capability("S4", "L3")

_COMMANDS = re.compile(
    rb"\x1b\[[0-9;?<>=]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][0-9A-B]|\x1b[=>78c]"
)
LEAVE = b"\x1d"


class Window:
    """A terminal with a command in it, and a person before it."""

    def __init__(self, home: Path, *words: str) -> None:
        self._master, slave = os.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
        self._slave = slave
        self.before = termios.tcgetattr(slave)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "nanoclaw", *words],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, "NANOCLAW_HOME": str(home), "NANOCLAW_LANGUAGE": "en"},
            start_new_session=True,
        )
        os.set_blocking(self._master, False)
        self._seen = b""

    def press(self, keys: bytes) -> None:
        os.write(self._master, keys)

    async def sees(self, text: str) -> None:
        """Programs move the cursor where there are spaces."""
        wanted = "".join(text.split())

        def look() -> bool:
            with suppress(BlockingIOError):
                self._seen += os.read(self._master, 65536)
            return wanted in "".join(_COMMANDS.sub(b"", self._seen).decode(errors="replace").split())

        try:
            await until(look)
        except TimeoutError:
            raise AssertionError(
                f"not shown: {text}\n{_COMMANDS.sub(b'', self._seen)[-1500:].decode(errors='replace')}"
            ) from None

    def look_away(self) -> None:
        """Only what comes from now on is seen."""
        self._seen = b""

    async def ended(self) -> int:
        def look() -> bool:
            with suppress(BlockingIOError):
                self._seen += os.read(self._master, 65536)  # or it could not print its last words
            return self.process.poll() is not None

        await until(look)
        return int(self.process.returncode)

    @property
    def is_restored(self) -> bool:
        return termios.tcgetattr(self._slave) == self.before

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._master)
        os.close(self._slave)


@contextmanager
def window(home: Path, *words: str) -> Iterator[Window]:
    made = Window(home, *words)
    try:
        yield made
    finally:
        made.close()


def answer(asked: Asked) -> Say:
    return Say("Я бачу твої клавіші." if "чому так" in str(asked.messages) else "The refactoring is fine.")


async def written(home: Path, words: str) -> None:
    """Claude Code writes down what it said a moment after it showed it; what was not written is lost with it."""
    sessions = home / "groups" / "main" / "session"
    await until(lambda: any(words in file.read_text("utf-8") for file in sessions.rglob("*.jsonl")))


async def test_a_person_works_at_their_terminal_while_the_host_is_killed_and_concludes_when_they_leave(
    home: Path,
) -> None:
    """Their terminal reconnects by itself, and Claude Code continues from its transcript, which was asked for."""
    async with ModelServer(answer) as server:
        program = Program(
            home,
            ANTHROPIC_API_KEY=server.key,
            ANTHROPIC_BASE_URL=server.url,
            AGENTS_RUNTIME="claude-code",
        )
        await program.start()
        async with InboxClient(Address.of(home)) as inbox:
            session = {"outcomeSchema": {"type": "approval"}, "captureTranscript": True}
            question = await inbox.ask({"question": "Review this refactoring", "session": session})
        with window(home, "session", "open", question.short) as person:
            await person.sees("The refactoring is fine.")
            await written(home, "The refactoring is fine.")
            await program.die()
            await person.sees("The connection is lost")
            person.look_away()
            await program.start()
            await person.sees("Connected again")
            await person.sees("The refactoring is fine.")  # on a redrawn screen
            person.press("А чому так?".encode())
            await person.sees("А чому так?")
            person.press(b"\r")
            await person.sees("Я бачу твої клавіші.")
            await written(home, "Я бачу твої клавіші.")
            person.press(LEAVE)
            await person.sees("(a)pprove or (r)eject")
            person.process.send_signal(signal.SIGINT)  # Ctrl-C at the question
            assert await person.ended() == LEFT_OPEN
        with window(home, "session", "open", question.short) as person:
            await person.sees("Я бачу твої клавіші.")
            person.press(LEAVE)
            await person.sees("(a)pprove or (r)eject")
            assert person.is_restored
            person.press(b"a\r")
            await person.sees("A remark")
            person.press(b"rename it\r")
            assert await person.ended() == 0
        async with InboxClient(Address.of(home)) as inbox:
            row = await inbox.get(question.id)
        assert await program.stop() == 0
    assert (row.response, row.user_input, row.via) == ("approved", "rename it", "command line")
    for said in ("agent: The refactoring is fine.", "person: А чому так?", "agent: Я бачу твої клавіші."):
        assert said in (row.transcript or "")
