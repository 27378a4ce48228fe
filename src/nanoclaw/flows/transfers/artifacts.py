"""work_artifacts/: copies the files of a session into its package, and lists those that stay unless they are picked.

Boxes write these files, so they are not trusted: they are opened beneath their folder, and everything is
bounded. Everything blocks: use a thread.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import thread_time

from nanoclaw.domain.secret_search.file_names import secret_by_name
from nanoclaw.domain.text import storable, tidy_file_name
from nanoclaw.domain.transfers import ARTIFACTS, MOST_ARTIFACT, MOST_ARTIFACT_BYTES, MOST_ARTIFACTS
from nanoclaw.flows.transfers.candidates import Candidate, Why
from nanoclaw.flows.transfers.scrubber import Scrubber
from nanoclaw.sandbox import untrusted_files
from nanoclaw.sandbox.file_writers import signature_of
from nanoclaw.sandbox.untrusted_files import Reject

_MOST_UNCHOSEN = 100  # listed for people to pick from
_LONGEST_NAME = 300  # of those
_MOST_NAMED = 200  # files that are only named
_MOST_HASHED = 256 << 20  # bytes of those: hashing a bigger one would keep the host busy for seconds
_MOST_SCRUBBED = 16 << 20  # bytes of text: a megabyte takes half a second
_MOST_SECONDS = 10.0  # of CPU for all texts: a list of nothing but telephone numbers takes long
_DEEPEST = 4  # folders within work_artifacts/
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_CHUNK = 1 << 20
_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0e-\x1f\x7f]")


class _TooSlow(Exception):
    """Searching for secrets takes too long; the rest is only named."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Artifact:
    """`is_seen`: it is text and was searched for secrets; otherwise it leaves as it is. `is_secret`: files of
    its name are secrets, and an owner picked it: it leaves with them.
    """

    name: str
    size: int
    is_seen: bool
    is_secret: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Referenced:
    """Named, but not taken along. `why`: size (too big), room (too many), secret (it holds one, and is not
    text that could be masked).
    """

    name: str
    size: int
    why: str
    sha256: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Unchosen:
    """Stays here unless somebody picks it; the package does not even name it. `key` and `sha256` say which
    content they pick.
    """

    name: str
    size: int
    why: Why
    key: str
    sha256: str


@dataclass(kw_only=True, slots=True)
class CollectedArtifacts:
    """`more`: so many further files stay here, and are not listed."""

    taken: list[Artifact] = field(default_factory=list)
    referenced: list[Referenced] = field(default_factory=list)
    unchosen: list[Unchosen] = field(default_factory=list)
    more: int = 0


def collect(
    files: Path,
    attachments: Path,
    found: Iterator[Candidate],
    folder: Path,
    scrubber: Scrubber,
    picked: Mapping[str, str],
) -> CollectedArtifacts:
    """Copy the artifacts into `folder`, the package. Each content once, however often it was sent. `picked`:
    the SHA-256 of the contents that somebody picked, by the keys of their files.
    """
    collecting = _Collecting(folder=folder, scrubber=scrubber, picked=picked)
    opened = [_opened(place) for place in (files, attachments)]
    try:
        for each in found:
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
    picked: Mapping[str, str]
    made: CollectedArtifacts = field(default_factory=CollectedArtifacts)
    names: set[str] = field(default_factory=set)
    digests: set[str] = field(default_factory=set)
    room: int = MOST_ARTIFACT_BYTES
    to_hash: int = _MOST_HASHED
    to_scrub: int = _MOST_SCRUBBED
    until: float = field(default_factory=lambda: thread_time() + _MOST_SECONDS)

    def take(self, handle: int, candidate: Candidate) -> None:
        try:
            if len(self.made.taken) >= MOST_ARTIFACTS:
                self._refer(handle, candidate)
                return
            content, about = untrusted_files.read_with_stat(
                handle, candidate.path, min(MOST_ARTIFACT, self.room)
            )
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
        is_secret = candidate.is_secret_by_name
        why = Why.NAME if is_secret else candidate.why
        if why is None and candidate.signature not in (None, signature_of(about)):
            why = Why.CHANGED  # since it was known whose it is
        if why is not None and self.picked.get(candidate.key) != digest:
            self._leave(candidate, size=len(content), why=why, sha256=digest)
            return
        if is_secret:
            self._put(candidate, content, is_secret=True)
            return
        text, encoding = _text(content)
        if text is not None and len(content) > self.to_scrub:
            self._name(candidate, size=len(content), why="room", sha256=digest)
            return
        if text is None and self.scrubber.holds_secret(content):
            self._name(candidate, size=len(content), why="secret", sha256=None)
            return
        if text is None:
            self._put(candidate, content)
            return
        name = self._place(candidate.name)
        self.to_scrub -= len(content)
        try:
            text = self.scrubber.scrub(text, name, self._check)
        except _TooSlow:
            self._name(candidate, size=len(content), why="room", sha256=digest)
            return
        self._write(name, _encoded(text, encoding), Artifact(name=name, size=len(content), is_seen=True))

    def _put(self, candidate: Candidate, content: bytes, *, is_secret: bool = False) -> None:
        """As it is."""
        name = self._place(candidate.name)
        artifact = Artifact(name=name, size=len(content), is_seen=False, is_secret=is_secret)
        self._write(name, content, artifact)

    def _write(self, name: str, content: bytes, artifact: Artifact) -> None:
        target = self.folder / name
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        target.write_bytes(content)
        self.room -= artifact.size
        self.made.taken.append(artifact)

    def _leave(self, candidate: Candidate, *, size: int, why: Why, sha256: str) -> None:
        if len(self.made.unchosen) >= _MOST_UNCHOSEN:
            self.made.more += 1
            return
        name = storable(candidate.name)  # for people of the group, who know it by this name
        if len(name) > _LONGEST_NAME:
            name = f"{name[: _LONGEST_NAME // 2]}…{name[-_LONGEST_NAME // 2 :]}"
        self.made.unchosen.append(Unchosen(name=name, size=size, why=why, key=candidate.key, sha256=sha256))

    def _check(self) -> None:
        if thread_time() > self.until:
            raise _TooSlow

    def _refer(self, handle: int, candidate: Candidate) -> None:
        """Name what there is no room for; not what may be another's, whose names stay here too."""
        if candidate.why is not None or candidate.is_secret_by_name:
            self.made.more += 1
            return
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

    def _name(self, candidate: Candidate, *, size: int, why: str, sha256: str | None) -> None:
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
        if name.rpartition("/")[2].startswith(".") and secret_by_name(name):
            parts[-1] = f".{parts[-1]}"  # programs look for it by this name
        return "/".join(parts[-_DEEPEST:])

    def _scrubbed(self, name: str) -> str:
        """Scrub a name without its suffix, which could pass for part of an address."""
        stem, dot, suffix = name.rpartition(".")
        if not dot:
            stem, suffix = name, ""
        return f"{self.scrubber.scrub(stem, f'{ARTIFACTS}/')}{dot}{suffix}"


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
