"""What goes into a backup, and what never does: locks, logs, tokens, and keys unless asked for."""

import os
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from nanoclaw.domain.errors import Refused
from nanoclaw.host.backup.entry_rules import KEPT
from nanoclaw.host.backup.folder_walk import BackupItem, Walk
from nanoclaw.host.backup.manifest import DATA
from nanoclaw.host.settings import FILE, SECRET_KEY, Settings

SECRET = ("bots.json", "keys.json", "mcp.json")
SECRET_FOLDER = "mcp"  # noqa: S105 - where local MCP servers work, and keep what they were allowed
_MOST_SECRET = 64 * 1024**2
_KEYS = ("anthropic.api_key", "telegram.bot_token")
_PASSWORD = re.compile(r"://[^:/@]*:([^@]+)@|[?&]password=([^&]+)")
_URL = "database.url"
_MARK = re.compile(r"taken-out-[a-z0-9-]+")


def workspace_files(home: Path, walk: Walk, outside: list[Path]) -> Iterator[BackupItem]:
    """Everything but `data/` and the settings, which are searched first; nothing that is `outside`."""
    left_out = {DATA, FILE, *(_below(home, path) for path in outside)} - {None}
    walk.left_out = lambda path: path in left_out
    yield from walk.through(home)


def data_files(home: Path, walk: Walk) -> Iterator[BackupItem]:
    walk.left_out = lambda path: PurePosixPath(path).name.startswith(".probe-")
    for name in KEPT:
        yield from walk.file(home / "data" / name, name)


def secrets(home: Path) -> dict[str, bytes]:
    """The files that hold secrets, by path in the workspace; the settings too if they do."""
    found: dict[str, bytes] = {}
    walk, data = Walk(), home / "data"
    for name in (*SECRET, SECRET_FOLDER):
        for each in walk.file(data / name, name):
            if each.handle is not None and _size(found) + each.about.st_size <= _MOST_SECRET:
                with os.fdopen(os.dup(each.handle), "rb") as file:
                    found[f"data/{each.path}"] = file.read(each.about.st_size)
    written = settings_text(home)
    plain, taken_out = without_secrets(written)
    if plain is None or taken_out:
        found[FILE] = written.encode()
    return found


def settings_text(home: Path) -> str:
    try:
        return (home / FILE).read_text("utf-8")
    except OSError:
        return ""


def without_secrets(text: str) -> tuple[str | None, list[str]]:
    """The settings with a placeholder for each secret, and which those were; None if one might still be there."""
    try:
        found = secrets_in(text)
    except tomllib.TOMLDecodeError:
        return None, []
    for name, secret in found.items():
        text = text.replace(secret, mark_of(name))
    if any(value in found.values() for value in secrets_in(text).values()):
        return None, sorted(found)
    return text, sorted(found)


def secrets_in(text: str) -> dict[str, str]:
    """Keys, tokens and the password of the database, by the name of their setting."""
    written = tomllib.loads(text)
    values = {name: _value(written, name) for name in (*_KEYS, *_keys_of_channels(written), _URL)}
    password = _PASSWORD.search(values.pop(_URL))
    values[_URL] = (password[1] or password[2]) if password else ""
    return {name: value for name, value in values.items() if value and value != mark_of(name)}


def with_secrets(text: str, present: str) -> str:
    """A backup's settings with the placeholders filled from this workspace, or left empty."""
    try:
        known = secrets_in(present)
    except tomllib.TOMLDecodeError:
        known = {}
    for name, secret in sorted(known.items(), reverse=True):  # of names that start alike, the longer first
        text = text.replace(mark_of(name), secret)
    return _MARK.sub("", text)


def expect_no_secrets(content: bytes) -> None:
    """Refuses settings of a backup that bring a key along, or would write one of ours where it is sent or shown."""
    try:
        written = tomllib.loads(content.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        return  # nobody could use them: they are refused when they are read
    places = {mark_of(name): name for name in (*_KEYS, *_keys_of_channels(written), _URL)}
    strayed = [
        mark for path, value in _leaves(written) for mark in _MARK.findall(value) if places.get(mark) != path
    ]
    if strayed or secrets_in(content.decode("utf-8")):
        raise Refused("backup-planted", member=FILE)


def _leaves(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text in the settings, and every name, with where it is."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield "", key
            yield from _leaves(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)
    elif isinstance(value, str):
        yield path, value


def _keys_of_channels(written: dict[str, Any]) -> list[str]:
    tables = written.get("channels")
    of_tables = tables.items() if isinstance(tables, dict) else ()
    found = [
        f"channels.{name}.{key}" for name, table in of_tables if isinstance(table, dict) for key in table
    ]
    return [name for name in found if SECRET_KEY.search(name)]


def mark_of(name: str) -> str:
    return f"taken-out-{name.replace('.', '-').replace('_', '-')}"


def outside_of(home: Path, settings: Settings, target: Path) -> list[Path]:
    """What a backup must leave out: itself and other backups."""
    folder = home / settings.backup.folder
    return [folder, target, *(target.with_name(target.name + ending) for ending in (".new", ".db"))]


def _below(home: Path, path: Path) -> str | None:
    here, there = os.path.realpath(home), os.path.realpath(path)
    return os.path.relpath(there, here) if there.startswith(here + os.sep) else None


def _value(written: dict[str, object], name: str) -> str:
    value: object = written
    for key in name.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""


def _size(found: dict[str, bytes]) -> int:
    return sum(map(len, found.values()))
