"""Keeps tasks for the page and the command line: all in the name of whoever holds this machine."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, TypeVar

from nanoclaw.console.task_keeper import MOST_ROWS, Calendar, Preview, RunRow, TaskRow
from nanoclaw.context.groups import Group, Groups
from nanoclaw.delivery.live import Live
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.ids import ChatId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import LOCAL_OWNER, Person, Role, Ruler
from nanoclaw.domain.tasks import Task, TaskKind
from nanoclaw.durable import memberships, people, task_runs, tasks, wirings
from nanoclaw.durable.aftermath import Aftermath
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.tasks.making import Maker
from nanoclaw.flows.tasks.wishes import read_edit, read_schedule, read_task, zone_named
from nanoclaw.host.settings import Settings
from nanoclaw.host.tasking import Tasking
from nanoclaw.host.tasks.calendar import calendar
from nanoclaw.host.tasks.rows import TaskRows

T = TypeVar("T")

_LONGEST_CALENDAR = timedelta(days=100)
_MONTH = timedelta(days=30)


class HostTasks:
    def __init__(
        self,
        *,
        store: Store,
        engine: Engine,
        live: Live,
        tasking: Tasking,
        groups: Groups,
        settings: Settings,
        via: str,
    ) -> None:
        self._store = store
        self._engine = engine
        self._live = live
        self._tasking = tasking
        self._groups = groups
        self._settings = settings
        self._via = via

    def through(self, via: str) -> "HostTasks":
        return HostTasks(
            store=self._store,
            engine=self._engine,
            live=self._live,
            tasking=self._tasking,
            groups=self._groups,
            settings=self._settings,
            via=via,
        )

    async def all(self, *, before: int | None = None, over: bool = False) -> Sequence[TaskRow]:
        def look(tx: Tx) -> list[TaskRow]:
            found = tasks.recent(tx, MOST_ROWS, before=before, alive=not over)
            return self._rows(tx).of(found)

        return await self._store.read(look)

    async def get(self, ref: str) -> TaskRow:
        return await self._store.read(lambda tx: self._row(tx, self._find(tx, ref)))

    async def preview(self, when: str, timezone: str | None, group: str | None) -> Preview:
        def look(tx: Tx) -> Preview:
            at = now()
            zone, whose = self._clock(self._owner(tx), self._group(group))
            named = zone_named(timezone, zone)
            schedule = read_schedule({"when": when}, at, named)
            return Preview(
                schedule_type=schedule.type.value,
                schedule_value=schedule.value,
                timezone=schedule.timezone,
                zone_of=whose if named == zone else "named",
                next_times=tuple(islice(schedule.times_after(at), 3)),
                runs_per_month=schedule.runs_within(at, _MONTH),
            )

        return await self._store.read(look)

    async def add(self, given: Mapping[str, Any]) -> TaskRow:
        def story(tx: Tx) -> tuple[TaskRow, Aftermath]:
            at, owner = now(), self._owner(tx)
            group = self._group(given.get("group"))
            zone, _ = self._clock(owner, group)
            maker = Maker(
                person=owner,
                ruler=self._ruler(tx, owner),
                group=group,
                chat_id=self._chat(tx, given.get("chat"), group),
                thread=None,
                origin=f"api {given['id']}" if given.get("id") else None,
            )
            wanted = read_task(given, at, zone, self._tasking.usual)
            if wanted.kind is TaskKind.BACKGROUND:
                task_id, going = self._tasking.background.accept(tx, wanted, maker, at)
                return self._row(tx, self._find(tx, str(task_id))), going
            task, going = self._tasking.making.make(tx, wanted, maker, at)
            return self._row(tx, task), going

        return await self._do(story)

    async def edit(self, ref: str, given: Mapping[str, Any]) -> TaskRow:
        def story(tx: Tx) -> tuple[TaskRow, Aftermath]:
            at, by = now(), self._ruler(tx, self._owner(tx))
            task = self._tasking.changes.find(tx, ref, by)
            edit = read_edit(given, task, at)
            if given.get("skill") is not None:
                edit["skill"] = self._tasking.making.skill_named(str(given["skill"]))
            going = self._tasking.changes.edit(tx, task, by, at, **edit)
            return self._row(tx, self._find(tx, ref)), going

        return await self._do(story)

    async def change(self, ref: str, action: str) -> TaskRow:
        changes = self._tasking.changes
        acts = changes.acts
        if action not in acts:
            raise Refused("task-no-such-choice", name="action", value=action[:40], known=", ".join(acts))

        def story(tx: Tx) -> tuple[TaskRow, Aftermath]:
            by = self._ruler(tx, self._owner(tx))
            task = changes.find(tx, ref, by)
            going = acts[action](tx, task, by, now())
            return self._row(tx, tasks.get(tx, task.id) or task), going

        return await self._do(story)

    async def history(self, ref: str, *, limit: int, before: str | None = None) -> Sequence[RunRow]:
        def look(tx: Tx) -> list[RunRow]:
            task = self._find(tx, ref)
            runs = task_runs.history(tx, task.id, min(limit, MOST_ROWS), before=before)
            return [self._rows(tx).run(run, task.title) for run in runs]

        return await self._store.read(look)

    async def calendar(self, start: datetime, end: datetime) -> Calendar:
        if not timedelta() < end - start <= _LONGEST_CALENDAR:
            raise Refused("calendar-span", days=_LONGEST_CALENDAR.days)

        def look(tx: Tx) -> Calendar:
            rows = self._rows(tx)
            return calendar(tx, rows, start, end, now(), rows.locale.zone)

        return await self._store.read(look)

    async def _do(self, story: Callable[[Tx], tuple[T, Aftermath]]) -> T:
        done, going = await self._store.write(story)
        going.set_going(self._engine)
        self._live.tell_of(going)
        return done

    def _owner(self, tx: Tx) -> Person:
        owner = people.person_named(tx, LOCAL_OWNER)
        if owner is None:
            raise NotFound("no-owner")
        return owner

    def _ruler(self, tx: Tx, owner: Person) -> Ruler:
        language = Locale(language=owner.language).or_else(self._settings.locale).speaks
        return Ruler.of(owner, memberships.rights_of(tx, owner), via=self._via, language=language)

    def _group(self, name: object) -> Group:
        return self._groups.get(str(name)) if name else self._groups.main()

    def _clock(self, owner: Person, group: Group) -> tuple[str, str]:
        return self._tasking.making.clock_of(owner, group)

    def _chat(self, tx: Tx, ref: object, group: Group) -> ChatId:
        """The one that is named; else where an owner is alone with the agent of the group, on the phone first."""
        wired = wirings.chats_wired_to(tx, group.name)
        if ref:
            named = self._tasking.making.telling.route(tx, str(ref), group.name)
            if not named:
                raise Refused("task-no-route", text=str(ref)[:80])
            return next((each for each in named if each in wired), named[0])
        owners = [one for one in people.with_role(tx, Role.OWNER) if one.handle != LOCAL_OWNER]
        usual = self._tasking.making.telling.usual_chat(tx, group.name, [*owners, self._owner(tx)])
        if usual is None:
            raise Refused("task-not-wired", group=group.name)
        return usual

    def _find(self, tx: Tx, ref: str) -> Task:
        """To be looked at."""
        return self._tasking.changes.find(tx, ref, self._ruler(tx, self._owner(tx)), to_change=False)

    def _rows(self, tx: Tx) -> TaskRows:
        return TaskRows(tx, self._settings.locale)

    def _row(self, tx: Tx, task: Task) -> TaskRow:
        return self._rows(tx).of([task])[0]
