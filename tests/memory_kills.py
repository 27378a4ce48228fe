"""What a process is killed in that changes the memory of the company "demo": `tests.loaded.killed_at` runs it."""

from datetime import datetime
from pathlib import Path

from nanoclaw.git.history import rewrite
from nanoclaw.git.repository import Repository
from nanoclaw.memory.files import MemoryFiles
from nanoclaw.memory.maintenance import maintain
from nanoclaw.memory.purge import PurgeFilter, purge


def purge_files(home: Path, entry: str, at: datetime) -> None:
    purge(MemoryFiles(home), "demo", [entry], at)


def purge_history(home: Path, *entries: str) -> None:
    rewrite(Repository(home), "companies/demo/memory/", PurgeFilter(entries))


def keep_in_order(home: Path, at: datetime, most: int) -> None:
    maintain(MemoryFiles(home), "demo", at, most)
