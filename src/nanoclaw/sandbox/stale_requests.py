"""Requests that an earlier turn left in its session's folders: nobody asks for them any more.

If answered in the next turn, they would be done for the person who speaks then. A folder that is not empty is
moved away whole and unread, however big; only while no box of the session lives.
"""

import os
import secrets
from contextlib import suppress
from itertools import islice
from pathlib import Path

import structlog

from nanoclaw.domain.file_protocol import RequestKind
from nanoclaw.sandbox.untrusted_files import ENDING

log = structlog.get_logger("requests")

_MOST_QUESTIONS = 256
_MOST_REMOVED = 1000  # files at once: a box may have created millions
_MOST_KEPT = 20  # folders per session, for a person to look at


def put_away(ipc: Path) -> frozenset[str]:
    """Call before a session opens for another turn. Returns the ids of questions that stay: people may answer
    them long after the turn, and the asker reads the answer then.
    """
    quarantine = ipc.parent.parent / "quarantine" / ipc.name
    questions = _names(ipc / RequestKind.HITL)
    for kind in RequestKind:
        is_left = (
            bool(_names(ipc / kind)) if kind is not RequestKind.HITL else len(questions) > _MOST_QUESTIONS
        )
        if is_left:
            quarantine.mkdir(parents=True, exist_ok=True, mode=0o700)
            kept = quarantine / f"left-{kind}-{secrets.token_hex(8)}"
            (ipc / kind).rename(kept)
            log.warning("requests of an earlier turn put away", session=ipc.name, kind=kind.value)
            _make_room(quarantine)
    return frozenset(name.removesuffix(ENDING) for name in questions)


def _names(folder: Path) -> list[str]:
    """The names in a folder, a few more than are of interest."""
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in islice(entries, _MOST_QUESTIONS + 1)]
    except FileNotFoundError:
        return []


def _make_room(quarantine: Path) -> None:
    """Remove what is simple to remove: a deeply nested folder stays until a person removes it."""
    kept = sorted(quarantine.glob("left-*"), key=lambda folder: folder.stat().st_mtime)
    for folder in kept[:-_MOST_KEPT]:
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in islice(entries, _MOST_REMOVED):
                Path(entry.path).unlink()
            folder.rmdir()
