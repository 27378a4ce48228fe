"""The stage of the tests about permission: a host whose agent does one thing, and a person who is asked about it."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.staging import until

from nanoclaw.domain.ids import new_id
from nanoclaw.domain.questions import Question
from nanoclaw.domain.steps import ModelPiece, Returned, ToolCall
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.durable import permits, questions, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.permits import Permit
from nanoclaw.durable.store import Tx
from nanoclaw.host.host import Host
from nanoclaw.testing import FarEnd, ScriptedModel, started_host

SAY = {"text": "good news"}
RULE = {"tool": "send_message", "pattern": "news"}
AT_ONCE = {"hold_minutes": 0, "grace_seconds": 0}


class Agent(ScriptedModel):
    """In every turn it uses its tool once, and then says what came of that."""

    def __init__(self, tool: str = "send_message", **arguments: Any) -> None:
        super().__init__(self._pieces)
        self.tool, self.arguments = tool, arguments or SAY

    def _pieces(self, _request: TurnRequest) -> Iterator[str | ModelPiece]:
        returned = [step for step in self.steps[-1] if isinstance(step, Returned)]
        if returned:
            yield f"told: {returned[-1].text}"
        else:
            yield ToolCall(id=new_id("c"), name=self.tool, arguments=self.arguments)


@dataclass(frozen=True, kw_only=True)
class Desk:
    """A host whose agent does one thing, and a person who is asked about it in the chat."""

    host: Host
    far_end: FarEnd

    async def asked(self) -> Question:
        """The question that is open, once there is one."""
        while not (found := await self.host.store.read(questions.list_open)):
            await asyncio.sleep(0.01)
        return found[-1]

    async def decide(self, question: Question, choice: str, chat: str = "chat") -> None:
        await self.far_end.say(chat, f"/decide {question.id[-5:]} {choice}")

    async def says(self, words: str, *, times: int = 1, chat: str = "chat") -> str:
        """What the chat reads with these words."""

        def found() -> list[str]:
            return [text for text in self.far_end.said_to(chat) if words in text]

        await until(lambda: len(found()) >= times)
        return found()[-1]

    def said(self, words: str, chat: str = "chat") -> int:
        return sum(words == text for text in self.far_end.said_to(chat))

    async def allow(self, choice: str, chat: str = "chat") -> Question:
        """The agent is set to work, asks, and is allowed to."""
        done = self.said("told: Sent.", chat)
        await self.far_end.say(chat, "go")
        question = await self.asked()
        await self.decide(question, choice, chat)
        await self.says("told: Sent.", times=done + 1, chat=chat)
        return question

    async def work(self, chat: str = "chat") -> None:
        """The agent is set to work, and asks nobody."""
        done = self.said("told: Sent.", chat)
        await self.far_end.say(chat, "go")
        await self.says("told: Sent.", times=done + 1, chat=chat)

    async def count(self) -> int:
        decided = await self.host.store.read(lambda tx: questions.decided(tx, 100))
        return len(decided) + len(await self.host.store.read(questions.list_open))

    async def permits(self) -> list[Permit]:
        return await self.host.store.read(lambda tx: permits.valid(tx, now()))


@asynccontextmanager
async def desk(home: Path, agent: Agent, *rules: Mapping[str, Any], **questions_: Any) -> AsyncIterator[Desk]:
    given: dict[str, Any] = {"approvals": list(rules)} if rules else {}
    async with (
        FarEnd() as far_end,
        started_host(
            home,
            model=agent,
            scripted={"url": far_end.url},
            questions={"grace_seconds": 0, **questions_},
            **given,
        ) as host,
    ):
        yield Desk(host=host, far_end=far_end)


async def run_out(host: Host, question: Question) -> None:
    """Its time is over."""

    def story(tx: Tx) -> None:
        questions.mark(tx, question.id, deadline_at=now())
        work.due(tx, work.QUESTION, question.id, now())

    await host.store.write(story)
    host.engine.kick(work.QUESTION, question.id)


def toml(home: Path, *rules: Mapping[str, str], hold: float) -> None:
    settings = home / "nanoclaw.toml"
    tables = [
        "\n".join(["[[approvals]]", *(f"{key} = {json.dumps(value)}" for key, value in rule.items())])
        for rule in rules
    ]
    settings.write_text(
        "\n".join([settings.read_text(), f"[questions]\nhold_minutes = {hold}\ngrace_seconds = 0", *tables])
    )


async def until_decided(host: Host, question: Question) -> None:
    while (await host.question_parts.questions.get(question.id)).is_open:
        await asyncio.sleep(0.01)
