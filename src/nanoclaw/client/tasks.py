"""A client of a host's tasks over its HTTP API, for the command line."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from nanoclaw.client.connection import OnCommandLine, as_part
from nanoclaw.console.task_shapes import MOST_TASKS, Calendar, Run, RunList, Task, TaskList, WaitingTexts


class TaskClient(OnCommandLine):
    async def all(self, limit: int, *, over: bool) -> list[Task]:
        """Tasks newest first, across pages, without those of batches."""
        found: list[Task] = []
        page: dict[str, int] = {"over": int(over)}
        while len(found) < limit:
            given = await self._ask(TaskList, "GET", f"/api/tasks?{urlencode(page)}")
            found += given.tasks
            if len(given.tasks) < MOST_TASKS:
                break
            page["before"] = found[-1].id
        return found[:limit]

    async def texts(self) -> list[WaitingTexts]:
        """One line per batch with unsent texts."""
        return (await self._ask(TaskList, "GET", "/api/tasks")).texts

    async def get(self, ref: str) -> Task:
        return await self._ask(Task, "GET", _path(ref))

    async def add(self, wanted: Mapping[str, Any]) -> Task:
        return await self._ask(Task, "POST", "/api/tasks", dict(wanted))

    async def edit(self, ref: str, wanted: Mapping[str, Any]) -> Task:
        return await self._ask(Task, "PATCH", _path(ref), dict(wanted))

    async def change(self, ref: str, action: str) -> Task:
        """`pause`, `resume`, `run` or `cancel`."""
        return await self._ask(Task, "POST", f"{_path(ref)}/{action}")

    async def delete(self, ref: str) -> Task:
        return await self._ask(Task, "DELETE", _path(ref))

    async def history(self, ref: str, limit: int) -> list[Run]:
        return (await self._ask(RunList, "GET", f"{_path(ref)}/runs?limit={limit}")).runs

    async def calendar(self, start: datetime, end: datetime) -> Calendar:
        span = urlencode({"from": start.isoformat(), "to": end.isoformat()})
        return await self._ask(Calendar, "GET", f"/api/calendar?{span}")


def _path(ref: str) -> str:
    return f"/api/tasks/{as_part(ref)}"
