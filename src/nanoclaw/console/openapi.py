"""Describes the API as OpenAPI, from the same table that its routes are made of."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from nanoclaw.console.desk import Desk
from nanoclaw.console.shape import Problem


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    method: str
    path: str
    summary: str
    answer: Callable[[Request, Desk], Awaitable[BaseModel | Response]]
    takes: type[BaseModel] | None = None
    gives: type[BaseModel] | None = None
    status: int = 200
    asks: type[BaseModel] | None = None  # what may stand after the question mark
    events: Mapping[str, type[BaseModel]] | None = None  # of a stream that goes on, by name


def describe(endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        described: dict[str, Any] = {
            "summary": endpoint.summary,
            "responses": {
                str(endpoint.status): {"description": "As asked", "content": _answer(endpoint)},
                "default": {"description": "A problem, as a sentence", **_content(Problem)},
            },
        }
        if endpoint.takes:
            described["requestBody"] = {"required": True, **_content(endpoint.takes)}
        if parameters := [*_in_path(endpoint), *_in_query(endpoint)]:
            described["parameters"] = parameters
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = described
    return {
        "openapi": "3.1.0",
        "info": {"title": "NanoClaw OS console", "version": "1"},
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{"token": []}],
        "paths": paths,
    }


def _in_path(endpoint: Endpoint) -> list[dict[str, Any]]:
    names = [part.strip("{}") for part in endpoint.path.split("/") if part.startswith("{")]
    return [{"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in names]


def _in_query(endpoint: Endpoint) -> list[dict[str, Any]]:
    fields = endpoint.asks.model_json_schema()["properties"] if endpoint.asks else {}
    return [{"name": name, "in": "query", "schema": schema} for name, schema in fields.items()]


def _answer(endpoint: Endpoint) -> dict[str, Any]:
    if endpoint.events:
        schemas = {name: shape.model_json_schema() for name, shape in endpoint.events.items()}
        return {"text/event-stream": {"x-events": schemas}}
    return _content(endpoint.gives)["content"] if endpoint.gives else {"*/*": {}}  # a file of any kind


def _content(shape: type[BaseModel]) -> dict[str, dict[str, Any]]:
    return {"content": {"application/json": {"schema": shape.model_json_schema()}}}
