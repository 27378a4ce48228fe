"""Speaks with a host about tasks from outside of it, over its HTTP API, for the command line."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlencode

from pydantic import TypeAdapter

from nanoclaw.client.connection import OnCommandLine, read_as
from nanoclaw.console.task_keeper import MOST_ROWS, Calendar, RunRow, TaskRow

_ROW = TypeAdapter(TaskRow)
_ROWS = TypeAdapter(tuple[TaskRow, ...])
_RUNS = TypeAdapter(tuple[RunRow, ...])
_CALENDAR = TypeAdapter(Calendar)


class TaskClient(OnCommandLine):
    async def all(self, limit: int, *, over: bool) -> Sequence[TaskRow]:
        """The newest first, however many pages they are."""
        rows: list[TaskRow] = []
        page: dict[str, int] = {"over": int(over)}
        while len(rows) < limit:
            given = await self._client.ask("GET", f"/api/tasks?{urlencode(page)}")
            found = read_as(_ROWS, given.get("tasks"))
            rows += found
            if len(found) < MOST_ROWS:
                break
            page["before"] = found[-1].id
        return rows[:limit]

    async def get(self, ref: str) -> TaskRow:
        return read_as(_ROW, await self._client.ask("GET", _path(ref)))

    async def add(self, wanted: Mapping[str, Any]) -> TaskRow:
        return read_as(_ROW, await self._client.ask("POST", "/api/tasks", dict(wanted)))

    async def edit(self, ref: str, wanted: Mapping[str, Any]) -> TaskRow:
        return read_as(_ROW, await self._client.ask("PATCH", _path(ref), dict(wanted)))

    async def change(self, ref: str, action: str) -> TaskRow:
        """`pause`, `resume`, `run` or `cancel`."""
        return read_as(_ROW, await self._client.ask("POST", f"{_path(ref)}/{action}"))

    async def delete(self, ref: str) -> TaskRow:
        return read_as(_ROW, await self._client.ask("DELETE", _path(ref)))

    async def history(self, ref: str, limit: int) -> Sequence[RunRow]:
        given = await self._client.ask("GET", f"{_path(ref)}/runs?limit={limit}")
        return read_as(_RUNS, given.get("runs"))

    async def calendar(self, start: datetime, end: datetime) -> Calendar:
        span = urlencode({"from": start.isoformat(), "to": end.isoformat()})
        return read_as(_CALENDAR, await self._client.ask("GET", f"/api/calendar?{span}"))


def _path(ref: str) -> str:
    return f"/api/tasks/{quote(ref, safe='')}"
