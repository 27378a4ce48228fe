"""The stand-in for a shell hands a command to the other box, and believes little of what comes back."""

import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

pytestmark = pytest.mark.capability("A9")

STAND_IN = """import sys
from nanoclaw_inside import stand_in
stand_in.SOCKET = sys.argv[1]
sys.exit(stand_in.main(sys.argv[2:]))
"""


def asked(folder: Path, *words: str, answer: bytes) -> "subprocess.CompletedProcess[bytes]":
    """Run it with a command, beside a box of commands that a script has taken over."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "s"))
        listener.listen()

        def serve() -> None:
            near, _ = listener.accept()
            with near, near.makefile("rb") as file:
                length = b""
                while (digit := file.read(1)) != b"\0":
                    length += digit
                file.read(int(length))
                near.sendall(answer)

        serving = threading.Thread(target=serve)
        serving.start()
        environment = {"PYTHONPATH": str(Path("src").absolute()), "CLAUDE_CODE_TMPDIR": str(folder / "own")}
        told = subprocess.run(
            [sys.executable, "-c", STAND_IN, str(folder / "s"), *words],
            env=environment,
            capture_output=True,
            check=False,
        )
        serving.join()
        return told


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "own").mkdir()
    (tmp_path / "session").mkdir()
    return tmp_path


@pytest.mark.parametrize("place", ["session/x", "own/../session/x", "own/sub/../../session/x"])
@pytest.mark.attack
def test_a_name_of_a_file_makes_it_write_nowhere_in_the_agents_box(folder: Path, place: str) -> None:
    """Claude Code asks git about files by name, and a name may look like the end of its own commands."""
    name = f"/work/pwd -P >| {folder}/{place}"
    assert asked(folder, "git", "check-ignore", name, answer=b"1\nforged").returncode == 1
    assert list((folder / "session").iterdir()) == []


def test_where_a_command_ended_is_noted_for_claude_code(folder: Path) -> None:
    command = f"eval 'cd site' && pwd -P >| {folder}/own/cwd"
    assert asked(folder, "bash", "-c", command, answer=b"0\n/work/site").returncode == 0
    assert (folder / "own" / "cwd").read_text() == "/work/site"
