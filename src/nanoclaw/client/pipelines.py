"""A client of a host's pipelines over its HTTP API, for the command line."""

from collections.abc import AsyncGenerator, Callable
from typing import Any
from urllib.parse import urlencode

from nanoclaw.client.connection import JOINED, OnCommandLine, as_part
from nanoclaw.console.pipeline_shapes import (
    MOST_RUNS,
    PipelineEstimate,
    PipelineList,
    PipelineRun,
    PipelineRunLine,
    PipelineRunList,
)
from nanoclaw.console.question_shapes import Question


class PipelineClient(OnCommandLine):
    async def templates(self) -> PipelineList:
        return await self._ask(PipelineList, "GET", "/api/pipelines")

    async def estimate(self, template: str, group: str | None) -> PipelineEstimate:
        asked = _given(template=template, group=group)
        return await self._ask(PipelineEstimate, "GET", f"/api/pipelines/estimate?{urlencode(asked)}")

    async def runs(self, limit: int, *, template: str | None, status: str | None) -> list[PipelineRunLine]:
        """Runs newest first, across pages."""
        found: list[PipelineRunLine] = []
        asked = _given(template=template, status=status)
        while len(found) < limit:
            page = {**asked, "limit": min(limit - len(found), MOST_RUNS)}
            given = await self._ask(PipelineRunList, "GET", f"/api/pipelines/runs?{urlencode(page)}")
            found += given.runs
            if not given.more:
                break
            asked["before"] = found[-1].id
        return found

    async def get(self, ref: str) -> PipelineRun:
        return await self._ask(PipelineRun, "GET", _path(ref))

    async def start(self, wanted: dict[str, Any]) -> PipelineRun:
        return await self._ask(PipelineRun, "POST", "/api/pipelines/runs", wanted)

    async def cancel(self, ref: str) -> PipelineRun:
        return await self._ask(PipelineRun, "POST", f"{_path(ref)}/cancel")

    async def retry(self, ref: str, **wanted: object) -> PipelineRun:
        return await self._ask(PipelineRun, "POST", f"{_path(ref)}/retry", _given(**wanted))

    async def question(self, question_id: str) -> Question:
        return await self._ask(Question, "GET", f"/api/questions/{as_part(question_id)}")

    async def follow(self, run_id: str, lost: Callable[[], None]) -> AsyncGenerator[PipelineRun, None]:
        """The run now, then each time something about it changes, until it is over. `lost`: the host went away."""
        await self._client.enter(None)
        async for name, data in self._client.listen(lost):
            if name == JOINED or (name == "pipeline" and data["id"] == run_id):
                run = await self.get(run_id)
                yield run
                if run.ended_at is not None:
                    return


def _given(**wanted: Any) -> dict[str, Any]:
    return {name: value for name, value in wanted.items() if value is not None}


def _path(ref: str) -> str:
    return f"/api/pipelines/runs/{as_part(ref)}"
