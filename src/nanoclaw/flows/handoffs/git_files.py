"""What lies in `companies/{company}/handoffs/`, where other runtimes write: contracts for us, and results of ours.

    {id}.json           a contract, or one of ours to which its result was added
    {id}.result.md      the result as text
    {id}.result.json    {"id": ..., "status": "done" or "failed", "result": "..."}

Everything here was written by whoever can push. It is read as data, bounded, and never believed.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.text import is_empty, storable
from nanoclaw.git.work_files import WorkFiles

_MOST_FILES = 2000  # of a company
_MOST_BYTES = 1 << 20
_MOST_RESULT = 100_000  # characters
_NAME = re.compile(r"(?P<id>[A-Za-z0-9][\w-]{0,79})(?P<kind>\.json|\.result\.md|\.result\.json)", re.ASCII)
RESULT = ".result.json"


@dataclass(frozen=True, kw_only=True, slots=True)
class WrittenFile:
    """A file as it was found."""

    company: str
    id: str  # from its file name
    kind: str
    content: bytes
    stamp: tuple[int, int, int] = (0, 0, 0)  # inode, size, time of change

    @property
    def path(self) -> str:
        return f"companies/{self.company}/handoffs/{self.id}{self.kind}"

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True, kw_only=True, slots=True)
class Result:
    text: str
    is_done: bool = True


@dataclass(frozen=True, slots=True)
class GitFiles:
    """Blocks: use a thread."""

    home: Path
    _seen: dict[str, tuple[int, int, int]] = field(default_factory=dict)

    def new(self) -> list[WrittenFile]:
        """The files that changed since they were taken up."""
        return [found for company, name in self._listed() if (found := self._read(company, name))]

    def taken(self, written: WrittenFile) -> None:
        """Mark a file as stored in rows, so that it is not read again before it changes."""
        self._seen[written.path] = written.stamp

    def contract(self, company: str, handoff_id: str) -> bytes | None:
        return WorkFiles(self.home).read(f"companies/{company}/handoffs/{handoff_id}.json")

    def write_result(self, company: str, contract_id: str, result: Mapping[str, Any]) -> bool:
        """Write the result for the other runtime. False if the same was already there."""
        path = f"companies/{company}/handoffs/{contract_id}{RESULT}"
        files = WorkFiles(self.home)
        content = json.dumps(result, ensure_ascii=False, indent=2).encode() + b"\n"
        if files.read(path) == content:
            return False
        files.write(path, content)
        return True

    def _listed(self) -> Iterator[tuple[str, str]]:
        for folder in sorted(self.home.glob("companies/*/handoffs")):
            if not folder.is_symlink():
                names = sorted(each.name for each in folder.iterdir())[:_MOST_FILES]
                yield from ((folder.parent.name, name) for name in names)

    def _read(self, company: str, name: str) -> WrittenFile | None:
        named = _NAME.fullmatch(name)
        path = f"companies/{company}/handoffs/{name}"
        try:
            about = (self.home / path).lstat()
        except OSError:
            return None
        stamp = about.st_ino, about.st_size, about.st_mtime_ns
        if named is None or self._seen.get(path) == stamp:
            return None
        if about.st_size > _MOST_BYTES:
            content: bytes | None = b""  # refused as unreadable
        else:
            content = WorkFiles(self.home).read(path)
        if content is None:
            self._seen[path] = stamp
            return None
        return WrittenFile(company=company, id=named["id"], kind=named["kind"], content=content, stamp=stamp)


def body_of(written: WrittenFile) -> dict[str, Any]:
    """Raises Refused."""
    try:
        found = json.loads(written.content)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Refused("handoff-file-unreadable")
    if "id" in found and found["id"] != written.id:
        raise Refused("handoff-file-other-id", id=storable(str(found["id"]))[:60])
    return found


def result_in(written: WrittenFile) -> Result | None:
    """The result that a file brings; None if it is a contract without one. Raises Refused."""
    if written.kind == ".result.md":
        return _result(written.content.decode("utf-8", "replace"))
    body = body_of(written)
    if written.kind == ".json":
        if "result" not in body:
            return None
        body = body["result"] if isinstance(body["result"], dict) else {"result": body["result"]}
    status, said = body.get("status", "done"), body.get("result", body.get("content"))
    if status not in ("done", "failed") or not isinstance(said, str):
        raise Refused("handoff-file-unreadable")
    return _result(said, is_done=status == "done")


def _result(said: str, *, is_done: bool = True) -> Result:
    text = storable(said).strip()
    if is_empty(text):
        raise Refused("handoff-result-empty")
    if len(text) > _MOST_RESULT:
        raise Refused("handoff-result-long", length=len(text), most=_MOST_RESULT)
    return Result(text=text, is_done=is_done)
