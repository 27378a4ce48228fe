"""The manifest of a package: its files with size and SHA-256. The hash of the manifest stands for the whole
package.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nanoclaw.domain.transfers import MANIFEST, Transfer

_FORMAT = 1


def made(transfer: Transfer, folder: Path) -> tuple[bytes, dict[str, Any]]:
    """A manifest of everything in the folder; the same files always give the same bytes."""
    body = {
        "format": _FORMAT,
        "transfer_id": transfer.id,
        "company": transfer.company,
        "group": transfer.group,
        "target": transfer.target.value,
        "source": f"{transfer.source_runtime} {transfer.source_version}",
        "created": transfer.created_at.isoformat(timespec="seconds"),
        "expires": transfer.expires_at.isoformat(timespec="seconds"),
        "files": {
            name: {"size": path.stat().st_size, "sha256": digest(path)} for name, path in files_of(folder)
        },
    }
    return (json.dumps(body, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode(), body


def hash_of(manifest: bytes) -> str:
    return hashlib.sha256(manifest).hexdigest()


def files_of(folder: Path) -> list[tuple[str, Path]]:
    """The files by their place in the package, in order; without the manifest."""
    found = sorted(
        (path.relative_to(folder).as_posix(), path) for path in folder.rglob("*") if path.is_file()
    )
    return [(name, path) for name, path in found if name != MANIFEST]


def digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def verify(files: Mapping[str, bytes | str], manifest: bytes, content_hash: str) -> list[str]:
    """What was altered, is missing or was added, by name; empty if all is as it was packed. `files` are keyed
    by their place in the package, each as its content or SHA-256. A manifest that is not ours says nothing
    about them.
    """
    if hash_of(manifest) != content_hash:
        return [MANIFEST]
    listed = json.loads(manifest)["files"]
    given = {name: each for name, each in files.items() if name != MANIFEST}
    return sorted(
        name
        for name in listed.keys() | given.keys()
        if name not in listed or name not in given or _sha256(given[name]) != listed[name]["sha256"]
    )


def is_of(transfer_id: str, manifest: bytes, found: Mapping[str, str]) -> bool:
    """Whether these files, by their SHA-256, belong to a package of this transfer; some may be missing."""
    try:
        body = json.loads(manifest)
        listed = {name: each["sha256"] for name, each in body["files"].items()}
        return body["transfer_id"] == transfer_id and found.items() <= listed.items()
    except (ValueError, TypeError, KeyError, AttributeError):
        return False


def _sha256(content: bytes | str) -> str:
    return content if isinstance(content, str) else hashlib.sha256(content).hexdigest()
