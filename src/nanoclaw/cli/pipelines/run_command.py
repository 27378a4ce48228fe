"""`nanoclaw pipelines run`: starts a run after showing what it will cost, and reports progress until it ends."""

import asyncio
import sys
from typing import Annotated

import typer

from nanoclaw.cli.host_requests import locale_of_owner
from nanoclaw.cli.options import AsJson, guarded_home, help_of
from nanoclaw.cli.output import as_dict, print_json
from nanoclaw.cli.people.access import word, word_or_none
from nanoclaw.cli.pipelines.host_requests import in_words_of_the_command_line
from nanoclaw.cli.pipelines.lines import expectation, step_line, whole_estimate
from nanoclaw.cli.plain_lines import one_line
from nanoclaw.client.connection import Address
from nanoclaw.client.pipelines import PipelineClient
from nanoclaw.console.pipeline_shapes import PipelineRun
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.pipeline_runs import PipelineRunStatus, StepState
from nanoclaw.texts import say

_YES = ("y", "yes", "т", "так")
_INTERRUPTED = 130


def run(
    template: Annotated[str, typer.Argument(metavar="TEMPLATE", help=help_of("pipelines-template"))],
    subject: Annotated[str, typer.Argument(metavar="SUBJECT", help=help_of("pipelines-subject"))],
    group: Annotated[str | None, typer.Option(help=help_of("pipelines-group"))] = None,
    to: Annotated[str | None, typer.Option(metavar="CHAT", help=help_of("pipelines-to"))] = None,
    budget: Annotated[float | None, typer.Option(min=0.0001, help=help_of("pipelines-budget"))] = None,
    yes: Annotated[bool, typer.Option("--yes", help=help_of("pipelines-yes"))] = False,
    detach: Annotated[bool, typer.Option("--detach", help=help_of("pipelines-detach"))] = False,
    as_json: AsJson = False,
) -> None:
    """Needs a host that stays: a run outlives the command."""
    home = guarded_home()
    wanted = {
        "template": word(template),
        "subject": subject,
        "group": word_or_none(group),
        "chat": word_or_none(to),
        "budget": budget,
        "id": new_id("a"),
    }
    wanted = {name: value for name, value in wanted.items() if value is not None}

    async def start(locale: Locale) -> PipelineRun:
        async with PipelineClient(Address.of(home)) as client:
            if not yes:
                expected = await client.estimate(word(template), word_or_none(group))
                _be_sure(whole_estimate(expected, locale.speaks), locale.speaks)
            return await client.start(wanted)

    Address.of(home)  # before anything is asked
    locale = locale_of_owner()
    with in_words_of_the_command_line():
        begun = asyncio.run(start(locale))
    follow(begun, locale, detach=detach, as_json=as_json)


def follow(begun: PipelineRun, locale: Locale, *, detach: bool, as_json: bool) -> None:
    """Follow it until it is over. The exit code is 0 only for a run that is done."""
    language = locale.speaks
    if not as_json:
        said = say(language, "pipelines-begun", id=begun.short, title=one_line(begun.title))
        typer.echo(f"{said}: {one_line(begun.subject)}")
    if detach:
        ended = begun
    else:
        try:
            ended = asyncio.run(_watched(begun, language, quiet=as_json))
        except (KeyboardInterrupt, asyncio.CancelledError) as gone:
            typer.echo(say(language, "pipelines-goes-on", id=begun.short), err=True)
            raise typer.Exit(_INTERRUPTED) from gone
    if as_json:
        print_json(as_dict(ended))
    elif not detach:
        typer.echo("\n".join(_ending(ended, language)))
    if ended.ended_at is not None and ended.status != PipelineRunStatus.DONE:
        raise typer.Exit(1)


async def _watched(begun: PipelineRun, language: str, *, quiet: bool) -> PipelineRun:
    """Print each new line of a step."""
    told: set[str] = set()
    last = begun

    def lost() -> None:
        typer.echo(say(language, "pipelines-lost"), err=True)

    async with PipelineClient(Address.of(guarded_home())) as client:
        async for run in client.follow(begun.id, lost):
            last = run
            begun_steps = [step_line(step, language) for step in run.steps if step.state != StepState.WAITING]
            asked = [
                await _how_to_decide(client, each, language) for each in run.questions if each not in told
            ]
            fresh = [line for line in (*begun_steps, *asked) if line not in told]
            told.update(fresh, run.questions)
            if fresh and not quiet:
                typer.echo("\n".join(fresh))
    return last


async def _how_to_decide(client: PipelineClient, question_id: str, language: str) -> str:
    """A line for each choice, as it can be typed."""
    question = await client.question(question_id)
    asked = say(language, "pipelines-asks", question=one_line(question.question.partition("\n")[0]))
    choices = (
        say(language, "pipelines-choice", id=question.short, option=each.id, label=one_line(each.label))
        for each in question.options
    )
    return "\n".join([asked, *choices])


def _ending(run: PipelineRun, language: str) -> list[str]:
    said = say(language, f"pipelines-ended-{run.status}", id=run.short)
    return [f"{said} {one_line(run.why)}" if run.why else said, expectation(run, language)]


def _be_sure(estimate: list[str], language: str) -> None:
    """Ask for confirmation, because it costs money; a script has to say `--yes`."""
    for line in estimate:
        typer.echo(line, err=True)
    if not sys.stdin.isatty():
        raise Refused("pipelines-say-yes")
    question = say(language, "pipelines-sure")
    typer.echo(f"{question} ", nl=False, err=True)
    if sys.stdin.readline().strip().lower() not in _YES:
        typer.echo(say(language, "pipelines-not-begun"), err=True)
        raise typer.Exit(1)
