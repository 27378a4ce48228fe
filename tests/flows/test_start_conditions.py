"""What stands around the workspace when a command starts: who owns it, who may change it, where its links lead."""

import grp
import os
import pwd
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.crash.program import Program
from tests.typed import Typed, typing_in

from nanoclaw.domain.errors import BadWorkspace
from nanoclaw.host.workspace_guard import guard

pytestmark = [pytest.mark.capability("O1", "A9"), pytest.mark.attack]

# One of each kind: makes, asks the host, reads files, writes files, looks after everything.
COMMANDS = (
    ("init",),
    ("status",),
    ("key", "list"),
    ("telegram", "list"),
    ("costs",),
    ("doctor",),
    ("backup",),
    ("chat", "-m", "hello"),
    ("up", "--no-chat"),
)
SECRETS = ("keys.json", "bots.json", "mcp.json", "web-token", "nanoclaw.db")
_STRANGER = 65533


@pytest.fixture
def typed(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    return typing_in(home, monkeypatch, capfd)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def everything(home: Path) -> Iterator[Path]:
    yield home
    yield from (path for path in home.rglob("*") if not path.is_symlink())


@pytest.mark.parametrize("umask", ["000", "077"])
def test_whatever_umask_the_host_was_started_with_nothing_can_be_changed_by_others(
    tmp_path: Path, umask: str
) -> None:
    home = tmp_path / "fresh"
    ended = subprocess.run(
        ["sh", "-c", f"umask {umask}; exec {sys.executable} -m nanoclaw chat -m 'hello'"],
        env=Program(home).environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert (home / "data" / "nanoclaw.db").exists()
    assert [path for path in everything(home) if mode(path) & 0o022] == []
    assert (mode(home), mode(home / "data")) == (0o700, 0o700)
    if os.geteuid() == 0:  # then boxes are other users, and are shown this
        assert mode(home / "companies" / "demo" / "context") == 0o755
    assert [
        name for name in SECRETS if (home / "data" / name).exists() and mode(home / "data" / name) & 0o077
    ] == []


async def test_what_others_could_read_or_change_is_closed_and_told_once(home: Path, typed: Typed) -> None:
    for name in SECRETS[:4]:
        (home / "data" / name).write_text("{}")
        (home / "data" / name).chmod(0o644)
    (home / "data").chmod(0o755)
    home.chmod(0o777)
    said = await typed("key", "list")
    assert said.code == 0
    for path in (home, home / "data", *(home / "data" / name for name in SECRETS[:4])):
        assert f"could get at {path};" in said.err
        assert not mode(path) & 0o077
    assert (await typed("key", "list")).err == ""


@pytest.mark.parametrize(
    "place", ["", "data", "data/keys.json", "data/nanoclaw.db", "data/web-token", "data/logs"]
)
async def test_no_command_follows_a_link_to_what_it_trusts(home: Path, typed: Typed, place: str) -> None:
    path = home / place
    real = home.parent / "elsewhere"
    if path.exists():
        path.rename(real)
    path.symlink_to(real)
    for words in COMMANDS:
        said = await typed(*words)
        assert (said.code, said.out) == (1, ""), words
        assert f"{path} is a symbolic link" in said.err
        assert str(real) in said.err
    assert not (real / "host.lock").exists()


async def test_a_folder_that_may_be_big_can_be_elsewhere_if_it_is_as_well_guarded(
    home: Path, typed: Typed
) -> None:
    """Hosts of one database share their attachments so."""
    elsewhere = home.parent / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    for name in ("attachments", "backups", "whisper"):
        (home / "data" / name).symlink_to(elsewhere)
    assert (await typed("key", "list")).code == 0
    elsewhere.chmod(0o722)
    said = await typed("key", "list")
    assert said.code == 1
    assert f"chmod go= {elsewhere}" in said.err


def of_a_stranger(path: Path) -> None:
    os.chown(path, _STRANGER, _STRANGER)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to someone else")
@pytest.mark.parametrize("place", ["", "..", "data", "nanoclaw.toml", "data/keys.json", "data/bots.json"])
async def test_what_belongs_to_someone_else_is_not_believed(home: Path, typed: Typed, place: str) -> None:
    path = Path(os.path.normpath(home / place))
    if not path.exists():
        path.write_text("{}")
    of_a_stranger(path)
    for words in COMMANDS:
        said = await typed(*words)
        assert said.code == 1, words
        assert f"{path} belongs to {_STRANGER}" in said.err
        assert ("NANOCLAW_HOME" if place == ".." else f"chown -R root {path}") in said.err
    os.chown(path, 0, 0)


@pytest.mark.parametrize("open_to", [0o707, 0o777])
async def test_a_folder_above_that_others_can_change_is_refused(
    home: Path, typed: Typed, open_to: int
) -> None:
    above = home.parent
    above.chmod(open_to)
    for words in COMMANDS[:3]:
        said = await typed(*words)
        assert said.code == 1
        assert f"chmod go-w {above}" in said.err
    above.chmod(open_to | stat.S_ISVTX)  # as /tmp: nobody can move what belongs to another
    assert (await typed("key", "list")).code == 0


def empty_group() -> int:
    """Whose members nobody names: so a directory service shows all of its groups."""
    primary = {user.pw_gid for user in pwd.getpwall()}
    return next(each.gr_gid for each in grp.getgrall() if not each.gr_mem and each.gr_gid not in primary)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another group")
async def test_a_folder_above_that_a_group_can_change_is_refused_unless_it_is_the_users_own(
    home: Path, typed: Typed
) -> None:
    above = home.parent
    above.chmod(0o770)
    assert (await typed("key", "list")).code == 0
    os.chown(above, -1, empty_group())
    said = await typed("key", "list")
    assert said.code == 1
    assert f"chmod go-w {above}" in said.err


@pytest.fixture
def strangers_home() -> Iterator[Path]:
    """Below /tmp itself: the folders of tests are closed to others than who runs them."""
    home = Path(tempfile.mkdtemp())
    (home / "data" / "lost+found").mkdir(parents=True, mode=0o700)
    (home / "data" / "keys.json").touch(mode=0o600)
    for path in (home, home / "data", home / "data" / "keys.json"):
        of_a_stranger(path)
    yield home
    shutil.rmtree(home)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be someone else")
def test_a_disk_of_its_own_can_be_mounted_as_data(strangers_home: Path) -> None:
    os.seteuid(_STRANGER)
    try:
        guard(strangers_home)
        os.seteuid(0)
        os.chown(strangers_home / "data" / "keys.json", 0, 0)
        os.seteuid(_STRANGER)
        with pytest.raises(BadWorkspace, match="workspace-foreign"):  # a secret is the host's own
            guard(strangers_home)
    finally:
        os.seteuid(0)


def change_nothing(_: Path) -> None:
    pass


def make_link_above(home: Path) -> None:
    """As /home is on some machines."""
    real = home.parent / "real"
    (home.parent / "link").symlink_to(real)


@pytest.mark.parametrize("prepare", [change_nothing, make_link_above])
def test_a_workspace_that_only_its_owner_can_reach_is_left_in_peace(
    tmp_path: Path, prepare: Callable[[Path], None]
) -> None:
    prepare(tmp_path / "nanoclaw")
    home = tmp_path / ("link" if (tmp_path / "link").is_symlink() else "real") / "nanoclaw"
    assert guard(home) == []  # not made yet
    (tmp_path / "real" / "nanoclaw").mkdir(parents=True, mode=0o700)
    assert guard(home) == []
    (tmp_path / "real").chmod(0o777)
    with pytest.raises(BadWorkspace, match="workspace-above-open"):  # also where only a link leads through it
        guard(home)
