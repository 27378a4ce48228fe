"""What a backup holds is brought back; then everything waits for a person's word, and nothing is sent twice."""

import asyncio
import io
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from tests.backup_scene import contents_of, ended, rows_in, unpacked
from tests.crash.program import Program
from tests.delivery_scene import Stepwise
from tests.staging import until
from tests.telegram_scene import back_again, telegram_scene
from tests.typed import Typed, typing_in

from nanoclaw.durable import schema, work
from nanoclaw.durable.store import open_store
from nanoclaw.durable.tables import SCHEMA_VERSION, session_queue, task_run_logs
from nanoclaw.host.host import Host
from nanoclaw.testing import FarEnd, ScriptedModel, Sent, made_database, started_host

pytestmark = pytest.mark.capability("O2")


@pytest.fixture
def typed(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    (home / "data").mkdir(exist_ok=True)
    return typing_in(home, monkeypatch, capfd)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "backup.tar.gz"


@pytest.mark.parametrize(
    ("source", "target"),
    [("sqlite", "sqlite"), ("postgres", "postgres"), ("sqlite", "postgres"), ("postgres", "sqlite")],
)
async def test_a_backup_made_at_work_is_brought_back_on_an_emptied_machine(
    source: str,
    target: str,
    home: Path,
    file: Path,
    typed: Typed,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def url_of(kind: str) -> str:
        own = f"sqlite:///{home / 'data' / 'nanoclaw.db'}"
        return str(request.getfixturevalue("postgres_url")) if kind == "postgres" else own

    monkeypatch.setenv("NANOCLAW_DATABASE_URL", url_of(source))
    if source == "sqlite":
        made_database(home / "data" / "nanoclaw.db")
    (home / "groups" / "main" / "files").mkdir(parents=True, exist_ok=True)
    (home / "groups" / "main" / "files" / "report.txt").write_text("from an agent")
    model = ScriptedModel(lambda asked: [f"You said: {asked.prompt[-60:]}"])
    async with FarEnd() as far_end, started_host(home, model=model, scripted={"url": far_end.url}) as host:
        await far_end.say("chat0", "first")
        await far_end.wait_for("chat0")
        task = (await typed("tasks", "add", "every day 8:00", "send me the news", "--json")).json()
        busy = asyncio.create_task(talk(far_end))
        made = (await typed("backup", str(file), "--json")).json()
        assert made["rows"] > 0
        await busy
        await ended(host, 13)
    before = contents_of(home)
    assert (await typed("backup", "verify", str(file), "--json")).json()["ok"] is True

    shutil.rmtree(home)
    monkeypatch.setenv("NANOCLAW_DATABASE_URL", url_of(target))
    words = ["--yes"] if (source, target) == ("postgres", "postgres") else []  # it still has rows
    restored = (await typed("restore", str(file), *words, "--json")).json()
    assert restored["waits"]["turns"] >= 0
    assert contents_of(home) == before
    assert subprocess.run(["git", "-C", str(home), "fsck", "--strict"], capture_output=True).returncode == 0

    copy = file.with_suffix(".db")
    copy.write_bytes(unpacked(file)["database.db"])
    assert rows_in(url_of(target)) == rows_in(f"sqlite:///{copy}")
    resumed = (await typed("resume", "--json")).json()
    assert resumed["was_held"] is True
    async with FarEnd() as far_end, started_host(home, model=model, scripted={"url": far_end.url}):
        await far_end.say("chat0", "and now?")
        await until(lambda: any("and now?" in text for text in far_end.said_to("chat0")))
        later = (await typed("tasks", "add", "every day 9:00", "send me more", "--json")).json()
        assert later["id"] == task["id"] + 1
    told = (await typed("audit", "verify", "--json")).json()
    assert told["ok"] is True, told


async def talk(far_end: FarEnd) -> None:
    for number in range(4):
        for chat in range(3):
            await far_end.say(f"chat{chat}", f"message {number}")
        await asyncio.sleep(0)


async def test_what_is_there_is_moved_aside_and_never_deleted(home: Path, file: Path, typed: Typed) -> None:
    async with started_host(home):
        pass
    assert (await typed("backup", str(file))).code == 0
    (home / "groups" / "later.txt").write_text("written after the backup")
    with sqlite3.connect(home / "data" / "nanoclaw.db") as changed:
        changed.execute("UPDATE people SET name = 'Changed later'")
    changed.close()
    (home / "data" / "nanoclaw.db-wal").write_bytes(b"the log of another database")

    refused = await typed("restore", str(file))
    assert refused.code == 1
    assert "--yes" in refused.err
    assert (home / "groups" / "later.txt").exists()

    restored = (await typed("restore", str(file), "--yes", "--json")).json()
    [aside] = map(Path, restored["aside"])
    assert aside.parent == home.parent
    assert (aside / "groups" / "later.txt").read_text() == "written after the backup"
    assert (aside / "data" / "nanoclaw.db-wal").read_bytes() == b"the log of another database"
    assert not (home / "groups" / "later.txt").exists()
    assert sorted(path.name for path in (home / "data").glob("nanoclaw.db*")) == ["nanoclaw.db"]
    with sqlite3.connect(home / "data" / "nanoclaw.db") as now_there:
        assert now_there.execute("SELECT name FROM people").fetchall() == [("Owner",)]
        assert now_there.execute("PRAGMA user_version").fetchone() == (0,)
    now_there.close()


async def test_it_is_moved_into_the_data_folder_where_it_cannot_be_beside_it(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The workspace has so long a name that no longer one can be made. Its database is somewhere else."""
    long, file, database = (
        home.rename(tmp_path / ("x" * 250)),
        tmp_path / "b.tar.gz",
        tmp_path / "db" / "its.db",
    )
    monkeypatch.setenv("NANOCLAW_DATABASE_URL", made_database(database))
    typed = typing_in(long, monkeypatch, capfd)
    assert (await typed("backup", str(file))).code == 0
    (long / "later.txt").write_text("written after the backup")
    database.with_name("its.db-wal").write_bytes(b"the log of another database")
    restored = (await typed("restore", str(file), "--yes", "--json")).json()
    aside, kept = map(Path, restored["aside"])
    assert aside.parent == long / "data"
    assert (aside / "later.txt").read_text() == "written after the backup"
    assert kept.with_name(f"{kept.name}-wal").read_bytes() == b"the log of another database"
    assert sorted(path.name for path in database.parent.iterdir()) == [
        "its.db",
        kept.name,
        f"{kept.name}-wal",
    ]
    again = (await typed("restore", str(file), "--yes", "--json")).json()  # what was aside stays there
    assert (aside / "later.txt").exists()
    assert Path(again["aside"][0]) != aside


async def test_someone_at_a_terminal_is_asked_first(
    home: Path, file: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    made_database(home / "data" / "nanoclaw.db")
    assert (await typed("backup", str(file))).code == 0
    monkeypatch.setattr(sys, "stdin", Terminal("n\n"))
    kept = await typed("restore", str(file))
    assert (kept.code, kept.out) == (1, "")
    assert kept.err.endswith("Go on? y/N Nothing was changed.\n")
    assert list(home.parent.glob("*before-restore*")) == []
    monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
    assert "What was there is kept in" in (await typed("restore", str(file))).out


async def test_a_message_to_a_held_host_is_kept_and_the_command_does_not_wait(
    home: Path, file: Path, typed: Typed
) -> None:
    made_database(home / "data" / "nanoclaw.db")
    await typed("backup", str(file))
    await typed("restore", str(file), "--yes")
    program = Program(home, DEMO_PACE="0")
    code, printed = await program.command("chat", "-m", "How much is the office plan?")
    assert code == 2
    assert "Everything is held after a restore" in printed
    assert "The message is kept" in printed
    await typed("resume")
    async with started_host(home) as host:
        await ended(host, 1)


async def test_a_restore_beside_a_running_host_is_refused(
    home: Path, file: Path, database_url: str, typed: Typed, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NANOCLAW_DATABASE_URL", database_url)
    async with started_host(home):
        assert (await typed("backup", str(file))).code == 0
        refused = await typed("restore", str(file), "--yes")
        assert (refused.code, "Stop it first" in refused.err) == (1, True)
        monkeypatch.setenv("NANOCLAW_HOME", str(tmp_path / "elsewhere"))
        if database_url.startswith("postgres"):  # also from a workspace on which none runs
            refused = await typed("restore", str(file), "--yes")
            assert (refused.code, "One host uses this database" in refused.err) == (1, True)


async def test_nothing_is_sent_a_second_time_unasked(home: Path, file: Path, typed: Typed) -> None:
    """The answer was delivered after the backup was made, on a network that does not recognise a repeat."""
    reached, let_go = asyncio.Event(), asyncio.Event()

    async def wait(_: Sent) -> None:
        reached.set()
        await let_go.wait()

    async with FarEnd(repeatable=False) as far_end:
        settings = {"url": far_end.url, "repeatable": False}
        far_end.on_send = wait
        async with started_host(home, model=ScriptedModel("the answer"), scripted=settings):
            await far_end.say("chat", "hello")
            async with asyncio.timeout(60):
                await reached.wait()
            assert (await typed("backup", str(file))).code == 0
            let_go.set()
            await far_end.wait_for("chat")
        far_end.on_send = None
        restored = (await typed("restore", str(file), "--yes", "--json")).json()
        assert restored["waits"]["parcels"] == 1

        async with started_host(home, model=ScriptedModel("after it"), scripted=settings) as host:
            await far_end.say("chat", "are you there?")
            await until(lambda: far_end.unconfirmed == 0)  # it was stored, and waits
            await says_held(host)
            status = (await typed("status", "--json")).json()
            assert status["held"] == {"turns": 1, "tasks": 0, "parcels": 1}
            assert far_end.sends == 1
            assert (await typed("resume")).code == 0
            assert await far_end.wait_for("chat", 2) == ["the answer", "after it"]
            [failed] = (await typed("failed", "list", "--json")).json()
            assert (failed["text"], failed["error"]) == ("the answer", {"error": "restored"})
            assert "may have arrived since" in (await typed("why", failed["message_id"])).out
            assert (await typed("failed", "retry", failed["id"])).code == 0
            host.engine.kick(work.DELIVERY, failed["chat_id"])  # or the sweep would, in a few seconds
            assert await far_end.wait_for("chat", 3) == ["the answer", "after it", "the answer"]
        assert (await typed("resume")).out == "Nothing is held.\n"


async def says_held(host: Host) -> None:
    headers = {"Authorization": f"Bearer {host.token}"}
    async with httpx.AsyncClient(base_url=host.url, headers=headers, timeout=60) as client:
        assert (await client.get("/healthz")).text == "held"
        assert (await client.get("/api/status")).json()["held"] is True
        assert "Everything is held after a restore" in (await client.get("/")).text


async def test_turns_that_were_waiting_go_on_or_are_given_up(home: Path, file: Path, typed: Typed) -> None:
    async with FarEnd() as far_end:
        asked = ScriptedModel()
        asked.hold()
        async with started_host(home, model=asked, scripted={"url": far_end.url}):
            for chat in ("one", "two"):
                await far_end.say(chat, "hello")
            await asked.wait_for_calls(2)
            await far_end.say("one", "and more")
            await until(lambda: far_end.unconfirmed == 0)
            assert (await typed("backup", str(file))).code == 0
            asked.go_on()
            await far_end.wait_for("one", 1)
            await far_end.wait_for("two", 1)

    async with FarEnd() as far_end:  # nobody has heard anything there yet
        await typed("restore", str(file), "--yes")
        again = ScriptedModel("again")
        async with started_host(home, model=again, scripted={"url": far_end.url}):
            await typed("resume")
            assert await far_end.wait_for("one") == ["again"]
            assert await far_end.wait_for("two") == ["again"]

    async with FarEnd() as far_end:
        await typed("restore", str(file), "--yes")
        fresh = ScriptedModel("fresh")
        async with started_host(home, model=fresh, scripted={"url": far_end.url}) as host:
            await far_end.say("one", "new")
            await until(lambda: far_end.unconfirmed == 0)
            assert "are given up (2)" in (await typed("resume", "--drop")).out
            assert await far_end.wait_for("one") == ["fresh"]
            await ended(host, 4)
            ends = await host.store.read(
                lambda tx: list(tx.execute(sa.select(session_queue.c.end)).scalars())
            )
        assert sorted(ends) == ["answered", "stopped", "stopped", "stopped"]
        assert len(fresh.asked) == 1
        assert far_end.said_to("two") == []


async def test_telegram_hears_nothing_of_a_restored_host_before_a_person_says_go(
    home: Path, file: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the answer that was growing when the backup was made, nor what is asked for now."""
    model = Stepwise("The first half. ", "The second half.")
    spoken = ("sendMessage", "editMessageText", "deleteMessage", "sendChatAction")
    async with telegram_scene(home, model=model) as scene:
        monkeypatch.setenv("NANOCLAW_HOME", str(home))
        await scene.owner.says(scene.chat, "hello")
        await scene.chat.wait_until(lambda: any("first half" in message.text for message in scene.chat.seen))
        assert (await typed("backup", str(file))).code == 0
        model.go_on()
        await scene.chat.wait_until(lambda: any("second half" in message.text for message in scene.chat.seen))
        await scene.host.stop()
        await typed("restore", str(file), "--yes")
        before = len(scene.server.calls)
        async with back_again(home, scene, model=ScriptedModel("after it")) as later:
            asked = await later.owner.says(later.chat, "are you there?")
            await later.why(asked, "waiting")
            assert not [call for call in list(scene.server.calls)[before:] if call.method in spoken]
            await typed("resume", "--drop")
            await later.why(asked, "answered")
            await later.chat.wait_until(lambda: later.last().text == "after it")
            told = [message.text for message in scene.chat.seen if message.by_bot]
            assert told[-2:] == ["The first half. The second half.", "after it"]


async def test_a_task_waits_too_and_then_catches_up_as_it_says(home: Path, file: Path, typed: Typed) -> None:
    async with started_host(home):
        added = await typed("tasks", "add", "every day 8:00", "send me the news", "--catch-up", "latest")
        assert added.code == 0, added.err
    assert (await typed("backup", str(file))).code == 0
    await typed("restore", str(file), "--yes")
    with sqlite3.connect(home / "data" / "nanoclaw.db") as aged:  # three days have gone by
        aged.execute("UPDATE scheduled_tasks SET next_run_at = datetime(next_run_at, '-3 days')")
        aged.execute("UPDATE work SET due_at = datetime(due_at, '-3 days') WHERE kind = 'task'")
    aged.close()
    async with FarEnd() as far_end, started_host(home, scripted={"url": far_end.url}) as host:
        await far_end.say("chat", "hello")
        await until(lambda: far_end.unconfirmed == 0)
        runs = sa.select(task_run_logs.c.reason, task_run_logs.c.status)

        async def look() -> list[tuple[str, str]]:
            return [
                (row.reason, row.status) for row in await host.store.read(lambda tx: tx.execute(runs).all())
            ]

        assert await look() == []
        assert (await typed("status", "--json")).json()["held"] == {"turns": 1, "tasks": 1, "parcels": 0}
        await typed("resume")
        async with asyncio.timeout(60):
            while "success" not in [status for _, status in await look()]:
                await asyncio.sleep(0.01)
        assert [status for _, status in await look()].count("success") == 1


async def test_a_copy_of_an_older_schema_is_brought_up_to_date(home: Path, file: Path, typed: Typed) -> None:
    path = home / "data" / "nanoclaw.db"
    store = open_store(f"sqlite:///{path}")
    with store.engine.begin() as tx:
        config = Config()
        config.set_main_option("script_location", str(schema.MIGRATIONS))
        config.attributes["connection"] = tx
        command.upgrade(config, "0006")
        tx.exec_driver_sql(
            "INSERT INTO people (id, handle, name, role, created_at) "
            "VALUES ('p_1', 'local', 'Old', 'owner', '2026-01-01 00:00:00')"
        )
    store.close()
    assert (await typed("backup", str(file))).code == 0
    assert (await typed("restore", str(file), "--yes")).code == 0
    with sqlite3.connect(path) as restored:
        assert restored.execute("SELECT version_num FROM alembic_version").fetchone() == (SCHEMA_VERSION,)
        assert restored.execute("SELECT name FROM people").fetchone() == ("Old",)
    restored.close()
