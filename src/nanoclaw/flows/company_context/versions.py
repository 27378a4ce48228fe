"""What git knows about context files: who changed them when, and what they said before."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

from nanoclaw.domain.context_files import RHYTHMS
from nanoclaw.domain.errors import NotFound
from nanoclaw.flows.company_context.files import ContextFiles
from nanoclaw.git.command import GitFailed, GitUnready
from nanoclaw.git.repository import Commit, Repository

_MOST = 200
_MARK = "\x1f"


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextVersions:
    """Every method blocks: use a thread. A workspace without git has no history, but still works."""

    files: ContextFiles
    repository: Repository

    def commit(self, company: str, file: str, message: str) -> None:
        """Commit this file alone, whatever else has changed. Raises GitUnready, GitFailed."""
        self.repository.commit([self._path(company, file)], message)

    def history(self, company: str, file: str) -> list[Commit]:
        """Newest first."""
        return self.repository.log(self._path(company, file), _MOST)

    def text_at(self, company: str, file: str, version: str) -> str | None:
        """What the file said then; None if that version deleted it. Raises NotFound."""
        known = self.history(company, file)
        found = next((each for each in known if version and each.id.startswith(version)), None)
        if found is None:
            raise NotFound("no-such-version", version=version[:60], file=file)
        content = self.repository.show(found.id, self._path(company, file))
        return None if content is None else content.decode("utf-8", "replace").replace("\0", "\ufffd")

    def changed_at(self, company: str) -> dict[str, datetime]:
        """When each file last changed: its last commit, or its modification time if it differs from that
        commit. A clone gives all files a new time, so the time alone proves nothing.
        """
        folder = f"companies/{company}/context"
        committed: dict[str, datetime] = {}
        touched: set[str] = set()
        with suppress(GitUnready, GitFailed):
            self.repository.git_folder()
            for path, at in self._commits(folder):
                committed.setdefault(path, at)
            touched = set(self.repository.changed(folder))
        found = {}
        for file in RHYTHMS:
            with suppress(OSError):
                own = datetime.fromtimestamp(self.files.path(company, file).stat().st_mtime, UTC)
                path = self._path(company, file)
                found[file] = committed[path] if path in committed and path not in touched else own
        return found

    def _commits(self, folder: str) -> Iterator[tuple[str, datetime]]:
        """Which file changed when, newest first."""
        printed = self.repository.git(
            "log", f"--format={_MARK}%ct", "--name-only", "--no-renames", "--no-show-signature", "--", folder
        )
        at = datetime.now(UTC)
        for line in filter(None, printed.decode("utf-8", "replace").splitlines()):
            if line.startswith(_MARK):
                at = datetime.fromtimestamp(int(line[1:]), UTC)
            else:
                yield line, at

    def _path(self, company: str, file: str) -> str:
        return self.files.path(company, file).relative_to(self.files.home).as_posix()
