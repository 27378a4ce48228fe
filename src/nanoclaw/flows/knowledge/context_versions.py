"""What git knows of context files: who changed them when, and what they said before."""

import subprocess
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import structlog

from nanoclaw.domain.context_files import RHYTHMS
from nanoclaw.domain.errors import NotFound
from nanoclaw.flows.knowledge.context_files import ContextFiles

log = structlog.get_logger("context")

_SECONDS = 20
_MOST = 100
_AS_HOST = (
    "-c",
    "user.name=NanoClaw OS",
    "-c",
    "user.email=nanoclaw@localhost",
    "-c",
    "commit.gpgsign=false",
)
_BETWEEN = "\x1f"
_FORMAT = f"--format=%H{_BETWEEN}%ct{_BETWEEN}%an{_BETWEEN}%s"


@dataclass(frozen=True, kw_only=True, slots=True)
class Version:
    id: str
    at: datetime
    author: str
    summary: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextVersions:
    """Every method blocks: use a thread. A workspace without git has no history, and works all the same."""

    files: ContextFiles

    def commit(self, company: str, file: str, message: str) -> bool:
        """This file alone, whatever else has changed. False when it could not be done now."""
        path = str(self._path(company, file))
        added = self._git("add", "--all", "--", path)
        if added is None:
            return False
        if not self._git("diff", "--cached", "--name-only", "--", path):  # nothing to commit
            return True
        return (
            self._git("commit", "--quiet", "--no-verify", "--message", message, "--only", "--", path)
            is not None
        )

    def history(self, company: str, file: str) -> list[Version]:
        """Newest first."""
        path = str(self._path(company, file))
        printed = self._git("log", f"--max-count={_MOST}", _FORMAT, "--", path) or ""
        return [_version(line) for line in printed.splitlines()]

    def text_at(self, company: str, file: str, version: str) -> str | None:
        """What the file said then; None when it was deleted in that version. Raises NotFound."""
        found = next(
            (each for each in self.history(company, file) if version and each.id.startswith(version)), None
        )
        if found is None:
            raise NotFound("no-such-version", version=version[:60], file=file)
        return self._git("show", f"{found.id}:{self._path(company, file)}")

    def changed_at(self, company: str) -> dict[str, datetime]:
        """When each file last changed: its last commit, or its own time where it differs from that. A clone gives all
        files a new time, so that alone proves nothing."""
        folder = f"companies/{company}/context"
        printed = (
            self._git("log", f"--format={_BETWEEN}%ct", "--name-only", "--no-renames", "--", folder) or ""
        )
        touched = set((self._git("ls-files", "--modified", "--others", "--", folder) or "").splitlines())
        committed: dict[str, datetime] = {}
        at = datetime.now(UTC)
        for line in filter(None, printed.splitlines()):
            if line.startswith(_BETWEEN):
                at = datetime.fromtimestamp(int(line[1:]), UTC)
            else:
                committed.setdefault(line, at)
        found = {}
        for file in RHYTHMS:
            try:
                own = self.files.path(company, file).stat().st_mtime
            except OSError:
                continue
            path = str(self._path(company, file))
            is_committed = path in committed and path not in touched
            found[file] = committed[path] if is_committed else datetime.fromtimestamp(own, UTC)
        return found

    def _path(self, company: str, file: str) -> Path:
        return self.files.path(company, file).relative_to(self.files.home)

    def _git(self, *words: str) -> str | None:
        """What it printed; None when it failed."""
        try:
            done = subprocess.run(  # noqa: S603 - fixed words, names of known files, and ids that git gave us
                ["git", *_AS_HOST, "-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=false", *words],  # noqa: S607
                cwd=self.files.home,
                capture_output=True,
                timeout=_SECONDS,
                check=True,
                env={
                    "PATH": "/usr/local/bin:/usr/bin:/bin",
                    "GIT_TERMINAL_PROMPT": "0",
                    "HOME": str(self.files.home),
                },
            )
        except (OSError, subprocess.SubprocessError) as error:
            log.info("git could not be asked", reason=type(error).__name__, word=words[0])
            return None
        return done.stdout.decode("utf-8", "replace")


def _version(line: str) -> Version:
    commit, at, author, summary = line.split(_BETWEEN, 3)
    return Version(id=commit, at=datetime.fromtimestamp(int(at), UTC), author=author, summary=summary)
