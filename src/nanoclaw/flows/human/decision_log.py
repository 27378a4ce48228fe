"""Every decided question becomes a line in its company's `memory/decisions.jsonl`: once, whatever crashes."""

import errno
import fcntl
import json
import os
import stat
import threading
import time
from pathlib import Path
from typing import Any, BinaryIO

import structlog

from nanoclaw.domain.questions import Question, Risk, Status
from nanoclaw.flows.human.answer_text import label

log = structlog.get_logger("records")

_LOOK_BACK = 256 * 1024  # bytes at the end of the file that may hold the line of a host that died
_PATIENCE = 0.25  # seconds, in a thread that others need
# Our own writers queue, however slow the disk is: only someone else can hold the file for ever.
_ONE_AT_A_TIME = threading.Lock()
_FILE = "decisions.jsonl"
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A box can write in that folder: a link would lead out of it, and a pipe would block us for ever.
_OPEN = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def append(home: Path, question: Question) -> None:
    """Does nothing if the line exists: a host may die after writing it and before marking that."""
    company = home / "companies" / question.company
    if not company.is_dir():
        log.warning(
            "decision not recorded: its company is gone", company=question.company, question=question.id
        )
        return
    (company / "memory").mkdir(exist_ok=True)
    folder = os.open(company / "memory", _FOLDER)
    try:
        with _ONE_AT_A_TIME, os.fdopen(_opened(folder, question.id), "rb+") as file:
            _lock(file)
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _LOOK_BACK))
            end = file.read()
            # The whole line: a box can write here too, and a line that merely resembles it must not hide it.
            line = json.dumps(entry(question), ensure_ascii=False).encode()
            if line in end.split(b"\n")[:-1]:  # the last one is empty, or torn
                return
            # Left by a person's editor, or a full disk.
            torn = b"" if not end or end.endswith(b"\n") else b"\n"
            file.write(torn + line + b"\n")
            file.flush()
            os.fsync(file.fileno())
    finally:
        os.close(folder)


def _lock(file: BinaryIO) -> None:
    """A line being written would look torn. Raises, since a box can hold this lock for ever."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                raise
        time.sleep(0.01)


def _opened(folder: int, question_id: str) -> int:
    """Anything there that is not a plain file is moved out of the way."""
    try:
        opened = os.open(_FILE, _OPEN, 0o644, dir_fd=folder)
        if stat.S_ISREG(os.fstat(opened).st_mode):
            return opened
        os.close(opened)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
            raise
    log.warning("decisions.jsonl is no plain file and is moved aside", question=question_id)
    os.rename(_FILE, f"{_FILE}.refused-{question_id}", src_dir_fd=folder, dst_dir_fd=folder)
    return os.open(_FILE, _OPEN, 0o644, dir_fd=folder)


def entry(question: Question) -> dict[str, Any]:
    """The schema of a decision, and the fields of a question."""
    option = question.option(question.chosen)
    decided = label(option, "en") if option else (question.user_input or "nothing")
    return {
        "id": question.id,
        "timestamp": (question.resolved_at or question.created_at).isoformat(),
        "type": "hitl",
        "domain": question.skill,
        "decision": f"{question.prompt[:500]} -> {decided}",
        "rationale": question.user_input or "",
        "made_by": question.made_by,
        "reversible": question.risk is not Risk.DESTRUCTIVE,
        "affects": [question.skill] if question.skill else [],
        "supersedes": question.repeats,
        "binding": question.status is Status.COMPLETED,
        "hitl_type": question.kind.word,
        "prompt": question.prompt,
        "choice": question.chosen,
        "user_input": question.user_input,
        "user": question.decided_by,
        "via": question.via,
        "status": question.status.value,
        "asked_at": question.created_at.isoformat(),
        "seconds": (
            round((question.resolved_at - question.created_at).total_seconds(), 3)
            if question.resolved_at
            else None
        ),
        "execution_id": question.execution_id,
        "group": question.group,
        "payload": json.loads(question.payload),
        "payload_hash": question.payload_hash,
    }
