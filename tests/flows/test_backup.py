"""A backup is made while the host works, and checked; the host makes one by itself, and holds keys back."""

import asyncio
import errno
import gzip
import json
import os
import pty
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.backup_scene import contents_of, packed_anew, unpacked
from tests.crash.program import Program
from tests.typed import Typed, typing_in

from nanoclaw.domain.errors import Refused
from nanoclaw.durable import notes
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import SCHEMA_VERSION, parcels
from nanoclaw.durable.tables import work as work_rows
from nanoclaw.host.backup.archive_writer import packed
from nanoclaw.host.host import Host
from nanoclaw.testing import made_database, started_host

pytestmark = pytest.mark.capability("O2")

SECRETS = {"key": "sk-very-secret-1234", "bot": "42:AAbot-token-secret", "mcp": "mcp-header-secret"}


@pytest.fixture
def typed(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    (home / "data").mkdir(exist_ok=True)
    return typing_in(home, monkeypatch, capfd)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "backup.tar.gz"


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
    words = ("restore", str(file), "--yes", "--passphrase-file", str(right))
    asked = await typed(*words)
    assert (asked.code, "MCP server drive: https://x" in asked.err) == (1, True)
    assert not (home / "data" / "mcp.json").exists()
    assert (await typed(*words, "--accept", re.findall(r"--accept (\w+)", asked.err)[0])).code == 0
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
