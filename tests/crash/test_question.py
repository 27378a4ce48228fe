"""The host is killed while people are asked, and while they decide: nothing is lost, asked twice or decided twice."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.crash.program import Program
from tests.crash.test_telegram import Stage, killed_later
from tests.staging import until

from nanoclaw.domain.people import Actor
from nanoclaw.domain.questions import Question, Status
from nanoclaw.domain.steps import ModelPiece, Returned, ToolCall
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import memberships, people, questions
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import audit, parcels, work
from nanoclaw.host.host import Host
from nanoclaw.testing import FarEnd, ScriptedModel, started_host
from nanoclaw.testing.telegram.chats import SeenMessage
from nanoclaw.testing.telegram.server import Call

pytestmark = pytest.mark.capability("E7", "L3")

ASK = "? Publish now | yes | tomorrow"
FREED = {"QUESTIONS_HOLD_MINUTES": "0", "DEMO_PACE": "0"}
UNLIMITED = {"LIMITS_PERSON_PER_MINUTE": "0", "LIMITS_GROUP_PER_MINUTE": "0"}


@asynccontextmanager
async def started_again(stage: Stage) -> AsyncIterator[None]:
    """The next host on what the killed one left; in this process, where it is ready sooner."""
    telegram = {"bot_token": stage.bot.token, "api_base": stage.server.url}
    async with started_host(stage.program.home, telegram=telegram, questions={"hold_minutes": 0}):
        yield


def decisions(home: Path) -> list[dict[str, Any]]:
    file = home / "companies" / "demo" / "memory" / "decisions.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def is_signature(call: Call) -> bool:
    """The card gets the words that tell who decided."""
    return call.method == "editMessageText" and "Olena" in str(call.parameters.get("text", ""))


async def asked(stage: Stage) -> SeenMessage:
    """The card of what the agent asked, once its turn has ended."""

    def cards() -> list[SeenMessage]:
        return [each for each in stage.chat.seen if "yes" in each.labels]

    await stage.say(ASK)
    await stage.chat.wait_until(lambda: cards() and any("I stop here" in text for text in stage.chat.texts()))
    return cards()[-1]


async def woken(stage: Stage) -> None:
    await stage.chat.wait_until(lambda: any("woken" in text for text in stage.chat.texts()))


async def is_settled(stage: Stage) -> None:
    """Decided by Olena, once, as the chat, the decisions and the audit have it."""
    home = stage.program.home
    await woken(stage)
    await stage.chat.wait_until(lambda: any("Olena: yes" in text for text in stage.chat.texts()))
    await until(lambda: len(decisions(home)) == 1)
    (line,) = decisions(home)
    assert (line["choice"], line["made_by"], line["via"].split(":")[0]) == ("yes", "hitl", "telegram")
    assert not any("yes" in each.labels for each in stage.chat.seen)
    assert sum("woken" in text for text in stage.chat.texts()) == 1
    with database(home) as tx:
        actions = tx.execute(sa.select(audit.c.action).where(audit.c.subject.startswith("i_"))).scalars()
        assert list(actions) == ["question-completed"]


@contextmanager
def database(home: Path) -> Iterator[Tx]:
    """What a killed host left."""
    engine = sa.create_engine(f"sqlite:///{home / 'data' / 'nanoclaw.db'}")
    with engine.begin() as tx:
        yield tx
    engine.dispose()


@pytest.mark.capability("E9")
async def test_killed_between_the_press_and_its_record(home: Path) -> None:
    """The decision is committed, and the line in the company's decisions cannot be written yet."""
    async with killed_later(home, **FREED) as stage:
        card = await asked(stage)
        memory = home / "companies" / "demo" / "memory"
        aside = memory.rename(memory.with_name("aside")) if memory.exists() else None
        memory.write_text("a file where the folder should be")
        await stage.owner.presses(card, "yes")
        await stage.chat.wait_until(lambda: any("Olena: yes" in text for text in stage.chat.texts()))
        await stage.program.die()
        memory.unlink()
        if aside:
            aside.rename(memory)
        assert decisions(home) == []
        with database(home) as tx:  # as if the half minute had passed after which it is tried again
            tx.execute(sa.update(work).where(work.c.kind == "question").values(due_at=now()))
        async with started_again(stage):
            await is_settled(stage)


@pytest.mark.capability("E3", "E9")
@pytest.mark.parametrize("arrived", [True, False])
async def test_killed_between_the_record_and_the_edit_of_the_card(home: Path, arrived: bool) -> None:
    async with killed_later(home, **FREED) as stage:
        card = await asked(stage)
        stage.kill_at(is_signature, done=arrived)
        recorded = stage.server.on_call

        async def when_recorded(call: Call) -> Any:
            if is_signature(call):
                await until(lambda: len(decisions(home)) == 1)
            return await recorded(call) if recorded else None

        stage.server.on_call = when_recorded
        await stage.owner.presses(card, "yes")
        await stage.program.wait_until_dead()
        assert len(decisions(home)) == 1
        async with started_again(stage):
            await is_settled(stage)


async def everything(host: Host) -> list[Question]:
    return await host.store.read(lambda tx: [*questions.list_open(tx), *questions.decided(tx, 1000)])


def owner(tx: Tx, handle: str) -> Actor:
    person = people.person_named(tx, handle)
    assert person is not None
    return Actor.of(person, memberships.rights_of(tx, person), via="scripted", language="en")


async def decide(host: Host, question: Question, choice: str, handle: str) -> None:
    await host.store.write(
        lambda tx: host.question_parts.question_decisions.decide(
            tx, question.id, choice, owner(tx, handle), now()
        )
    )


def rest(question: Question) -> tuple[Any, ...]:
    return question.deadline_at, question.status, question.prompt, question.reminded


async def test_killed_while_a_hundred_questions_wait(home: Path) -> None:
    """Each is still open with the time that it had, is shown once, can be decided, and wakes its own session."""
    chats = [f"chat{number}" for number in range(100)]
    async with FarEnd() as far_end:
        program = Program(home, SCRIPTED_URL=far_end.url, TURNS_CONCURRENT="8", **FREED, **UNLIMITED)
        await program.start()
        for chat in chats:
            await far_end.say(chat, f"? Go on in {chat} | yes | no")
        await until(lambda: all(len(far_end.said_to(chat)) == 2 for chat in chats))
        await program.die()
        with database(home) as tx:
            before = {each.id: rest(each) for each in questions.list_open(tx)}
        assert len(before) == len(chats)
        async with started_host(home, scripted={"url": far_end.url}, demo={"pace": 0}) as host:
            after = await everything(host)
            assert {each.id: rest(each) for each in after} == before
            for question in after:
                await decide(host, question, "yes", "scripted:tester")
            await until(lambda: all(len(far_end.said_to(chat)) >= 3 for chat in chats))
            ended = await everything(host)
            await until(lambda: len(decisions(home)) == len(chats))
        assert {each.status for each in ended} == {Status.COMPLETED}
        assert len({line["id"] for line in decisions(home)}) == len(decisions(home))
        for chat in chats:
            card, waits, woken_up = far_end.said_to(chat)
            assert f"Go on in {chat}" in card
            assert "I stop here" in waits
            assert f"Go on in {chat}" in woken_up
            assert "(yes)" in woken_up


async def nothing_left_to_do(host: Host) -> None:
    left = sa.select(sa.func.count()).where(work.c.kind.in_(["question", "turn"]))
    while await host.store.read(lambda tx: tx.execute(left).scalar_one()):
        await asyncio.sleep(0.01)


class Resumed(ScriptedModel):
    """An agent that continues after a crash: `insists` makes it ask exactly the same again."""

    def __init__(self, *, insists: bool) -> None:
        super().__init__(self._pieces)
        self._insists = insists

    def _pieces(self, _request: TurnRequest) -> Iterator[str | ModelPiece]:
        returned = [step for step in self.steps[-1] if isinstance(step, Returned)]
        if returned:
            yield f"told: {returned[-1].text}"
        elif self._insists and len(self.asked) == 1:
            options = [{"id": name, "label": name} for name in ("yes", "tomorrow")]
            arguments = {"question": "Publish now", "kind": "choice", "options": options}
            yield ToolCall(id="again", name="request_human", arguments=arguments)
        else:
            yield "I go on."


@pytest.mark.parametrize("insists", [False, True])
async def test_killed_while_a_turn_waits_for_the_answer(home: Path, insists: bool) -> None:
    """The agent is told what it asked, nobody is asked twice, and the answer reaches it."""
    async with FarEnd() as far_end:
        program = Program(home, SCRIPTED_URL=far_end.url, DEMO_PACE="0")
        await program.start()
        await far_end.say("chat", ASK)
        await far_end.wait_for("chat")
        await program.die()
        model = Resumed(insists=insists)
        async with started_host(home, model=model, scripted={"url": far_end.url}) as host:
            await model.wait_for_calls(1)
            told = model.asked[0].prompt
            assert "You asked: Publish now" in told
            assert "Nobody has answered yet" in told
            if not insists:
                await far_end.wait_for("chat", 2)  # its turn has ended
            (question,) = await everything(host)
            assert question.is_open
            if insists:
                await until(lambda: host.question_parts.waits.anyone_on(question.id))
            await decide(host, question, "yes", "scripted:tester")
            await model.wait_for_calls(2)
            if insists:
                assert "(yes)" in (await far_end.wait_for("chat", 2))[-1]
            else:
                assert "You asked: Publish now" in model.asked[1].prompt
                assert "(yes)" in model.asked[1].prompt
            assert len(await everything(host)) == 1
            cards = sa.select(sa.func.count()).where(parcels.c.text.contains("Publish now"))
            assert await host.store.read(lambda tx: tx.execute(cards).scalar_one()) == 1
            await nothing_left_to_do(host)
            await until(lambda: len(decisions(home)) == 1)
            assert len(model.asked) == 2  # and nothing wakes it a second time
