"""What all commands share: language, help, `--json`, and the workspace."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from nanoclaw.domain.errors import NanoClawError
from nanoclaw.host import workspace_origin
from nanoclaw.host.quick_import import load
from nanoclaw.host.settings import FILE, home_folder, read_settings
from nanoclaw.host.workspace import local_language
from nanoclaw.host.workspace_guard import guard
from nanoclaw.texts import say


def language_of(home: Path) -> str:
    """The workspace's language; the machine's if there is none yet, or its settings cannot be read."""
    try:
        settings = read_settings(home)
    except NanoClawError:
        return local_language()
    return settings.language if "language" in settings.model_fields_set else local_language()


LANGUAGE = language_of(home_folder())


def help_of(word: str) -> str:
    return say(LANGUAGE, f"help-{word}")


def guarded_home(*, brought: bool = False) -> Path:
    """The workspace, closed to others. Commands get it only from here, before they open anything in it. One that was
    made elsewhere is refused until a person has seen what it would do, but for commands that deal with `brought` ones.
    """
    if not logging.getLogger().handlers:  # nobody has said yet where the log goes
        load("nanoclaw.host.logs").write_to_terminal("warning")
    home = home_folder()
    for path in guard(home):
        typer.echo(say(LANGUAGE, "workspace-closed", path=str(path)), err=True)
    if not brought:
        if workspace_origin.is_brought(home):
            load("nanoclaw.cli.trust").expect_accepted(home)
        elif (home / FILE).exists() and not workspace_origin.is_marked(home):
            workspace_origin.mark(home)
    return home


AsJson = Annotated[bool, typer.Option("--json", help=help_of("json"))]


def lists_alone(group: typer.Typer, show: Callable[..., None]) -> None:
    """Without a further word the group does what its `list` does: typing its name means wanting to see what
    there is.
    """

    @group.callback(invoke_without_command=True)
    def list_usual(asked: typer.Context, as_json: AsJson = False) -> None:
        if asked.invoked_subcommand is None:
            show(as_json=as_json)
