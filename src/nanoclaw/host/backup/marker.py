"""The mark of a restore in progress: written before anything is moved, removed when everything is in place.

An interrupted restore leaves it. No host starts on a half-restored workspace, and the next restore repairs it.
"""

import json
import os
from pathlib import Path

from nanoclaw.domain.errors import BadWorkspace
from nanoclaw.host.backup.archive_writer import sync_folder

NAME = "restore-under-way.json"


def refuse_unfinished(home: Path) -> None:
    """Refuse to start on half a workspace: it would be treated as new, or incomplete work continued."""
    if (home / "data" / NAME).exists():
        aside = asides(home)
        raise BadWorkspace("restore-unfinished", home=str(home), aside=", ".join(map(str, aside)) or "-")


def asides(home: Path) -> list[Path]:
    """Where interrupted restores put what was there, the latest last."""
    try:
        return [Path(each) for each in json.loads((home / "data" / NAME).read_text("utf-8"))["aside"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []


def write(home: Path, aside: Path) -> None:
    path = home / "data" / NAME
    named = [str(each) for each in (*asides(home), aside)]
    fresh = path.with_suffix(".new")
    with fresh.open("w", encoding="utf-8") as file:
        json.dump({"aside": named}, file)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
    sync_folder(path.parent)


def remove(home: Path) -> None:
    (home / "data" / NAME).unlink()
    sync_folder(home / "data")
