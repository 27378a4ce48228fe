"""Measures plans: a press until the next question is shown, and what open plans cost. See benchmarks/README.md."""

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import structlog
from benchmarks.bots import bare_bot, host, talk
from benchmarks.measuring import compare_idle, print_figure, tail

from nanoclaw.domain.ids import new_id
from nanoclaw.domain.people import LOCAL_OWNER
from nanoclaw.domain.plans import Plan, PlanOption, PlanQuestion, PlanSource, PlanState
from nanoclaw.durable import people, plans, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.testing import ModelServer, TelegramServer, started_host
from nanoclaw.testing.model_parts import Asked
from nanoclaw.testing.telegram.accounts import Bot
from nanoclaw.testing.telegram.chats import SeenMessage
from nanoclaw.testing.telegram.people import Person

_OPEN = 1_000
_PAUSE = 0.05  # seconds between two presses: nobody is in a hurry, and no limit is near
_QUESTIONS = [
    {
        "question": f"Question {number}?",
        "options": [{"label": "Yes", "value": "y"}, {"label": "No", "value": "n"}],
    }
    for number in range(1, 5)
]


def _ask(asked: Asked) -> str:
    if "clarifying questions" not in asked.text:
        return "An answer of a few words."
    if "Answers gathered so far" in asked.text:
        return json.dumps({"done": True, "questions": []})
    return json.dumps({"goal": "a-goal", "description": "a-plan", "questions": _QUESTIONS, "done": False})


async def time_presses(person: Person, bot: Bot) -> list[float]:
    """Seconds from each press until the next question of the round is in the chat."""
    chat, took = person.chat_with(bot), []

    async def shown(number: int) -> SeenMessage:
        words = f"Q{number} of"
        await chat.wait_until(lambda: any(words in each.text for each in chat.seen))
        return next(each for each in chat.seen if words in each.text)

    await person.says(chat, "/plan add JWT authentication")
    for number in range(1, len(_QUESTIONS)):
        card = await shown(number)
        await asyncio.sleep(_PAUSE)
        begun = time.perf_counter()
        await person.presses(card, "Yes")
        await shown(number + 1)
        took.append(time.perf_counter() - begun)
    return took


async def measure_presses(folder: Path, count: int) -> None:
    async with TelegramServer(flood_control=False) as server, ModelServer(_ask) as model:
        persons = [server.person(f"Person {number}") for number in range(count)]
        bare, ours = server.add_bot("bare_bot"), server.add_bot("host_bot")
        async with bare_bot(server, bare), host(server, ours, folder, persons, model):
            at_least = [each * 1000 for each in await talk(persons, bare)]
            await talk(persons, ours, rounds=1)
            took = [each * 1000 for person in persons for each in await time_presses(person, ours)]
    base, middle = statistics.median(at_least), statistics.median(took)
    print_figure("bare bot, message to answer, p50, ms", base, "1.00")
    print_figure(
        "press to next question, p50, ms", middle, f"{middle / base:.2f}; p95 {tail(took, 0.95):.1f}"
    )


async def fill(home: Path, count: int) -> None:
    """A workspace with so many plans at their second question."""
    options = (PlanOption(label="Yes", value="y"), PlanOption(label="No", value="n"))
    questions = tuple(
        PlanQuestion(id=f"q{number}", question="Really?", options=options, allow_free_text=True, round=1)
        for number in range(1, 5)
    )
    async with started_host(home) as running:

        def story(tx: Tx) -> None:
            owner, at = people.person_named(tx, LOCAL_OWNER), now()
            chat = people.chat_at(tx, "web", "main")
            assert owner
            assert chat
            plan = Plan(
                id="",
                company="demo",
                group="main",
                chat_id=chat.id,
                thread=None,
                person_id=owner.id,
                state=PlanState.COLLECTING,
                task="add JWT authentication",
                source=PlanSource.PERSON,
                language="en",
                created_at=at,
                updated_at=at,
                questions=questions,
                answers=("y", None, None, None),
                current=1,
                round=1,
            )
            for number in range(count):
                one = replace(plan, id=new_id("n"), thread=str(number))
                plans.add(tx, one)
                work.due(tx, work.PLAN, one.id, at + timedelta(hours=24))

        await running.store.write(story)


async def measure(*, quick: bool) -> None:
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    with tempfile.TemporaryDirectory() as folder:
        await measure_presses(Path(folder) / "presses", 10 if quick else 60)
        await fill(Path(folder) / "full", _OPEN)
        await compare_idle(
            Path(folder) / "none", Path(folder) / "full", 10 if quick else 60, f"{_OPEN:,} plans open"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    asyncio.run(measure(quick=parser.parse_args().quick))
