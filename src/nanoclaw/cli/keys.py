"""`nanoclaw key ...`: keep a vendor's key, forget it, list whose keys are kept."""

import json
import sys
from getpass import getpass
from pathlib import Path

import typer

from nanoclaw.domain.errors import BadSettings
from nanoclaw.host.keys import FILE, VENDORS
from nanoclaw.host.private import read_private, write_private
from nanoclaw.host.settings import read_settings
from nanoclaw.texts import say

_SHORTEST = 8


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
    path = home / "data" / FILE
    write_private(path, read_private(path) | {vendor: key})
    typer.echo(say(language, "key-kept", vendor=vendor, file=str(path)))


def drop_key(home: Path, vendor: str) -> None:
    language = read_settings(home).language
    path = home / "data" / FILE
    stored = read_private(path)
    if stored.pop(vendor.strip().lower(), None) is None:
        raise BadSettings("key-missing", vendor=vendor, known=", ".join(sorted(stored)) or "-")
    write_private(path, stored)
    typer.echo(say(language, "key-dropped", vendor=vendor))


def list_keys(home: Path, *, as_json: bool) -> None:
    """Their vendors alone."""
    vendors = sorted(read_private(home / "data" / FILE))
    if as_json:
        typer.echo(json.dumps(vendors))
    else:
        typer.echo("\n".join(vendors) or say(read_settings(home).language, "key-none"))
