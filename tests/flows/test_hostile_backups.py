"""Somebody hands over a backup that they made by hand: it reaches nothing outside, plants nothing, and sends nowhere
unasked.
"""

import gzip
import hashlib
import io
import json
import os
import re
import shutil
import socket
import sqlite3
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.backup_scene import unpacked
from tests.typed import Typed, typing_in

from nanoclaw.host.backup import entry_rules, tar_stream
from nanoclaw.testing import made_database

pytestmark = [pytest.mark.capability("O2"), pytest.mark.attack]

FILES = "workspace/groups/main/files"


@pytest.fixture
def typed(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    return typing_in(home, monkeypatch, capfd)


@pytest.fixture
async def file(tmp_path: Path, home: Path, typed: Typed) -> Path:
    """An honest backup."""
    made_database(home / "data" / "nanoclaw.db")
    made = tmp_path / "backup.tar.gz"
    assert (await typed("backup", str(made))).code == 0
    return made


def header(name: bytes, kind: bytes = b"0", size: int = 0, target: bytes = b"") -> bytes:
    """A raw header, also such as tarfile would not write."""
    parts = [
        name[:100].ljust(100, b"\0"),
        b"0000644\0",
        b"0000000\0" * 2,
        b"%011o\0" % size,
        b"0" * 11 + b"\0",
    ]
    parts += [b" " * 8, kind, target[:100].ljust(100, b"\0"), b"ustar\x0000", bytes(64), b"0000000\0" * 2]
    block = b"".join(parts).ljust(512, b"\0")
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


def entry(name: str | bytes, content: bytes = b"", kind: bytes = b"0", target: str = "") -> bytes:
    """With an extended header, so that names can be of any length."""
    raw = name if isinstance(name, bytes) else name.encode()
    records = record(b"path", raw) + (record(b"linkpath", target.encode()) if target else b"")
    return padded(header(b"x", b"x", len(records)), records) + padded(
        header(b"n", kind, len(content)), content
    )


def record(key: bytes, value: bytes) -> bytes:
    body = b" " + key + b"=" + value + b"\n"
    length = len(body) + 1
    while len(b"%d" % length) + len(body) != length:
        length += 1
    return b"%d" % length + body


def padded(head: bytes, content: bytes) -> bytes:
    return head + content + bytes(-len(content) % 512)


def forged(
    file: Path,
    change: Callable[[str, bytes], bytes] = lambda _, content: content,
    *,
    more: bytes = b"",
    files: dict[str, bytes] | None = None,
    links: dict[str, str] | None = None,
    behind: bytes = b"",
    people: int = 0,
) -> None:
    """The backup with other content and a list that fits it: nothing tells it from an honest one but its content."""
    inside = {name: change(name, content) for name, content in unpacked(file).items()} | (files or {})
    listed = json.loads(inside.pop("manifest.json"))
    about = inside.pop("about.json")
    listed["members"] = {
        name: {"size": len(body), "sha256": hashlib.sha256(body).hexdigest()} for name, body in inside.items()
    }
    listed["links"] |= links or {}
    listed["rows"]["people"] += people
    written = entry("about.json", about) + b"".join(entry(*pair) for pair in inside.items())
    written += b"".join(entry(name, kind=b"2", target=target) for name, target in (links or {}).items())
    written += more + entry("manifest.json", json.dumps(listed).encode()) + bytes(1024)
    file.write_bytes(gzip.compress(written + behind, 1))


HOSTILE: dict[str, tuple[str, bytes]] = {
    "absolute": ("name or a reference", entry("/evil", b"x")),
    "up": ("name or a reference", entry(f"{FILES}/../../../../evil", b"x")),
    "of another root": ("does not belong", entry("elsewhere/evil", b"x")),
    "broken UTF-8": ("name or a reference", entry(b"workspace/companies/\xff.md", b"x")),
    "too deep": ("name or a reference", entry(f"{FILES}/" + "a/" * 200 + "b")),
    "too long a part": ("name or a reference", entry(f"{FILES}/" + "a" * 300)),
    "twice": ("two entries", entry(f"{FILES}/a", b"1") + entry(f"{FILES}/a", b"2")),
    "a file as a folder too": ("two entries", entry(f"{FILES}/a", b"1") + entry(f"{FILES}/a", kind=b"5")),
    "by case": ("two entries", entry("workspace/skills/A.md") + entry("workspace/skills/a.md")),
    "by Unicode form": ("two entries", entry("workspace/skills/é.md") + entry("workspace/skills/e\u0301.md")),
    "known name in other case": ("does not belong", entry("workspace/DATA/web-token", b"mine")),
    "hard link": ("neither a plain file", entry(f"{FILES}/a", kind=b"1", target="/etc/passwd")),
    "character device": ("neither a plain file", entry(f"{FILES}/a", kind=b"3")),
    "block device": ("neither a plain file", entry(f"{FILES}/a", kind=b"4")),
    "pipe": ("neither a plain file", entry(f"{FILES}/a", kind=b"6")),
    "sparse": ("neither a plain file", entry(f"{FILES}/a", kind=b"S")),
    "sparse by extended header": (
        "neither a plain file",
        padded(header(b"x", b"x", 24), record(b"GNU.sparse.major", b"1")[:24].ljust(24, b"\n")),
    ),
    "GNU long name": ("neither a plain file", padded(header(b"././@LongLink", b"L", 4), b"evil")),
    "global header": ("neither a plain file", padded(header(b"g", b"g", 12), b"12 path=/tm\n")),
    "chain of headers": ("neither a plain file", header(b"x", b"x", 0) * 2 + header(b"a")),
    "token": ("does not belong", entry("data/web-token", b"known-to-me")),
    "token by the workspace": ("does not belong", entry("workspace/data/web-token", b"known-to-me")),
    "settings of megabytes": ("does not belong", entry("workspace/groups/big/group.toml", bytes(5 << 20))),
    "keys": ("does not belong", entry("data/keys.json", b"{}")),
    "servers": ("does not belong", entry("data/mcp.json", b"{}")),
    "bots": ("does not belong", entry("workspace/data/bots.json", b"{}")),
}


@pytest.mark.parametrize("which", HOSTILE)
async def test_a_forged_entry_is_refused_by_verify_and_by_restore(
    which: str, home: Path, file: Path, typed: Typed, tmp_path: Path
) -> None:
    sentence, more = HOSTILE[which]
    forged(file, more=more)
    before = sorted(tmp_path.rglob("*"))
    for words in (("backup", "verify"), ("restore", "--yes")):
        refused = await typed(*words, str(file))
        assert (refused.code, sentence in refused.err) == (1, True), refused
    assert sorted(tmp_path.rglob("*")) == before


async def test_nothing_may_hide_behind_the_end(file: Path, typed: Typed) -> None:
    honest = file.read_bytes()
    forged(file, behind=entry(f"{FILES}/second", b"x") + bytes(1024))
    assert "behind the end" in (await typed("backup", "verify", str(file))).err
    file.write_bytes(honest + gzip.compress(entry(f"{FILES}/second", b"x")))
    assert "behind the end" in (await typed("restore", str(file), "--yes")).err
    file.write_bytes(honest + gzip.compress(bytes(64 << 20)))
    assert "behind the end" in (await typed("backup", "verify", str(file))).err


async def test_millions_of_entries_are_refused_soon(
    file: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is half a kilobyte of the archive, and almost nothing of the file."""
    monkeypatch.setattr(tar_stream, "MOST_ENTRIES", 20_000)
    with tarfile.open(file) as tar:
        first = tar.next()
        assert first is not None
        about = (tar.extractfile(first) or io.BytesIO()).read()
    with gzip.open(file, "wb", 1) as written:
        written.write(entry("about.json", about))
        for number in range(60_000):
            written.write(header(b"%s/%07d" % (FILES.encode(), number)))
    started = time.monotonic()
    assert "more than 20" in (await typed("backup", "verify", str(file))).err
    assert time.monotonic() - started < 20


async def test_links_are_made_last_and_only_where_they_stay_in_peoples_work(
    home: Path, file: Path, typed: Typed, tmp_path: Path
) -> None:
    """Among them the known way around tarfile's filter: a path so long that it is not resolved any more."""
    outside = tmp_path / "outside"
    outside.mkdir()
    long = "/".join(["d" * 200] * 20)
    links = {
        f"{FILES}/near": "note.txt",
        f"{FILES}/sub/up": "../note.txt",
        f"{FILES}/out": str(outside),
        f"{FILES}/above": "../../..",
        f"{FILES}/sub/root": "..",
        f"{FILES}/sub/deep/trick": "../root/../../../..",
        f"{FILES}/long": f"{long}/" + "../" * 20 + "../../../../outside",
        "workspace/companies/demo/context/link.md": "/etc/passwd",
        "workspace/groups/main/group": "files",
        "data/attachments/link": "/etc/passwd",
    }
    files = {f"{FILES}/note.txt": b"a note", f"{FILES}/sub/deep/x": b"before its folder"}
    forged(file, files=files, links=links)
    assert (await typed("backup", "verify", str(file))).code == 0
    restored = (await typed("restore", str(file), "--yes", "--json")).json()
    kept = {f"{FILES}/near", f"{FILES}/sub/up", f"{FILES}/sub/root"}
    assert set(restored["skipped"]) == set(links) - kept
    made = {path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_symlink()}
    assert {f"workspace/{each}" for each in made} == kept
    assert list(outside.iterdir()) == []
    # A file through a link: it would have to come after the link, and links come last.
    forged(file, links={f"{FILES}/door": ".."}, files={f"{FILES}/door/evil": b"x"})
    refused = await typed("restore", str(file), "--yes")
    assert refused.code == 1 or not (home / "groups" / "main" / "evil").exists()


async def test_of_git_only_what_was_committed_comes_over(
    home: Path, file: Path, typed: Typed, tmp_path: Path
) -> None:
    mark = tmp_path / "ran"
    config = f'[core]\n\tfsmonitor = "touch {mark}"\n\tsshCommand = "touch {mark}"\n'
    config += f'[credential]\n\thelper = "!touch {mark}"\n'
    config += '[remote "origin"]\n\turl = https://me:hunter2@git.evil.example/x.git\n\tuploadpack = evil\n'
    planted = {
        "config": config.encode(),
        "hooks/post-commit": b"#!/bin/sh\ntouch evil\n",
        "objects/info/alternates": b"/somewhere/else\n",
        "info/attributes": b"* filter=evil\n",
        "config.worktree": b"[core]\n",
    }
    forged(file, files={f"workspace/.git/{name}": body for name, body in planted.items()})
    asked = await typed("restore", str(file), "--yes")
    assert (asked.code, "Git remote origin: https://git.evil.example/x.git" in asked.err) == (1, True), asked
    assert "hunter2" not in asked.err
    accept = re.findall(r"--accept (\w+)", asked.err)[0]
    assert (await typed("restore", str(file), "--yes", "--accept", accept)).code == 0
    written = (home / ".git" / "config").read_text()
    assert "git.evil.example" in written
    assert not any(word in written for word in ("touch", "helper", "uploadpack", "hunter2", "fsmonitor"))
    assert not any((home / ".git" / name).exists() for name in planted if name != "config")
    forged(file, lambda name, body: b"ref: ../../../etc/passwd\n" if name == "workspace/.git/HEAD" else body)
    assert "reference" in (await typed("restore", str(file), "--yes")).err


async def test_kept_keys_go_to_no_new_address_before_a_yes_of_its_own(
    home: Path, file: Path, typed: Typed
) -> None:
    (home / "data" / "keys.json").write_text(json.dumps({"anthropic": "sk-kept"}))
    settings = b"""
[anthropic]
base_url = "https://vendor.evil.example"
[telegram]
webhook_url = "https://hook.evil.example"
[memory]
embeddings_url = "https://words.evil.example"
[voice]
engine = "endpoint"
base_url = "https://voice.evil.example"
[channels.evil]
path = "/opt/evil.py"
[boxes]
driver = "process"
"""

    def change(name: str, body: bytes) -> bytes:
        if name == "database.db":
            return with_owner(body, file.with_suffix(".db"))
        return body + settings if name == "workspace/nanoclaw.toml" else body

    forged(
        file,
        change,
        files={"workspace/groups/evil/group.toml": b'company="demo"\nnetwork=["x.evil.example"]\n'},
        people=1,
    )
    before = (home / "nanoclaw.toml").read_bytes()
    asked = await typed("restore", str(file), "--yes")
    assert asked.code == 1
    for word in ("vendor", "hook", "words", "voice", "x"):
        assert f"{word}.evil.example" in asked.err
    assert all(word in asked.err for word in ("/opt/evil.py", "boxes.driver: process", "telegram:666")), (
        asked.err
    )
    assert (home / "nanoclaw.toml").read_bytes() == before
    assert (await typed("restore", str(file), "--yes", "--accept", "0" * 32)).code == 1
    assert (home / "nanoclaw.toml").read_bytes() == before
    [accept] = re.findall(r"--accept (\w+)", asked.err)
    assert (await typed("restore", str(file), "--yes", "--accept", accept)).code == 0
    assert b"vendor.evil.example" in (home / "nanoclaw.toml").read_bytes()
    assert (await typed("restore", str(file), "--yes")).code == 0  # nothing of it is new any more


@pytest.mark.parametrize(
    "planted",
    [
        '[telegram]\nbot_token = "666:theirs"\n',
        '[anthropic]\napi_key = "sk-ant-theirs"\n',
        '[owner]\nname = "taken-out-anthropic-api-key"\n',
        '[channels.x]\nwhere = "https://evil.example/taken-out-anthropic-api-key"\n',
    ],
)
async def test_settings_bring_no_secret_and_send_none_of_ours(
    planted: str, home: Path, file: Path, typed: Typed
) -> None:
    """The last two would have our own key written where it is shown or sent."""
    with (home / "nanoclaw.toml").open("a") as present:
        present.write('\n[anthropic]\napi_key = "sk-ant-kept"\n')
    forged(file, lambda name, body: planted.encode() if name == "workspace/nanoclaw.toml" else body)
    for words in (("backup", "verify"), ("restore", "--yes")):
        refused = await typed(*words, str(file))
        assert (refused.code, "does not belong" in refused.err) == (1, True), refused
    assert "sk-ant-kept" in (home / "nanoclaw.toml").read_text()


def with_owner(body: bytes, scratch: Path) -> bytes:
    scratch.write_bytes(body)
    with sqlite3.connect(scratch) as changed:
        changed.execute(
            "INSERT INTO people (id, handle, name, role, created_at) "
            "VALUES ('p_666', 'telegram:666', 'Mallory', 'owner', '2026-01-01 00:00:00')"
        )
    changed.close()
    return scratch.read_bytes()


@pytest.mark.parametrize(
    "planted",
    [
        "CREATE TRIGGER own AFTER INSERT ON messages BEGIN UPDATE people SET role='owner'; END",
        "CREATE VIEW own AS SELECT * FROM people",
        "ALTER TABLE people ADD COLUMN own TEXT AS (CASE WHEN away_until IS NULL THEN 'member' ELSE 'owner' END)",
    ],
)
async def test_a_database_that_acts_by_itself_is_refused(planted: str, file: Path, typed: Typed) -> None:
    scratch = file.with_suffix(".db")

    def change(name: str, body: bytes) -> bytes:
        if name != "database.db":
            return body
        scratch.write_bytes(body)
        with sqlite3.connect(scratch) as changed:
            changed.execute(planted)
        changed.close()
        return scratch.read_bytes()

    forged(file, change)
    for words in (("backup", "verify"), ("restore", "--yes")):
        assert "triggers, views" in (await typed(*words, str(file))).err


async def test_a_new_workspace_is_closed_from_the_first_byte(
    file: Path, typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "new" / "workspace"
    monkeypatch.setenv("NANOCLAW_HOME", str(elsewhere))
    modes: set[int] = set()
    real = os.open

    def watched(path: object, *words: object, **more: object) -> int:
        modes.update(each.stat().st_mode & 0o777 for each in (elsewhere,) if each.exists())
        return real(path, *words, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", watched)
    given = os.umask(0)
    try:
        assert (await typed("restore", str(file))).code == 0
    finally:
        os.umask(given)
    assert modes == {0o700}
    assert elsewhere.stat().st_mode & 0o777 == 0o700


async def test_a_kept_database_password_reaches_no_new_address_before_a_yes(
    home: Path, file: Path, typed: Typed
) -> None:
    with socket.socket() as theirs:
        theirs.bind(("127.0.0.1", 0))
        theirs.listen()
        address = f"127.0.0.1:{theirs.getsockname()[1]}/x"
        with (home / "nanoclaw.toml").open("a") as present:
            present.write('\n[database]\nurl = "postgresql://me:kept@db.example/x"\n')
        planted = f'\n[database]\nurl = "postgresql://me:taken-out-database-url@{address}"\n'.encode()
        forged(file, lambda name, body: body + planted if name == "workspace/nanoclaw.toml" else body)
        asked = await typed("restore", str(file), "--yes")
        assert (asked.code, f"database.url: postgresql://me:***@{address}" in asked.err) == (1, True), asked
        theirs.setblocking(False)
        with pytest.raises(BlockingIOError):
            theirs.accept()


@pytest.mark.parametrize("where", ["name", "link", "program", "taken_out"])
async def test_no_word_of_a_backup_is_obeyed_by_the_terminal(where: str, file: Path, typed: Typed) -> None:
    odd = "\x1b]0;evil\x07"

    def change(name: str, body: bytes) -> bytes:
        if name in ("about.json", "manifest.json"):
            written = json.loads(body)
            if where == "program":
                written.get("head", written).update({"program": odd, "format": 99})
            if where == "taken_out" and name == "manifest.json":
                written["taken_out"] = [odd]
            return json.dumps(written).encode()
        return body

    forged(
        file,
        change,
        more=entry(f"elsewhere/{odd}") if where == "name" else b"",
        links={f"workspace/groups/main/{odd}": "a"} if where == "link" else {},
    )
    told = [await typed("backup", "verify", str(file)), await typed("restore", str(file), "--yes")]
    assert not any("\x1b" in each.out + each.err or "\x07" in each.out + each.err for each in told), told
    assert any("evil" in each.out + each.err for each in told)


async def test_of_a_brought_folder_nothing_stays_below_a_restored_backup(
    home: Path, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Else its programs, keys and token would be taken for what was used here."""
    brought = tmp_path / "brought"
    shutil.copytree(home, brought, symlinks=True)
    planted = {
        "mcp.json": '{"evil":{"command":["evil"]}}',
        "keys.json": '{"anthropic":"theirs"}',
        "web-token": "known",
    }
    for name, body in planted.items():
        (brought / "data" / name).write_text(body)
        (brought / "data" / name).chmod(0o600)
    with (brought / "nanoclaw.toml").open("a") as settings:
        settings.write('\n[anthropic]\napi_key = "sk-ant-theirs"\n')
    assert (await typing_in(brought, monkeypatch, capfd)("restore", str(file), "--yes")).code == 0
    assert [name for name in planted if (brought / "data" / name).exists()] == []
    assert "theirs" not in (brought / "nanoclaw.toml").read_text()


@pytest.mark.parametrize("which", ["names", "list"])
async def test_what_a_backup_names_is_bounded_in_all(
    which: str, file: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a million names of four kilobytes are little in the file, and gigabytes in memory; so is an endless list."""
    monkeypatch.setattr(entry_rules, "MOST_NAMES" if which == "names" else "LIST_BYTES", 1_000)
    odd = {f"nothing {number}": "because-unreadable" for number in range(5_000)}

    def change(name: str, body: bytes) -> bytes:
        more = {"skipped": odd} if name == "manifest.json" and which == "list" else {}
        return json.dumps(json.loads(body) | more).encode() if more else body

    forged(file, change, more=entry(f"{FILES}/{'a' * 250}" + "/b" * 50) * 1)
    refused = await typed("backup", "verify", str(file))
    assert (refused.code, ("entries" if which == "names" else "not whole") in refused.err) == (1, True), (
        refused
    )


async def test_entries_before_and_after_their_folder_make_one_closed_folder(
    home: Path, file: Path, typed: Typed
) -> None:
    after = entry(f"{FILES}/late", kind=b"5")
    forged(file, files={f"{FILES}/late/note.txt": b"a note"}, more=after)
    assert (await typed("restore", str(file), "--yes")).code == 0
    folder = home / "groups" / "main" / "files" / "late"
    assert ((folder / "note.txt").read_bytes(), folder.stat().st_mode & 0o077) == (b"a note", 0o044)
