"""Describes the API as OpenAPI, from the table that its routes are made of."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from starlette.requests import Request
from starlette.responses import Response

from nanoclaw.console.console import Console
from nanoclaw.console.shape import Problem

_MODE: Final = "validation"


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    method: str
    path: str
    summary: str
    answer: Callable[[Request, Console], Awaitable[BaseModel | Response]]
    takes: type[BaseModel] | None = None
    takes_file: bool = False  # the body is a file of any kind
    gives: type[BaseModel] | None = None
    status: int = 200
    asks: type[BaseModel] | None = None  # the query parameters
    events: Mapping[str, type[BaseModel]] | None = None  # of a stream, by name


def describe(endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    every = list(endpoints)
    said: set[type[BaseModel]] = {Problem}.union(*map(_shapes_of, every))
    schemas, named = models_json_schema(
        [(shape, _MODE) for shape in sorted(said, key=lambda each: each.__qualname__)],
        ref_template="#/components/schemas/{model}",
    )

    def content(shape: type[BaseModel]) -> dict[str, Any]:
        return {"content": {"application/json": {"schema": schemas[shape, _MODE]}}}

    def answer(endpoint: Endpoint) -> dict[str, Any]:
        if endpoint.events:
            events = {name: schemas[shape, _MODE] for name, shape in endpoint.events.items()}
            return {"content": {"text/event-stream": {"x-events": events}}}
        return content(endpoint.gives) if endpoint.gives else {"content": {"*/*": {}}}  # a file of any kind

    paths: dict[str, dict[str, Any]] = {}
    for endpoint in every:
        described: dict[str, Any] = {
            "summary": endpoint.summary,
            "responses": {
                str(endpoint.status): {"description": "As asked", **answer(endpoint)},
                "default": {"description": "A problem, as a sentence", **content(Problem)},
            },
        }
        if endpoint.takes:
            described["requestBody"] = {"required": True, **content(endpoint.takes)}
        elif endpoint.takes_file:
            described["requestBody"] = {"required": True, "content": {"application/octet-stream": {}}}
        if parameters := [*_in_path(endpoint), *_in_query(endpoint)]:
            described["parameters"] = parameters
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = described
    return {
        "openapi": "3.1.0",
        "info": {"title": "NanoClaw OS console", "version": "1"},
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": named["$defs"],
        },
        "security": [{"token": []}],
        "paths": paths,
    }


def _shapes_of(endpoint: Endpoint) -> set[type[BaseModel]]:
    return {each for each in (endpoint.takes, endpoint.gives, *(endpoint.events or {}).values()) if each}


def _in_path(endpoint: Endpoint) -> list[dict[str, Any]]:
    names = [part.strip("{}") for part in endpoint.path.split("/") if part.startswith("{")]
    return [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names]


def _in_query(endpoint: Endpoint) -> list[dict[str, Any]]:
    fields = endpoint.asks.model_json_schema()["properties"] if endpoint.asks else {}
    return [{"name": name, "in": "query", "schema": schema} for name, schema in fields.items()]
