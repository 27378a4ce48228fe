"""Whether a host runs on a workspace: a lock that the system lets go of when the process dies."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nanoclaw.domain.errors import AlreadyRunning
from nanoclaw.host.host_lock import HostLock, RunningHost, find, workspace_id
from nanoclaw.texts import LANGUAGES, tell

pytestmark = pytest.mark.capability("O1")

_HOLDER = """
import sys
from pathlib import Path
from nanoclaw.host.host_lock import HostLock, RunningHost
lock = HostLock(Path(sys.argv[1])).acquire()
if sys.argv[2]:
    lock.announce(RunningHost(pid=4242, url=sys.argv[2], started_at="2024-01-01T00:00:00+00:00"))
print("held", flush=True)
sys.stdin.read()
"""
_URL = "http://127.0.0.1:8642/"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path


@contextmanager
def _other_host(home: Path, url: str = _URL) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until it is told to end."""
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(home), url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        try:
            yield other
        finally:
            other.kill()


def _host(pid: int = 1) -> RunningHost:
    return RunningHost(pid=pid, url=_URL, started_at="2024-01-01T00:00:00+00:00")


def test_a_second_host_is_refused_and_told_where_the_first_one_is(home: Path) -> None:
    with _other_host(home), pytest.raises(AlreadyRunning) as refusal:
        HostLock(home).acquire()
    assert refusal.value.values == {"url": _URL, "pid": "4242"}
    for language in LANGUAGES:
        sentence = tell(language, refusal.value)
        assert _URL in sentence
        assert "4242" in sentence


def test_a_host_that_is_still_starting_is_respected_too(home: Path) -> None:
    with _other_host(home, url=""):
        assert find(home) is None  # it runs, but nobody can talk to it yet
        with pytest.raises(AlreadyRunning) as refusal:
            HostLock(home).acquire()
    assert refusal.value.key == "already-starting"


def test_a_host_that_died_frees_the_workspace_at_once(home: Path) -> None:
    with _other_host(home) as other:
        assert find(home) is not None
        other.kill()
        other.wait()
        assert (home / "data" / "host.json").exists()  # it had no time to tidy up
        assert find(home) is None
        lock = HostLock(home).acquire()
    assert find(home) is None  # what the dead one announced is not taken for ours
    lock.announce(_host(pid=7))
    assert find(home) == _host(pid=7)
    lock.release()


def test_a_host_is_found_from_another_process_once_it_has_announced_itself(home: Path) -> None:
    with _other_host(home):
        assert find(home) == RunningHost(pid=4242, url=_URL, started_at="2024-01-01T00:00:00+00:00")


def test_looking_for_a_host_does_not_take_its_lock(home: Path) -> None:
    with _other_host(home):
        assert [find(home) is None for _ in range(3)] == [False] * 3
    assert find(home) is None
    HostLock(home).acquire().release()


def test_a_released_lock_can_be_taken_again(home: Path) -> None:
    lock = HostLock(home).acquire()
    lock.announce(_host())
    with pytest.raises(AlreadyRunning):
        HostLock(home).acquire()
    lock.release()
    assert find(home) is None
    assert not (home / "data" / "host.json").exists()
    again = HostLock(home).acquire()
    lock.release()  # a second time, by one who no longer holds it, changes nothing
    with pytest.raises(AlreadyRunning):
        HostLock(home).acquire()
    again.release()


def test_where_there_is_no_workspace_no_host_runs(tmp_path: Path) -> None:
    assert find(tmp_path / "nowhere") is None


@pytest.mark.parametrize(
    "note", ["", "{", "[]", '{"pid": 1}', '{"pid": 1, "url": "u", "started_at": "", "x": 1}']
)
def test_a_note_that_cannot_be_read_is_no_host(home: Path, note: str) -> None:
    lock = HostLock(home).acquire()
    (home / "data" / "host.json").write_text(note, "utf-8")
    assert find(home) is None
    with pytest.raises(AlreadyRunning):
        HostLock(home).acquire()
    lock.release()


def test_the_lock_is_for_its_owner_only_and_two_workspaces_do_not_meet(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "data").mkdir(parents=True)
    one, two = HostLock(home).acquire(), HostLock(other).acquire()
    assert (home / "data" / "host.lock").stat().st_mode & 0o077 == 0
    one.release()
    two.release()


def test_a_workspace_keeps_its_id(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    (other / "data").mkdir(parents=True)
    assert workspace_id(home) == workspace_id(home)
    assert workspace_id(home) != workspace_id(other)


def test_an_id_that_was_never_written_is_made_again(home: Path) -> None:
    (home / "data" / "workspace-id").touch()
    assert workspace_id(home)
