"""The entry of a box ends as its command ends, and passes signals on to it."""

import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[2] / "src" / "nanoclaw_inside"
ENTRY = [sys.executable, "-I", "-S", "-B", str(PROGRAM), "entry"]


def test_it_ends_as_its_command_ends() -> None:
    def code(*command: str) -> int:
        return subprocess.run([*ENTRY, "--", *command], check=False, capture_output=True).returncode

    assert code("true") == 0
    assert code("sh", "-c", "exit 42") == 42
    assert code("sh", "-c", "kill -9 $$") == 128 + 9
    assert code("no-such-program") == 127


def test_the_command_has_its_input_and_output() -> None:
    done = subprocess.run([*ENTRY, "--", "cat"], input=b"through", capture_output=True, check=True)
    assert (done.stdout, done.stderr) == (b"through", b"")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_reach_the_command(number: signal.Signals) -> None:
    script = f"trap 'echo heard; exit 5' {number.value}; echo up; while :; do sleep 0.01; done"
    with subprocess.Popen([*ENTRY, "--", "sh", "-c", script], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        process.send_signal(number)
        assert process.stdout.readline() == b"heard\n"
        assert process.wait() == 5


def test_a_connection_is_closed_when_the_host_does_not_listen(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    talk = f"import socket; print(socket.create_connection(('127.0.0.1', {port})).recv(1))"
    forward = ["--forward", f"127.0.0.1:{port}={tmp_path / 'nobody'}"]
    done = subprocess.run(
        [*ENTRY, *forward, "--", sys.executable, "-c", talk], capture_output=True, check=True
    )
    assert done.stdout == b"b''\n"


@pytest.mark.parametrize("words", [[], ["--"], ["--backward", "x", "--", "true"]])
def test_what_it_does_not_understand_it_refuses(words: list[str]) -> None:
    assert subprocess.run([*ENTRY, *words], check=False, capture_output=True).returncode == 1
