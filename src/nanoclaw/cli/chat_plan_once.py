"""A plan by single commands: `chat -m "/plan ..."`, then `chat -m 2`, `chat -m back`, `chat -m confirm`."""

import asyncio
import sys
from collections.abc import Callable
from contextlib import aclosing
from datetime import timedelta
from shutil import get_terminal_size

import typer

from nanoclaw.cli.chat_plans import choices_text, is_plan, wants_answer
from nanoclaw.cli.host_words import shown
from nanoclaw.cli.markdown import render
from nanoclaw.cli.output import print_json
from nanoclaw.client.connection import JOINED, Client, Line, Waiting
from nanoclaw.domain.parcels import PLAN
from nanoclaw.flows.human.card_text import span
from nanoclaw.texts import say

_LOOK_BACK = 50  # lines of the room
_CONFIRM = f"{PLAN}:confirm"


async def open_plan(client: Client) -> Line | None:
    """The card of this room whose question is open."""
    newest = await client.newest(_LOOK_BACK)
    return next((line for line in reversed(newest) if is_plan(line)), None)


def thinks(waiting: Waiting) -> bool:
    """Whether the model is still thinking of the next questions."""
    cards = [line for line in waiting.mine if is_plan(line)]
    return bool(cards) and not wants_answer(cards[-1])


def words_of(line: Line, *, is_seen: bool) -> str:
    """Rendered for a person at a terminal; a script gets the text as it is."""
    return render(str(line["text"]), get_terminal_size().columns) if is_seen else shown(line)


class TypedPress:
    """One press, and its outcome: the next question, the end of the plan, or the agent's answer."""

    def __init__(self, client: Client, language: str, card: Line, data: str, *, as_json: bool) -> None:
        self._client = client
        self._language = language
        self._card = card
        self._data = data
        self._as_json = as_json
        self._shown: Line | None = None  # what is printed: the card after it, or the answer of the agent

    async def make(self, patience: float, gone: Callable[[], None]) -> int:
        """0 if it was taken, 1 if not, 2 if its outcome is not there yet."""
        try:
            async with asyncio.timeout(patience), aclosing(self._client.listen(gone)) as events:
                async for name, data in events:
                    if name == JOINED:  # not earlier: what changes then must not be missed
                        pressed = await self._client.press(self._card["id"], self._data)
                        if not pressed["taken"]:
                            typer.echo(pressed["text"], err=True)
                            return 1
                    else:
                        self._hear(name, data)
                    if self._is_over:
                        break
        except TimeoutError:
            length = span(self._language, timedelta(seconds=patience))
            typer.echo(say(self._language, "chat-timeout", span=length, id=self._card["id"]), err=True)
            return 2
        self._print()
        is_failed = self._data == _CONFIRM and self._shown and self._shown["author"] != "agent"
        return 1 if is_failed else 0

    def _hear(self, name: str, data: Line) -> None:
        if name != "message":
            return
        # The agent gets the answers from the host: no message of a person leads to its answer.
        is_of_agent = self._data == _CONFIRM and data["author"] != "person" and data["turn"] is not None
        is_card = self._data != _CONFIRM and (data["id"] == self._card["id"] or is_plan(data))
        if is_of_agent or is_card:
            self._shown = data

    @property
    def _is_over(self) -> bool:
        return self._shown is not None and (
            self._data == _CONFIRM or wants_answer(self._shown) or not self._shown["buttons"]
        )

    def _print(self) -> None:
        line = self._shown
        if self._as_json:
            print_json({"message": None, "answers": [line] if line else []})
        elif line:
            typer.echo(words_of(line, is_seen=sys.stdout.isatty()))
            if is_plan(line):
                typer.echo(f"\n{choices_text(self._language, line)}")
