"""Wall clocks that can be set for one host: a small library that is put before the C library's own."""

import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import forkserver
from pathlib import Path

VARIABLE = "CHAOS_CLOCK"
_is_settable = False
_SOURCE = Path(__file__).with_name("clock.c")


def compiler() -> str | None:
    return shutil.which("gcc") or shutil.which("cc")


def own(folder: Path, name: str) -> "Clock | None":
    """The clock of the host with this name; None where clocks cannot be set."""
    return Clock(folder / f"{name}.clock") if _is_settable else None


class Clock:
    """How far the wall clock of one host is apart from the machine's."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.apart = 0.0
        file.write_bytes(struct.pack("d", 0.0))

    def move(self, seconds: float) -> None:
        self.apart += seconds
        with self.file.open("r+b") as written:
            written.write(struct.pack("d", self.apart))


@contextmanager
def settable(folder: Path) -> Iterator[None]:
    """Hosts that are started from now on have clocks that can be set, if no host was started before."""
    library = folder / "clock.so"
    subprocess.run(
        [compiler() or "gcc", "-shared", "-fPIC", "-O1", "-o", library, _SOURCE, "-ldl"], check=True
    )
    os.environ["LD_PRELOAD"] = str(library)
    try:
        forkserver.ensure_running()
    finally:
        del os.environ["LD_PRELOAD"]
    global _is_settable
    _is_settable = True
    yield
    _is_settable = False
