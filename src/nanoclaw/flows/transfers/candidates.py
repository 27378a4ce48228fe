"""Which files belong to a session: what people sent into it, what its agent sent, and what its own turns wrote.

All chats of a group share its files, so a name or a moment says nothing about whose a file is: only what the host
knows about who wrote it does (`sandbox/file_writers.py`). Whatever may be another's is listed, and stays unless
somebody picks it.
"""

import hashlib
import os
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from nanoclaw.domain.messages import FileKind
from nanoclaw.domain.secret_search.file_names import secret_by_name
from nanoclaw.durable.clock import now
from nanoclaw.flows.transfers.gathered import Gathered
from nanoclaw.sandbox import folder_walk
from nanoclaw.sandbox.file_placement import BATCHES, PIPELINES, RECEIVED
from nanoclaw.sandbox.file_writers import HOST, Doubt, Signature, Written

_MOST_LISTED = 5000  # files of the group that are examined
_SKIPPED = {"node_modules", "__pycache__", "venv", "site-packages"}  # made by programs, by the thousand
_MOST_WORDS = 200_000  # characters of the agent's last words that are searched for file names
_SHORTEST_NAME = 5  # letters; a shorter name may be mentioned by chance
_OF_HOST = (PIPELINES, BATCHES)  # the host itself writes there, for any chat of the group


class Why(StrEnum):
    """Why a file is not taken along unless somebody picks it."""

    NAME = "name"  # files of this name are secrets: only an owner picks them
    TOGETHER = "together"  # another session could write when it changed
    SHARED = "shared"  # another session changed it too
    CHANGED = "changed"  # somebody else changed it since
    CUT = "cut"  # the host was killed meanwhile
    OTHER = "other"  # another session's, or nobody's, and only named in this one
    UNKNOWN = "unknown"  # it changed while this session worked, and nobody knows who did it


_DOUBTS = {
    Doubt.TOGETHER: Why.TOGETHER,
    Doubt.SHARED: Why.SHARED,
    Doubt.OUTSIDE: Why.CHANGED,
    Doubt.CUT: Why.CUT,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidate:
    """`path` is below the group's files, or a copy of a sent file below `data/attachments`. `why`: it is only
    listed. `signature`: the file as it was when it was known whose it is.
    """

    name: str
    path: str
    is_copy: bool = False
    why: Why | None = None
    signature: Signature | None = None

    @property
    def is_secret_by_name(self) -> bool:
        return secret_by_name(self.name) or secret_by_name(self.path)

    @property
    def key(self) -> str:
        """Names it in a row; paths may hold what no database takes."""
        place = "copy" if self.is_copy else "file"
        return hashlib.sha256(f"{place} ".encode() + os.fsencode(self.path)).hexdigest()[:24]


def candidates(files: Path, gathered: Gathered, written: Mapping[str, Written] | None) -> Iterator[Candidate]:
    """What people sent first, then what the agent sent, plans, and what the agent wrote; last what may be
    another's. Newest first within each.
    """
    judge = _Judge(gathered, written)
    for said in reversed(gathered.said):
        for file in said.files:
            if file.path and not (file.kind is FileKind.VOICE and file.heard):
                yield judge.of_sent(file.name, file.path)
    for said in reversed(gathered.said):
        for each in said.attachments:
            yield Candidate(name=each.name, path=each.kept, is_copy=True)
    for plan in gathered.plans:
        if plan.path:
            yield judge.of_sent(plan.path.rpartition("/")[2], plan.path)
    found = [
        (path, about.st_ctime)
        for path, about in folder_walk.files_in(files, _MOST_LISTED).items()
        if _is_work(path)
    ]
    made = [judge.of(path, at) for path, at in sorted(found, key=lambda each: -each[1])]
    known = [each for each in made if each is not None]
    yield from (each for each in known if each.why is None)
    yield from (each for each in known if each.why is not None)


class _Judge:
    """Says whose a file of the group is, for one session."""

    def __init__(self, gathered: Gathered, written: Mapping[str, Written] | None) -> None:
        self._session = gathered.session.id
        self._written = written or {}
        self._times = _Times(gathered)
        self._mentioned = "\n".join(said.text for said in gathered.said if said.person_id is None)[
            -_MOST_WORDS:
        ]

    def of(self, path: str, changed_at: float) -> Candidate | None:
        """None: it has nothing to do with this session."""
        known = self._written.get(path)
        if known and self._session in known.writers and self._times.may_have(known.changed_at):
            why = _DOUBTS.get(known.doubt) or (Why.UNKNOWN if path.startswith(_OF_HOST_FOLDERS) else None)
            return Candidate(name=path, path=path, why=why, signature=known.signature)
        if known is None and self._times.has(changed_at):
            return Candidate(name=path, path=path, why=Why.UNKNOWN)
        name = path.rpartition("/")[2]
        if len(name) >= _SHORTEST_NAME and "." in name and name in self._mentioned:
            return Candidate(name=path, path=path, why=Why.OTHER)
        return None

    def of_sent(self, name: str, path: str) -> Candidate:
        """What was put there for this session, unless somebody else has changed it since."""
        known = self._written.get(path)
        if known is None:
            return Candidate(name=name, path=path)
        others = known.writers - {self._session, HOST}
        why = _DOUBTS.get(known.doubt) or (Why.SHARED if others else None)
        return Candidate(name=name, path=path, why=why, signature=known.signature)


class _Times:
    """When turns of this session ran."""

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

    def may_have(self, moment: float) -> bool:
        """Whether it is not from before this conversation, which may have been cleared since."""
        return bool(self._starts) and moment >= self._starts[0]


_OF_HOST_FOLDERS = tuple(f"{folder}/" for folder in _OF_HOST)


def _is_work(path: str) -> bool:
    """What people sent, perhaps in another chat of the group, comes only with the messages. Hidden files are
    left alone, but those that are secrets are named.
    """
    parts = path.split("/")
    if parts[0] == RECEIVED or any(part in _SKIPPED for part in parts):
        return False
    return secret_by_name(path) or not any(part.startswith(".") for part in parts)
