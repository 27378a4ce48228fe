"""The host is killed in each state of a transfer: it continues there, asks once, and delivers once."""

import json
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.crash.program import Program
from tests.crash.test_telegram import Stage, killed_later
from tests.package_scene import Packing
from tests.staging import KINDS, Kind, until
from tests.task_agent import TaskAgent

from nanoclaw.durable.tables import parcels, turns
from nanoclaw.durable.transfer_tables import session_transfers
from nanoclaw.testing import FarEnd, ModelServer, started_host
from nanoclaw.testing.model_parts import Asked
from nanoclaw.testing.telegram.chats import SeenMessage
from nanoclaw.testing.telegram.server import Call

pytestmark = pytest.mark.capability("B1", "B3", "L3")

_CARD = "May this conversation leave"


async def test_killed_in_each_state_it_goes_on_there(home: Path, database_url: str) -> None:
    async with killed_later(home, DATABASE_URL=database_url, AGENTS_RUNTIME="demo", DEMO_PACE="0") as stage:
        await stage.say("How much is the office plan?")
        await until(lambda: _rows(database_url, turns.c.state) == ["answered"])

        stage.kill_at(lambda call: _says(call, "Packing this conversation"), done=True)
        await stage.say("/export_session manual")
        await stage.program.wait_until_dead()  # asked for, and perhaps being packed
        stage.kill_at(lambda call: _says(call, _CARD), done=False)
        await stage.program.start()
        await stage.program.wait_until_dead()  # packed, and its card is not shown
        await stage.program.start()
        await stage.chat.wait_until(lambda: _cards(stage))

        stage.kill_at(lambda call: call.method == "answerCallbackQuery", done=False)
        await stage.owner.presses(_cards(stage)[-1], "📦 Send")
        await stage.program.wait_until_dead()  # released, and perhaps being delivered
        stage.kill_at(lambda call: call.method == "sendDocument", done=True)
        await stage.program.start()
        await stage.program.wait_until_dead()  # it has arrived, and the host does not know
        await stage.program.start()

        await until(lambda: _rows(database_url, session_transfers.c.status) == ["delivered"])
        sent = _rows(database_url, parcels.c.state, parcels.c.attachments.is_not(None))
        assert len(sent) == len([each for each in stage.chat.seen if each.file_name]) == 1
        assert len(_cards(stage)) <= 1
        [package] = (home / "data" / "transfers").glob("*/session_transfer/manifest.json")
        await stage.say("/transfer_cancel")
        await until(lambda: not package.exists())


@pytest.mark.attack
@pytest.mark.parametrize("kind", KINDS[:2], ids=lambda kind: kind.name)
async def test_what_was_written_when_it_was_killed_stays_unless_it_is_picked(kind: Kind, home: Path) -> None:
    """The turn has no end: nobody knows who else wrote before the next host began."""
    again = kind.bash("echo again > again.md")
    tool = kind.bash("echo cut > cut.md; echo > begun; exec sleep 600", timeout=600)

    def script(asked: Asked) -> Any:
        said = json.dumps(asked.messages)
        if "You were interrupted" not in said:
            return tool
        return "It is in cut.md and again.md" if "echo again" in said else again

    async with ModelServer(script) as server, FarEnd() as far_end:
        vendor = {"api_key": server.key, "base_url": server.url}
        runtime = str(kind.settings["agents"]["runtime"])
        program = Program(
            home,
            SCRIPTED_URL=far_end.url,
            ANTHROPIC_API_KEY=server.key,
            ANTHROPIC_BASE_URL=server.url,
            AGENTS_RUNTIME=runtime,
        )
        await program.start()
        await far_end.say("chat", "write it")
        await until((home / "groups" / "main" / "files" / "begun").exists)
        await program.die()
        settings: dict[str, Any] = {"scripted": {"url": far_end.url}, "anthropic": vendor}
        async with started_host(home, agents={"runtime": runtime}, **settings) as host:
            await far_end.wait_for("chat")
            packing = Packing(host, far_end, TaskAgent(), host.transfer_parts.packages)
            packed = await packing.pack()
    assert b"cut\n" not in packed.files.values()
    assert packed.artifact("again.md") == "again\n"
    [cut] = [each for each in packed.package.removed["unchosen"]["files"] if each["name"] == "cut.md"]
    assert cut["why"] == "cut"


def _says(call: Call, words: str) -> bool:
    return call.method in ("sendMessage", "editMessageText") and words in str(call.parameters.get("text", ""))


def _cards(stage: Stage) -> list[SeenMessage]:
    return [each for each in stage.chat.seen if each.buttons and _CARD in each.text]


def _rows(database: str, column: sa.Column[str], fits: sa.ColumnElement[bool] | None = None) -> list[str]:
    engine = sa.create_engine(database.replace("postgresql://", "postgresql+psycopg://"))
    try:
        with engine.connect() as db:
            return list(db.execute(sa.select(column).where(sa.true() if fits is None else fits)).scalars())
    finally:
        engine.dispose()
