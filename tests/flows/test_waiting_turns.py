"""A turn that waits for a person lends its place to others, and has one again before its agent continues (A5, L1)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.question_scene import ASK, HELD, YES_NO, AskingAgent
from tests.staging import until

from nanoclaw.client.connection import Address
from nanoclaw.client.inbox import InboxClient
from nanoclaw.durable import questions, work
from nanoclaw.durable.clock import now
from nanoclaw.host.host import Host
from nanoclaw.testing import FarEnd, started_host

pytestmark = pytest.mark.capability("A5", "E7")


class Stage:
    def __init__(self, host: Host, far_end: FarEnd, agent: AskingAgent) -> None:
        self.host, self.far_end, self.agent = host, far_end, agent

    async def asks(self, chat: str) -> str:
        """The agent asks there, and waits; the id of the question."""
        before = await self._open()
        self.agent.wants_to_ask(f"Publish {chat}?", options=YES_NO)
        await self.far_end.say(chat, ASK)
        await until(lambda: any(f"Publish {chat}?" in text for text in self.far_end.said_to(chat)))
        (found,) = set(await self._open()) - set(before)
        return found

    async def decide(self, question_id: str) -> None:
        async with InboxClient(Address(url=self.host.url, token=self.host.token)) as inbox:
            await inbox.decide(question_id, "yes", None)

    async def _open(self) -> list[str]:
        return [each.id for each in await self.host.store.read(questions.list_open)]


@asynccontextmanager
async def stage(home: Path, **more: Any) -> AsyncIterator[Stage]:
    agent = AskingAgent()
    settings = {"turns": {"concurrent": 1}, "questions": HELD} | more
    async with (
        FarEnd() as far_end,
        started_host(home, model=agent, scripted={"url": far_end.url}, **settings) as host,
    ):
        yield Stage(host, far_end, agent)


async def test_nobody_waits_for_what_someone_else_thinks_about(home: Path) -> None:
    """One place in all, and a question is open: everyone else is answered."""
    async with stage(home) as here:
        question = await here.asks("north")
        for chat in ("south", "east", "west"):
            await here.far_end.say(chat, "hello")
            await here.far_end.wait_for(chat)
        await here.decide(question)
        await until(lambda: "told:" in here.far_end.said_to("north")[-1])


async def test_who_comes_back_goes_before_those_who_have_not_begun(home: Path) -> None:
    async with stage(home) as here:
        question = await here.asks("north")
        calls = len(here.agent.asked)
        here.agent.hold()
        await here.far_end.say("south", "hello")
        await here.agent.wait_for_calls(calls + 1)
        for chat in ("east", "west"):
            await here.far_end.say(chat, "hello")
        await until(lambda: here.far_end.unconfirmed == 0)
        await here.decide(question)
        await until(lambda: bool(here.host.engine._lanes[work.TURN]._coming_back))  # north is in line
        assert here.agent.at_once == 1
        here.agent.go_on()
        for chat in ("south", "east", "west"):
            await here.far_end.wait_for(chat)
        await until(lambda: "told:" in here.far_end.said_to("north")[-1])
        order = [request.session_id for request in here.agent.asked[calls + 1 :]]
        assert order[0] == here.agent.asked[calls - 1].session_id  # north, before east and west
        assert here.agent.most_at_once == 1


async def test_when_too_many_wait_the_oldest_ends_and_is_woken_by_its_answer(home: Path) -> None:
    async with stage(home, questions={**HELD, "most_waiting": 2}) as here:
        asked = [await here.asks(chat) for chat in ("north", "south", "east")]
        await until(lambda: "stays open" in here.far_end.said_to("north")[-1])
        assert len(here.far_end.said_to("south")) == len(here.far_end.said_to("east")) == 1
        for question, chat in zip(asked, ("north", "south", "east"), strict=True):
            before = len(here.far_end.said_to(chat))
            await here.decide(question)
            await here.far_end.wait_for(chat, before + 1)
        assert "(yes)" in here.far_end.said_to("south")[-1]


@pytest.mark.capability("L1")
async def test_to_wait_for_a_person_is_no_silence(home: Path) -> None:
    """Longer than an agent may be silent: nobody kills it."""
    turns = {"concurrent": 1, "longest_silence": 0.5, "longest_pause": 0.5}
    async with stage(home, turns=turns) as here:
        question = await here.asks("north")
        calls = len(here.agent.asked)
        opened = (await here.host.question_parts.questions.get(question)).created_at
        await until(lambda: now() - opened > timedelta(seconds=1.5))
        await here.decide(question)
        await until(lambda: "told:" in here.far_end.said_to("north")[-1])
        again = [request for request in here.agent.asked[calls:] if request.again]
        assert not again
