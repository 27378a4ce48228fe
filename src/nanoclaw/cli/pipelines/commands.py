"""The commands about pipelines: their templates, and starting, watching, changing and exporting runs.

They go through the host, so that cards and pages change at once. A run needs a host that stays; for everything else a
temporary one is started if none runs.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from nanoclaw.cli.options import AsJson, guarded_home, help_of, language_of, lists_alone
from nanoclaw.cli.output import as_dict, print_json
from nanoclaw.cli.people.access import word
from nanoclaw.cli.pipelines import export, run_command
from nanoclaw.cli.pipelines.host_requests import about, through_host
from nanoclaw.cli.pipelines.lines import broken_lines, run_line, template_lines, text_lines, whole_lines
from nanoclaw.cli.plain_lines import told_back
from nanoclaw.client.connection import Address
from nanoclaw.client.pipelines import PipelineClient
from nanoclaw.console.pipeline_shapes import PipelineList, PipelineRunLine
from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Skills
from nanoclaw.domain.errors import BadSettings, Refused
from nanoclaw.domain.pipeline_runs import PipelineRunStatus
from nanoclaw.domain.pipelines import Mistake
from nanoclaw.host.settings import Settings, read_settings
from nanoclaw.host.templates import make_catalogue
from nanoclaw.pipelines.catalogue import Catalogue, read_file
from nanoclaw.pipelines.picture import drawn
from nanoclaw.pipelines.sentences import sentence
from nanoclaw.texts import say

app = typer.Typer()
pipelines = typer.Typer(help=help_of("pipelines"))
app.add_typer(pipelines, name="pipelines")

pipelines.command("run", help=help_of("pipelines-run"))(run_command.run)

_MOST_SHOWN = 50
_MOST_RUNS = 1000

Run = Annotated[str, typer.Argument(metavar="RUN", help=help_of("pipelines-ref"))]


@pipelines.command("list", help=help_of("pipelines-list"))
def list_all(
    template: Annotated[str | None, typer.Option(help=help_of("pipelines-of-template"))] = None,
    status: Annotated[
        str | None,
        typer.Option(metavar="[asked|running|done|failed|cancelled]", help=help_of("pipelines-status")),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=_MOST_RUNS, help=help_of("limit"))] = 20,
    as_json: AsJson = False,
) -> None:
    """The templates, unless only some runs are wanted; then the runs, newest first."""
    known = [each.value for each in PipelineRunStatus]
    if status is not None and status not in known:
        raise Refused("pipelines-no-such-status", value=status[:40], known=", ".join(known))

    async def story(client: PipelineClient) -> tuple[PipelineList, list[PipelineRunLine]]:
        return await client.templates(), await client.runs(limit, template=template, status=status)

    (templates, runs), locale = through_host(story)
    if as_json:
        print_json({**as_dict(templates), "runs": [as_dict(row) for row in runs]})
        return
    if template is None and status is None:
        for each in templates.templates:
            typer.echo("\n".join(template_lines(locale, each)))
        for broken in templates.broken:
            typer.echo("\n".join(broken_lines(locale, broken)))
        typer.echo()
    typer.echo("\n".join(run_line(locale, row) for row in runs) or say(locale.speaks, "pipelines-no-runs"))


lists_alone(pipelines, list_all)


@pipelines.command("show", help=help_of("pipelines-show"))
def show(
    run: Run,
    texts: Annotated[bool, typer.Option("--texts", help=help_of("pipelines-texts"))] = False,
    as_json: AsJson = False,
) -> None:
    row, locale = about(run, lambda client: client.get(word(run)))
    if as_json:
        print_json(as_dict(row))
        return
    typer.echo("\n".join(whole_lines(locale, row)))
    if texts:
        typer.echo("\n".join(text_lines(row)))


@pipelines.command("cancel", help=help_of("pipelines-cancel"))
def cancel(run: Run, as_json: AsJson = False) -> None:
    row, locale = about(run, lambda client: client.cancel(word(run)))
    if as_json:
        print_json(as_dict(row))
    else:
        typer.echo("\n".join(whole_lines(locale, row)))


@pipelines.command("retry", help=help_of("pipelines-retry"))
def retry(
    run: Run,
    from_step: Annotated[int | None, typer.Option("--from", min=1, help=help_of("pipelines-from"))] = None,
    note: Annotated[str | None, typer.Option(help=help_of("pipelines-note"))] = None,
    text_file: Annotated[Path | None, typer.Option(help=help_of("pipelines-text-file"))] = None,
    detach: Annotated[bool, typer.Option("--detach", help=help_of("pipelines-detach"))] = False,
    as_json: AsJson = False,
) -> None:
    """Needs a host that stays, as `run` does."""
    Address.of(guarded_home())
    text = _read_text(text_file) if text_file else None
    again, locale = about(
        run, lambda client: client.retry(word(run), from_step=from_step, note=note, text=text)
    )
    run_command.follow(again, locale, detach=detach, as_json=as_json)


@pipelines.command("export", help=help_of("pipelines-export"))
def export_run(
    run: Run,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help=help_of("pipelines-folder"))],
    as_json: AsJson = False,
) -> None:
    row, locale = about(run, lambda client: client.get(word(run)))
    written = export.write(row, folder)
    if as_json:
        print_json({"run": row.id, "files": [str(path) for path in written]})
    else:
        typer.echo(say(locale.speaks, "pipelines-exported", count=len(written), folder=str(folder)))


def _read_text(file: Path) -> str:
    try:
        return file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "UTF-8"
        raise Refused("pipelines-text-unreadable", path=str(file), said=said or "") from error


@pipelines.command("check", help=help_of("pipelines-check"))
def check(
    file: Annotated[Path, typer.Argument(help=help_of("pipelines-file"))], as_json: AsJson = False
) -> None:
    """Check it against the skills, adaptors and context of the workspace; no host is needed."""
    home = guarded_home()
    language = language_of(home)
    reading = _catalogue(home).check(read_file(_meant(file, home)))
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


def _meant(file: Path, home: Path) -> Path:
    """The path, which the list and the docs give relative to the workspace."""
    try:
        return home / file if not file.exists() and (home / file).exists() else file
    except OSError:  # no file can have that name: reading it says why
        return file


def _catalogue(home: Path) -> Catalogue:
    """The catalogue, with default settings if those of the workspace cannot be read: `doctor` says why."""
    try:
        settings = read_settings(home)
    except BadSettings:
        settings = Settings()
    return make_catalogue(home, settings, Groups(home), Skills(home))


def _print(language: str, file: Path, mistakes: Sequence[Mistake]) -> None:
    for mistake in mistakes[:_MOST_SHOWN]:
        typer.echo(told_back(f"{file}:{mistake.line}: {sentence(language, mistake)}"))
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
