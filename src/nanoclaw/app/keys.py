"""Keys of model vendors: from the environment, from `nanoclaw.toml`, or from a file that only this user can read."""

import json
import os
import sys
from collections.abc import Mapping
from getpass import getpass
from pathlib import Path

import typer

from nanoclaw.app.masking import hide
from nanoclaw.app.private import read_private, write_private
from nanoclaw.app.settings import Settings, read_settings
from nanoclaw.domain.errors import BadSettings
from nanoclaw.texts import say

ANTHROPIC = "anthropic"
_FILE = "keys.json"
_SHORTEST = 8
VENDORS = (
    *("anthropic", "openai", "google", "groq", "mistral", "local", "ollama", "openrouter", "deepseek", "xai"),
    *(
        "cohere",
        "together",
        "fireworks",
        "cerebras",
        "moonshotai",
        "nebius",
        "sambanova",
        "ovhcloud",
        "litellm",
    ),
)


class Keys:
    """Whoever prints this sees the names of vendors, never a key."""

    def __init__(self, home: Path, settings: Settings, environment: Mapping[str, str] = os.environ) -> None:
        self._stored = read_private(home / "data" / _FILE)
        self._anthropic = settings.anthropic.api_key.get_secret_value()
        self._environment = environment
        hide([self._anthropic, *(key for name, key in environment.items() if name.endswith("_API_KEY"))])

    def get(self, vendor: str) -> str | None:
        if vendor == ANTHROPIC and self._anthropic:
            return self._anthropic
        return self._environment.get(f"{vendor.upper().replace('-', '_')}_API_KEY") or self._stored.get(
            vendor
        )

    def __repr__(self) -> str:
        return f"Keys({', '.join(sorted(self._stored))})"


def set_key(home: Path, vendor: str) -> None:
    """Asked for without showing it, or read from a pipe; never an argument, where `ps` would show it."""
    language = read_settings(home).language
    vendor = vendor.strip().lower()
    if vendor not in VENDORS:
        raise BadSettings("vendor-unknown", vendor=vendor, known=", ".join(VENDORS))
    written = getpass(say(language, "key-ask", vendor=vendor)) if sys.stdin.isatty() else sys.stdin.readline()
    key = written.strip()
    if len(key) < _SHORTEST or not key.isascii() or any(letter.isspace() for letter in key):
        raise BadSettings("key-odd", vendor=vendor)
    path = home / "data" / _FILE
    write_private(path, read_private(path) | {vendor: key})
    typer.echo(say(language, "key-kept", vendor=vendor, file=str(path)))


def drop_key(home: Path, vendor: str) -> None:
    language = read_settings(home).language
    path = home / "data" / _FILE
    stored = read_private(path)
    if stored.pop(vendor.strip().lower(), None) is None:
        raise BadSettings("key-missing", vendor=vendor, known=", ".join(sorted(stored)) or "-")
    write_private(path, stored)
    typer.echo(say(language, "key-dropped", vendor=vendor))


def list_keys(home: Path, *, as_json: bool) -> None:
    """Their vendors alone."""
    vendors = sorted(read_private(home / "data" / _FILE))
    if as_json:
        typer.echo(json.dumps(vendors))
    else:
        typer.echo("\n".join(vendors) or say(read_settings(home).language, "key-none"))
