"""Endpoints for the templates of pipelines: what there is, what runs will cost, and the files, to be edited."""

import asyncio

from starlette.requests import Request

from nanoclaw.console import pipeline_shapes as shapes
from nanoclaw.console.body import read_body
from nanoclaw.console.console import Console
from nanoclaw.console.openapi import Endpoint
from nanoclaw.console.template_views import show_checked, show_estimate, show_mistakes, show_template
from nanoclaw.domain.errors import NotFound
from nanoclaw.domain.people import Actor
from nanoclaw.domain.pipelines import Template
from nanoclaw.domain.text import storable
from nanoclaw.durable import audit
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.pipelines.template_files import StoredTemplate
from nanoclaw.pipelines.template import read_template


async def list_templates(_request: Request, console: Console) -> shapes.PipelineList:
    catalogue = console.pipelines.catalogue
    templates, broken = await asyncio.to_thread(lambda: (catalogue.templates(), catalogue.broken()))
    group = console.groups.main()

    def look(tx: Tx) -> shapes.PipelineList:
        language = console.locale_of_owner(tx).speaks
        return shapes.PipelineList(
            templates=[
                show_template(each, console.pipelines.estimates.of(tx, each, group.company, group.name))
                for each in templates
            ],
            broken=[
                shapes.BrokenPipeline(
                    name=each.name,
                    path=each.path.removeprefix(f"{console.home}/"),
                    mistakes=show_mistakes(each.mistakes, language),
                )
                for each in broken
            ],
        )

    return await console.store.read(look)


async def estimate(request: Request, console: Console) -> shapes.PipelineEstimate:
    asked = shapes.EstimateOf.model_validate(dict(request.query_params))
    template = await find_template(console, asked.template)
    group = console.groups.get(asked.group) if asked.group else console.groups.main()
    return await console.store.read(
        lambda tx: show_estimate(console.pipelines.estimates.of(tx, template, group.company, group.name))
    )


async def check(request: Request, console: Console) -> shapes.CheckedTemplate:
    asked = shapes.WantedCheck.model_validate_json(await read_body(request))
    checked = await _checked(console, asked.text, asked.name)
    return shapes.CheckedTemplate.model_validate(checked)


async def get_text(request: Request, console: Console) -> shapes.TemplateText:
    stored = await asyncio.to_thread(console.pipelines.files.read, _name(request))
    return await _shown(console, stored)


async def save(request: Request, console: Console) -> shapes.TemplateText:
    asked = shapes.WantedTemplate.model_validate_json(await read_body(request))
    by = await console.act(request, lambda _tx, actor: actor)
    files = console.pipelines.files
    stored = await asyncio.to_thread(files.save, _name(request), asked.text, asked.version, by)
    console.pipelines.catalogue.look_again()

    def story(tx: Tx, actor: Actor) -> None:
        audit.record(tx, actor, now(), "template-saved", stored.name, path=stored.path)

    if stored.version != asked.version:
        await console.act(request, story)
        await asyncio.to_thread(files.commit, stored, by)
    return await _shown(console, stored)


async def find_template(console: Console, ref: str) -> Template:
    """Find a template by its name or one of its commands."""
    found = await asyncio.to_thread(console.pipelines.catalogue.find, ref)
    if found is None:
        raise NotFound("no-such-template", name=ref[:80])
    return found


async def _shown(console: Console, stored: StoredTemplate) -> shapes.TemplateText:
    checked = await _checked(console, stored.text, stored.name)
    return shapes.TemplateText.of(stored, **checked)


async def _checked(console: Console, text: str, name: str) -> dict[str, object]:
    locale = await console.store.read(console.locale_of_owner)

    def read() -> dict[str, object]:
        reading = console.pipelines.catalogue.check(read_template(text.encode(), name=name))
        return show_checked(reading, locale.speaks)

    return await asyncio.to_thread(read)


def _name(request: Request) -> str:
    return storable(request.path_params["template"])


_TEMPLATE = "/api/pipelines/templates/{template}"

ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/pipelines",
        summary="The templates of pipelines, and those that cannot be used with their mistakes",
        answer=list_templates,
        gives=shapes.PipelineList,
    ),
    Endpoint(
        method="GET",
        path="/api/pipelines/estimate",
        summary="What a run of a template will cost and how long it will take, for an agent group",
        answer=estimate,
        asks=shapes.EstimateOf,
        gives=shapes.PipelineEstimate,
    ),
    Endpoint(
        method="POST",
        path="/api/pipelines/check",
        summary="Check the text of a template: its mistakes with their lines, and its picture. Nothing is kept",
        answer=check,
        takes=shapes.WantedCheck,
        gives=shapes.CheckedTemplate,
    ),
    Endpoint(
        method="GET",
        path=_TEMPLATE,
        summary="A template's file, by its name; also one with mistakes",
        answer=get_text,
        gives=shapes.TemplateText,
    ),
    Endpoint(
        method="PUT",
        path=_TEMPLATE,
        summary="Save a template's file, if nobody changed it since the named version; without one, a new file",
        answer=save,
        takes=shapes.WantedTemplate,
        gives=shapes.TemplateText,
    ),
)
