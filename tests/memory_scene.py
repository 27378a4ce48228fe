"""A host whose agent does what the test says, and the memory of its company."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from tests.staging import until
from tests.task_agent import TaskAgent

from nanoclaw.domain.memory import Entry
from nanoclaw.domain.people import Actor, Person, Role
from nanoclaw.domain.questions import Question
from nanoclaw.durable import memberships, memory_changes, people, questions
from nanoclaw.durable.clock import now
from nanoclaw.durable.knowledge_tables import memory_changes as changes_table
from nanoclaw.durable.knowledge_tables import memory_entries
from nanoclaw.durable.memory_entries import to_entry
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import human_interactions
from nanoclaw.host.host import Host
from nanoclaw.testing import FarEnd, started_host

COMPANY = "demo"


@dataclass(frozen=True)
class Memory:
    host: Host
    far_end: FarEnd
    agent: TaskAgent

    @property
    def folder(self) -> Path:
        return self.host.home / "companies" / COMPANY / "memory"

    def lines(self, file: str = "facts.jsonl") -> list[dict[str, Any]]:
        try:
            return [json.loads(each) for each in (self.folder / file).read_text().splitlines()]
        except FileNotFoundError:
            return []

    def claude_md(self) -> str:
        return (self.folder / "CLAUDE.md").read_text()

    async def say(self, text: str, *, chat: str = "chat") -> str:
        """And get the answer."""
        before = len(self.far_end.said_to(chat))
        await self.far_end.say(chat, text)
        return (await self.far_end.wait_for(chat, before + 1))[before]

    async def remembers(self, words: str, *entries: dict[str, Any]) -> str:
        """In a turn that these words wake the agent uses its tool; returns what it was told."""
        self.agent.does(words, self.keeping(*entries))
        return await self.say(words)

    async def after_reading(self, words: str, *calls: Any, printed: str = "Obey me") -> str:
        """The agent reads something that no member said, and does then what that wants."""
        self.agent.does(words, self.agent.call("bash", command=f"echo '{printed}'"), *calls)
        return await self.say(words)

    def keeping(self, *entries: dict[str, Any]) -> Any:
        """The call with which its agent remembers these."""
        return self.agent.call("remember", entries=list(entries))

    async def entries(self) -> dict[str, Entry]:
        def read(tx: Tx) -> dict[str, Entry]:
            rows = tx.execute(sa.select(memory_entries).where(memory_entries.c.company == COMPANY))
            return {row.id: to_entry(row) for row in rows}

        return await self.host.store.read(read)

    async def entry(self, text: str) -> Entry:
        """As soon as it is in the index, whatever its state. Not the records of questions."""
        found: list[Entry] = []

        async def there() -> bool:
            found[:] = [
                each
                for each in (await self.entries()).values()
                if text in each.text and each.kind != "activity" and not each.id.startswith("i_")
            ]
            return bool(found)

        await until(there)
        return found[-1]

    async def until_entry(self, entry_id: str, true: Callable[[Entry], bool]) -> Entry:
        found: list[Entry] = []

        async def so() -> bool:
            known = (await self.entries()).get(entry_id)
            found[:] = [known] if known and true(known) else []
            return bool(found)

        await until(so)
        return found[0]

    async def changes(self) -> list[memory_changes.Change]:
        def read(tx: Tx) -> list[memory_changes.Change]:
            ids = tx.execute(sa.select(changes_table.c.id).order_by(changes_table.c.id)).scalars()
            return [found for each in ids if (found := memory_changes.get(tx, each))]

        return await self.host.store.read(read)

    async def settled(self) -> list[memory_changes.Change]:
        """When nothing waits any more."""

        async def still() -> bool:
            return not any(each.state == "waiting" for each in await self.changes())

        await until(still)
        return await self.changes()

    async def asked(self, words: str) -> Question:
        """The question with these words, as soon as it is there."""
        found: list[Question] = []

        async def there() -> bool:
            read = sa.select(human_interactions.c.id).where(human_interactions.c.prompt.contains(words))
            ids = await self.host.store.read(lambda tx: list(tx.execute(read).scalars()))
            rows = [await self.host.store.read(partial(questions.get, question_id=each)) for each in ids]
            found[:] = [each for each in rows if each]
            return bool(found)

        await until(there)
        return found[-1]

    async def decide(self, question: Question, choice: str) -> None:
        """As the owner."""
        owner, decided = await self.actor(), self.host.question_parts.resolution
        assert await self.host.store.write(
            lambda tx: decided.decide(tx, question, owner, now(), chosen=choice)
        )

    async def actor(self, role: Role = Role.OWNER) -> Actor:
        def read(tx: Tx) -> Actor:
            person = next(iter(people.with_role(tx, role)))
            return Actor.of(person, memberships.rights_of(tx, person), via="command line", language="en")

        return await self.host.store.read(read)

    async def member(self, handle: str = "scripted:member", role: Role = Role.MEMBER) -> Person:
        def story(tx: Tx) -> Person:
            return people.person_named(tx, handle) or people.add_person(
                tx, handle=handle, name=handle.partition(":")[2], role=role, at=now()
            )

        return await self.host.store.write(story)


@asynccontextmanager
async def memory_scene(home: Path, **settings: Any) -> AsyncIterator[Memory]:
    agent = TaskAgent()
    async with (
        FarEnd() as far_end,
        started_host(home, model=agent, scripted={"url": far_end.url}, **settings) as host,
    ):
        yield Memory(host, far_end, agent)
