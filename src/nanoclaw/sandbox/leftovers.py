"""Requests that an earlier turn left in its session's folders: nobody asks for them any more.

Answered in the next turn they would be done for whoever speaks then. A folder with something in it is moved away whole,
however much that is, and nothing in it is looked at: only while no box of the session lives.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path

import structlog

from nanoclaw.domain.tools import Kind

log = structlog.get_logger("mailroom")

# A question to people may be answered long after its turn, under its own id: whoever asked reads the answer then.
_DONE_FOR_SOMEONE = tuple(kind for kind in Kind if kind is not Kind.HITL)
_MOST_KEPT = 20  # folders of a session, for a person to look at


def put_away(ipc: Path) -> None:
    """Before a desk is opened for another turn."""
    quarantine = ipc.parent.parent / "quarantine" / ipc.name
    for kind in _DONE_FOR_SOMEONE:
        if not _is_empty(ipc / kind):
            quarantine.mkdir(parents=True, exist_ok=True, mode=0o700)
            kept = quarantine / f"left-{kind}-{secrets.token_hex(8)}"
            (ipc / kind).rename(kept)
            log.warning("requests of an earlier turn put away", session=ipc.name, kind=kind.value)
            _make_room(quarantine)


def _is_empty(folder: Path) -> bool:
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is None
    except FileNotFoundError:
        return True


def _make_room(quarantine: Path) -> None:
    """Of what is simple to remove: a folder that a box made deep stays until a person removes it."""
    kept = sorted(quarantine.glob("left-*"), key=lambda folder: folder.stat().st_mtime)
    for folder in kept[:-_MOST_KEPT]:
        with suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                Path(entry.path).unlink()
            folder.rmdir()
