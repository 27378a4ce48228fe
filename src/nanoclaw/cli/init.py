"""`nanoclaw init`, and what any command that may be the first one does: create the workspace, check its settings."""

from pathlib import Path

import typer

from nanoclaw.cli.options import guarded_home, help_of
from nanoclaw.host import workspace
from nanoclaw.host.backup import marker
from nanoclaw.host.settings import Settings, read_settings
from nanoclaw.texts import say

app = typer.Typer()


@app.command(help=help_of("init"))
def init() -> None:
    home = guarded_home()
    settings, made = prepare(home)
    typer.echo(say(settings.language, "init-made" if made else "init-exists", home=str(home)))


def prepare(home: Path) -> tuple[Settings, bool]:
    """The workspace (created now if there is none) and its settings, checked before anything is started."""
    marker.refuse_unfinished(home)
    at_first = read_settings(home)  # the environment may name the language of the new workspace
    chosen = at_first.model_fields_set
    made = workspace.make(
        home,
        language=at_first.language if "language" in chosen else workspace.local_language(),
        timezone=at_first.timezone if "timezone" in chosen else workspace.local_timezone(),
    )
    workspace.check(home)
    return read_settings(home), made
