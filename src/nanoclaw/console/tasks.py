"""The answers about tasks. Whoever holds the token schedules and changes them as the owner of this machine."""

from functools import partial

from starlette.requests import Request

from nanoclaw.console import task_shapes as shapes
from nanoclaw.console.body import read_body
from nanoclaw.console.desk import Desk
from nanoclaw.console.inbox_keeper import COMMAND_LINE, VIA
from nanoclaw.console.openapi import Endpoint
from nanoclaw.console.task_keeper import TaskKeeper
from nanoclaw.domain.text import storable


async def list_tasks(request: Request, desk: Desk) -> shapes.TaskList:
    asked = shapes.TasksOf.model_validate(dict(request.query_params))
    found = await desk.tasks.all(before=asked.before, over=asked.over)
    return shapes.TaskList(tasks=[shapes.Task.model_validate(each) for each in found])


async def add(request: Request, desk: Desk) -> shapes.Task:
    asked = shapes.NewTask.model_validate_json(await read_body(request))
    return shapes.Task.model_validate(await _tasks(request, desk).add(asked.given()))


async def preview(request: Request, desk: Desk) -> shapes.Preview:
    asked = shapes.WantedPreview.model_validate_json(await read_body(request))
    return shapes.Preview.model_validate(await desk.tasks.preview(**dict(asked)))


async def get_task(request: Request, desk: Desk) -> shapes.Task:
    return shapes.Task.model_validate(await desk.tasks.get(_ref(request)))


async def edit(request: Request, desk: Desk) -> shapes.Task:
    asked = shapes.TaskEdit.model_validate_json(await read_body(request))
    return shapes.Task.model_validate(await _tasks(request, desk).edit(_ref(request), asked.given()))


async def change(request: Request, desk: Desk, *, action: str) -> shapes.Task:
    return shapes.Task.model_validate(await _tasks(request, desk).change(_ref(request), action))


async def list_runs(request: Request, desk: Desk) -> shapes.RunList:
    asked = shapes.RunsOf.model_validate(dict(request.query_params))
    found = await desk.tasks.history(_ref(request), limit=asked.limit, before=asked.before)
    return shapes.RunList(runs=[shapes.Run.model_validate(each) for each in found])


async def show_calendar(request: Request, desk: Desk) -> shapes.Calendar:
    asked = shapes.Span.model_validate(dict(request.query_params))
    return shapes.Calendar.model_validate(await desk.tasks.calendar(asked.start, asked.end))


def _tasks(request: Request, desk: Desk) -> TaskKeeper:
    """Who acts is known by the token; this only says with which tool."""
    return desk.tasks.through(COMMAND_LINE) if request.headers.get(VIA) == COMMAND_LINE else desk.tasks


def _ref(request: Request) -> str:
    return storable(request.path_params["task"])


_ACTIONS = {
    "pause": "Pause a task: it is not due until it is resumed",
    "resume": "Go on with a paused task, from its next time on",
    "run": "Run a task now, besides its own times",
    "cancel": "Stop what a task is doing now; its series goes on",
}

ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/api/tasks",
        summary="The tasks that may still run, newest first; with `over` also the others; `before` pages back",
        answer=list_tasks,
        asks=shapes.TasksOf,
        gives=shapes.TaskList,
    ),
    Endpoint(
        method="POST",
        path="/api/tasks",
        summary="Schedule a task, or hand over one that takes long and begins at once",
        answer=add,
        takes=shapes.NewTask,
        gives=shapes.Task,
        status=201,
    ),
    Endpoint(
        method="POST",
        path="/api/tasks/preview",
        summary="What a time in words means: the next three times, and how often in a month",
        answer=preview,
        takes=shapes.WantedPreview,
        gives=shapes.Preview,
    ),
    Endpoint(
        method="GET",
        path="/api/tasks/{task}",
        summary="A task as it stands, by its number",
        answer=get_task,
        gives=shapes.Task,
    ),
    Endpoint(
        method="PATCH",
        path="/api/tasks/{task}",
        summary="Edit a task; what is left out stays",
        answer=edit,
        takes=shapes.TaskEdit,
        gives=shapes.Task,
    ),
    *(
        Endpoint(
            method="POST",
            path=f"/api/tasks/{{task}}/{action}",
            summary=summary,
            answer=partial(change, action=action),
            gives=shapes.Task,
        )
        for action, summary in _ACTIONS.items()
    ),
    Endpoint(
        method="DELETE",
        path="/api/tasks/{task}",
        summary="Delete a task, and stop what it is doing",
        answer=partial(change, action="delete"),
        gives=shapes.Task,
    ),
    Endpoint(
        method="GET",
        path="/api/tasks/{task}/runs",
        summary="How the runs of a task went, newest first; `before` and `limit` page back",
        answer=list_runs,
        asks=shapes.RunsOf,
        gives=shapes.RunList,
    ),
    Endpoint(
        method="GET",
        path="/api/calendar",
        summary="What ran and what will run, of all tasks, `from` one moment `to` another",
        answer=show_calendar,
        asks=shapes.Span,
        gives=shapes.Calendar,
    ),
)
