"""Starts Claude Code at a terminal so that the person is at its prompt at once: nothing is asked first.

`terminal [--prompt FILE] -- COMMAND ...`

Its own configuration is written here and not by the host, because the box could have put a link in its place.
"""

import json
import os
from typing import Any

_LONGEST = 100_000  # bytes of one argument; the system takes 128 KiB
_REST = "\n\n[This is only the beginning. The whole request is in {}: read that file first.]"


def main(argv: list[str]) -> int:
    cut = argv.index("--")
    options = dict(zip(argv[:cut:2], argv[1:cut:2], strict=True))
    command = argv[cut + 1 :]
    _answer_dialogs(os.getcwd())  # noqa: PTH109 - pathlib takes longer to load
    if prompt := options.get("--prompt"):
        command += ["--", _first_words(prompt)]
    os.execvp(command[0], command)  # noqa: S606 - it takes our place


def _first_words(path: str) -> str:
    with open(path, "rb") as file:  # noqa: PTH123
        text = file.read()
    if len(text) <= _LONGEST:
        return text.decode()
    return text[:_LONGEST].decode(errors="ignore") + _REST.format(path)


def _answer_dialogs(folder: str) -> None:
    """Theme, trust, the risks of not being asked, and the key: whoever opened the session has accepted all that."""
    path = os.path.join(os.environ["CLAUDE_CONFIG_DIR"], ".claude.json")  # noqa: PTH118 - as above
    config = _read(path)
    projects = config.get("projects")
    projects = projects if isinstance(projects, dict) else {}
    own = projects.get(folder)
    projects[folder] = {**(own if isinstance(own, dict) else {}), **_TRUSTED}
    key = os.environ.get("ANTHROPIC_API_KEY", "")[-20:]
    config |= {
        "hasCompletedOnboarding": True,
        "bypassPermissionsModeAccepted": True,
        "autoUpdates": False,
        "customApiKeyResponses": {"approved": [key], "rejected": []},
        "projects": projects,
    }
    half = f"{path}.{os.getpid()}.half"
    with open(half, "w", encoding="utf-8") as file:  # noqa: PTH123
        json.dump(config, file)
    os.replace(half, path)  # noqa: PTH105


_TRUSTED = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}


def _read(path: str) -> dict[str, Any]:
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            found = json.load(file)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
