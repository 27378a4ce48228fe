"""A run of the suite that leaves a process behind, or skips on Debian what it should try, has failed."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from nanoclaw.sandbox.orphans import RUN

SUITE = """
import subprocess
import pytest

def test_that_leaves_a_process():
    subprocess.Popen(["/bin/sleep", "612"], start_new_session=True)

def test_that_is_skipped():
    pytest.skip("there is no such program")

def test_that_may_be_skipped():
    pytest.skip("mounting needs root")
"""
CLEAN = "def test_that_is_well(): pass"


def run(folder: Path, suite: str) -> tuple[int, str]:
    (folder / "test_it.py").write_text(suite)
    environment = {key: value for key, value in os.environ.items() if key != RUN and "PYTEST" not in key}
    environment |= {"ENDING_PATIENCE": "0.5", "PYTHONPATH": os.pathsep.join(sys.path)}
    plain = ["-q", "-p", "no:cacheprovider", "-p", "tests.ending", "-W", "ignore", "-c", "/dev/null"]
    line = [sys.executable, "-m", "pytest", *plain, "--rootdir", str(folder), "test_it.py"]
    done = subprocess.run(line, env=environment, cwd=folder, capture_output=True, check=False, timeout=120)
    return done.returncode, done.stdout.decode()


def test_what_a_run_leaves_behind_or_skips_is_named_and_fails_it(tmp_path: Path) -> None:
    code, said = run(tmp_path, SUITE)
    left = re.findall(r"FAILED left behind: (\d+) /bin/sleep 612", said)
    for pid in left:
        os.kill(int(pid), signal.SIGKILL)
    assert (code, len(left)) == (pytest.ExitCode.TESTS_FAILED, 1), said
    on_debian = Path("/etc/debian_version").exists()
    assert ("FAILED skipped: test_it.py::test_that_is_skipped" in said) == on_debian
    assert "FAILED skipped: test_it.py::test_that_may_be_skipped" not in said


def test_a_run_that_leaves_nothing_is_well(tmp_path: Path) -> None:
    code, said = run(tmp_path, CLEAN)
    assert code == pytest.ExitCode.OK, said
