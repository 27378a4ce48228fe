"""How a workspace is gone through while others write in it, and how secrets are taken out of the settings."""

import os
import threading
from pathlib import Path

import pytest

from nanoclaw.domain.errors import Refused
from nanoclaw.durable.clock import now
from nanoclaw.host.backup import contents, sealed_secrets
from nanoclaw.host.backup import names as naming
from nanoclaw.host.backup.archive_writer import BackupCancelled, packed
from nanoclaw.host.backup.folder_walk import Walk

pytestmark = pytest.mark.capability("O2")


def test_what_is_swapped_meanwhile_is_not_followed(tmp_path: Path) -> None:
    folder, outside = tmp_path / "folder", tmp_path / "outside"
    for path in (folder / "a", folder / "b", outside):
        path.mkdir(parents=True)
        (path / "file").write_text(path.name)
    (folder / "c").write_text("gone before it is read")
    seen: dict[str, str] = {}
    for found in Walk().through(folder):
        seen[found.path] = found.target or (os.read(found.handle, 100).decode() if found.handle else "/")
        if found.path == "a":  # a box turns the next folder into a link, and removes what comes after it
            (folder / "b" / "file").unlink()
            (folder / "b").rmdir()
            (folder / "b").symlink_to(outside)
            (folder / "c").unlink()
    assert seen == {"a": "/", "a/file": "a", "b": str(outside)}


def test_a_chain_of_folders_without_end_is_named_and_left(tmp_path: Path) -> None:
    deep = tmp_path / "/".join(["x"] * 150)
    deep.mkdir(parents=True)
    walk = Walk()
    assert len(list(walk.through(tmp_path))) == 100
    assert list(walk.skipped.values()) == ["too-deep"]


def test_git_is_read_in_an_order_in_which_nothing_is_missing(tmp_path: Path) -> None:
    git = tmp_path / ".git"
    for path in (
        "refs/heads/main",
        "HEAD",
        "index",
        "index.lock",
        "packed-refs",
        "objects/ab/1",
        "objects/pack/p1",
    ):
        (git / path).parent.mkdir(parents=True, exist_ok=True)
        (git / path).write_text(path)
    order = []
    for found in Walk().through(tmp_path):
        order.append(found.path)
        if found.path == ".git/objects":  # git packs the loose objects, and then the packs into one
            (git / "objects/ab/1").unlink()
            (git / "objects/pack/p1").rename(git / "objects/pack/p2")
    assert order.index(".git/refs/heads/main") < order.index(".git/packed-refs") < order.index(".git/objects")
    assert ".git/objects/pack/p2" in order
    assert ".git/index.lock" not in order


def test_a_file_that_shrinks_is_filled_up_and_named(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "b.tar.gz"
    source.mkdir()
    (source / "log").write_bytes(b"x" * 1000)
    with packed(target, threading.Event()) as packing:
        for found in Walk().through(source):
            os.truncate(source / "log", 10)
            packing.add("workspace", found)
    assert packing.list.changed == ["workspace/log"]
    assert packing.list.members["workspace/log"].size == 1000


def test_a_host_that_stops_leaves_no_half_of_a_backup(tmp_path: Path) -> None:
    stop = threading.Event()

    def be_stopped() -> None:
        with packed(tmp_path / "b.tar.gz", stop) as packing:
            stop.set()
            packing.add_bytes("name", b"content")

    with pytest.raises(BackupCancelled):
        be_stopped()
    assert list(tmp_path.iterdir()) == []


SETTINGS = """
[anthropic]
api_key = "sk-secret"  # not sk-secret-2
[telegram]
bot_token = "1:token"
[database]
url = "postgresql://me:pass word@db/x?password=other"
[channels.slack]
api = "https://chat.example.com"
bot_token = "xoxb-secret"
"""


def test_secrets_are_taken_out_of_the_settings_and_put_back() -> None:
    plain, names = contents.without_secrets(SETTINGS)
    assert plain is not None
    assert names == [
        "anthropic.api_key",
        "channels.slack.bot_token",
        "database.url",
        "telegram.bot_token",
    ]
    assert not any(secret in plain for secret in ("sk-secret", "1:token", "pass word", "xoxb-secret"))
    assert contents.with_secrets(plain, SETTINGS) == SETTINGS
    assert 'api_key = ""' in contents.with_secrets(plain, "")
    assert contents.without_secrets("this is = no [settings")[0] is None
    assert contents.without_secrets('[anthropic]\napi_key = "sk\\u002dsecret"\n')[0] is None


def test_a_passphrase_opens_what_it_closed_and_nothing_else() -> None:
    sealed = sealed_secrets.seal({"data/keys.json": b"{}"}, "a long passphrase")
    assert sealed_secrets.unseal(sealed, "a long passphrase") == {"data/keys.json": b"{}"}
    for spoiled, passphrase in (
        (sealed, "another one"),
        (sealed[:-1] + bytes([sealed[-1] ^ 1]), "a long passphrase"),
        (sealed[:20], "a long passphrase"),
        (b"nothing", "a long passphrase"),
    ):
        with pytest.raises(Refused, match="passphrase-wrong"):
            sealed_secrets.unseal(spoiled, passphrase)


def test_rotation_removes_only_what_has_the_name_of_a_backup(tmp_path: Path) -> None:
    ours = [f"nanoclaw-2026-11-1{day}T00-00-00.tar.gz" for day in range(5)]
    others = ["nanoclaw-2026.tar.gz", "nanoclaw-2026-11-10T00-00-00.tar.gz.mine", "x.new"]
    left = "nanoclaw-2026-11-10T00-00-00.tar.gz.new"
    for name in (*ours, *others, left):
        (tmp_path / name).write_text("")
    os.utime(tmp_path / left, (0, 0))
    naming.rotate(tmp_path, 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*ours[3:], *others])
    first = naming.free_name(tmp_path, now())
    first.write_text("")
    assert naming.free_name(tmp_path, naming.made_at(first)) != first
