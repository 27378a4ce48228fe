"""The host is killed at each step of an analysis: it continues there, pays for no part twice, and merges once."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.analysis_scene import Reader
from tests.crash.test_telegram import Stage, killed_later
from tests.staging import until

from nanoclaw.domain.ids import new_id
from nanoclaw.durable.clock import now
from nanoclaw.durable.knowledge_tables import context_proposals, memory_changes
from nanoclaw.durable.tables import messages, parcels, sessions
from nanoclaw.durable.transfer_tables import analyses, session_transfers
from nanoclaw.testing import ModelServer
from nanoclaw.testing.model_parts import Asked

pytestmark = pytest.mark.capability("B4", "L3")

FIRST, SECOND = (
    {"facts": [{"text": "Poltava has galushky."}], "decisions": [{"text": "We cook in Poltava."}]},
    {
        "facts": [{"text": "Poltava has a museum."}],
        "context_changes": [{"file": "market/channels", "change": "We sell in Poltava."}],
        "next_step": "Step 4",
    },
)


async def test_killed_at_each_step_it_goes_on_there_and_merges_once(home: Path, database_url: str) -> None:
    asked = asyncio.Event()

    async def never(_asked: Asked) -> str:
        asked.set()
        await asyncio.Event().wait()
        return ""

    reader = Reader(finds=[FIRST, never, SECOND])
    async with ModelServer(reader) as model:
        settings = {
            "DATABASE_URL": database_url,
            "AGENTS_RUNTIME": "native",
            "ANTHROPIC_API_KEY": model.key,
            "ANTHROPIC_BASE_URL": model.url,
        }
        async with killed_later(home, **settings) as stage:
            await stage.say("Where shall we cook?")
            await stage.chat.wait_for(2)
            transfer_id = _deliver(database_url)
            parts = "\n".join(f"# Part {number}\n{'Poltava. ' * 4000}" for number in range(2))
            document = f"Transfer ID: {transfer_id}\n{parts}".encode()
            await stage.owner.sends_document(
                stage.chat, document, name="report.md", caption="/import_analysis"
            )
            await asked.wait()  # the first part is paid for, the second is being read
            await stage.program.die()
            assert _rows(database_url, analyses.c.state) == ["received"]
            await stage.program.start()
            # Between the merge and what it says: killed before the first of its messages has arrived.
            stage.kill_at(lambda call: "is taken over" in str(call.parameters.get("text", "")), done=False)
            await stage.program.wait_until_dead()
            await stage.program.start()
            await stage.say("thanks")
            await stage.chat.wait_until(lambda: "I go on with step 4." in stage.chat.texts())
            card = await _card(stage, "contains a decision")
            stage.kill_at(lambda call: call.method == "answerCallbackQuery", done=False)
            await stage.owner.presses(card, "✅ All")
            await stage.program.wait_until_dead()
            await stage.program.start()
            await stage.chat.wait_until(
                lambda: any("1 decision holds from now on" in each for each in stage.chat.texts())
            )

            def is_written() -> bool:
                found = sa.select(memory_changes.c.state).where(
                    memory_changes.c.origin.startswith("analysis ")
                )
                return Counter(_all(database_url, found)) == {"written": 3}

            await until(is_written)
    assert len(reader.prompts) == 3, "the first part was read once"
    assert _rows(database_url, analyses.c.state) == ["imported"]
    assert _rows(database_url, session_transfers.c.status) == ["resumed"]
    assert len(_rows(database_url, context_proposals.c.id)) == 1
    woken = sa.select(messages.c.id).where(messages.c.external_id.startswith("analysis "))
    assert len(_all(database_url, woken)) == 1
    told = sa.select(parcels.c.id).where(parcels.c.origin.endswith(" imported"))
    assert len(_all(database_url, told)) == 1
    facts = (home / "companies" / "demo" / "memory" / "facts.jsonl").read_text("utf-8")
    assert [facts.count(each) for each in ("has galushky", "has a museum")] == [1, 1]


async def _card(stage: Stage, words: str) -> Any:
    def cards() -> list[Any]:
        return [each for each in stage.chat.seen if each.buttons and words in each.text]

    await stage.chat.wait_until(cards)
    return cards()[-1]


def _deliver(database_url: str) -> str:
    """The conversation of the chat, as if it had been taken elsewhere."""
    transfer_id = new_id("tr")
    with _engine(database_url) as db:
        queued = sa.select(messages.c.chat_id, messages.c.person_id).where(
            messages.c.text == "Where shall we cook?"
        )
        chat_id, person_id = db.execute(queued).one()
        session_id = db.execute(sa.select(sessions.c.id).where(sessions.c.chat_id == chat_id)).scalar_one()
        db.execute(
            sa.insert(session_transfers).values(
                id=transfer_id,
                company="demo",
                agent_group="main",
                session_id=session_id,
                chat_id=chat_id,
                person_id=person_id,
                purpose="Where to cook",
                source_runtime="nanoclaw",
                source_version="1",
                target_runtime="claude-ai",
                status="delivered",
                language="en",
                created_at=now(),
                delivered_at=now(),
                expires_at=now() + timedelta(hours=72),
            )
        )
    return transfer_id


def _rows(database_url: str, column: sa.ColumnElement[Any]) -> list[Any]:
    return _all(database_url, sa.select(column))


def _all(database_url: str, query: sa.Select[Any]) -> list[Any]:
    with _engine(database_url) as db:
        return list(db.execute(query).scalars())


@contextmanager
def _engine(database_url: str) -> Iterator[sa.Connection]:
    engine = sa.create_engine(database_url.replace("postgresql://", "postgresql+psycopg://"))
    try:
        with engine.begin() as db:
            yield db
    finally:
        engine.dispose()
