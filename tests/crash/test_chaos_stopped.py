"""A trial of `just chaos` that is stopped leaves nothing behind: no host, no PostgreSQL, no folder of theirs."""

import asyncio
import os
import secrets
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.chaos.databases import programs
from tests.ending import marked
from tests.staging import until

from nanoclaw.sandbox.orphans import RUN


@pytest.fixture
def folder() -> Iterator[Path]:
    """Where the user of PostgreSQL may go too, unlike the folders of tests."""
    made = Path(tempfile.mkdtemp(prefix="nanoclaw-stopped-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed (Debian's package postgresql)")
async def test_a_trial_that_is_terminated_leaves_no_server_and_no_host_behind(
    folder: Path,
) -> None:
    mark = secrets.token_hex(8)
    trial = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.chaos", "sessions", "--hosts", "2", "--runs", "1", "--kills", "1000"),
        *("--keep", str(folder / "kept")),
        env=os.environ | {RUN: mark, "TMPDIR": str(folder)},
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        await until(lambda: any(folder.glob("kept/host*/data/host.json")))
        trial.terminate()
        async with asyncio.timeout(60):
            _, told = await trial.communicate()
        assert (trial.returncode, told) == (130, b"stopped before its end: nothing was judged\n")
        await until(lambda: not marked(mark))
        assert not list(folder.glob("nanoclaw-*"))
    finally:
        for left in marked(mark):
            os.kill(int(left.split()[0]), signal.SIGKILL)
        await trial.wait()
