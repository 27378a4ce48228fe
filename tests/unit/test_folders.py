"""A session's folders are made, given to the box's user without following links, and held by one box at a time."""

import os
import subprocess
from pathlib import Path

import pytest

from nanoclaw.domain.boxes import Mount
from nanoclaw.domain.errors import BoxRefused
from nanoclaw.sandbox import folder_walk, lock
from nanoclaw.sandbox.drivers import choose
from nanoclaw.sandbox.folders import Folders
from nanoclaw.sandbox.inside import PACKAGE_TARGET
from nanoclaw.sandbox.users import BoxUsers

pytestmark = pytest.mark.capability("A9")


@pytest.fixture
def users(tmp_path: Path) -> BoxUsers:
    return BoxUsers(tmp_path / "data" / "box-users.json")


def test_a_box_gets_the_mounts_of_its_group_and_no_others(tmp_path: Path, users: BoxUsers) -> None:
    (tmp_path / "companies" / "acme" / "context").mkdir(parents=True)
    (tmp_path / "foundation" / "channel_adaptors").mkdir(parents=True)
    (tmp_path / "skills" / "poster").mkdir(parents=True)
    folders = Folders(tmp_path, users).prepare("acme", "main", "s_1")
    extra = Mount(source=tmp_path / "skills", target="/extra")
    mounts = folders.mounts(extra=(extra,))
    seen = {
        mount.target: (str(mount.source.relative_to(tmp_path)), mount.writable)
        for mount in mounts
        if mount.target != PACKAGE_TARGET
    }
    asked = ("messages", "tasks", "hitl", "background", "handoffs", "state", "memory")
    assert seen == {
        "/foundation": ("foundation", False),
        "/context": ("companies/acme/context", False),
        "/adaptors": ("foundation/channel_adaptors", False),
        "/memory": ("data/memory_views/s_1/view", True),
        "/work": ("groups/main/files", True),
        "/session": ("groups/main/session/s_1", True),
        "/ipc": ("groups/main/ipc/s_1", False),
        **{f"/ipc/{kind}": (f"groups/main/ipc/s_1/{kind}", True) for kind in asked},
        "/extra": ("skills", False),
    }
    assert (folders.ipc / "results").is_dir()
    assert (folders.ipc / "hitl-responses").is_dir()


def test_what_is_given_belongs_to_the_box_s_user_and_links_are_not_followed(
    tmp_path: Path, users: BoxUsers
) -> None:
    if os.geteuid():
        pytest.skip("only a root host has users for boxes")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").touch()
    files = tmp_path / "groups" / "main" / "files"
    (files / "deep").mkdir(parents=True)
    (files / "deep" / "note").touch()
    (files / "link").symlink_to(outside)
    os.link(outside / "secret", files / "second-name")
    folders = Folders(tmp_path, users)
    folders.prepare("acme", "main", "s_1")
    uid = users.of("acme")
    assert (files / "deep" / "note").stat().st_uid == uid
    assert (files / "link").lstat().st_uid == uid
    assert outside.stat().st_uid == (outside / "secret").stat().st_uid == 0
    assert (tmp_path / "groups/main/ipc/s_1/messages").stat().st_uid == uid
    assert (tmp_path / "groups/main/ipc/s_1/results").stat().st_uid == 0
    (files / "later").mkdir()
    (files / "later" / "note").touch()
    folders.give(files / "later", "acme")
    assert (files / "later").stat().st_uid == (files / "later" / "note").stat().st_uid == uid


@pytest.mark.attack
def test_folders_that_a_box_closed_or_nested_too_deep_stop_no_other(tmp_path: Path, users: BoxUsers) -> None:
    memory, files = tmp_path / "companies/acme/memory", tmp_path / "groups/main/files"
    for folder in (memory, files / "inner"):
        folder.mkdir(parents=True)
    nest = (
        "d=/; cd $1; i=0; while [ $i -lt 1800 ]; do mkdir a && cd a || exit 1; i=$((i+1)); done; touch bottom"
    )
    subprocess.run(["sh", "-c", nest, "sh", memory], check=True)
    program, held = files / "program", files / "inner" / "held"
    for file, mode in ((program, 0o6755), (held, 0o444)):
        file.touch()
        file.chmod(mode)
    os.mknod(files / "pipe", 0o010644)
    if os.geteuid() == 0:
        os.mknod(files / "device", 0o020644, os.makedev(0, 0))
    (files / "inner").chmod(0)
    files.chmod(0o2000)
    home = Folders(tmp_path, users)
    assert folder_walk.look(memory).deep == "/".join("a" * (folder_walk.DEEPEST))
    try:
        home.prepare("acme", "main", "s_1")
        assert (program.stat().st_mode & 0o7777, held.stat().st_mode & 0o7777) == (0o755, 0o444)
        assert files.stat().st_mode & 0o7777 == (files / "inner").stat().st_mode & 0o7777 == 0o700
        assert (files / "pipe").is_fifo()
        assert not (files / "device").exists()
        files.chmod(0)  # once more, while the host runs
        home.prepare("acme", "main", "s_1")
        assert files.stat().st_mode & 0o7777 == 0o700
    finally:
        subprocess.run(
            ["rm", "-rf", memory], check=True
        )  # what removes the folders of tests is not so patient


@pytest.mark.attack
def test_a_folder_of_too_many_files_is_not_gone_through_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_walk, "MOST", 20)
    for number in range(30):
        (tmp_path / f"{number}").touch()
    assert folder_walk.mend(tmp_path, None).many


def test_a_link_in_a_box_s_folder_is_no_way_to_a_file_of_the_host(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    outside.touch()
    outside.chmod(0o4755)
    folder.mkdir()
    (folder / "link").symlink_to(outside)
    (folder / "up").symlink_to(tmp_path)
    found = folder_walk.mend(folder, None)
    assert (found.unsafe, found.closed, outside.stat().st_mode & 0o7777) == ([], [], 0o4755)


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path, users: BoxUsers) -> None:
    (tmp_path / "groups").touch()
    with pytest.raises(BoxRefused, match="box-folders"):
        Folders(tmp_path, users).prepare("acme", "main", "s_1")


def test_a_session_has_one_box_at_a_time(tmp_path: Path) -> None:
    with lock.hold(tmp_path / "locks", "s_1"):
        with pytest.raises(BoxRefused, match="session-busy"), lock.hold(tmp_path / "locks", "s_1"):
            pytest.fail("held twice")
        with lock.hold(tmp_path / "locks", "s_2"):
            pass
    with lock.hold(tmp_path / "locks", "s_1"):
        pass


def test_a_session_is_free_at_once_though_a_child_that_just_starts_has_its_lock_too(tmp_path: Path) -> None:
    """Between fork and exec a child has every file of its parent: git that is started in a thread, say."""
    with lock.hold(tmp_path, "s_1"):
        open_files = Path("/proc/self/fd").iterdir()
        [held] = [each for each in open_files if each.exists() and each.readlink().name == "s_1.lock"]
        kept = os.dup(int(held.name))
    try:
        with lock.hold(tmp_path, "s_1"):
            pass
    finally:
        os.close(kept)


def test_what_is_missing_is_said_with_the_cure(
    tmp_path: Path, users: BoxUsers, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusal(name: str) -> str:
        with pytest.raises(BoxRefused) as refused:
            choose(name, users=users, workspace="w_1", folder=tmp_path)
        return refused.value.key

    assert refusal("chroot") == "sandbox-unknown"
    monkeypatch.setenv("PATH", str(tmp_path))
    assert [refusal(name) for name in ("bubblewrap", "podman", "docker")] == [
        "bubblewrap-missing",
        "podman-missing",
        "docker-missing",
    ]
    for program in ("bwrap", "setpriv", "podman"):
        (tmp_path / program).write_text("#!/bin/sh\necho it does not work >&2\nexit 1\n")
        (tmp_path / program).chmod(0o755)
    assert refusal("bubblewrap") in ("bubblewrap-powerless", "bubblewrap-apparmor")
    assert refusal("podman") == "engine-silent"
    assert choose("process", users=users, workspace="w_1", folder=tmp_path).name == "process"
