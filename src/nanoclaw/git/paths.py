"""What a file of the workspace is, by its path: who may change it, and how two versions of it are merged."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from enum import Enum


class SyncedFileKind(Enum):
    """How a file that others changed in the remote is taken."""

    LINES = "lines"  # memory, one object per line: the lines of both
    SECTIONS = "sections"  # CLAUDE.md: section by section
    CONTEXT = "context"  # a clean merge is taken, a conflict is asked about
    TEXT = "text"  # a clean merge is taken, a conflict leaves ours in place
    SKILL = "skill"  # taken if it does not change the rights of its skill, otherwise held
    HELD = "held"  # may grant rights: it takes effect only after the owner's yes
    NEVER = "never"  # the host's own, or not a plain file: not even in our history


_COMPANY = r"companies/[^/]+"
_SKILL = re.compile(r"skills/[^/]+/[^/]+/[^/]+/SKILL\.md")
# The first match counts.
_KINDS = (
    (SyncedFileKind.NEVER, re.compile(r"data(/.*)?|groups/[^/]+/(ipc|session|quarantine)(/.*)?")),
    # Anything that git, an editor or Claude Code would read as settings.
    (SyncedFileKind.HELD, re.compile(r"(.*/)?\..*")),
    # A template spends money, and says where people are asked: without its approval it would pass by itself.
    (SyncedFileKind.HELD, re.compile(r"foundation/process_templates/.*", re.IGNORECASE)),
    # Markdown beside a skill is read, never run. Another SKILL.md, however it is spelled, does not count as such.
    (SyncedFileKind.SKILL, _SKILL),
    (SyncedFileKind.HELD, re.compile(r"skills/(.*/)?skill\.md", re.IGNORECASE)),
    (SyncedFileKind.TEXT, re.compile(r"skills/[^/]+/[^/]+/[^/]+/.+\.md")),
    (SyncedFileKind.LINES, re.compile(rf"{_COMPANY}/memory/(archive/)?[^/]+\.jsonl")),
    (SyncedFileKind.SECTIONS, re.compile(rf"{_COMPANY}/memory/CLAUDE\.md")),
    (SyncedFileKind.CONTEXT, re.compile(rf"{_COMPANY}/context/.+\.md")),
    (
        SyncedFileKind.TEXT,
        re.compile(rf"foundation/.+\.md|{_COMPANY}/handoffs/(.+\.md|[^/]+\.json)|[^/]+\.md"),
    ),
)
_MEMORY = re.compile(rf"({_COMPANY})/memory/.+")
PLAIN = "100644"
_MODES = (PLAIN, "100755")


def kind_of(path: str, mode: str = PLAIN) -> SyncedFileKind:
    """Unknown files may be read by something that acts on them, so they are held."""
    parts = path.split("/")
    odd = any(part in ("", ".", "..") or part.lower().rstrip(". ") == ".git" for part in parts)
    if odd or mode not in _MODES or "\\" in path or not path.isprintable():
        return SyncedFileKind.NEVER
    if unicodedata.normalize("NFKC", path) != path:
        return SyncedFileKind.HELD  # a name that looks like another
    found = next((kind for kind, pattern in _KINDS if pattern.fullmatch(path)), SyncedFileKind.HELD)
    return SyncedFileKind.HELD if mode != PLAIN and found is not SyncedFileKind.NEVER else found


def company_of(path: str) -> str | None:
    """The company whose memory or context it is."""
    parts = path.split("/")
    return parts[1] if len(parts) > 2 and parts[0] == "companies" else None


def is_skill(path: str) -> bool:
    return _SKILL.fullmatch(path) is not None


def is_memory(path: str) -> bool:
    return _MEMORY.fullmatch(path) is not None


class TakenNames:
    """The names that are taken. On machines that ignore case, two spellings share one place."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._files: dict[str, str] = {}
        self._folders: dict[str, str] = {}
        for path in paths:
            self._add(path)

    def take(self, path: str) -> bool:
        """False if there is no place for it."""
        folders = list(_above(path))
        is_free = path.casefold() not in self._files and path.casefold() not in self._folders
        fits = all(
            self._folders.get(each.casefold(), each) == each and each.casefold() not in self._files
            for each in folders
        )
        if is_free and fits:
            self._add(path)
        return is_free and fits

    def _add(self, path: str) -> None:
        self._files[path.casefold()] = path
        self._folders.update((each.casefold(), each) for each in _above(path))


def _above(path: str) -> Iterator[str]:
    parts = path.split("/")
    return ("/".join(parts[:end]) for end in range(1, len(parts)))
