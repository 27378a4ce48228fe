"""What a live session changed in the files of its group, when their writer wants to keep the host busy."""

import asyncio
import time
from pathlib import Path

import pytest

from nanoclaw.flows.live.files import SessionFiles

pytestmark = pytest.mark.attack

_COUNT = 120


def _lines(mark: str) -> list[str]:
    """Each line of the one begins many matches in the other, and no match is longer than a line."""
    inner = [line for number in range(990) for line in (f"{number % 50}\n", f"{mark}{number}\n")]
    return ["the same\n", f"{mark} begins\n", *inner, f"{mark} ends\n", "the same\n"]


async def test_files_made_to_be_compared_for_ever_are_compared_in_a_moment(tmp_path: Path) -> None:
    files = tmp_path / "groups" / "main" / "files"
    files.mkdir(parents=True)
    (tmp_path / "data").mkdir()
    paths = [files / f"{number:03}.txt" for number in range(_COUNT)]
    for path in paths:
        path.write_text("".join(_lines("old")))
    session_files = SessionFiles(home=tmp_path)
    await asyncio.gather(*(session_files.remember("q_1", "main") for _ in range(8)))  # all open it at once
    for path in paths:
        path.write_text("".join(_lines("new")))
    begun = time.process_time()
    found = await session_files.changes("q_1", "main")
    assert time.process_time() - begun < 10  # seconds of work; each pair took several
    assert [each.path for each in found] == [path.name for path in paths]
    diff = (found[0].diff or "").splitlines(keepends=True)
    assert diff[2] == "@@ -1,1984 +1,1984 @@\n"
    assert [line[1:] for line in diff[3:] if line[0] in " -"] == _lines("old")
    assert [line[1:] for line in diff[3:] if line[0] in " +"] == _lines("new")
    assert not list((tmp_path / "data" / "live_sessions").glob("*.new"))
