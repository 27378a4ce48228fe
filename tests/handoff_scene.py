"""The stage of the tests about handoffs: a host, a chat, and an agent that does what a test says, whoever it is."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import sqlalchemy as sa
from tests.staging import until
from tests.task_agent import TaskAgent

from nanoclaw.domain.handoffs import Handoff
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.steps import Returned
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import handoffs
from nanoclaw.durable.pipeline_tables import handoffs as rows
from nanoclaw.durable.tables import audit, parcels
from nanoclaw.host.host import Host
from nanoclaw.testing import FarEnd, made_workspace, started_host

SKILL = """---
name: {name}
description: It is {name}.
{more}---
You are {name}.
"""


@dataclass(frozen=True, kw_only=True)
class Handing:
    host: Host
    far_end: FarEnd
    agent: TaskAgent

    async def hand(
        self, words: str, *, then: str = "It is on its way.", chat: str = "chat", **given: Any
    ) -> str:
        """Someone has the agent of this chat hand work over; what the tool replied."""
        self.agent.does(words, self.agent.call("handoff", **given), then)
        before = len(self.agent.steps)
        await self.far_end.say(chat, words)
        found: list[str] = []

        def replied() -> bool:
            found[:] = [
                step.text
                for steps in self.agent.steps[before:]
                for step in steps[-1:]
                if isinstance(step, Returned) and dict(step.call.arguments) == given
            ]
            return bool(found)

        await until(replied)
        return found[-1]

    async def says(self, words: str, *, chat: str = "chat") -> str:
        """The first text of the chat with these words, once it is there."""
        await until(lambda: any(words in text for text in self.far_end.said_to(chat)))
        return next(text for text in self.far_end.said_to(chat) if words in text)

    async def all(self) -> list[Handoff]:
        query = sa.select(rows.c.id).order_by(rows.c.id)

        def look(tx: Any) -> list[Handoff]:
            return [found for each in tx.execute(query).scalars() if (found := handoffs.get(tx, each))]

        return await self.host.store.read(look)

    async def ends(self, content: str, state: str = "done") -> Handoff:
        """The handoff with this content, once it has come to this state."""
        found: list[Handoff] = []

        async def over() -> bool:
            found[:] = [each for each in await self.all() if content in each.content and each.state == state]
            return bool(found)

        await until(over)
        return found[-1]

    async def told_anywhere(self, words: str) -> list[str]:
        query = sa.select(parcels.c.text).where(parcels.c.text.contains(words))
        return list(await self.host.store.read(lambda tx: tx.execute(query).scalars().all()))

    def page(self) -> httpx.AsyncClient:
        headers = {"Authorization": f"Bearer {self.host.token}"}
        return httpx.AsyncClient(base_url=self.host.url, headers=headers, timeout=60)

    async def audited(self, action: str) -> list[Any]:
        query = sa.select(audit).where(audit.c.action == action)
        return list(await self.host.store.read(lambda tx: tx.execute(query).all()))

    def asked_as(self, skill: str) -> list[TurnRequest]:
        return [each for each in self.agent.asked if each.skill == skill]

    def fresh(self, name: str) -> str:
        """Words, or the name of a chat, that no other test uses."""
        return f"{name} {new_id('u')[-6:]}"


def add_skill(home: Path, name: str, more: str = "") -> None:
    folder = home / "skills" / "test" / "handoff" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(SKILL.format(name=name, more=more))


@asynccontextmanager
async def handing(home: Path, **settings: Any) -> AsyncIterator[Handing]:
    agent = TaskAgent()
    made_workspace(home)
    for name in ("researcher", "writer", "checker"):
        add_skill(home, name)
    async with (
        FarEnd() as far_end,
        started_host(home, model=agent, scripted={"url": far_end.url}, **settings) as host,
    ):
        yield Handing(host=host, far_end=far_end, agent=agent)
