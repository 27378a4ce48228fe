"""What a file of the workspace is, by its path: who may change it, and how two versions of it meet."""

import re
from enum import Enum


class Kind(Enum):
    """How a file that others changed in the remote is taken."""

    LINES = "lines"  # memory, one object a line: the lines of both
    SECTIONS = "sections"  # CLAUDE.md: section by section
    CONTEXT = "context"  # a clean merge is taken, a conflict is asked about
    TEXT = "text"  # a clean merge is taken, a conflict leaves ours in place
    HELD = "held"  # may give rights: it comes into effect only after the owner's yes
    NEVER = "never"  # the host's own, or no plain file: not even into our history


_COMPANY = r"companies/[^/]+"
# The first that fits.
_KINDS = (
    (Kind.NEVER, re.compile(r"data(/.*)?|groups/[^/]+/(ipc|session|quarantine)(/.*)?")),
    # Whatever git, an editor or Claude Code would read as settings.
    (Kind.HELD, re.compile(r"(.*/)?\..*")),
    # A template spends money, and says where people are asked: one without its approval would pass by itself.
    (Kind.HELD, re.compile(r"foundation/process_templates/.*", re.IGNORECASE)),
    (Kind.LINES, re.compile(rf"{_COMPANY}/memory/(archive/)?[^/]+\.jsonl")),
    (Kind.SECTIONS, re.compile(rf"{_COMPANY}/memory/CLAUDE\.md")),
    (Kind.CONTEXT, re.compile(rf"{_COMPANY}/context/.+\.md")),
    (Kind.TEXT, re.compile(rf"(foundation|{_COMPANY}/handoffs)/.+\.md|[^/]+\.md")),
)
_MEMORY = re.compile(rf"({_COMPANY})/memory/.+")
PLAIN = "100644"
_MODES = (PLAIN, "100755")


def kind_of(path: str, mode: str = PLAIN) -> Kind:
    """Whatever is not known here may be read by something that acts on it, so it is held."""
    parts = path.split("/")
    odd = any(part in ("", ".", "..") or part.lower().rstrip(". ") == ".git" for part in parts)
    if odd or mode not in _MODES or "\\" in path or not path.isprintable():
        return Kind.NEVER
    found = next((kind for kind, pattern in _KINDS if pattern.fullmatch(path)), Kind.HELD)
    return Kind.HELD if mode != PLAIN and found is not Kind.NEVER else found


def company_of(path: str) -> str | None:
    """Whose memory or context it is."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 and parts[0] == "companies" else None


def is_memory(path: str) -> bool:
    return _MEMORY.fullmatch(path) is not None
