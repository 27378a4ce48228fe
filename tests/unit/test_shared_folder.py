"""What commands left in the folder that two boxes share is gone after the host, however it ended."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from nanoclaw.sandbox import shared_folder
from nanoclaw.sandbox.shared_folder import SharedFolder

pytestmark = pytest.mark.capability("A9")

DYING = """
import asyncio, os, signal
from nanoclaw.sandbox.shared_folder import SharedFolder

async def main():
    folder = await SharedFolder.make(None, 1 << 20, in_memory=False)
    (folder.path / "said.txt").write_text("in confidence")
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(main())
"""


async def test_the_folder_of_a_killed_host_is_removed_and_that_of_a_living_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    environment = {**os.environ, "PYTHONPATH": str(Path("src").absolute()), "TMPDIR": str(tmp_path)}
    died = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", DYING], env=environment, check=False
    )
    assert died.returncode == -9
    assert len(list(tmp_path.glob("*/said.txt"))) == 1

    living = await SharedFolder.make(None, 1 << 20, in_memory=False)
    assert await shared_folder.sweep() == 1
    assert list(tmp_path.iterdir()) == [living.path]
    await living.remove()
    assert list(tmp_path.iterdir()) == []
