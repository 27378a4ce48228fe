"""`nanoclaw session open`: in the session's terminal if its agent has one, otherwise in its chat; then the
conclusion.
"""

import asyncio
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from nanoclaw.cli.chat import converse
from nanoclaw.cli.sessions.form import ConclusionForm, Later
from nanoclaw.client.connection import Address
from nanoclaw.client.inbox import InboxClient
from nanoclaw.client.sessions import SessionClient
from nanoclaw.client.terminal import Left, RemoteTerminal
from nanoclaw.console.session_shapes import WholeSession
from nanoclaw.domain.errors import HostSaid, HostUnreachable, NanoClawError, NotRunning, Refused
from nanoclaw.domain.questions import Status
from nanoclaw.texts import say, tell

_UNFIT = "outcome-unfit"
_PAUSE = 0.5


class OpenedSession:
    """One visit of a person at a terminal to a session."""

    def __init__(self, home: Path, language: str, ref: str) -> None:
        self._home = home
        self._language = language
        self._ref = ref

    async def enter(self, *, chat: bool, watch: bool) -> WholeSession:
        """Work in it until they leave or it ends; returns its state then."""
        found = await self._now()
        if found.question.status != Status.PENDING:
            return found
        in_terminal = found.live.has_terminal and not chat and sys.stdin.isatty() and sys.stdout.isatty()
        if watch and not in_terminal:
            raise Refused("session-nothing-to-watch")
        self._ref = found.question.id
        if in_terminal:
            await self._in_terminal(watch=watch)  # which opens it, unless they only watch
        else:
            async with SessionClient(Address.of(self._home)) as client:
                opened = await client.open(self._ref, in_chat=True)
            await self._in_chat(opened)
        return await self._now()

    async def conclude(self, standing: WholeSession) -> WholeSession:
        """Ask until it fits, or they leave it open."""
        while standing.question.status == Status.PENDING:
            try:
                with _interruptible():
                    response = ConclusionForm(standing.form, standing.prefill, self._language).ask()
            except Later:
                typer.echo(say(self._language, "session-left-open", id=standing.question.short))
                return standing
            try:
                async with SessionClient(Address.of(self._home)) as client:
                    return await client.conclude(standing.question.id, response)
            except HostSaid as error:
                typer.echo(tell(self._language, error), err=True)
                if error.values.get("code") != _UNFIT:
                    return await self._now()
            standing = await self._now()
        return standing

    async def _now(self) -> WholeSession:
        async with SessionClient(Address.of(self._home)) as client:
            return await client.get(self._ref)

    async def _in_terminal(self, *, watch: bool) -> None:
        typer.echo(say(self._language, "terminal-hint"))
        terminal = RemoteTerminal(
            lambda: Address.of(self._home),
            self._ref,
            lambda key: say(self._language, key),
            watch=watch,
        )
        left = await terminal.run()
        if left is Left.ENDED and terminal.ended:
            typer.echo(terminal.ended)
        if left is Left.GIVEN_UP:
            raise HostUnreachable("session-host-away")

    async def _in_chat(self, opened: WholeSession) -> None:
        if sys.stdin.isatty():
            typer.echo(say(self._language, "session-chat-hint"))
        over = asyncio.Event()
        waiting = asyncio.create_task(self._wait_for_end(over))
        try:
            await converse(Address.of(self._home), self._language, self._home, over, room_id=opened.live.room)
        finally:
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)

    async def _wait_for_end(self, over: asyncio.Event) -> None:
        """Wait until it is concluded elsewhere, or out of time: then nobody reads on here."""
        while not over.is_set():
            try:
                async with InboxClient(Address.of(self._home)) as inbox:
                    if (await inbox.wait(self._ref)).status != Status.PENDING:
                        over.set()
                        return
            except (NotRunning, HostUnreachable):
                await asyncio.sleep(_PAUSE)  # it is started again
            except NanoClawError:
                return


@contextmanager
def _interruptible() -> Iterator[None]:
    """While a prompt waits: Ctrl-C would only cancel the task, which does not run before something is entered."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
