"""CLAUDE.md of a company, as a prompt takes it."""

from functools import lru_cache
from pathlib import Path
from textwrap import shorten

from nanoclaw.domain.memory import MemoryFile
from nanoclaw.memory.claude_md import Sections
from nanoclaw.sandbox.untrusted_files import read_text

_RECENT = 10  # lines of activity in a prompt
_LONGEST = 160  # characters of each


def read_memory(home: Path, company: str) -> MemoryFile:
    """Empty where there is none. It is opened with care: boxes wrote to this folder once."""
    return _parted(read_text(home / "companies" / company / "memory", "CLAUDE.md"))


@lru_cache(maxsize=64)
def _parted(text: str) -> MemoryFile:
    """Every turn reads the file; it is parsed when it has changed."""
    sections = Sections.read(text)
    recent = tuple(shorten(line, _LONGEST, placeholder=" …") for line in sections.recent(_RECENT))
    return MemoryFile(stable=sections.stable().strip(), recent=recent)
