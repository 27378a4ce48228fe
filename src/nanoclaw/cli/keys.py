"""`nanoclaw key ...`: store a vendor's key, delete it, list whose keys are stored."""

import json
import sys
from getpass import getpass
from typing import Annotated

import typer

from nanoclaw.cli.options import AsJson, guarded_home, help_of
from nanoclaw.domain.errors import BadSettings
from nanoclaw.host.keys import FILE, VENDORS
from nanoclaw.host.private import read_private, write_private
from nanoclaw.host.settings import read_settings
from nanoclaw.texts import say

app = typer.Typer()
key = typer.Typer(help=help_of("key"), no_args_is_help=True)
app.add_typer(key, name="key")

Vendor = Annotated[str, typer.Argument(help=help_of("vendor"))]
_SHORTEST = 8


@key.command("set", help=help_of("key-set"))
def set_key(vendor: Vendor = "anthropic") -> None:
    """Prompted without echo, or read from a pipe; never an argument, which `ps` would show."""
    home = guarded_home()
    settings = read_settings(home)
    language, vendor = settings.language, vendor.strip().lower()
    channel, _, own = vendor.partition(".")  # `slack.token` is for the channel of that name
    if vendor not in VENDORS and not (own and channel in settings.channels):
        raise BadSettings("vendor-unknown", vendor=vendor, known=", ".join(VENDORS))
    written = getpass(say(language, "key-ask", vendor=vendor)) if sys.stdin.isatty() else sys.stdin.readline()
    secret = written.strip()
    if len(secret) < _SHORTEST or not secret.isascii() or any(letter.isspace() for letter in secret):
        raise BadSettings("key-odd", vendor=vendor)
    path = home / "data" / FILE
    write_private(path, read_private(path) | {vendor: secret})
    typer.echo(say(language, "key-kept", vendor=vendor, file=str(path)))


@key.command("list", help=help_of("key-list"))
def list_keys(as_json: AsJson = False) -> None:
    """List only the vendors."""
    home = guarded_home()
    vendors = sorted(read_private(home / "data" / FILE))
    if as_json:
        typer.echo(json.dumps(vendors))
    else:
        typer.echo("\n".join(vendors) or say(read_settings(home).language, "key-none"))


@key.command("drop", help=help_of("key-drop"))
def drop_key(vendor: Vendor = "anthropic") -> None:
    home = guarded_home()
    language = read_settings(home).language
    path = home / "data" / FILE
    stored = read_private(path)
    if stored.pop(vendor.strip().lower(), None) is None:
        raise BadSettings("key-missing", vendor=vendor, known=", ".join(sorted(stored)) or "-")
    write_private(path, stored)
    typer.echo(say(language, "key-dropped", vendor=vendor))
