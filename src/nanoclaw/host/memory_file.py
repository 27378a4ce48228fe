"""CLAUDE.md of a company, as a prompt takes it."""

from pathlib import Path

from nanoclaw.domain.memory import MemoryFile
from nanoclaw.sandbox.untrusted_files import read_text


def read_memory(home: Path, company: str) -> MemoryFile:
    """Empty where there is none. It is opened with care: boxes wrote to this folder once."""
    return MemoryFile(stable=read_text(home / "companies" / company / "memory", "CLAUDE.md"))
