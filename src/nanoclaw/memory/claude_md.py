"""`memory/CLAUDE.md`: read, changed by its sections, and kept small."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import structlog

from nanoclaw.domain.memory import Trust
from nanoclaw.memory.entries import FACTS, Fact, Provenance
from nanoclaw.memory.files import MemoryFiles
from nanoclaw.memory.sections import MOST_ACTIVITY as MOST_ACTIVITY
from nanoclaw.memory.sections import MOST_TOKENS as MOST_TOKENS
from nanoclaw.memory.sections import Section as Section
from nanoclaw.memory.sections import Sections as Sections
from nanoclaw.memory.sections import day_of

log = structlog.get_logger("memory")

ACTIVITY_ID = "act_"  # the start of its activity lines' ids in the index
FILE = "memory/CLAUDE.md"
MOST_BYTES = 256 * 1024


def activity_fact(text: str, at: datetime, provenance: Provenance | None = None) -> Fact:
    """Activity that left CLAUDE.md. Its id is derived from its words: moved again after a crash, it is the
    same fact.
    """
    day = day_of(text)
    try:
        when = datetime.fromisoformat(day).replace(tzinfo=UTC) if day else at
    except ValueError:  # the 31st of February
        when = at
    chance = int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()[:5], "big")
    letters = "".join("0123456789abcdefghjkmnpqrstvwxyz"[chance >> shift & 31] for shift in range(0, 40, 5))
    return Fact(
        id=f"fact_{when:%Y%m%d}_{letters}" if day else f"fact_activity_{letters}",
        timestamp=when,
        fact=text.encode("utf-8", "surrogateescape").decode("utf-8", "replace").replace("\0", "") or "-",
        source="CLAUDE.md",
        kind="activity",
        # It may quote anybody.
        provenance=provenance or Provenance(trust=Trust.HEARSAY, via="rotation"),
    )


@dataclass(frozen=True, slots=True)
class Update:
    is_written: bool = False
    moved: tuple[Fact, ...] = ()  # to facts.jsonl
    is_refused: bool = False  # too big, or not a plain file: left as it is


def read(files: MemoryFiles, company: str) -> Sections:
    """The sections, for reading. Empty if there is no readable file."""
    try:
        return Sections.read(files.read_text(company, FILE, MOST_BYTES) or "")
    except OSError as error:
        log.warning("CLAUDE.md not read", company=company, reason=error)
        return Sections("")


def update(
    files: MemoryFiles,
    company: str,
    change: Callable[[Sections], Sections],
    at: datetime,
    said_by: Callable[[str], Provenance | None] = lambda _text: None,
) -> Update:
    """Change the file, and move old activity to the facts if it has grown. If killed in between, the next
    call continues. `said_by` may know where a line of activity came from.
    """
    with files.locked(company):
        try:
            before = files.read_text(company, FILE, MOST_BYTES) or ""
        except OSError as error:
            log.warning("CLAUDE.md left as it is", company=company, reason=error)
            return Update(is_refused=True)
        made, moved = change(Sections.read(before)).rotated()
        facts = [activity_fact(text, at, said_by(text)) for text in moved]
        if facts:
            files.append_to(company, FACTS, facts)
        if made.text != before:
            files.replace(company, FILE, [made.text.encode("utf-8", "surrogateescape")])
        return Update(is_written=made.text != before, moved=tuple(facts))
