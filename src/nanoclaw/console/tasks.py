"""Endpoints for tasks. The holder of the token schedules and changes them as the owner of this machine."""

from datetime import timedelta
from functools import partial
from itertools import islice

from starlette.requests import Request

from nanoclaw.console import task_shapes as shapes
from nanoclaw.console.body import read_body
from nanoclaw.console.console import Console
from nanoclaw.console.openapi import Endpoint
from nanoclaw.console.owner import owner
from nanoclaw.console.task_calendar import show_calendar
from nanoclaw.console.task_views import show_run, show_task, show_tasks, show_waiting_texts
from nanoclaw.context.groups import Group
from nanoclaw.domain.people import Actor
from nanoclaw.domain.tasks import Task, TaskKind
from nanoclaw.domain.text import storable
from nanoclaw.durable import task_runs, tasks
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.flows.tasks.creation import TaskAuthor
from nanoclaw.flows.tasks.task_input import read_edit, read_schedule, read_task, zone_named

_SHOWN_TIMES = 3
_MONTH = timedelta(days=30)


async def list_tasks(request: Request, console: Console) -> shapes.TaskList:
    """Tasks that may still run, newest first; with `over` also those that never will again."""
    asked = shapes.TasksOf.model_validate(dict(request.query_params))

    def look(tx: Tx) -> shapes.TaskList:
        found = tasks.recent(tx, shapes.MOST_TASKS, before=asked.before, alive=not asked.over)
        locale = console.locale_of_owner(tx)
        texts = show_waiting_texts(tx, locale) if asked.before is None else []
        return shapes.TaskList(tasks=show_tasks(tx, found, locale), texts=texts)

    return await console.store.read(look)


async def add(request: Request, console: Console) -> shapes.Task:
    asked = shapes.NewTask.model_validate_json(await read_body(request))

    def story(tx: Tx, by: Actor) -> shapes.Task:
        at, person, group = now(), owner(tx), _group(console, asked.group)
        zone, _ = console.task_creation.clock_of(person, group)
        maker = TaskAuthor(
            person=person,
            actor=by,
            group=group,
            chat_id=console.task_creation.chat_for(tx, asked.chat, group),
            thread=None,
            origin=f"api {asked.id}" if asked.id else None,
        )
        wanted = read_task(asked.given(), at, zone, console.usual_policy)
        make = console.background.accept if wanted.kind is TaskKind.BACKGROUND else console.task_creation.make
        return _shown(tx, console, make(tx, wanted, maker, at))

    return await console.act(request, story)


async def preview(request: Request, console: Console) -> shapes.Preview:
    asked = shapes.WantedPreview.model_validate_json(await read_body(request))

    def look(tx: Tx) -> shapes.Preview:
        at = now()
        zone, whose = console.task_creation.clock_of(owner(tx), _group(console, asked.group))
        named = zone_named(asked.timezone, zone)
        schedule = read_schedule({"when": asked.when}, at, named)
        return shapes.Preview(
            schedule_type=schedule.type,
            schedule_value=schedule.value,
            timezone=schedule.timezone,
            zone_of=whose if named == zone else "named",
            next_times=list(islice(schedule.times_after(at), _SHOWN_TIMES)),
            runs_per_month=schedule.runs_within(at, _MONTH),
        )

    return await console.store.read(look)


async def get_task(request: Request, console: Console) -> shapes.Task:
    return await console.store.read(lambda tx: _shown(tx, console, _found(tx, console, request)))


async def edit(request: Request, console: Console) -> shapes.Task:
    given = shapes.TaskEdit.model_validate_json(await read_body(request)).given()

    def story(tx: Tx, by: Actor) -> shapes.Task:
        at = now()
        task = console.changes.find(tx, _ref(request), by)
        wanted = read_edit(given, task, at)
        if "skill" in given:
            wanted["skill"] = console.task_creation.skill_named(given["skill"])
        console.changes.edit(tx, task, by, at, **wanted)
        return _shown(tx, console, tasks.get(tx, task.id) or task)

    return await console.act(request, story)


async def change(request: Request, console: Console, *, action: str) -> shapes.Task:
    def story(tx: Tx, by: Actor) -> shapes.Task:
        task = console.changes.find(tx, _ref(request), by)
        console.changes.acts[action](tx, task, by, now())
        return _shown(tx, console, tasks.get(tx, task.id) or task)

    return await console.act(request, story)


async def list_runs(request: Request, console: Console) -> shapes.RunList:
    asked = shapes.RunsOf.model_validate(dict(request.query_params))

    def look(tx: Tx) -> shapes.RunList:
        task, locale = _found(tx, console, request), console.locale_of_owner(tx)
        found = task_runs.history(tx, task.id, asked.limit, before=asked.before)
        return shapes.RunList(runs=[show_run(run, task.title, locale) for run in found])

    return await console.store.read(look)


async def look_at_calendar(request: Request, console: Console) -> shapes.Calendar:
    asked = shapes.Span.model_validate(dict(request.query_params))
    return await console.store.read(
        lambda tx: show_calendar(tx, asked.start, asked.end, console.locale_of_owner(tx))
    )


def _ref(request: Request) -> str:
    return storable(request.path_params["task"])


def _found(tx: Tx, console: Console, request: Request) -> Task:
    """The task, for reading."""
    return console.changes.find(tx, _ref(request), console.actor(tx), to_change=False)


def _shown(tx: Tx, console: Console, task: Task) -> shapes.Task:
    return show_task(tx, task, console.locale_of_owner(tx))


def _group(console: Console, name: str | None) -> Group:
    return console.groups.get(name) if name else console.groups.main()


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
        answer=look_at_calendar,
        asks=shapes.Span,
        gives=shapes.Calendar,
    ),
)
