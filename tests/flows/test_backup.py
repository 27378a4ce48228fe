"""A backup is made while the host works, checked, and brought back; then everything waits for a person's word."""

import asyncio
import errno
import gzip
import io
import json
import os
import pty
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from tests.crash.program import Program
from tests.delivery_scene import Stepwise
from tests.staging import until
from tests.telegram_scene import back_again, telegram_scene
from tests.typed import Typed, typing_in

from nanoclaw.app.backup.packing import packed
from nanoclaw.app.wiring import Host
from nanoclaw.domain.errors import Refused
from nanoclaw.durable import notes, schema, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx, open_store
from nanoclaw.durable.tables import SCHEMA_VERSION, inbox, metadata, parcels, task_run_logs
from nanoclaw.durable.tables import work as work_rows
from nanoclaw.testing import FarEnd, ScriptedModel, Sent, made_database, started_host

pytestmark = pytest.mark.capability("O2")

SECRETS = {"key": "sk-very-secret-1234", "bot": "42:AAbot-token-secret", "mcp": "mcp-header-secret"}


@pytest.fixture
def typed(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    (home / "data").mkdir(exist_ok=True)
    return typing_in(home, monkeypatch, capfd)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "backup.tar.gz"


def unpacked(file: Path) -> dict[str, bytes]:
    with tarfile.open(file) as tar:
        files = [member for member in tar if member.isreg()]
        return {member.name: (tar.extractfile(member) or BytesIO()).read() for member in files}


def packed_anew(file: Path, change: Callable[[str, bytes], bytes | None]) -> None:
    """The same backup with other content; None leaves a member out."""
    fresh = BytesIO()
    with tarfile.open(fileobj=fresh, mode="w:gz") as tar:
        for name, content in unpacked(file).items():
            if (body := change(name, content)) is not None:
                info = tarfile.TarInfo(name)
                info.size = len(body)
                tar.addfile(info, BytesIO(body))
    file.write_bytes(fresh.getvalue())


def rows_in(url: str) -> dict[str, set[str]]:
    """Every row of every table that a restore leaves as it was."""
    changed = {"hosts", "work", "parcels", "notes", "timeline"}
    store = open_store(url)
    try:
        with store.engine.connect() as tx:
            return {
                table.name: {repr(tuple(row)) for row in tx.execute(sa.select(table, *_absences(table)))}
                for table in metadata.sorted_tables
                if table.name not in changed
            }
    finally:
        store.close()


def _absences(table: sa.Table) -> list[sa.ColumnElement[bool]]:
    """Of a column of JSON: that there is nothing is not the same as null, and looks the same when it is read."""
    return [column.is_(sa.null()) for column in table.columns if isinstance(column.type, sa.JSON)]


def contents_of(home: Path) -> dict[str, bytes]:
    """What people and agents wrote."""
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in sorted(home.rglob("*"))
        if path.is_file()
        and not path.is_symlink()
        and path.relative_to(home).parts[0] not in ("data", ".git")
    }


async def ended(host: Host, count: int) -> None:
    async def look() -> int:
        done = sa.select(sa.func.count()).select_from(inbox).where(inbox.c.end.is_not(None))
        return int(await host.store.read(lambda tx: tx.execute(done).scalar_one()))

    async with asyncio.timeout(60):
        while await look() < count:
            await asyncio.sleep(0.01)


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
        await ended(host, 31)
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
    for number in range(10):
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


async def test_the_passphrase_is_asked_for_twice_and_not_echoed(home: Path, file: Path) -> None:
    made_database(home / "data" / "nanoclaw.db")
    person, terminal = pty.openpty()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "nanoclaw", "backup", str(file), "--with-keys"),
        env=Program(home).environment,
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        start_new_session=True,
    )
    os.close(terminal)
    printed = b""
    for question in (b"Passphrase", b"again"):
        while question not in printed:  # whatever is typed before it would be thrown away
            printed += await asyncio.to_thread(os.read, person, 1000)
        os.write(person, b"correct horse battery\n")
    with suppress(OSError):  # its end
        while piece := await asyncio.to_thread(os.read, person, 1000):
            printed += piece
    assert await process.wait() == 0
    os.close(person)
    assert b"horse" not in printed
    assert "keys.encrypted" in unpacked(file)


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
    async with httpx.AsyncClient(base_url=host.url, headers=headers, timeout=30) as client:
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
            ends = await host.store.read(lambda tx: list(tx.execute(sa.select(inbox.c.end)).scalars()))
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


async def test_a_file_that_is_not_sound_is_refused_and_nothing_is_changed(
    home: Path, file: Path, typed: Typed
) -> None:
    async with started_host(home):
        pass
    await typed("backup", str(file))
    sound, before = file.read_bytes(), contents_of(home)

    def altered(name: str, content: bytes) -> bytes:
        return b"other words" if name.endswith("core_identity.md") else content

    def newer(name: str, content: bytes) -> bytes:
        return content.replace(f'"{SCHEMA_VERSION}"'.encode(), b'"9999"') if name == "about.json" else content

    def incomplete(name: str, content: bytes) -> bytes | None:
        return None if name.endswith("pricing.md") else content

    def emptied(name: str, content: bytes) -> bytes:
        return b"" if name == "database.db" else content

    def forged(name: str, content: bytes) -> bytes:
        return content.replace(b'"people":1', b'"people":7') if name == "manifest.json" else content

    cases: list[tuple[str, Callable[[], object]]] = [
        ("core_identity.md is not what it was", lambda: packed_anew(file, altered)),
        ("made by a newer version", lambda: packed_anew(file, newer)),
        ("pricing.md is missing", lambda: packed_anew(file, incomplete)),
        ("database.db is not what it was", lambda: packed_anew(file, emptied)),
        ("database.db is not what it was", lambda: packed_anew(file, forged)),
        ("is not whole, or damaged", lambda: file.write_bytes(sound[: len(sound) // 2])),
        ("is not whole, or damaged", lambda: file.write_bytes(sound[:-4])),
        ("is not a backup", lambda: file.write_bytes(b"something else")),
        ("is not a backup", lambda: file.write_bytes(gzip.compress(b"something else"))),
        ("There is no file", file.unlink),
    ]
    for sentence, spoil in cases:
        file.write_bytes(sound)
        spoil()
        for words in (("backup", "verify"), ("restore", "--yes")):
            refused = await typed(*words, str(file))
            assert (refused.code, sentence in refused.err) == (1, True), (sentence, refused)
    assert contents_of(home) == before
    assert list(home.parent.glob("*before-restore*")) == []
    file.write_bytes(sound)
    assert (await typed("backup", "verify", str(file))).code == 0


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


def put_secrets(home: Path) -> None:
    data = home / "data"
    (data / "keys.json").write_text(json.dumps({"anthropic": SECRETS["key"]}))
    (data / "bots.json").write_text(json.dumps({"42": SECRETS["bot"]}))
    (data / "mcp.json").write_text(
        json.dumps({"drive": {"url": "https://x", "headers": {"A": SECRETS["mcp"]}}})
    )
    with (home / "nanoclaw.toml").open("a") as settings:
        settings.write(f'\n[anthropic]\napi_key = "{SECRETS["key"]}"\n')


async def test_keys_are_not_in_a_backup_in_any_form(home: Path, file: Path, typed: Typed) -> None:
    made_database(home / "data" / "nanoclaw.db")
    put_secrets(home)
    (home / "data" / "web-token").write_text("web-token-secret")
    made = (await typed("backup", str(file), "--json")).json()
    assert made["taken_out"] == ["anthropic.api_key"]
    assert file.stat().st_mode & 0o777 == 0o600
    inside = unpacked(file)
    everything = b"\n".join(inside.values())
    for secret in (*SECRETS.values(), "web-token-secret"):
        assert secret.encode() not in everything + file.read_bytes()

    settings = (home / "nanoclaw.toml").read_text()
    await typed("restore", str(file), "--yes")  # those of the workspace stay
    assert (home / "nanoclaw.toml").read_text() == settings
    assert SECRETS["bot"] in (home / "data" / "bots.json").read_text()
    shutil.rmtree(home)
    restored = (await typed("restore", str(file), "--json")).json()
    assert restored["taken_out"] == ["anthropic.api_key"]
    assert 'api_key = ""' in (home / "nanoclaw.toml").read_text()
    assert not (home / "data" / "keys.json").exists()


async def test_keys_are_recovered_with_the_passphrase_alone(
    home: Path, file: Path, typed: Typed, tmp_path: Path
) -> None:
    made_database(home / "data" / "nanoclaw.db")
    put_secrets(home)
    kept = {name: (home / name).read_bytes() for name in ("nanoclaw.toml", "data/keys.json", "data/mcp.json")}
    right, wrong = tmp_path / "right", tmp_path / "wrong"
    right.write_text("correct horse battery\n")
    wrong.write_text("incorrect horse\n")
    (tmp_path / "short").write_text("abc\n")
    assert "at least 8" in (await typed("backup", "--passphrase-file", str(tmp_path / "short"))).err
    assert "--passphrase-file" in (await typed("backup", "--with-keys")).err  # nobody can be asked
    assert (await typed("backup", str(file), "--with-keys", "--passphrase-file", str(right))).code == 0
    everything = b"\n".join(unpacked(file).values())
    assert not any(secret.encode() in everything for secret in SECRETS.values())

    shutil.rmtree(home)
    refused = await typed("restore", str(file), "--passphrase-file", str(wrong))
    assert (refused.code, "not the passphrase" in refused.err) == (1, True)
    assert not home.exists()
    assert (await typed("restore", str(file), "--without-keys")).code == 0
    assert not (home / "data" / "keys.json").exists()
    assert (await typed("restore", str(file), "--yes", "--passphrase-file", str(right))).code == 0
    assert {name: (home / name).read_bytes() for name in kept} == kept
    assert (home / "data" / "keys.json").stat().st_mode & 0o777 == 0o600


async def due(host: Host, kind: str) -> timedelta | None:
    query = sa.select(work_rows.c.due_at).where(work_rows.c.kind == kind)
    at = await host.store.read(lambda tx: tx.execute(query).scalar())
    return at and at - now()


async def back_up_now(host: Host) -> None:
    def story(tx: Tx) -> None:
        tx.execute(sa.update(work_rows).where(work_rows.c.kind == "backup").values(due_at=now()))

    await host.store.write(story)
    host.engine.kick("backup", "workspace")


async def test_the_host_makes_one_by_itself_and_keeps_the_newest(
    home: Path, database_url: str, typed: Typed
) -> None:
    folder = home / "data" / "backups"
    folder.mkdir(parents=True)
    old = [f"nanoclaw-2026-01-0{day}T00-00-00.tar.gz" for day in (1, 2, 3)]
    for name in (*old, "mine.tar.gz", "nanoclaw-notes.txt"):
        (folder / name).write_bytes(b"")
    settings: dict[str, Any] = {"backup": {"keep": 2}, "database": {"url": database_url}}
    async with started_host(home, **settings) as host:
        first = await due(host, "backup")
        assert first is not None
        assert timedelta(minutes=3) < first < timedelta(minutes=6)
        await back_up_now(host)
        noted: dict[str, object] = {}

        async def look() -> bool:
            noted.update(await host.store.read(lambda tx: notes.read(tx, "backup")) or {})
            return bool(noted)

        async with asyncio.timeout(60):
            while not await look():
                await asyncio.sleep(0.01)
        again = await due(host, "backup")
        assert again is not None
        assert timedelta(hours=23) < again < timedelta(hours=25)
    made = Path(str(noted["file"]))
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [old[2], made.name, "mine.tar.gz", "nanoclaw-notes.txt"]
    )
    assert (await typed("backup", "verify", str(made))).code == 0
    async with started_host(home, **settings) as host:  # not again because of a start
        later = await due(host, "backup")
        assert later is not None
        assert later > timedelta(hours=22)


async def test_owners_are_told_when_it_cannot_be_made_and_it_is_tried_again(home: Path) -> None:
    async with started_host(home, backup={"folder": "nanoclaw.toml/backups"}) as host:
        await back_up_now(host)
        said = sa.select(parcels.c.text).where(parcels.c.text.contains("No backup could be made"))

        async def look() -> list[str]:
            return list(await host.store.read(lambda tx: tx.execute(said).scalars().all()))

        async with asyncio.timeout(60):
            while not await look():
                await asyncio.sleep(0.01)
        again = await due(host, "backup")
        assert again is not None
        assert timedelta(minutes=50) < again < timedelta(minutes=70)


async def test_the_doctor_complains_when_there_is_none_or_it_is_old(home: Path, typed: Typed) -> None:
    async with started_host(home):
        pass

    async def says() -> tuple[bool | None, str]:
        printed = json.loads((await typed("doctor", "--json")).out)
        [found] = [each for each in printed["findings"] if each["check"] == "backup"]
        return found["ok"], found["sentence"]

    is_good, sentence = await says()
    assert (is_good, "no backup yet" in sentence) == (None, True)
    with sqlite3.connect(home / "data" / "nanoclaw.db") as aged:
        aged.execute("UPDATE people SET created_at = '2026-01-01 00:00:00'")
    aged.close()
    assert await says() == (False, "There is no backup. Make one with: nanoclaw backup")
    await typed("backup")
    assert (await says())[0] is True
    [made] = (home / "data" / "backups").iterdir()
    made.rename(made.with_name("nanoclaw-2026-01-01T00-00-00.tar.gz"))
    is_good, sentence = await says()
    assert (is_good, "hours old" in sentence) == (False, True)
    (home / "data" / "backups" / "nanoclaw-2026-02-01T00-00-00.tar.gz").write_bytes(b"cut")
    is_good, sentence = await says()
    assert (is_good, "cannot be read" in sentence) == (False, True)


async def test_what_a_box_planted_leads_nowhere(home: Path, file: Path, typed: Typed, tmp_path: Path) -> None:
    made_database(home / "data" / "nanoclaw.db")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret").write_text("outside-secret")
    planted = home / "groups" / "main" / "files"
    planted.mkdir(parents=True, exist_ok=True)
    (planted / "away").symlink_to(tmp_path / "outside")
    (planted / "near").symlink_to("note.txt")
    (planted / "note.txt").write_text("a note")
    (planted / b"odd \xff name".decode("utf-8", "surrogateescape")).write_text("odd")
    subprocess.run(["mkfifo", str(planted / "pipe")], check=True)
    made = (await typed("backup", str(file), "--json")).json()
    assert made["skipped"] == {"groups/main/files/pipe": "not-a-file"}
    assert b"outside-secret" not in b"".join(unpacked(file).values())
    shutil.rmtree(home)
    restored = (await typed("restore", str(file), "--json")).json()
    assert restored["skipped"] == ["workspace/groups/main/files/away"]
    assert (planted / "near").readlink() == Path("note.txt")
    assert (planted / b"odd \xff name".decode("utf-8", "surrogateescape")).read_text() == "odd"


async def test_a_file_that_is_there_is_not_overwritten_and_a_full_disk_leaves_nothing(
    home: Path, file: Path, typed: Typed
) -> None:
    made_database(home / "data" / "nanoclaw.db")
    file.write_text("mine")
    assert (await typed("backup", str(file))).code == 1
    assert file.read_text() == "mine"
    fresh = file.with_name("fresh.tar.gz")

    def fill_the_disk() -> None:
        with packed(fresh, threading.Event()) as packing:
            packing.add_bytes("begun", b"some bytes")
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(Refused, match="backup-disk-full"):
        fill_the_disk()
    assert list(file.parent.glob("fresh*")) == []
