"""Describes the API as OpenAPI, from the same table that its routes are made of."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

from nanoclaw.console import shapes
from nanoclaw.console.desk import Desk


@dataclass(frozen=True, kw_only=True)
class Endpoint:
    method: str
    path: str
    summary: str
    answer: Callable[[Request, Desk], Awaitable[BaseModel | Response]]
    takes: type[BaseModel] | None = None
    gives: type[BaseModel] | None = None
    status: int = 200


def describe(endpoints: Iterable[Endpoint]) -> dict[str, Any]:
    paths: dict[str, dict[str, Any]] = {}
    for endpoint in endpoints:
        described: dict[str, Any] = {
            "summary": endpoint.summary,
            "responses": {
                str(endpoint.status): {"description": "As asked", **_content(endpoint.gives)},
                "default": {"description": "A problem, as a sentence", **_content(shapes.Problem)},
            },
        }
        if endpoint.takes:
            described["requestBody"] = {"required": True, **_content(endpoint.takes)}
        parameters = [part.strip("{}") for part in endpoint.path.split("/") if part.startswith("{")]
        if parameters:
            described["parameters"] = [
                {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
                for name in parameters
            ]
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = described
    return {
        "openapi": "3.1.0",
        "info": {"title": "NanoClaw OS console", "version": "1"},
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{"token": []}],
        "paths": paths,
    }


def _content(shape: type[BaseModel] | None) -> dict[str, Any]:
    if shape is None:
        return {"content": {"text/event-stream": {}}}
    return {"content": {"application/json": {"schema": shape.model_json_schema()}}}
