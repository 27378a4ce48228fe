"""The context files of companies on disk: read, merged, and written only if they still say what was read."""

import difflib
import fcntl
import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from nanoclaw.domain.context_files import RHYTHMS
from nanoclaw.domain.errors import BadWorkspace, NotFound
from nanoclaw.domain.shown_text import shown
from nanoclaw.git.command import Git, GitFailed, GitUnready
from nanoclaw.sandbox.untrusted_files import Reject, read_bytes

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST_COMPARED = 6000  # lines
_MOST_BYTES = 64 << 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Changed:
    """Somebody else changed the file meanwhile: `current` is what it says now."""

    current: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextFiles:
    """Every method blocks: use a thread. `file` is one of the known names, so a path cannot lead anywhere else."""

    home: Path
    check: Callable[[], None] = lambda: None  # raises when another host may have written since

    def path(self, company: str, file: str) -> Path:
        if file not in RHYTHMS:
            raise NotFound("no-such-context-file", name=file[:80], known=", ".join(RHYTHMS))
        return self.home / "companies" / company / "context" / f"{file}.md"

    def companies(self) -> list[str]:
        return sorted(each.name for each in (self.home / "companies").glob("*") if each.is_dir())

    def read(self, company: str, file: str) -> str | None:
        """None if there is no such file. A link is refused: it could bring along any file of the machine."""
        self.path(company, file)
        try:
            place = os.open(self.home / "companies", _FOLDER)
        except (FileNotFoundError, NotADirectoryError):
            return None
        try:
            content = read_bytes(place, f"{company}/context/{file}.md", _MOST_BYTES)
        except FileNotFoundError:
            return None
        except Reject as reject:
            raise BadWorkspace(
                "context-file-odd", file=f"companies/{company}/context/{file}.md", reason=reject.reason.value
            ) from reject
        finally:
            os.close(place)
        return content.decode("utf-8", "replace").replace("\0", "\ufffd")

    def write(self, company: str, file: str, before: str | None, after: str | None) -> Changed | None:
        """Write or delete the file, but only if it still says `before`. Repeating it changes nothing."""
        path = self.path(company, file)
        (self.home / "companies" / company / "context").mkdir(exist_ok=True)
        path.parent.mkdir(exist_ok=True)
        with _locked(path.parent) as folder:
            self.check()
            current = self.read(company, file)
            if current == after:
                return None
            if current != before:
                return Changed(current=current)
            if after is None:
                path.unlink()
            else:
                unfinished = path.with_name(f".{path.name}.new")
                with unfinished.open("wb") as written:
                    written.write(after.encode())
                    written.flush()
                    os.fsync(written.fileno())
                unfinished.replace(path)
            os.fsync(folder)
        return None


def merged(before: str | None, current: str | None, after: str | None) -> str | None:
    """The change from `before` to `after`, applied to what the file says now. Where both changed the same
    line it is merged word by word: a paragraph is one line, and must not lose a change that was approved
    meanwhile. Where both changed the same words the proposed ones win: the person sees in the new diff
    what they replace.
    """
    if after is None or current is None or before is None:
        return after
    texts = (current, before, after)
    try:
        return _merge_file(texts)
    except (GitFailed, GitUnready):  # they clash, or there is no git
        pass
    try:
        words = _merge_file([_one_word_a_line(text) for text in texts], "--theirs")
    except (GitFailed, GitUnready):  # show the whole proposed text against the current one
        return after
    return "".join(json.loads(line) for line in words.splitlines())


def _merge_file(texts: Sequence[str], *options: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        places = [Path(folder, name) for name in ("current", "before", "after")]
        for place, text in zip(places, texts, strict=True):
            place.write_bytes(text.encode())
        return Git(Path(folder))("merge-file", "-p", *options, *map(str, places)).decode()


def _one_word_a_line(text: str) -> str:
    return "".join(f"{json.dumps(word)}\n" for word in re.findall(r"\S+\s*|\s+", text))


def diff(before: str | None, after: str | None) -> str:
    """The whole unified diff as people are shown it, without the names of the files."""
    was, becomes = _lines(before), _lines(after)
    if len(was) + len(becomes) <= _MOST_COMPARED:
        lines = difflib.unified_diff(was, becomes, lineterm="", n=2)
        return "\n".join(map(shown, islice(lines, 2, None)))
    # Comparing takes time with the square of the lines: here everything between the first and the last
    # difference counts as changed.
    first = next((at for at, (one, two) in enumerate(zip(was, becomes, strict=False)) if one != two), None)
    first = min(len(was), len(becomes)) if first is None else first
    rest = min(len(was), len(becomes)) - first
    pairs = zip(reversed(was[first:]), reversed(becomes[first:]), strict=False)
    last = next((at for at, (one, two) in enumerate(pairs) if one != two), rest)
    gone, new = was[first : len(was) - last], becomes[first : len(becomes) - last]
    if not gone and not new:
        return ""
    head = f"@@ -{first + 1},{len(gone)} +{first + 1},{len(new)} @@"
    return "\n".join([head, *(shown(f"-{line}") for line in gone), *(shown(f"+{line}") for line in new)])


def _lines(text: str | None) -> list[str]:
    """By line feeds alone: another line end that comes or goes is a difference, and marked as such."""
    lines = (text or "").split("\n")
    return lines[:-1] if lines[-1] == "" else lines


@contextmanager
def _locked(folder: Path) -> Iterator[int]:
    opened = os.open(folder, _FOLDER)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield opened
    finally:
        os.close(opened)
