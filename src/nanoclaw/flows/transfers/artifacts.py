"""work_artifacts/: the files that people sent into a session, and those its agent made or sent in it.

Boxes write these files, so they are not trusted: they are opened beneath their folder, and everything is
bounded. Everything blocks: use a thread.
"""

import hashlib
import os
import re
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import thread_time

from nanoclaw.domain.messages import FileKind
from nanoclaw.domain.secret_search.file_names import secret_by_name
from nanoclaw.domain.text import tidy_file_name
from nanoclaw.domain.transfers import ARTIFACTS, MOST_ARTIFACT, MOST_ARTIFACT_BYTES, MOST_ARTIFACTS
from nanoclaw.durable.clock import now
from nanoclaw.flows.transfers.gathered import Gathered
from nanoclaw.flows.transfers.scrubber import Scrubber
from nanoclaw.sandbox import folder_walk, untrusted_files
from nanoclaw.sandbox.file_placement import RECEIVED
from nanoclaw.sandbox.untrusted_files import Reject

_MOST_LISTED = 5000  # files of the group that are examined
_MOST_NAMED = 200  # files that are only named
_MOST_HASHED = 256 << 20  # bytes of those: hashing a bigger one would keep the host busy for seconds
_MOST_SCRUBBED = 16 << 20  # bytes of text: a megabyte takes half a second
_MOST_SECONDS = 10.0  # of CPU for all texts: a list of nothing but telephone numbers takes long
_DEEPEST = 4  # folders within work_artifacts/
_SKIPPED = {"node_modules", "__pycache__", "venv", "site-packages"}  # made by programs, by the thousand
_MOST_WORDS = 200_000  # characters of the agent's last words that are searched for file names
_SHORTEST_NAME = 5  # letters; a shorter name may be mentioned by chance
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK = 1 << 20
_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0e-\x1f\x7f]")


class _TooSlow(Exception):
    """Searching for secrets takes too long; the rest is only named."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Artifact:
    """`is_seen`: it is text and was searched for secrets; otherwise it leaves as it is."""

    name: str
    size: int
    is_seen: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Referenced:
    """Named, but not taken along. `why`: size (too big), room (too many), secret (it holds one, and is not
    text that could be masked), name (files of this name are secrets: `secret_by_name`).
    """

    name: str
    size: int
    why: str
    sha256: str | None = None


@dataclass(kw_only=True, slots=True)
class CollectedArtifacts:
    taken: list[Artifact] = field(default_factory=list)
    referenced: list[Referenced] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Candidate:
    """`path` is below the group's files, or a copy of a sent file below `data/attachments`."""

    name: str
    path: str
    is_copy: bool = False


def collect(home: Path, gathered: Gathered, folder: Path, scrubber: Scrubber) -> CollectedArtifacts:
    """Copy the artifacts into `folder`, the package. Each content once, however often it was sent."""
    collecting = _Collecting(folder=folder, scrubber=scrubber)
    places = [home / "groups" / gathered.session.group / "files", home / "data" / "attachments"]
    opened = [_opened(place) for place in places]
    try:
        for each in _candidates(places[0], gathered):
            folder_handle = opened[each.is_copy]
            if folder_handle is not None:
                collecting.take(folder_handle, each)
    finally:
        for handle in opened:
            if handle is not None:
                os.close(handle)
    return collecting.made


@dataclass(kw_only=True, slots=True)
class _Collecting:
    folder: Path
    scrubber: Scrubber
    made: CollectedArtifacts = field(default_factory=CollectedArtifacts)
    names: set[str] = field(default_factory=set)
    digests: set[str] = field(default_factory=set)
    room: int = MOST_ARTIFACT_BYTES
    to_hash: int = _MOST_HASHED
    to_scrub: int = _MOST_SCRUBBED
    until: float = field(default_factory=lambda: thread_time() + _MOST_SECONDS)

    def take(self, handle: int, candidate: _Candidate) -> None:
        try:
            if len(self.made.taken) >= MOST_ARTIFACTS:
                self._refer(handle, candidate)
                return
            content = untrusted_files.read_bytes(handle, candidate.path, min(MOST_ARTIFACT, self.room))
        except Reject as refusal:
            if refusal.reason is untrusted_files.UnreadReason.SIZE:
                self._refer(handle, candidate)
            return
        except OSError:  # it has gone meanwhile
            return
        digest = hashlib.sha256(content).hexdigest()
        if digest in self.digests or not content:
            return
        self.digests.add(digest)
        if secret_by_name(candidate.name) or secret_by_name(candidate.path):
            self._name(candidate, size=len(content), why="name", sha256=None)
            return
        text, encoding = _text(content)
        if text is not None and len(content) > self.to_scrub:
            self._name(candidate, size=len(content), why="room", sha256=digest)
            return
        if text is None and self.scrubber.holds_secret(content):
            self._name(candidate, size=len(content), why="secret", sha256=None)
            return
        name = self._place(candidate.name)
        if text is not None:
            self.to_scrub -= len(content)
            try:
                text = self.scrubber.scrub(text, name, self._check)
            except _TooSlow:
                self._name(candidate, size=len(content), why="room", sha256=digest)
                return
        target = self.folder / name
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        target.write_bytes(content if text is None else _encoded(text, encoding))
        self.room -= len(content)
        self.made.taken.append(Artifact(name=name, size=len(content), is_seen=text is not None))

    def _check(self) -> None:
        if thread_time() > self.until:
            raise _TooSlow

    def _refer(self, handle: int, candidate: _Candidate) -> None:
        if len(self.made.referenced) >= _MOST_NAMED:
            return
        with suppress(Reject, OSError):
            opened = untrusted_files.open_beneath(handle, candidate.path)
            try:
                size = os.fstat(opened).st_size
                digest = self._hashed(opened, size)
            finally:
                os.close(opened)
            if digest in self.digests or not size:
                return
            if digest:
                self.digests.add(digest)
            self._name(candidate, size=size, why="size" if size > MOST_ARTIFACT else "room", sha256=digest)

    def _hashed(self, opened: int, size: int) -> str | None:
        if size > self.to_hash:
            return None
        self.to_hash -= size
        hasher = hashlib.sha256()
        left = size
        while left > 0 and (piece := os.read(opened, min(_CHUNK, left))):
            hasher.update(piece)
            left -= len(piece)
        return hasher.hexdigest()

    def _name(self, candidate: _Candidate, *, size: int, why: str, sha256: str | None) -> None:
        name = self._clean(candidate.name)
        self.made.referenced.append(Referenced(name=name, size=size, why=why, sha256=sha256))

    def _place(self, name: str) -> str:
        """A free name in the package, also on machines that ignore upper and lower case."""
        clean = self._clean(name)
        stem, dot, suffix = clean.rpartition(".") if "." in clean.rpartition("/")[2] else (clean, "", "")
        tried, number = clean, 1
        while tried.casefold() in self.names:
            number += 1
            tried = f"{stem}-{number}{dot}{suffix}"
        self.names.add(tried.casefold())
        return f"{ARTIFACTS}/{tried}"

    def _clean(self, name: str) -> str:
        parts = [tidy_file_name(self._scrubbed(part), "file") for part in name.split("/")]
        return "/".join(parts[-_DEEPEST:])

    def _scrubbed(self, name: str) -> str:
        """Scrub a name without its suffix, which could pass for part of an address."""
        stem, dot, suffix = name.rpartition(".")
        if not dot:
            stem, suffix = name, ""
        return f"{self.scrubber.scrub(stem, f'{ARTIFACTS}/')}{dot}{suffix}"


def _candidates(files: Path, gathered: Gathered) -> Iterator[_Candidate]:
    """What people sent first, then what the agent sent, plans, and what the agent made: newest first within each."""
    for said in reversed(gathered.said):
        for file in said.files:
            if file.path and not (file.kind is FileKind.VOICE and file.heard):
                yield _Candidate(name=file.name, path=file.path)
    for said in reversed(gathered.said):
        for each in said.attachments:
            yield _Candidate(name=each.name, path=each.kept, is_copy=True)
    for plan in gathered.plans:
        if plan.path:
            yield _Candidate(name=plan.path.rpartition("/")[2], path=plan.path)
    found = {
        path: about for path, about in folder_walk.files_in(files, _MOST_LISTED).items() if _is_work(path)
    }
    times = _Times(gathered)
    mentioned = "\n".join(said.text for said in gathered.said if said.person_id is None)[-_MOST_WORDS:]
    for path, about in sorted(found.items(), key=lambda item: -item[1].st_ctime_ns):
        name = path.rpartition("/")[2]
        if times.has(about.st_ctime) or (len(name) >= _SHORTEST_NAME and "." in name and name in mentioned):
            yield _Candidate(name=path, path=path)


class _Times:
    """When turns of this session ran: what was written then is its agent's work. A box cannot forge the
    change time.
    """

    def __init__(self, gathered: Gathered) -> None:
        spans: list[tuple[float, float]] = []
        for turn in reversed(gathered.turns):
            start = turn.started_at.timestamp()
            end = (turn.finished_at or now()).timestamp()
            if spans and start <= spans[-1][1]:
                spans[-1] = spans[-1][0], max(end, spans[-1][1])
            else:
                spans.append((start, end))
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]

    def has(self, moment: float) -> bool:
        place = bisect_right(self._starts, moment) - 1
        return place >= 0 and moment <= self._ends[place]


def _is_work(path: str) -> bool:
    """What people sent, perhaps in another chat of the group, comes only with the messages."""
    return not path.startswith(f"{RECEIVED}/") and not any(
        part.startswith(".") or part in _SKIPPED for part in path.split("/")
    )


def _opened(folder: Path) -> int | None:
    try:
        return os.open(folder, _FOLDER)
    except OSError:
        return None


def _encoded(text: str, encoding: str) -> bytes:
    return text.encode("utf-8", encoding) if encoding == "surrogateescape" else text.encode(encoding)


def _text(content: bytes) -> tuple[str | None, str]:
    """The text, and how to encode it again. None for pictures, archives and office documents."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        with suppress(UnicodeDecodeError):
            return content.decode("utf-16"), "utf-8"
    for place, code in ((1, "utf-16-le"), (0, "utf-16-be")):  # without a mark: every other byte is NUL
        if len(content) % 2 == 0 and content[place::2].count(0) * 10 >= len(content) * 4:
            with suppress(UnicodeDecodeError):
                return content.decode(code), code
    with suppress(UnicodeDecodeError):
        if b"\0" not in content:
            return content.decode("utf-8-sig"), "utf-8"
    # A stray NUL or some old encoding: what is not UTF-8 stays byte for byte, and the rest is searched.
    is_plain = len(_CONTROLS.findall(content)) * 100 <= len(content)
    return (content.decode("utf-8", "surrogateescape"), "surrogateescape") if is_plain else (None, "")
