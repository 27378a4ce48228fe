"""Puts the parts together: a message arrives on a channel, is admitted, becomes a turn, and its answer is delivered."""

import asyncio
import os
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, suppress
from datetime import timedelta
from functools import partial
from importlib.metadata import version
from pathlib import Path

import structlog

from nanoclaw.channels.rooms import TERMINAL, WEB, Rooms
from nanoclaw.channels.scripted import NAME as SCRIPTED
from nanoclaw.channels.scripted import ScriptedChannel
from nanoclaw.console.access import keep_token
from nanoclaw.console.desk import OWNER, Desk
from nanoclaw.console.pages import make_console
from nanoclaw.console.serving import Serving
from nanoclaw.context.brief import Briefing
from nanoclaw.context.founding import Founding
from nanoclaw.context.groups import Groups
from nanoclaw.context.library import Library
from nanoclaw.context.mounts import list_path
from nanoclaw.context.preparation import Preparation
from nanoclaw.context.skills import Shelf
from nanoclaw.delivery import outbox
from nanoclaw.delivery.alerts import Alerts
from nanoclaw.delivery.courier import Courier
from nanoclaw.delivery.live import Live
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.ids import HostId, new_id
from nanoclaw.domain.people import Role
from nanoclaw.domain.ports import Channel, Runtime
from nanoclaw.durable import figures, people, schema, wirings, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.store import Tx
from nanoclaw.flows.approval import Approvals
from nanoclaw.flows.conversation import Conversation
from nanoclaw.flows.elsewhere import Elsewhere
from nanoclaw.flows.files import Files
from nanoclaw.flows.inbound import Inbound
from nanoclaw.flows.press import Presses
from nanoclaw.flows.request import Requests
from nanoclaw.flows.sending.messages import Sending
from nanoclaw.flows.waking import Waking
from nanoclaw.host import database, skill_check, workspace
from nanoclaw.host.agents import TIERS, Agents, need_extras
from nanoclaw.host.alarm import Alarm
from nanoclaw.host.backup import marker
from nanoclaw.host.backup.story import Backups
from nanoclaw.host.bots import Bots
from nanoclaw.host.door import Door
from nanoclaw.host.front import HostFront
from nanoclaw.host.health_alerts import tell_of_clock, tell_of_suspects
from nanoclaw.host.humans import Humans
from nanoclaw.host.inbox.keeper import HostInbox
from nanoclaw.host.keys import ANTHROPIC, Keys
from nanoclaw.host.masking import hide
from nanoclaw.host.people.keeper import DoorKeeper
from nanoclaw.host.readiness import Readiness
from nanoclaw.host.running import HostLock, RunningHost, workspace_id
from nanoclaw.host.settings import Settings
from nanoclaw.host.store_watch import StoreWatch
from nanoclaw.host.tasking import Tasking
from nanoclaw.host.tasks.keeper import HostTasks
from nanoclaw.host.voices import Voices, need_voices
from nanoclaw.runtimes.watching import Patience
from nanoclaw.sandbox.reading import read_text
from nanoclaw.texts import say

log = structlog.get_logger("host")

_GRACE = 2.0  # seconds that a running turn gets to end; longer ones go on at the next start


class Host:
    """One host on one workspace. `runtimes` and `channels` can be added to by those who build on this."""

    def __init__(
        self,
        home: Path,
        settings: Settings,
        *,
        runtimes: Mapping[str, Runtime] | None = None,
        channels: Mapping[str, Channel] | None = None,
        with_bots: bool = True,
        gives_way: bool = False,
        new_database: bool = False,
    ) -> None:
        """Without bots it is a host for a moment, that answers those who came to this machine, and begins no tasks.

        `gives_way`: whoever started it stops it when another host wants to stay on this workspace.
        """
        self.home = home
        self.settings = settings
        self.url = ""
        self.token = ""
        self._opened = AsyncExitStack()
        self._live = Live()
        self._given_runtimes = dict(runtimes or {})
        self._with_bots = with_bots
        self._gives_way = gives_way
        self._new_database = new_database
        self.unfit: NanoClawError | None = None  # why it must stop, if it must
        self._when_unfit: Callable[[], None] | None = None
        self._channels: dict[str, Channel] = {
            WEB: Rooms(WEB, self._live),
            TERMINAL: Rooms(TERMINAL, self._live),
            **(channels or {}),
        }
        if settings.scripted.url:
            self._channels[SCRIPTED] = ScriptedChannel(
                settings.scripted.url, repeatable=settings.scripted.repeatable
            )

    async def start(self) -> None:
        """Ready when this returns: what was left undone goes on, and every door is open."""
        try:
            await self._start()
        except BaseException:
            await self._opened.aclose()
            raise

    async def stop(self) -> None:
        """Let go of everything; what still runs is put back and goes on at the next start."""
        await self._opened.aclose()
        log.info("host stopped")

    def when_unfit(self, act: Callable[[], None]) -> None:
        """What to do when this host must not go on: whoever started it stops it."""
        self._when_unfit = act
        if self.unfit is not None:
            act()

    def _become_unfit(self, why: NanoClawError) -> None:
        if self.unfit is not None:
            return
        log.error("host must stop", reason=why)
        self.unfit = why
        if self._when_unfit is not None:
            self._when_unfit()

    async def calm(self, patience: float) -> None:
        """Until nothing is under way and nobody watches, or patience ends."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                # Only a command that is about to end waits here, so looking now and then is good enough.
                # What tasks have to do is left to a host that stays.
                count = partial(figures.count, tasks=False)
                while self._live.anyone or (  # noqa: ASYNC110
                    not self.engine.held and figures.busy(await self.store.read(count))
                ):
                    await asyncio.sleep(0.05)

    def _read_workspace(self) -> tuple[Groups, Shelf]:
        groups, shelf = Groups(self.home), Shelf(self.home)
        skill_check.warn(self.home, shelf, groups, self.settings.approvals)
        return groups, shelf

    async def _start(self) -> None:
        """Whatever is opened is put on the stack at once, so that it is let go of in the opposite order."""
        settings, home, opened = self.settings, self.home, self._opened
        workspace.check(home)
        lock = HostLock(home, gives_way=self._gives_way).acquire()
        opened.callback(lock.release)
        marker.refuse_unfinished(home)
        web = Serving(settings.web.port)
        opened.push_async_callback(web.stop)
        self.url = f"{web.url}/"
        self.token = _hidden(keep_token(home / "data" / "web-token"))
        self._open_store()
        self.engine = Engine(
            self.store, HostId(new_id("h")), workspace_id(home), lifetime=settings.database.host_lifetime
        )
        groups, shelf = self._read_workspace()
        keys = self._keys(groups, shelf)
        door = Door.of(home, settings, groups, shelf)
        humans = self.humans = Humans.of(
            home, settings, store=self.store, engine=self.engine, live=self._live, groups=groups, door=door
        )
        self.agents = Agents(
            home=home,
            settings=settings,
            keys=keys,
            store=self.store,
            host=self.engine.host,
            ask=lambda asking: self.requests.answer(asking),
            permission=humans.permissions,
            groups=groups,
        )
        opened.push_async_callback(self.agents.close)
        self.tasking = Tasking.of(
            home,
            settings,
            store=self.store,
            engine=self.engine,
            live=self._live,
            groups=groups,
            shelf=shelf,
            door=door,
            humans=humans,
            workshop=self.agents.workshop,
        )
        self.tasks = HostTasks(
            store=self.store,
            engine=self.engine,
            live=self._live,
            tasking=self.tasking,
            groups=groups,
            settings=settings,
            via=WEB,
        )
        voices = self._make_voices(keys)
        self.requests = self._make_requests(groups, voices)
        alerts = Alerts(locale=settings.locale)
        self._heed(alerts, door)
        self.inbound = Inbound(
            store=self.store,
            engine=self.engine,
            live=self._live,
            shelf=shelf,
            admitting=door.admitting,
            approvals=door.approvals,
            waiting=door.waiting,
            answering=humans.answering,
            tasks=self.tasking.editing,
            newcomers=dict.fromkeys((WEB, TERMINAL, SCRIPTED), Role.OWNER),
        )
        runtimes = {**self.agents.runtimes, **self._given_runtimes}
        preparation = Preparation(
            groups=groups,
            shelf=shelf,
            briefing=Briefing(home, Library(), read_text),
            locale=settings.locale,
            runtime=self.agents.default_runtime,
            models={tier: getattr(settings.agents, tier) for tier in TIERS},
            mounts_list=list_path(),
            approvals=settings.approvals,
            ask=self.agents.ask if keys.get(ANTHROPIC) else None,
            most_steps_of_tasks=settings.tasks.most_steps,
        )
        self.readiness = Readiness(self.store, preparation, runtimes)
        opened.push_async_callback(self.readiness.close)
        self.bots = self._make_bots(shelf, alerts)
        self._register_stories(preparation, runtimes, alerts, self._files(groups, voices))
        await self.store.write(lambda tx: self._furnish(tx, groups.main().name))
        await self._plan_backups(alerts)
        for channel in self._channels.values():
            # After the engine: what it sends at the end must get out.
            opened.push_async_callback(channel.stop)
        opened.push_async_callback(self.bots.stop)
        await self._open_bots()
        opened.push_async_callback(self.engine.stop, grace=_GRACE)
        # Before the engine: no turn holds it up that waits for a person.
        opened.callback(humans.waits.let_all_go)
        await self._start_engine(alerts)
        opened.push_async_callback(web.stop)  # before the engine: no request may meet a closed store
        opened.callback(self._live.close)  # before the page: those who watch would keep it open
        front = await self._listen(door.approvals)
        desk = self._make_desk(groups, door, front)
        web.start(make_console(desk))
        opened.callback(lock.withdraw)
        lock.announce(
            RunningHost(pid=os.getpid(), url=self.url, started_at=now().isoformat(timespec="seconds"))
        )
        log.info("host ready", url=self.url, database=desk.database)
        await self.agents.start()
        await self.bots.start(front)
        self._watch_store()

    def _open_store(self) -> None:
        self.store = database.open_for_host(self.home, self.settings, may_be_new=self._new_database)
        self._opened.callback(self.store.close)
        schema.upgrade(self.store)
        database.remember(self.home, self.settings)

    def _watch_store(self) -> None:
        self.alarm = Alarm(self.store, self._channels, self.settings.locale)
        watch = StoreWatch(self.store, self.alarm, self._become_unfit)
        self._opened.push_async_callback(watch.stop)
        watch.start()

    async def _start_engine(self, alerts: Alerts) -> None:
        await self.engine.start()
        if apart := self.engine.heartbeat.apart:
            await self.store.write(partial(tell_of_clock, alerts, apart=apart))

    def _heed(self, alerts: Alerts, door: Door) -> None:
        """What only concerns the host itself."""
        self.engine.heed_clock_here(door.rates.shift)
        self.engine.suspect(partial(tell_of_suspects, alerts))
        self.engine.heed_stray(lambda tx, claim: outbox.take_mark_back(tx, claim.key, claim.lease, now()))

    def _register_stories(
        self, preparation: Preparation, runtimes: Mapping[str, Runtime], alerts: Alerts, files: Files
    ) -> None:
        turns, tasks = self.settings.turns, self.settings.tasks
        # People, scheduled tasks and background tasks each have places of their own: none waits for another.
        lanes = {
            work.TURN: (turns.concurrent, turns.longest_pause),
            work.RUN: (tasks.concurrent, tasks.longest_pause),
            work.BACKGROUND: (tasks.background, tasks.longest_pause),
        }
        if not self._with_bots:  # it would end before they do
            lanes = {work.TURN: lanes[work.TURN]}
        for kind, (at_once, longest_pause) in lanes.items():
            conversation = Conversation(
                kind=kind,
                store=self.store,
                engine=self.engine,
                live=self._live,
                channels=self._channels,
                runtimes=runtimes,
                preparation=preparation,
                at_once=at_once,
                batch_window=timedelta(seconds=turns.batch_window),
                patience=Patience(first=turns.longest_silence, later=longest_pause),
                waits=self.humans.waits,
                errands=self.tasking.errands,
            )
            self._opened.push_async_callback(conversation.close)
            self.engine.register(conversation)
        courier = Courier(self.store, self._channels, alerts, self.engine)
        waking = Waking(self.store, self.engine)
        for story in (courier, files, waking, self.humans.deadlines):
            self.engine.register(story)
        if self._with_bots:
            self.engine.register(self.tasking.schedules)

    async def _plan_backups(self, alerts: Alerts) -> None:
        if self._with_bots and self.settings.backup.every:
            backups = Backups(
                home=self.home,
                settings=self.settings,
                store=self.store,
                engine=self.engine,
                alerts=alerts,
                workspace=workspace_id(self.home),
            )
            self.engine.register(backups)
            await self.store.write(backups.plan)

    def _make_voices(self, keys: Keys) -> Voices:
        voices = Voices(self.settings, keys, self.agents.ledger, self.home / "data" / "whisper")
        self._opened.push_async_callback(voices.close)
        return voices

    def _make_requests(self, groups: Groups, voices: Voices) -> Requests:
        humans, tasking, locale = self.humans, self.tasking, self.settings.locale
        sending = Sending(
            store=self.store, engine=self.engine, copies=humans.copies, locale=locale, mouth=voices.mouth
        )
        return Requests(
            store=self.store,
            groups=groups,
            founding=Founding(self.home),
            elsewhere=Elsewhere(store=self.store, questions=humans.questions, groups=groups, locale=locale),
            locale=locale,
            acts={
                "send_message": sending.send_message,
                "send_file": sending.send_file,
                "request_human": humans.questions.answer,
                "schedule_task": tasking.tools.schedule,
                "list_tasks": tasking.tools.show,
                "change_task": tasking.tools.change,
                "background_task": tasking.background.answer,
            },
        )

    def _keys(self, groups: Groups, shelf: Shelf) -> Keys:
        """Whatever is asked for is installed, or the start is refused."""
        keys = Keys(self.home, self.settings)
        need_extras(self.settings, keys, groups, shelf)
        need_voices(self.settings)
        return keys

    def _make_desk(self, groups: Groups, door: Door, front: HostFront) -> Desk:
        settings, home = self.settings, self.home
        return Desk(
            store=self.store,
            live=self._live,
            receive=self.inbound.receive,
            retry=self.inbound.retry,
            main_group=lambda: groups.main().name,
            channels=(WEB, TERMINAL),
            owner_name=settings.owner.name,
            locale=settings.locale,
            token=self.token,
            version=version("nanoclaw-os"),
            database=settings.shown_database_url(home),
            attachments=home / "data" / "attachments",
            expect=self.readiness.expect,
            bots=self.bots,
            press=front.press,
            keeper=DoorKeeper(
                home=home, store=self.store, door=door, settings=settings, engine=self.engine, via=WEB
            ),
            inbox=HostInbox(store=self.store, humans=self.humans, groups=groups, settings=settings, via=WEB),
            tasks=self.tasks,
        )

    async def _listen(self, approvals: Approvals) -> HostFront:
        """From now on people are heard."""
        front = HostFront(
            inbound=self.inbound,
            presses=Presses(
                store=self.store,
                engine=self.engine,
                locale=self.settings.locale,
                approvals=approvals,
                questions=self.humans.questions,
                deciding=self.humans.deciding,
                tasks=self.tasking.pressing,
            ),
            store=self.store,
        )
        for name, channel in self._channels.items():
            if not self.bots.has(name):  # bots come last: they have much to load and to ask
                await channel.start(front)
        return front

    async def _open_bots(self) -> None:
        if self._with_bots:
            await self.bots.open()

    def _make_bots(self, shelf: Shelf, alerts: Alerts) -> Bots:
        return Bots(
            home=self.home,
            settings=self.settings,
            store=self.store,
            engine=self.engine,
            shelf=shelf,
            channels=self._channels,
            alerts=alerts,
        )

    def _files(self, groups: Groups, voices: Voices) -> Files:
        return Files(
            store=self.store,
            engine=self.engine,
            live=self._live,
            groups=groups,
            home=self.home,
            channels=self._channels,
            ears=voices.ears,
            most_bytes=self.settings.limits.file_mb << 20,
            owner_of=self.agents.owner_of,
            answering=self.humans.answering,
        )

    def _furnish(self, tx: Tx, group: str) -> None:
        """The owner, a first room on the page and the terminal's room exist from the start."""
        if people.person_named(tx, OWNER) is None:
            people.add_person(tx, handle=OWNER, name=self.settings.owner.name, role=Role.OWNER, at=now())
        for channel, text in ((WEB, "room-first"), (TERMINAL, "room-terminal")):
            if people.chat_at(tx, channel, "main") is None:
                title = say(self.settings.language, text)
                room = people.add_chat(tx, channel=channel, address="main", title=title, at=now())
                wirings.wire(tx, room.id, room.kind, group, now())


def _hidden(token: str) -> str:
    hide((token,))
    return token
