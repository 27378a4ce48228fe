"""The part of a company's memory that a box may read: its newest live lines, and CLAUDE.md."""

from collections import deque
from collections.abc import Iterable

from nanoclaw.domain.secret_search.masker import mask_secrets
from nanoclaw.flows.knowledge.view_folder import CLAUDE_MD, FILES
from nanoclaw.memory import claude_md
from nanoclaw.memory.entries import Decision, Fact, write_line
from nanoclaw.memory.files import MemoryFiles
from nanoclaw.memory.masking import masked_line

_MOST_LINES = 500
_MOST_BYTES = 512 * 1024  # of a file in a view


class ViewTexts:
    """Blocks: use a thread."""

    def __init__(self, files: MemoryFiles) -> None:
        self._files = files
        self._made: dict[tuple[str, bool], tuple[object, dict[str, str]]] = {}

    def read(self, company: str, dead: set[str], *, is_stranger: bool) -> dict[str, str]:
        """The texts by file. A stranger's agent sees only what is public, and not who said it. Read again
        only after changes.
        """
        seen = [(self._files.folder(company) / each) for each in (*FILES.values(), claude_md.FILE)]
        about = [(each.stat().st_size, each.stat().st_mtime_ns) if each.is_file() else None for each in seen]
        known = self._made.get((company, is_stranger))
        if known and known[0] == (about, dead):
            return known[1]
        made = self._read(company, dead, is_stranger=is_stranger)
        self._made[company, is_stranger] = (about, dead), made
        return made

    def _read(self, company: str, dead: set[str], *, is_stranger: bool) -> dict[str, str]:
        made = {}
        for name, file in FILES.items():
            made[name] = _newest(self._live_lines(company, file, dead, is_stranger=is_stranger))
        if not is_stranger:
            made[CLAUDE_MD] = mask_secrets(claude_md.read(self._files, company).text)
        return {name: text.encode("utf-8", "replace").decode() for name, text in made.items()}

    def _live_lines(self, company: str, file: str, dead: set[str], *, is_stranger: bool) -> Iterable[str]:
        for line, _ in self._files.read_from(company, file):
            if not isinstance(line, Fact | Decision) or line.id in dead or (is_stranger and not line.public):
                continue
            # A person or git may have written a secret into the file, where it stays; a box does not see it.
            line, _ = masked_line(line)
            yield write_line(line.model_copy(update={"provenance": None}) if is_stranger else line).decode()


def _newest(lines: Iterable[str]) -> str:
    kept = deque(lines, maxlen=_MOST_LINES)
    size = sum(len(each.encode()) for each in kept)
    while kept and size > _MOST_BYTES:
        size -= len(kept.popleft().encode())
    return "".join(kept)
