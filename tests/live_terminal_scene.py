"""A host with the real Claude Code before a scripted vendor, and people at the terminals of its live sessions."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from tests.staging import KINDS, Script, Stage, until

from nanoclaw.context.groups import Groups
from nanoclaw.domain.people import LOCAL_OWNER, Actor, Rights, Role
from nanoclaw.domain.questions import Question
from nanoclaw.durable import live_sessions, questions, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.live_sessions import LiveSession
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import human_interactions
from nanoclaw.flows.live.screens import ScreenViewer
from nanoclaw.flows.live.terminals import Terminals
from nanoclaw.testing import FarEnd, started_host
from nanoclaw.testing.model_server import ModelServer

OWNER = Actor(
    handle=LOCAL_OWNER, name="Owner", rights=Rights(everywhere=Role.OWNER), via="web", language="en"
)
_COMMANDS = re.compile(
    rb"\x1b\[[0-9;?<>=]*[A-Za-z]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][0-9A-B]|\x1b[=>78c]"
)


def plain(shown: bytes) -> str:
    """Programs move the cursor where there are spaces."""
    return "".join(_COMMANDS.sub(b"", shown).decode(errors="replace").split())


@dataclass(kw_only=True)
class Eyes:
    """One who looks at a terminal: `seen` is what they read, without commands and spaces."""

    attachment: ScreenViewer
    raw: bytes = b""
    reading: "asyncio.Task[None] | None" = None

    def __post_init__(self) -> None:
        self.reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for piece in self.attachment.output():
            self.raw += piece

    @property
    def seen(self) -> str:
        return plain(self.raw)

    async def see(self, text: str) -> None:
        wanted = "".join(text.split())
        try:
            await until(lambda: wanted in self.seen)
        except TimeoutError:
            raise AssertionError(f"not shown: {text}\n{self.seen[-1000:]}") from None

    def type(self, text: str) -> None:
        self.attachment.write(text.encode())

    async def leave(self) -> None:
        await self.attachment.close()
        if self.reading:
            self.reading.cancel()


@dataclass(kw_only=True)
class Terminal:
    """A live session, asked for by a program."""

    stage: Stage
    question: Question
    eyes: list[Eyes] = field(default_factory=list)

    @property
    def terminals(self) -> Terminals:
        return self.stage.host.live_parts.terminals

    async def look(self, by: Actor = OWNER, **how: Any) -> Eyes:
        given = {"rows": 40, "cols": 120, **how}
        eyes = Eyes(attachment=await self.terminals.attach(self.question.id, by, **given))
        self.eyes.append(eyes)
        return eyes

    async def passes(self, length: timedelta) -> None:
        """So much time: its rows become that much older, and its work is due."""

        def story(tx: Tx) -> None:
            found, live = questions.get(tx, self.question.id), live_sessions.get(tx, self.question.id)
            assert found
            older = {name: getattr(found, name) - length for name in ("created_at", "deadline_at")}
            questions.mark(tx, found.id, **older)
            if live.warned_at:
                live_sessions.mark(tx, found.id, warned_at=live.warned_at - length)
            work.due(tx, work.QUESTION, found.id, now())

        await self.stage.host.store.write(story)

    async def live(self) -> LiveSession:
        return await self.stage.host.store.read(lambda tx: live_sessions.get(tx, self.question.id))


async def wanted(stage: Stage, prompt: str, **config: Any) -> Terminal:
    """A program asks for a session."""
    session = {"captureTranscript": False, **config}
    group = Groups(stage.host.home).get("main")
    given = {"question": prompt, "session": session}
    return Terminal(
        stage=stage, question=await stage.host.question_parts.questions.ask_for_program(given, group)
    )


async def asked_for_permission(stage: Stage, but: str = "") -> Question:
    """The open question whether a tool may be used."""

    def look(tx: Tx) -> Question | None:
        rows = tx.execute(sa.select(human_interactions.c.id)).scalars()
        found = (questions.get(tx, each) for each in rows if each != but)
        return next((each for each in found if each and each.tool and each.is_open), None)

    found: Question | None = None

    async def is_there() -> bool:
        nonlocal found
        found = await stage.host.store.read(look)
        return found is not None

    await until(is_there)
    assert found
    return found


async def decide(stage: Stage, question: Question, choice: str) -> None:
    decisions = stage.host.question_parts.question_decisions
    await stage.host.store.write(lambda tx: decisions.decide(tx, question.id, choice, OWNER, now()))


@asynccontextmanager
async def at_terminals(home: Path, script: Script, **settings: Any) -> AsyncIterator[Stage]:
    async with (
        ModelServer(script) as server,
        FarEnd() as far_end,
        started_host(
            home,
            scripted={"url": far_end.url},
            anthropic={"api_key": server.key, "base_url": server.url},
            agents={"runtime": "claude-code"},
            questions={"grace_seconds": 0},
            **settings,
        ) as host,
    ):
        yield Stage(KINDS[0], host, far_end, server)
