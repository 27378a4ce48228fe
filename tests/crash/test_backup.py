"""A restore is killed in its middle, a backup is made of a host in another process: nothing is lost or half there."""

import asyncio
import multiprocessing
import os
import signal
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.crash.program import Program
from tests.staging import until
from tests.typed import typing_in

from nanoclaw.durable.store import open_store
from nanoclaw.durable.tables import people
from nanoclaw.host.backup import database, placement, restore, verification
from nanoclaw.testing import FarEnd, started_host

pytestmark = pytest.mark.capability("O2")

QUESTION = "How much is the office plan?"


def restore_and_die(home: str, file: str, moves: int) -> None:
    """What the process does: it is killed before it moves so many things."""
    move, left = placement._move, [moves]

    def count(source: Path, target: Path) -> None:
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1
        move(source, target)

    placement._move = count
    listed = verification.sound(Path(file))
    restore.restore(Path(home), Path(file), listed, passphrase=None, is_sure=lambda: True)


def fill_and_die(home: str, file: str, url: str) -> None:
    """The same in the middle of the transaction that fills PostgreSQL."""
    os.environ["NANOCLAW_DATABASE_URL"] = url
    database._go_on_counting = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    listed = verification.sound(Path(file))
    restore.restore(Path(home), Path(file), listed, passphrase=None, is_sure=lambda: True)


async def names_in(url: str) -> list[str]:
    store = open_store(url)
    try:
        return await store.read(lambda tx: list(tx.execute(sa.select(people.c.name)).scalars()))
    finally:
        store.close()


@pytest.mark.parametrize("moves", [3, 8, 12])
async def test_a_restore_that_was_killed_is_mended_by_the_next_one(
    moves: int, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    typed = typing_in(home, monkeypatch, capfd)
    file, url = tmp_path / "b.tar.gz", f"sqlite:///{home / 'data' / 'nanoclaw.db'}"
    async with started_host(home):
        assert (await typed("backup", str(file))).code == 0
    (home / "groups" / "later.txt").write_text("written after the backup")
    (home / "data" / "nanoclaw.db-wal").write_bytes(b"a log")

    killed = multiprocessing.get_context("forkserver").Process(
        target=restore_and_die, args=(str(home), str(file), moves)
    )
    killed.start()
    await asyncio.to_thread(killed.join, 60)
    assert killed.exitcode == -signal.SIGKILL
    refused = await typed("up", "--no-chat")
    assert (refused.code, "A restore of" in refused.err) == (1, True), refused
    refused = await typed("status")
    assert (refused.code, "A restore of" in refused.err) == (1, True), refused

    assert (await typed("restore", str(file), "--yes")).code == 0
    assert not (home / "groups" / "later.txt").exists()
    kept = [path for aside in home.parent.glob("*before-restore*") for path in aside.rglob("later.txt")]
    assert [path.read_text() for path in kept] == ["written after the backup"]
    [log] = [path for aside in home.parent.glob("*before-restore*") for path in aside.rglob("*.db-wal")]
    assert log.with_name("nanoclaw.db").exists()  # the two are still together
    assert sorted(path.name for path in (home / "data").glob("nanoclaw.db*")) == ["nanoclaw.db"]
    assert await names_in(url) == ["Owner"]
    async with started_host(home) as host:
        assert host.engine.held


async def test_a_restore_that_was_killed_has_changed_no_row_of_postgres(
    home: Path,
    tmp_path: Path,
    postgres_url: str,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("NANOCLAW_DATABASE_URL", postgres_url)
    typed, file = typing_in(home, monkeypatch, capfd), tmp_path / "b.tar.gz"
    async with started_host(home):
        assert (await typed("backup", str(file))).code == 0
    store = open_store(postgres_url)
    await store.write(lambda tx: tx.execute(sa.update(people).values(name="Later")))
    store.close()
    killed = multiprocessing.get_context("forkserver").Process(
        target=fill_and_die, args=(str(home), str(file), postgres_url)
    )
    killed.start()
    await asyncio.to_thread(killed.join, 60)
    assert killed.exitcode == -signal.SIGKILL
    assert await names_in(postgres_url) == ["Later"]
    assert "A restore of" in (await typed("up", "--no-chat")).err
    restored = (await typed("restore", str(file), "--yes", "--json")).json()
    assert await names_in(postgres_url) == ["Owner"]
    assert (await typed("backup", "verify", restored["backup"])).code == 0  # what was there


async def test_a_backup_of_a_busy_host_in_another_process_is_whole(
    home: Path,
    database_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("NANOCLAW_DATABASE_URL", database_url)
    typed = typing_in(home, monkeypatch, capfd)
    async with FarEnd() as far_end:
        program = Program(home, DATABASE_URL=database_url, SCRIPTED_URL=far_end.url, DEMO_PACE="0.002")
        await program.start()
        for number in range(40):
            await far_end.say(f"chat{number % 4}", QUESTION)
        files = [tmp_path / f"{number}.tar.gz" for number in range(3)]
        for file in files:
            assert (await typed("backup", str(file))).code == 0
        await program.die()
        if database_url.startswith("postgres"):  # until it is given up by the others
            store = open_store(database_url)
            await store.write(lambda tx: tx.execute(sa.text("UPDATE hosts SET expires_at = now()")))
            store.close()
        for file in files:
            assert (await typed("backup", "verify", str(file))).code == 0
        assert (await typed("restore", str(files[-1]), "--yes")).code == 0
        assert (await typed("resume")).code == 0
        async with started_host(home, scripted={"url": far_end.url}):
            for chat in range(4):
                await far_end.say(f"chat{chat}", "thanks")
            await until(lambda: not far_end.unconfirmed)
            for chat in range(4):
                await far_end.wait_for(f"chat{chat}")
