"""Watchers of a folder are told about files that arrive in it, and about nothing after it is gone."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from nanoclaw.sandbox.folder_watch import Watcher

pytestmark = pytest.mark.capability("A17")


@pytest_asyncio.fixture
async def watcher() -> AsyncIterator[Watcher]:
    watcher = Watcher()
    yield watcher
    await watcher.close()


def opened(folder: Path) -> int:
    folder.mkdir()
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)


async def test_a_folder_that_vanishes_keeps_the_others_from_nothing(watcher: Watcher, tmp_path: Path) -> None:
    told: asyncio.Queue[tuple[str, str | None]] = asyncio.Queue()
    gone, stays = opened(tmp_path / "gone"), opened(tmp_path / "stays")
    ticket = watcher.watch(gone, lambda name: told.put_nowait(("gone", name)))
    watcher.watch(stays, lambda name: told.put_nowait(("stays", name)))
    os.close(gone)
    shutil.rmtree(tmp_path / "gone")
    watcher.unwatch(ticket)
    (tmp_path / "stays" / "letter").write_text("here")
    async with asyncio.timeout(60):
        assert await told.get() == ("stays", "letter")
    os.close(stays)


async def test_the_folder_is_the_one_that_was_opened_whatever_has_its_name_now(
    watcher: Watcher, tmp_path: Path
) -> None:
    told: asyncio.Queue[str | None] = asyncio.Queue()
    descriptor = opened(tmp_path / "folder")
    (tmp_path / "folder").rename(tmp_path / "moved")
    (tmp_path / "folder").mkdir()
    watcher.watch(descriptor, told.put_nowait)
    (tmp_path / "folder" / "not ours").touch()
    (tmp_path / "moved" / "ours").touch()
    async with asyncio.timeout(60):
        assert await told.get() == "ours"
    os.close(descriptor)
