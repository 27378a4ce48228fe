"""Small secret files that only this user can read."""

import json
import os
from pathlib import Path

from nanoclaw.domain.errors import BadSettings
from nanoclaw.host.secret_mask import hide

BOTS = "bots.json"


def read_private(path: Path) -> dict[str, str]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise BadSettings("keys-broken", file=str(path), said=str(error)) from error
    if not isinstance(found, dict) or not all(isinstance(secret, str) for secret in found.values()):
        raise BadSettings("keys-broken", file=str(path), said="{}")
    hide(found.values())
    return found


def write_private(path: Path, secrets: dict[str, str]) -> None:
    """Atomic, and never readable by others, not even for a moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(secrets, file)
        file.flush()
        os.fsync(file.fileno())
    hide(secrets.values())
    fresh.replace(path)
