"""What the words of the command line share: their language, their help, and the rooms behind them."""

import logging
from typing import Annotated, Any

import typer

from nanoclaw.domain.errors import NanoClawError
from nanoclaw.host.guarding import guard
from nanoclaw.host.loading import load
from nanoclaw.host.settings import home_folder, read_settings
from nanoclaw.host.workspace import local_language
from nanoclaw.texts import say


def _language() -> str:
    """Of the workspace; of the machine where the settings cannot be read."""
    try:
        return read_settings(home_folder()).language
    except NanoClawError:
        return local_language()


LANGUAGE = _language()


def help_of(word: str) -> str:
    return say(LANGUAGE, f"help-{word}")


def room(name: str) -> Any:
    """Loaded when its word is typed: `nanoclaw --help` need not wait for the web server and the database.

    Every command comes by here before it opens the workspace.
    """
    if not logging.getLogger().handlers:  # nobody has said yet where the log goes
        load("nanoclaw.host.logs").write_to_terminal("warning")
    for path in guard(home_folder()):
        typer.echo(say(LANGUAGE, "workspace-closed", path=str(path)), err=True)
    return load(f"nanoclaw.cli.{name}")


AsJson = Annotated[bool, typer.Option("--json", help=help_of("json"))]
