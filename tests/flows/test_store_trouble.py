"""The database is deleted, replaced, overwritten or changed while the host runs: nothing is acknowledged any more."""

import asyncio
import os
import shutil
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
from tests.crash.program import Program
from tests.staging import until
from tests.task_agent import TaskAgent
from tests.telegram_scene import Scene, telegram_scene
from tests.typed import typing_in

from nanoclaw.durable.store import open_store
from nanoclaw.durable.tables import work
from nanoclaw.durable.work import TURN
from nanoclaw.host import store_watch
from nanoclaw.host.host import Host
from nanoclaw.host.settings import Web, read_settings
from nanoclaw.testing import FarEnd, ScriptedModel, started_host

pytestmark = pytest.mark.capability("A15", "L3")


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_watch, "LOOK_EVERY", 0.05)
    monkeypatch.setattr(store_watch, "REFRESH_EVERY", 0)


@asynccontextmanager
async def at_the_page(scene: Scene) -> AsyncIterator[httpx.AsyncClient]:
    headers = {"Authorization": f"Bearer {scene.host.token}"}
    async with httpx.AsyncClient(base_url=scene.host.url, headers=headers, timeout=60) as client:
        yield client


def delete(path: Path) -> None:
    for each in path.parent.glob(path.name + "*"):
        each.unlink()


def delete_wal(path: Path) -> None:
    path.with_name(path.name + "-wal").unlink()


def replace(path: Path) -> None:
    copy = path.with_name("copy")
    shutil.copyfile(path, copy)
    copy.replace(path)


def overwrite(path: Path) -> None:
    with path.open("r+b") as file:
        file.write(b"x" * 4096)


def cut_off(path: Path) -> None:
    """Without taking from it what the host reads next: only its end is missing."""
    os.truncate(path, path.stat().st_size - 4096)


def scramble(path: Path) -> None:
    """Every page but the first: the host itself still has them in memory."""
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(path.stat().st_size - 4096))


@pytest.mark.parametrize(
    ("harm", "code"),
    [
        (delete, "store-gone"),
        (delete_wal, "store-gone"),
        (replace, "store-gone"),
        (overwrite, "store-overwritten"),
        (cut_off, "store-overwritten"),
        (scramble, "store-ill"),
    ],
)
async def test_harm_is_noticed_nothing_is_acknowledged_and_the_owner_is_told(
    home: Path, monkeypatch: pytest.MonkeyPatch, harm: Callable[[Path], None], code: str
) -> None:
    if harm is scramble:  # nothing else notices it
        monkeypatch.setattr(store_watch, "CHECK_EVERY", 0.1)
    model = ScriptedModel()
    async with telegram_scene(home, model=model, language="uk") as scene, at_the_page(scene) as page:
        assert await scene.ask("hello") == ["ok"]
        assert (await page.get("/api/health")).json() == {"ok": True, "trouble": None, "code": None}
        await until(lambda: scene.host.alarm.knows_an_owner)  # who was paired a moment ago
        harm(home / "data" / "nanoclaw.db")
        await scene.chat.wait_until(lambda: "Хост нічого не може зберегти" in scene.chat.texts()[-1])
        health = (await page.get("/api/health")).json()
        assert (health["ok"], health["code"]) == (False, code)
        assert "nanoclaw restore" in health["trouble"]
        asked, told = len(model.asked), scene.chat.answers
        await scene.owner.says(scene.chat, "lost")
        polls = scene.server.counts["getUpdates"]
        await until(lambda: scene.server.counts["getUpdates"] > polls)
        assert scene.server.unconfirmed(scene.bot) == 1
        assert (len(model.asked), scene.chat.answers) == (asked, told)  # no answer, and no second alarm


async def test_a_workspace_that_had_a_database_never_starts_empty_in_silence(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    path, typed = home / "data" / "nanoclaw.db", typing_in(home, monkeypatch, capfd)
    async with started_host(home):
        pass
    delete(path)
    refused = [(await Program(home).command("up", "--no-chat"))]
    for words in (("status",), ("telegram", "aside"), ("doctor",)):
        printed = await typed(*words)
        refused.append((printed.code, printed.out + printed.err))
    for code, said in refused:
        assert code == 1
        assert f"{path}, is gone" in said
        assert "nanoclaw restore FILE" in said
        assert "up --new-database" in said
        assert "Traceback" not in said
    assert not path.exists()
    settings = read_settings(home).model_copy(update={"web": Web(port=0)})
    host = Host(home, settings, new_database=True)
    await host.start()
    await host.stop()
    assert (await typed("status")).code == 0


async def test_an_empty_postgres_database_is_refused_where_there_was_a_full_one(
    home: Path, postgres_url: str
) -> None:
    async with started_host(home, database={"url": postgres_url}):
        pass
    assert "postgres@" in (home / "data" / "database.json").read_text()
    store = open_store(postgres_url)
    with store.engine.begin() as tx:
        tx.exec_driver_sql("DROP SCHEMA public CASCADE")
        tx.exec_driver_sql("CREATE SCHEMA public")
    code, printed = await Program(home, DATABASE_URL=postgres_url).command("status")
    assert code == 1
    assert "is empty, and this workspace had messages in it" in printed
    with store.engine.connect() as tx:
        assert sa.inspect(tx).get_table_names() == []
    store.close()


async def test_a_host_stops_when_another_version_has_changed_the_database(home: Path) -> None:
    program = Program(home)
    running = asyncio.create_task(program.command("up", "--no-chat"))
    await until(lambda: (home / "data" / "host.json").exists() or running.done())
    with closing(sqlite3.connect(home / "data" / "nanoclaw.db")) as newer:
        newer.execute("UPDATE alembic_version SET version_num = '9999'")
        newer.commit()
    code, printed = await running
    assert code == 1
    assert "Another version of NanoClaw OS has changed the database (it is at 9999 now" in printed
    assert "Traceback" not in printed


async def test_nothing_is_acknowledged_on_a_foreign_schema(home: Path, database_url: str) -> None:
    settings = {"database": {"url": database_url}}
    async with telegram_scene(home, model=ScriptedModel(), **settings) as scene:  # type: ignore[arg-type]
        await scene.host.store.write(
            lambda tx: tx.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
        )
        await until(lambda: scene.host.unfit is not None)
        await scene.owner.says(scene.chat, "lost")
        polls = scene.server.counts["getUpdates"]
        await until(lambda: scene.server.counts["getUpdates"] > polls)
        assert scene.server.unconfirmed(scene.bot) == 1


async def test_an_error_of_the_schema_is_no_outage_and_makes_nobody_deaf(home: Path) -> None:
    async with telegram_scene(home, model=ScriptedModel()) as scene:
        await scene.host.store.write(
            lambda tx: tx.exec_driver_sql("ALTER TABLE scheduled_tasks DROP COLUMN told")
        )
        await scene.owner.says(scene.chat, "/schedule tomorrow at 9 say hello")
        aside = await scene.set_aside(1)
        assert "told" in aside[0].error
        await scene.owner.says(scene.chat, "hello")
        await scene.chat.wait_until(lambda: "ok" in scene.chat.texts())
        assert scene.host.store.condition.trouble is None


async def test_a_turn_whose_tool_meets_an_outage_is_tried_again(home: Path, postgres_url: str) -> None:
    """Nobody reads that something went wrong: the database is back before long."""
    agent, put_back = TaskAgent(), sa.select(work.c.error).where(work.c.kind == TURN)
    agent.does("Tell the shop", agent.call("send_message", text="Soup is ready"), "Told.")
    held = agent.holds("Tell the shop")
    database = {"url": postgres_url, "timeout": 1}
    async with (
        FarEnd() as far_end,
        started_host(home, model=agent, database=database, scripted={"url": far_end.url}) as host,
    ):
        await far_end.say("chat", "Tell the shop")
        await held.until_begun()
        engine = sa.create_engine(postgres_url, poolclass=sa.NullPool)
        with engine.connect() as other:
            other.exec_driver_sql("LOCK TABLE parcels IN ACCESS EXCLUSIVE MODE")
            held.go_on()

            async def is_put_back() -> bool:
                return bool(await host.store.read(lambda tx: tx.execute(put_back).scalar()))

            await until(is_put_back)
        assert await far_end.wait_for("chat", 2) == ["Soup is ready", "Told."]
