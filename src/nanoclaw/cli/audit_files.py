"""Compares the companies' decisions, which are files, with the questions in the database.

Agents can write in that folder, and people do: a line that is not JSON, or about something else, is theirs.
"""

import json
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from nanoclaw.domain.questions import hash_of
from nanoclaw.durable.decision_records import AskedQuestion
from nanoclaw.sandbox.untrusted_files import Reject, UnreadReason, open_beneath

DECISIONS = "decisions.jsonl"
_QUESTION = "hitl"  # the type of its lines
_LONGEST_LINE = 4 * 1024 * 1024
_MOST_BYTES = 1024**3


class Mismatch(StrEnum):
    CHAIN = "chain"  # the end in the audit differs from its row
    PAYLOAD = "payload"  # what was asked does not match its hash in the database
    LINE = "line"  # the file differs from the database: another hash, or another decision
    TWICE = "twice"  # the file has an earlier line about it
    MISSING = "missing"  # recorded according to the database, but in no file
    FILE = "file"  # the file cannot be read


@dataclass(frozen=True, kw_only=True, slots=True)
class FileFault:
    """`said` names the fields of a line that differ from the database, or why a file cannot be read."""

    what: Mismatch
    company: str
    question: str = ""
    line: int = 0
    said: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class _AuditLine:
    number: int
    question: str
    says: Mapping[str, object]


def compare(home: Path, questions: Mapping[str, AskedQuestion]) -> list[FileFault]:
    """The questions must be read before the files: a running host writes the line first, and then that it did."""
    faults: list[FileFault] = []
    found: set[str] = set()
    for folder in sorted((home / "companies").glob("*/memory")):
        company = folder.parent.name
        try:
            here: set[str] = set()
            for line in _lines(folder):
                # An unknown one came with a folder from another workspace, or after the rows were read.
                if asked := questions.get(line.question):
                    faults += _faults(line, asked, company, again=line.question in here)
                here.add(line.question)
                found.add(line.question)
        except (Reject, OSError) as error:
            faults.append(FileFault(what=Mismatch.FILE, company=company, said=str(error)))
    for asked in questions.values():
        if not asked.genuine:
            faults.append(FileFault(what=Mismatch.PAYLOAD, company=asked.company, question=asked.id))
        if not asked.chained:
            faults.append(FileFault(what=Mismatch.CHAIN, company=asked.company, question=asked.id))
        # In any file: a company may have been renamed.
        if asked.recorded and asked.id not in found:
            faults.append(FileFault(what=Mismatch.MISSING, company=asked.company, question=asked.id))
    return faults


def _faults(line: _AuditLine, asked: AskedQuestion, company: str, *, again: bool) -> Iterator[FileFault]:
    written = {"payload_hash": asked.payload_hash, **asked.outcome}
    names = [name for name, value in written.items() if line.says.get(name) != value]
    payload = json.dumps(line.says.get("payload"), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    genuine = hash_of(payload.encode("utf-8", "replace").decode()) == asked.payload_hash
    other = ", ".join([*names, *([] if genuine else ["payload"])])
    if other:
        yield FileFault(what=Mismatch.LINE, company=company, question=asked.id, line=line.number, said=other)
    if again:
        yield FileFault(what=Mismatch.TWICE, company=company, question=asked.id, line=line.number)


def _lines(folder: Path) -> Iterator[_AuditLine]:
    try:
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        opened = open_beneath(place, DECISIONS)
    except FileNotFoundError:
        return
    finally:
        os.close(place)
    with os.fdopen(opened, "rb") as file:
        about = os.fstat(opened)
        if not stat.S_ISREG(about.st_mode):
            raise Reject(UnreadReason.NOT_A_FILE)
        if about.st_size > _MOST_BYTES:
            raise Reject(UnreadReason.SIZE)
        yield from _questions(file)


def _questions(file: BinaryIO) -> Iterator[_AuditLine]:
    number, whole = 0, True
    while piece := file.readline(_LONGEST_LINE):
        number += whole
        began, whole = whole, piece.endswith(b"\n")
        try:
            said = json.loads(piece) if began else None
        except (ValueError, RecursionError):
            continue
        if isinstance(said, dict) and said.get("type") == _QUESTION and isinstance(said.get("id"), str):
            yield _AuditLine(number=number, question=said["id"], says=said)
