"""A database file beside the -wal of another is refused untouched; what a crash leaves is always taken up."""

import asyncio
import multiprocessing
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.crash.program import Program, first_room, say, settled

from nanoclaw.domain.errors import StoreDamaged
from nanoclaw.durable import notes, schema, sqlite_store, sqlite_writer
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, open_store
from nanoclaw.durable.tables import SCHEMA_VERSION
from nanoclaw.durable.wal import Generation, Header, belongs, read_generation
from nanoclaw.testing import made_database

pytestmark = pytest.mark.capability("A15")

_LOADED = multiprocessing.get_context("forkserver")


def _backup(database: Path, copy: Path) -> None:
    with closing(sqlite3.connect(database)) as source, closing(sqlite3.connect(copy)) as target:
        source.backup(target)


def _vacuum(database: Path, copy: Path) -> None:
    with closing(sqlite3.connect(database)) as source:
        source.execute("VACUUM INTO ?", (str(copy),))


def _with_wal(database: Path, copy: Path) -> None:
    """Both files as they are, brought together somewhere else."""
    for extra in ("", "-wal"):
        shutil.copyfile(f"{database}{extra}", f"{copy}{extra}")
    with closing(sqlite3.connect(copy)) as target:
        target.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _after_the_stop(database: Path, copy: Path) -> None:
    shutil.copyfile(database, copy)


async def test_a_copy_put_beside_the_old_wal_is_refused_and_nothing_is_touched(
    home: Path, tmp_path: Path
) -> None:
    database, copy = home / "data" / "nanoclaw.db", tmp_path / "copy.db"
    made_database(database)
    program = Program(home, DEMO_PACE="0")
    async with program.running(), program.client() as client:
        room = await first_room(client)
        await say(client, room, "before", "1")
        await settled(client, room, 1)
        _backup(database, copy)
    await program.start()
    async with program.client() as client:
        for number in range(2, 5):
            await say(client, room, f"after {number}", str(number))
        await settled(client, room, 2)
    await program.die()
    shutil.copyfile(copy, database)
    left = _bytes(database)
    for words in (("up", "--no-chat"), ("status",)):
        code, printed = await program.command(*words)
        assert code == 1
        assert "do not belong together" in printed
        assert "nanoclaw restore FILE" in printed
        assert _bytes(database) == left
    # Without the old -wal the copy is a database like any other.
    for extra in ("-wal", "-shm"):
        database.with_name(database.name + extra).unlink(missing_ok=True)
    async with program.running(), program.client() as client:
        assert len(await settled(client, room, 1)) == 2


@pytest.mark.parametrize("make_copy", [_backup, _vacuum, _with_wal, _after_the_stop])
def test_an_older_copy_is_refused_however_it_was_made(
    tmp_path: Path, make_copy: Callable[[Path, Path], None]
) -> None:
    database, copy = tmp_path / "store.db", tmp_path / "copy.db"
    url = made_database(database)
    asyncio.run(_write(url, 3))
    if make_copy is _after_the_stop:
        make_copy(database, copy)
    _killed(url, lambda: make_copy(database, copy) if make_copy is not _after_the_stop else None)
    asyncio.run(_write(url, 3))  # it takes up what was left, and stops cleanly
    _killed(url, lambda: None)
    shutil.copyfile(copy, database)
    left = _bytes(database)
    with pytest.raises(StoreDamaged, match="store-mixed"):
        open_store(url)
    assert _bytes(database) == left


def test_what_a_crash_leaves_is_always_taken_up(tmp_path: Path) -> None:
    """Killed at random moments, in checkpoints too; another program writes in between, as people's tools do."""
    database = tmp_path / "store.db"
    url = made_database(database)
    chance = random.Random(5)  # noqa: S311 - the same moments each time, as far as a machine allows
    for turn in range(15):
        _killed(url, lambda: time.sleep(chance.uniform(0, 0.08)))
        store = open_store(url)  # refuses what does not belong together
        with store.engine.connect() as tx:
            assert tx.exec_driver_sql("PRAGMA quick_check").scalar() == "ok"
        if turn % 3:
            store.close()
            continue
        with closing(sqlite3.connect(database)) as other:
            other.execute("PRAGMA wal_checkpoint(PASSIVE)")
            other.execute(f"CREATE TABLE theirs{turn} (a)")
            other.commit()
        store.close()


def test_every_wal_begins_with_the_number_after_that_of_its_file(tmp_path: Path) -> None:
    database = tmp_path / "store.db"
    store = open_store(made_database(database))

    async def write_twice() -> None:
        for number in range(2):
            await store.write(lambda tx, number=number: notes.write(tx, "a", number, now()))  # type: ignore[misc]

    asyncio.run(write_twice())
    base = int.from_bytes(database.read_bytes()[60:64], "big")
    found = read_generation(database.with_name("store.db-wal"))
    store.close()
    assert found is not None
    assert found.first.number == found.last.number == base + 1


def test_a_second_store_of_the_same_process_takes_no_locks_away(tmp_path: Path) -> None:
    """Else the next process that looks into the database would think it is the last, and throw the -wal away."""
    database = tmp_path / "store.db"
    url = made_database(database)
    store, wal = open_store(url), database.with_name("store.db-wal")
    asyncio.run(_write_with(store, 1))
    open_store(url).close()
    before = wal.stat()
    looking = "import sqlite3, sys; sqlite3.connect(sys.argv[1]).execute('SELECT * FROM notes').fetchall()"
    subprocess.run([sys.executable, "-c", looking, str(database)], check=True)
    assert (wal.stat().st_ino, wal.stat().st_size) == (before.st_ino, before.st_size)
    store.close()


def test_what_a_version_without_numbers_left_is_taken_up() -> None:
    made = Header(page_size=4096, pages=9, cookie=115, number=0)
    for cookie, is_fit in ((0, True), (90, True), (115, True), (1, False), (116, False)):
        base = Header(page_size=4096, pages=1, cookie=cookie, number=0)
        assert belongs(base, Generation(salts=(1, 2), first=made, last=made)) is is_fit


def test_a_migration_and_half_a_checkpoint_leave_what_belongs_together(tmp_path: Path) -> None:
    database, copy = tmp_path / "store.db", tmp_path / "copy.db"
    store = open_store(f"sqlite:///{database}")
    schema.upgrade(store)
    for path in (database, database.with_name("store.db-wal")):  # as a kill after the migration leaves them
        shutil.copyfile(path, tmp_path / path.name.replace("store", "copy"))
    store.close()
    open_store(f"sqlite:///{copy}").close()
    with closing(sqlite3.connect(copy)) as whole:
        assert whole.execute("SELECT version_num FROM alembic_version").fetchone() == (SCHEMA_VERSION,)
    # Page 1 is in the file already, the rest of the checkpoint is not.
    shutil.copyfile(database, copy)
    store = open_store(f"sqlite:///{database}")
    asyncio.run(_write_with(store, 2))
    with closing(sqlite3.connect(database)) as other:
        other.execute("PRAGMA wal_checkpoint(PASSIVE)")
    copy.write_bytes(database.read_bytes()[:4096] + copy.read_bytes()[4096:])
    shutil.copyfile(database.with_name("store.db-wal"), copy.with_name("copy.db-wal"))
    store.close()
    open_store(f"sqlite:///{copy}").close()


def _killed(url: str, meanwhile: Callable[[], object]) -> None:
    """Someone writes and checkpoints as fast as they can, until they are killed."""
    writing = _LOADED.Event()
    process = _LOADED.Process(target=_write_for_ever, args=(url, writing), daemon=True)
    process.start()
    assert writing.wait(60)
    meanwhile()
    process.kill()
    process.join()


def _write_for_ever(url: str, writing: "multiprocessing.synchronize.Event") -> None:
    sqlite_writer.LONG_WAL = 50_000
    sqlite_store._KEPT_WAL = 10_000
    asyncio.run(_write(url, None, writing))


async def _write(
    url: str, times: int | None, writing: "multiprocessing.synchronize.Event | None" = None
) -> None:
    store = open_store(url)
    await _write_with(store, times, writing)
    store.close()


async def _write_with(
    store: Store, times: int | None, writing: "multiprocessing.synchronize.Event | None" = None
) -> None:
    number = 0
    while times is None or number < times:
        number += 1
        text = "x" * (number % 50) * 100
        await store.write(lambda tx, text=text: notes.write(tx, text[:5], text, now()))  # type: ignore[misc]
        if writing is not None and number == 3:
            writing.set()


def _bytes(database: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in database.parent.glob(database.name + "*")}
