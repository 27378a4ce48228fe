"""The host is killed in each state of a transfer: it continues there, asks once, and delivers once."""

from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.crash.test_telegram import Stage, killed_later
from tests.staging import until

from nanoclaw.durable.tables import parcels, turns
from nanoclaw.durable.transfer_tables import session_transfers
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
