"""The commands about pipelines."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from nanoclaw.cli.options import AsJson, guarded_home, help_of, language_of
from nanoclaw.cli.output import print_json
from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Skills
from nanoclaw.domain.errors import BadSettings
from nanoclaw.domain.pipelines import Mistake
from nanoclaw.host.settings import Settings, read_settings
from nanoclaw.host.templates import make_catalogue
from nanoclaw.pipelines.catalogue import Catalogue, read_file
from nanoclaw.pipelines.picture import drawn
from nanoclaw.pipelines.sentences import sentence
from nanoclaw.texts import say

app = typer.Typer()
pipelines = typer.Typer(help=help_of("pipelines"), no_args_is_help=True)
app.add_typer(pipelines, name="pipelines")

_MOST_SHOWN = 50


@pipelines.command("check", help=help_of("pipelines-check"))
def check(
    file: Annotated[Path, typer.Argument(help=help_of("pipelines-file"))], as_json: AsJson = False
) -> None:
    """Against the skills, adaptors and context of the workspace; no host is needed."""
    home = guarded_home()
    language = language_of(home)
    reading = _catalogue(home).check(read_file(file))
    if as_json:
        mistakes = [_shown(language, mistake) for mistake in reading.mistakes]
        print_json({"file": str(file), "ok": reading.is_sound, "mistakes": mistakes})
    elif reading.is_sound and reading.template:
        typer.echo(say(language, "pipelines-sound", file=str(file), count=len(reading.template.steps)))
        typer.echo(drawn(reading.template))
    else:
        _print(language, file, reading.mistakes)
    if not reading.is_sound:
        raise typer.Exit(1)


def _catalogue(home: Path) -> Catalogue:
    """With the usual settings when those of the workspace cannot be read: `doctor` says why."""
    try:
        settings = read_settings(home)
    except BadSettings:
        settings = Settings()
    return make_catalogue(home, settings, Groups(home), Skills(home))


def _print(language: str, file: Path, mistakes: Sequence[Mistake]) -> None:
    for mistake in mistakes[:_MOST_SHOWN]:
        typer.echo(f"{file}:{mistake.line}: {sentence(language, mistake)}")
    if len(mistakes) > _MOST_SHOWN:
        typer.echo(say(language, "pipelines-more", count=len(mistakes) - _MOST_SHOWN))


def _shown(language: str, mistake: Mistake) -> dict[str, object]:
    return {
        "line": mistake.line,
        "column": mistake.column,
        "key": mistake.key,
        "sentence": sentence(language, mistake),
        "allowed": list(mistake.allowed),
    }
