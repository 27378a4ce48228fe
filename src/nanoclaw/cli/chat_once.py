"""One message to the host, and its answer: for a script, or for a person in a hurry."""

import asyncio
import sys
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path

import typer

from nanoclaw.cli.chat_cards import CardReader, how_to_decide, is_card
from nanoclaw.cli.chat_plan_once import TypedPress, open_plan, thinks, words_of
from nanoclaw.cli.chat_plans import choices_text, data_of, is_plan
from nanoclaw.cli.margin import Margin, margin_of
from nanoclaw.cli.output import print_json
from nanoclaw.client.connection import Address, Client, Line, Waiting
from nanoclaw.domain.errors import HostUnreachable
from nanoclaw.domain.interviews import SKILL as INTERVIEWER
from nanoclaw.flows.human.card_text import span
from nanoclaw.texts import say

_NEXT_QUESTION = 4.0  # seconds after an answer in which an interview asks the next question


async def say_once(
    address: Address,
    language: str,
    text: str,
    *,
    client_id: str,
    room: str | None,
    patience: float,
    as_json: bool,
    home: Path | None = None,
) -> int:
    """Send one message, print the answer, and return the exit code: 0 answered, 1 not, 2 not yet.

    What the agent does is shown only to a person at a terminal; `home` says where the files are that it sends.

    Raises HostUnreachable if the host goes away meanwhile; with the same `client_id` the message can be sent again.
    """

    def gone() -> None:
        raise HostUnreachable("host-unreachable", url=address.url, said="gone")

    async with Client(address) as client:
        await client.enter(room)
        plan = await open_plan(client)
        if plan and (meant := data_of(plan, text)):
            press = TypedPress(client, language, plan, meant, as_json=as_json)
            return await press.make(patience, gone)
        waiting = Waiting(await client.say(text, client_id))
        asks_on = plan is not None or text.split(maxsplit=1)[:1] == ["/plan"]
        interview = _Interview(waiting.message) if await _is_interview(client, waiting.message) else None
        # On hold: nobody answers before a person says go.
        is_held = (await client.ask("GET", "/api/status"))["held"]
        margin = None if as_json else margin_of(language, address, home, _write)
        cards = CardReader()  # the answer may wait for one of them
        try:
            async with (
                asyncio.timeout(0 if is_held else patience) as limit,
                aclosing(client.listen(gone)) as events,
            ):
                while (
                    not waiting.over
                    or (interview and interview.asked is None and not _is_refused(waiting))
                    or (asks_on and thinks(waiting))
                ):
                    if waiting.over and interview:
                        soon = asyncio.get_running_loop().time() + _NEXT_QUESTION
                        limit.reschedule(min(limit.when() or soon, soon))
                    name, data = await anext(events)
                    waiting.hear(name, data)
                    if interview and interview.hear(name, data):
                        continue
                    is_aside = cards.is_new(name, data) and not waiting.is_answer(data)
                    if waiting.is_notice(name, data) or is_aside:
                        _tell(data, margin, how_to_decide(language, data) if is_aside else [])
                    if margin and waiting.is_mine(name, data):
                        margin.hear(name, data)
        except TimeoutError:
            if waiting.over:  # no interview began: the answer says why
                return _end(waiting, interview, margin, language, as_json=as_json)
            length = span(language, timedelta(seconds=patience))
            key = "held-kept" if is_held else "chat-timeout"
            late = say(language, key, span=length, id=waiting.message["id"])
            typer.echo(late, err=True)
            return 2
    return _end(waiting, interview, margin, language, as_json=as_json)


def _end(
    waiting: Waiting, interview: "_Interview | None", margin: Margin | None, language: str, *, as_json: bool
) -> int:
    if as_json:
        asked = [interview.asked] if interview and interview.asked else []
        print_json({"message": waiting.message, "answers": [*_said(waiting), *asked]})
    else:
        _print(waiting, margin, language)
        if interview and interview.asked:
            typer.echo(words_of(interview.asked, is_seen=sys.stdout.isatty()))
    return 0 if waiting.message["state"] in ("answered", "silent") else 1


def _is_refused(waiting: Waiting) -> bool:
    """Whether it was refused, so that no question follows."""
    return bool(waiting.message["state"] == "refused")


class _Interview:
    """After each answer the host asks the next question: people who answer by single commands see it too."""

    def __init__(self, message: Line) -> None:
        self._said = str(message["id"])
        self.asked: Line | None = None

    def hear(self, name: str, data: Line) -> bool:
        """True for what the host says next: a question, or that there is none left. The card of what was just
        answered is older.
        """
        if name != "message" or not is_card(data) or str(data["id"])[2:] < self._said[2:]:
            return False
        self.asked = self.asked or data
        return True


async def _is_interview(client: Client, message: Line) -> bool:
    """Whether it begins an interview, or answers one of its questions."""
    if message["answers"] is None:
        return str(message["text"]).strip().split(maxsplit=1)[:1] == ["/interview"]
    question = await client.ask("GET", f"/api/questions/{message['answers']}")
    return bool(question["skill"] == INTERVIEWER)


def _tell(line: Line, margin: Margin | None, how: list[str]) -> None:
    """Print what cannot wait for the answer."""
    if margin:
        margin.close_line()
    typer.echo("\n".join([words_of(line, is_seen=sys.stderr.isatty()), *how]), err=True)


def _said(waiting: Waiting) -> list[Line]:
    return sorted((*waiting.along, *waiting.mine), key=lambda line: str(line["id"]))


def _print(waiting: Waiting, margin: Margin | None, language: str) -> None:
    for answer in _said(waiting):
        if margin:
            margin.close_line()
        if answer["text"]:
            typer.echo(words_of(answer, is_seen=sys.stdout.isatty()))
        if is_plan(answer):
            typer.echo(f"\n{choices_text(language, answer)}")
        for line in how_to_decide(language, answer):  # the answer is a card: its buttons are commands here
            typer.echo(line)
        if margin:
            margin.show_files(answer)
    if margin:
        margin.sum_up()
    if not waiting.mine and not waiting.decided:
        typer.echo(say(language, f"state-{waiting.message['state']}"), err=True)


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
