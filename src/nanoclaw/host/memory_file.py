"""A company's CLAUDE.md in the form that a prompt takes."""

import os
import re
from functools import lru_cache
from pathlib import Path
from textwrap import shorten

from nanoclaw.domain.memory import MemoryFile
from nanoclaw.domain.secret_search.masker import mask_secrets
from nanoclaw.memory.sections import Section, section_of
from nanoclaw.sandbox.untrusted_files import read_text

_RECENT = 10  # lines of activity in a prompt
_LONGEST = 160  # characters of each
_HEADING = re.compile(r"(#{1,6})\s+(.*?)\s*#*\s*")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_ITEM = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])\s+(.*)")


class MemoryFileReader:
    """Reads it again only if it has changed: every turn asks."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._known: dict[str, tuple[tuple[int, int, int], MemoryFile]] = {}

    def read(self, company: str) -> MemoryFile:
        """Empty if there is none. It is opened with care: boxes used to write to this folder."""
        try:
            about = os.lstat(f"{self._home}/companies/{company}/memory/CLAUDE.md")
        except OSError:
            return MemoryFile()
        stamp = (about.st_mtime_ns, about.st_size, about.st_ino)
        known = self._known.get(company)
        if known is None or known[0] != stamp:
            text = read_text(self._home / "companies" / company / "memory", "CLAUDE.md")
            known = self._known[company] = stamp, _parted(text)
        return known[1]


def _parted(text: str) -> MemoryFile:
    """Split line by line. `Sections` knows all of Markdown, but takes two milliseconds, and nearly every turn
    finds a new line here.
    """
    stable: list[str] = []
    recent: list[str] = []
    level = 0  # of the activity heading, while inside it
    is_code = False
    for line in text.splitlines():
        is_code ^= bool(_FENCE.match(line))
        if not is_code and (heading := _HEADING.fullmatch(line)):
            section = section_of(heading[2])
            if section is Section.ACTIVITY:
                level = len(heading[1])
                continue
            if section or len(heading[1]) <= level:
                level = 0
        if not level:
            stable.append(line)
        elif item := _ITEM.fullmatch(line):
            recent.append(item[1])
        elif recent and line.strip():
            recent[-1] += f" {line.strip()}"
    # Masked before it is shortened: half a secret would not be recognised.
    lately = (_masked(each) for each in recent[:_RECENT])
    return MemoryFile(
        stable=_masked("\n".join(stable).strip()),
        recent=tuple(shorten(each, _LONGEST, placeholder=" …") for each in lately),
    )


@lru_cache(maxsize=64)
def _masked(text: str) -> str:
    """Nearly every turn adds a line of activity; the rest is masked once."""
    return mask_secrets(text)
