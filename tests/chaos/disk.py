"""A small disk for the data of a workspace, which can be filled and emptied again. Needs the rights to mount."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_SIZE = "48m"


class SmallDisk:
    def __init__(self, folder: Path) -> None:
        self._filler = folder / "filler"

    async def fill(self, seconds: float) -> None:
        """Until not a byte is left, for so long."""
        file = os.open(self._filler, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            for size in (1 << 20, 4096, 1):
                try:
                    while True:
                        os.write(file, b"x" * size)
                except OSError:
                    continue  # full, as wanted
            await asyncio.sleep(seconds)
        finally:
            os.close(file)
            self._filler.unlink()


@contextmanager
def small_disk(folder: Path) -> Iterator[SmallDisk | None]:
    """None where nothing can be mounted."""
    mounted = (
        os.geteuid() == 0
        and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={_SIZE}", "tmpfs", folder], check=False, capture_output=True
        ).returncode
        == 0
    )
    try:
        yield SmallDisk(folder) if mounted else None
    finally:
        if mounted:
            # For inspection afterwards.
            shutil.copytree(folder, folder.with_name("data-at-the-end"), dirs_exist_ok=True)
            subprocess.run(["umount", "-l", folder], check=False, capture_output=True)
