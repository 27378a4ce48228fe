"""Starts Claude Code at a terminal so that the person is at its prompt at once: nothing is asked first.

`terminal --conversation ID [--prompt FILE] -- COMMAND ...` continues the conversation if it has begun,
otherwise begins it with the prompt. Its own configuration is written here and not by the host, because the
box could have put a link in its place.
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
    conversation, prompt = options["--conversation"], options.get("--prompt")
    if _has_begun(conversation):
        command += ["--resume", conversation]
    else:
        command += ["--session-id", conversation, *(["--", _first_words(prompt)] if prompt else [])]
    os.execvp(command[0], command)  # noqa: S606 - it takes our place


def _has_begun(conversation: str) -> bool:
    """Whether there is something to continue. A transcript in which nothing was said yet cannot be resumed,
    and would be in the way: a program killed in its first moments leaves one.
    """
    places = os.path.join(os.environ["CLAUDE_CONFIG_DIR"], "projects")  # noqa: PTH118
    has_begun = False
    for folder in os.listdir(places) if os.path.isdir(places) else ():  # noqa: PTH208, PTH112
        path = os.path.join(places, folder, f"{conversation}.jsonl")  # noqa: PTH118
        if os.path.isfile(path):  # noqa: PTH113
            with open(path, "rb") as file:  # noqa: PTH123
                is_said = any(b'"type":"assistant"' in line or b'"type":"user"' in line for line in file)
            has_begun = has_begun or is_said
            if not is_said:
                os.unlink(path)  # noqa: PTH108
    return has_begun


def _first_words(path: str) -> str:
    with open(path, "rb") as file:  # noqa: PTH123
        text = file.read()
    if len(text) <= _LONGEST:
        return text.decode()
    return text[:_LONGEST].decode(errors="ignore") + _REST.format(path)


def _answer_dialogs(folder: str) -> None:
    """Theme, trust, the risks of not being asked, and the key: the person who opened the session has accepted
    all that.
    """
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
