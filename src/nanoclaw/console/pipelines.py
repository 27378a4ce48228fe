"""Endpoints for runs of pipelines. The holder of the token changes them as the owner of this machine."""

import asyncio

from starlette.requests import Request

from nanoclaw.console import pipeline_shapes as shapes
from nanoclaw.console.body import read_body
from nanoclaw.console.console import Console
from nanoclaw.console.openapi import Endpoint
from nanoclaw.console.owner import owner
from nanoclaw.console.pipeline_templates import find_template
from nanoclaw.console.pipeline_views import compare, show_run, show_runs, show_texts
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.money import MICROS
from nanoclaw.domain.people import Actor
from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus, StepRun
from nanoclaw.domain.text import storable
from nanoclaw.durable import pipeline_runs
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.card_text import SHORT
from nanoclaw.flows.pipelines.changes import WantedRun


async def list_runs(request: Request, console: Console) -> shapes.PipelineRunList:
    asked = shapes.RunsWanted.model_validate(dict(request.query_params))

    def look(tx: Tx) -> shapes.PipelineRunList:
        found = pipeline_runs.newest(
            tx,
            template=asked.template,
            statuses=[PipelineRunStatus(asked.status)] if asked.status else (),
            before=asked.before,
            limit=asked.limit + 1,
        )
        shown = show_runs(tx, found[: asked.limit], console.locale_of_owner(tx).speaks)
        return shapes.PipelineRunList(runs=shown, more=len(found) > asked.limit)

    return await console.store.read(look)


async def start(request: Request, console: Console) -> shapes.PipelineRun:
    asked = shapes.NewRun.model_validate_json(await read_body(request))
    template = await find_template(console, asked.template)
    group = console.groups.get(asked.group) if asked.group else console.groups.main()

    def story(tx: Tx, by: Actor) -> shapes.PipelineRun:
        wanted = WantedRun(
            template=template,
            subject=asked.subject,
            group=group.name,
            company=group.company,
            chat_id=console.task_creation.chat_for(tx, asked.chat, group),
            language=by.language,
            budget=round(asked.budget * MICROS) if asked.budget else None,
            origin=f"api {asked.id}" if asked.id else None,
        )
        expected = console.pipelines.estimates.of(tx, template, group.company, group.name)
        begin = console.pipelines.changes.propose if asked.ask else console.pipelines.changes.start
        return _shown(tx, console, begin(tx, wanted, owner(tx), expected, now()))

    return await console.act(request, story)


async def get_run(request: Request, console: Console) -> shapes.PipelineRun:
    asked = shapes.RunOf.model_validate(dict(request.query_params))

    def look(tx: Tx) -> shapes.PipelineRun:
        language = console.locale_of_owner(tx).speaks
        return show_run(tx, _found(tx, _ref(request)), language, texts=asked.texts)

    return await console.store.read(look)


async def get_texts(request: Request, console: Console) -> shapes.StepTexts:
    number = str(request.path_params["step"])

    def look(tx: Tx) -> tuple[PipelineRun, list[StepRun]]:
        run = _found(tx, _ref(request))
        return run, pipeline_runs.steps(tx, run.id)

    run, steps = await console.store.read(look)
    if number not in (str(step.number) for step in steps):
        raise Refused("run-no-step", step=number[:20], count=len(steps))
    return await asyncio.to_thread(show_texts, run, steps, int(number))


async def cancel(request: Request, console: Console) -> shapes.PipelineRun:
    def story(tx: Tx, by: Actor) -> shapes.PipelineRun:
        run = _found(tx, _ref(request))
        return _shown(tx, console, console.pipelines.changes.cancel(tx, run.id, by, now()))

    return await console.act(request, story)


async def retry(request: Request, console: Console) -> shapes.PipelineRun:
    asked = shapes.WantedRetry.model_validate_json(await read_body(request) or b"{}")

    def story(tx: Tx, _by: Actor) -> shapes.PipelineRun:
        run = _found(tx, _ref(request))
        again = console.pipelines.changes.retry(
            tx, run.id, owner(tx), now(), from_step=asked.from_step, text=asked.text, note=asked.note
        )
        return _shown(tx, console, again)

    return await console.act(request, story)


async def compare_runs(request: Request, console: Console) -> shapes.RunsCompared:
    asked = shapes.RunsToCompare.model_validate(dict(request.query_params))

    def look(tx: Tx) -> tuple[shapes.PipelineRun, shapes.PipelineRun]:
        one, other = _found(tx, asked.one), _found(tx, asked.other)
        return _shown(tx, console, one), _shown(tx, console, other)

    return await asyncio.to_thread(compare, *await console.store.read(look))


def _ref(request: Request) -> str:
    return storable(request.path_params["run"])


def _found(tx: Tx, ref: str) -> PipelineRun:
    """Find a run by its id, or the end of it as lists show it."""
    end = ref.strip().lower()
    found = pipeline_runs.get(tx, end)
    fits = [found] if found else pipeline_runs.ending(tx, end) if len(end) >= SHORT else []
    if len(fits) != 1:
        raise NotFound("run-unknown", id=ref[:40])
    return fits[0]


def _shown(tx: Tx, console: Console, run: PipelineRun) -> shapes.PipelineRun:
    return show_run(tx, run, console.locale_of_owner(tx).speaks)


_RUN = "/api/pipelines/runs/{run}"

ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/pipelines/runs",
        summary="Runs, newest first: of one template, in one state; `before` pages back",
        answer=list_runs,
        asks=shapes.RunsWanted,
        gives=shapes.PipelineRunList,
    ),
    Endpoint(
        method="POST",
        path="/api/pipelines/runs",
        summary="Start a run, or have a card ask whether to",
        answer=start,
        takes=shapes.NewRun,
        gives=shapes.PipelineRun,
        status=201,
    ),
    Endpoint(
        method="GET",
        path="/api/pipelines/compare",
        summary="Two runs side by side: their steps, and how their texts differ",
        answer=compare_runs,
        asks=shapes.RunsToCompare,
        gives=shapes.RunsCompared,
    ),
    Endpoint(
        method="GET",
        path=_RUN,
        summary="A run with its steps; by its id, or the last five letters of it or more",
        answer=get_run,
        asks=shapes.RunOf,
        gives=shapes.PipelineRun,
    ),
    Endpoint(
        method="GET",
        path=f"{_RUN}/steps/{{step}}",
        summary="What a step made and was given, rendered, by its number",
        answer=get_texts,
        gives=shapes.StepTexts,
    ),
    Endpoint(
        method="POST",
        path=f"{_RUN}/cancel",
        summary="Cancel a run: what runs is stopped, what is done stays",
        answer=cancel,
        gives=shapes.PipelineRun,
    ),
    Endpoint(
        method="POST",
        path=f"{_RUN}/retry",
        summary="Run again from a step on, with another input if wanted; gives the new run, the old one stays",
        answer=retry,
        takes=shapes.WantedRetry,
        gives=shapes.PipelineRun,
        status=201,
    ),
)
