"""Wires it together: a message arrives on a channel, is admitted, becomes a turn, and its answer is delivered."""

import asyncio
import os
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, suppress
from functools import partial
from importlib.metadata import version
from pathlib import Path

import structlog

from nanoclaw.channels.rooms import TERMINAL, WEB, Rooms
from nanoclaw.channels.scripted import NAME as SCRIPTED
from nanoclaw.channels.scripted import ScriptedChannel
from nanoclaw.channels.uploads import Uploads
from nanoclaw.console.access import keep_token
from nanoclaw.console.console import BatchAccess, Console, PipelineAccess, SessionAccess, TransferAccess
from nanoclaw.console.web_server import WebServer
from nanoclaw.context.group_creation import GroupCreation
from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Skills
from nanoclaw.delivery import outbox
from nanoclaw.delivery.alerts import Alerts
from nanoclaw.delivery.live import Live
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.ids import HostId, new_id
from nanoclaw.domain.news import BudgetChanged
from nanoclaw.domain.people import Role
from nanoclaw.domain.ports import Channel, Runtime
from nanoclaw.durable import budgets, counts, schema, work
from nanoclaw.durable.clock import follow_machine, now
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.heartbeat import follow_database
from nanoclaw.durable.hooks import Hooks
from nanoclaw.flows import deadline, pipeline, schedule, transfer
from nanoclaw.flows.inbound import Inbound
from nanoclaw.flows.incoming.approvals import Approvals
from nanoclaw.flows.incoming.template_commands import TemplateCommands
from nanoclaw.flows.pipelines.template_files import TemplateFiles
from nanoclaw.flows.press import Presses
from nanoclaw.flows.syncing.returned import ReturnedAnalyses
from nanoclaw.flows.turns.by_waiter import TurnsByWaiter
from nanoclaw.flows.turns.money_waits import MoneyWaits
from nanoclaw.gateway.ledger import Ledger
from nanoclaw.gateway.step_down import StepDown
from nanoclaw.host import database, shipped_skills, skill_check, workspace
from nanoclaw.host.admission import Admission
from nanoclaw.host.agents import Agents, default_runtime, ledger_of, need_extras
from nanoclaw.host.alarm import Alarm
from nanoclaw.host.analysis_parts import AnalysisParts
from nanoclaw.host.backup import marker
from nanoclaw.host.base import Base
from nanoclaw.host.batch_chat import BatchChat
from nanoclaw.host.batch_output_parts import BatchOutputParts
from nanoclaw.host.batch_parts import BatchParts
from nanoclaw.host.bots import Bots
from nanoclaw.host.budget_parts import BudgetParts, BudgetWatch
from nanoclaw.host.channels import SettingsChannels
from nanoclaw.host.context_parts import ContextParts
from nanoclaw.host.cost_access import open_costs
from nanoclaw.host.first_rooms import furnish
from nanoclaw.host.front import HostFront
from nanoclaw.host.handoff_parts import HandoffParts
from nanoclaw.host.health_alerts import tell_of_clock, tell_of_suspects
from nanoclaw.host.host_lock import HostLock, RunningHost, workspace_id
from nanoclaw.host.keys import ANTHROPIC, Keys
from nanoclaw.host.late_console import LateConsole
from nanoclaw.host.live_parts import LiveParts
from nanoclaw.host.member_limits import member_limits
from nanoclaw.host.memory_access import open_memory
from nanoclaw.host.memory_lookup import IndexLookup
from nanoclaw.host.memory_parts import MemoryParts
from nanoclaw.host.owner_alerts import OwnerAlerts
from nanoclaw.host.pipeline_parts import PipelineParts
from nanoclaw.host.plan_parts import PlanParts
from nanoclaw.host.question_parts import QuestionParts
from nanoclaw.host.readiness import Readiness
from nanoclaw.host.requests import make_requests
from nanoclaw.host.secret_mask import hide
from nanoclaw.host.settings import Settings
from nanoclaw.host.store_watch import StoreWatch
from nanoclaw.host.stories import make_preparation, make_turns, register_others
from nanoclaw.host.task_parts import TaskParts
from nanoclaw.host.transfer_parts import TransferParts
from nanoclaw.host.voices import Voices, need_voices

log = structlog.get_logger("host")

_GRACE = 2.0  # seconds that a running turn gets to end; longer ones resume at the next start


class Host:
    """One host on one workspace. Code that builds on this can extend `runtimes` and `channels`."""

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
        on_unfit: Callable[[], None] = lambda: None,
    ) -> None:
        """Without bots it is a temporary host, which answers people on this machine and begins no tasks.
        `gives_way`: its starter stops it when another host wants to stay on this workspace. `on_unfit`:
        the same if this host must not continue.
        """
        self.home = home
        self.settings = settings
        self.url = ""
        self.token = ""
        self.new_skills: list[str] = []  # that came with this version of the host
        self._opened = AsyncExitStack()
        self._live = Live()
        self._given_runtimes = dict(runtimes or {})
        self._with_bots = with_bots
        self._gives_way = gives_way
        self._new_database = new_database
        self.unfit: NanoClawError | None = None  # why it must stop, if it must
        self._on_unfit = on_unfit
        self._channels: dict[str, Channel] = {
            WEB: Rooms(WEB, self._live, Uploads(home)),
            TERMINAL: Rooms(TERMINAL, self._live, Uploads(home)),
            **(channels or {}),
        }
        if settings.scripted.url:
            self._channels[SCRIPTED] = ScriptedChannel(
                settings.scripted.url, repeatable=settings.scripted.repeatable
            )

    async def start(self) -> None:
        """Ready when this returns: unfinished work continues, and messages are received."""
        try:
            await self._start()
        except BaseException:
            await self._opened.aclose()
            raise

    async def stop(self) -> None:
        """Release everything; what still runs is put back and resumes at the next start."""
        await self._opened.aclose()
        log.info("host stopped")

    def _become_unfit(self, why: NanoClawError) -> None:
        if self.unfit is not None:
            return
        log.error("host must stop", reason=why)
        self.unfit = why
        self._on_unfit()

    async def calm(self, patience: float) -> None:
        """Wait until nothing is running and nobody watches, or patience ends."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                # Only a command that is about to end waits here, so polling is good enough. Tasks are left to a host
                # that stays.
                count = partial(counts.count, tasks=False)
                while self._live.anyone or (  # noqa: ASYNC110
                    not self.engine.held and counts.busy(await self.store.read(count))
                ):
                    await asyncio.sleep(0.05)

    async def _start(self) -> None:
        """Whatever is opened goes on the stack at once, so that it is closed in reverse order."""
        settings, home, opened = self.settings, self.home, self._opened
        workspace.check(home)
        lock = HostLock(home, gives_way=self._gives_way).acquire()
        opened.callback(lock.release)
        marker.refuse_unfinished(home)
        self.new_skills = shipped_skills.offer(home)
        web = WebServer(settings.web.port)
        opened.push_async_callback(web.stop)
        self.url = f"{web.url}/"
        self.token = _hidden(keep_token(home / "data" / "web-token"))
        self._open_store()
        groups, known_skills = Groups(home), Skills(home)
        skill_check.warn(home, known_skills, groups, settings.approvals)
        keys = Keys(home, settings)
        need_extras(settings, keys, groups, known_skills)
        need_voices(settings)
        admission, alerts = Admission.of(home, settings, groups, known_skills), Alerts(locale=settings.locale)
        self._owners = OwnerAlerts(self.store, alerts)
        opened.push_async_callback(self._owners.close)  # after all that may have something to tell
        base = self._make_base(groups, known_skills, admission, alerts)
        await self._make_parts(base, admission, alerts, keys)
        for channel in self._channels.values():
            # After the engine: what it sends at the end must get out.
            opened.push_async_callback(channel.stop)
        await self._open_bots(base)
        opened.push_async_callback(self.engine.stop, grace=_GRACE)
        # Before the engine: no turn that waits for a person delays it.
        opened.callback(self.question_parts.waits.let_all_go)
        await self._start_engine(alerts)
        opened.push_async_callback(web.stop)  # before the engine: no request may meet a closed store
        opened.callback(self._live.close)  # before the page: watchers would keep it open
        front = await self._listen(admission.approvals)
        console = self.console = self._make_console(groups, admission, front)
        web.start(LateConsole(console))
        opened.callback(lock.withdraw)
        lock.announce(
            RunningHost(pid=os.getpid(), url=self.url, started_at=now().isoformat(timespec="seconds"))
        )
        log.info("host ready", url=self.url, database=console.database)
        await self.agents.start()
        await self.memory_parts.views.take_in_all()
        if not self.engine.held:
            await self.transfer_parts.story.sweep()
        self.channels.start(front)
        await self._watch_budgets()
        await self.bots.start(front)
        self._watch_store()

    def _make_base(self, groups: Groups, known_skills: Skills, admission: Admission, alerts: Alerts) -> Base:
        self.engine = Engine(
            self.store,
            HostId(new_id("h")),
            workspace_id(self.home),
            hooks=Hooks(
                clock_set=(
                    deadline.heed_clock,
                    schedule.heed_clock,
                    pipeline.heed_clock,
                    transfer.heed_clock,
                    budgets.heed_clock,
                ),
                clock_set_here=(admission.rates.shift,),
                suspects=partial(tell_of_suspects, alerts),
                stray=lambda tx, claim: outbox.take_mark_back(tx, claim.key, claim.lease, now()),
            ),
            lifetime=self.settings.database.host_lifetime,
        )
        return Base(
            home=self.home,
            settings=self.settings,
            store=self.store,
            engine=self.engine,
            live=self._live,
            groups=groups,
            known_skills=known_skills,
            channels=self._channels,
            stays=self._with_bots,
        )

    async def _make_parts(self, base: Base, admission: Admission, alerts: Alerts, keys: Keys) -> None:
        """Parts that agents ask come before the agents."""
        budget_parts = self.budget_parts = BudgetParts.of(base, admission, alerts)
        self.plan_parts = PlanParts.of(base, admission)
        question_parts = self.question_parts = QuestionParts.of(
            base, admission, self.plan_parts.words, page=self.url
        )
        limits = member_limits(self.settings.spending, budget_parts.files.of)
        pipeline_parts = self.pipeline_parts = PipelineParts.of(
            base,
            admission,
            question_parts,
            alerts,
            runtime=partial(default_runtime, self.settings, keys),
            owner_of=lambda company: self.agents.owner_of(company),
            limits=limits,
        )
        self.batch_chat = BatchChat.of(
            base,
            admission,
            question_parts,
            runtime=partial(default_runtime, self.settings, keys),
            ask=lambda spender, prompt, most: self.agents.ask(spender, prompt, most_output=most),
            budgets=budget_parts.files.of,
        )
        task_parts = self.task_parts = TaskParts.of(base, admission, question_parts, pipeline_parts)
        self.batch_output_parts = BatchOutputParts.of(
            base,
            question_parts,
            task_parts,
            self.batch_chat.changes,
            self.batch_chat.cards,
            owner_of=lambda company: self.agents.owner_of(company),
        )
        memory_parts = self.memory_parts = MemoryParts.of(
            base, alerts, question_parts, can_ask=keys.get(ANTHROPIC) is not None
        )
        context_parts = self.context_parts = ContextParts.of(base, admission, question_parts, alerts)
        handoff_parts = self.handoff_parts = HandoffParts.of(
            base, admission, question_parts, alerts, budget_parts.files.of
        )
        transfer_parts = self.transfer_parts = TransferParts.of(base, admission, question_parts)
        self.analysis_parts = AnalysisParts.of(base, admission, question_parts)
        ledger = ledger_of(
            self.home,
            self.settings,
            self.store,
            self.engine.host,
            budget_parts.files.of,
            standings=budget_parts.standings,
            waiting=self._money_waits(base, question_parts).around,
            doubted=self._owners.doubt,
        )
        self._opened.push_async_callback(budget_parts.news.close)
        self._opened.push_async_callback(ledger.close)
        self.store.after_commit.tells(
            lambda _chat, news: ledger.look_again(news.company) if isinstance(news, BudgetChanged) else None
        )
        voices = Voices(self.settings, keys, ledger, self.home / "data" / "whisper")
        self._opened.push_async_callback(voices.close)
        self.requests = make_requests(
            base,
            question_parts,
            task_parts,
            memory_parts,
            context_parts,
            pipeline_parts,
            voices.text_to_speech,
            {"handoff": handoff_parts.tools.hand_over, "propose_transfer": transfer_parts.tool.propose},
        )
        self.agents = Agents(
            base,
            keys,
            ledger,
            step_down=budget_parts.step_down,
            ask=self.requests.answer,
            permission=question_parts.permissions,
            views=memory_parts.views,
            news=self._owners,
        )
        self._opened.push_async_callback(self.agents.close)
        self.inbound = Inbound(
            store=self.store,
            engine=self.engine,
            known_skills=base.known_skills,
            message_admission=admission.message_admission,
            approvals=admission.approvals,
            waiting=admission.waiting,
            text_answers=question_parts.text_answers,
            tasks=task_parts.task_edits,
            newcomers=lambda name: (
                self._channels[name].newcomers if name in self._channels else Role.STRANGER
            ),
        )
        runtimes = {**self.agents.runtimes, **self._given_runtimes}
        self.memory_lookup = IndexLookup(self.home, self.store, memory_parts.search)
        self._opened.push_async_callback(memory_parts.search.close)
        self._opened.push_async_callback(self.memory_lookup.close)
        can_ask = keys.get(ANTHROPIC) is not None
        preparation = make_preparation(base, self.agents, self.memory_lookup, pipeline_parts, can_ask=can_ask)
        self.readiness = Readiness(self.store, preparation, runtimes)
        self._opened.push_async_callback(self.readiness.close)
        task_turns = task_parts.turns(base, question_parts, self.agents.session_boxes)
        handoff_parts.equip(preparation, runtimes)
        step_turns = TurnsByWaiter(
            {work.HANDOFF: handoff_parts.turns, work.PIPELINE: pipeline_parts.turns},
        )
        live_parts = self.live_parts = LiveParts.of(
            base,
            question_parts,
            preparation,
            pipeline_parts.wished_turns,
            start_terminal=self.agents.open_terminal,
            host=self.engine.host,
        )
        self._opened.push_async_callback(live_parts.terminals.close)
        self.engine.register(live_parts.ends)
        kinds = {
            work.TURN: live_parts.turns,
            work.RUN: task_turns,
            work.BACKGROUND: task_turns,
            work.STEP: step_turns,
        }
        memory, plans = memory_parts.turn_memory, self.plan_parts.plans
        for turns in make_turns(base, runtimes, preparation, question_parts, kinds, memory, plans):
            self._opened.push_async_callback(turns.close)
            self.engine.register(turns)
        await self.store.write(lambda tx: furnish(tx, self.settings, base.groups.main().name))
        self.engine.register(handoff_parts.story)
        await memory_parts.register(base, self.agents)
        self.versions = await register_others(
            base,
            alerts,
            question_parts,
            task_parts,
            pipeline_parts,
            self.agents,
            voices.speech_to_text,
            admission.message_admission,
            handoff_parts.from_git,
            ReturnedAnalyses(
                store=base.store,
                branches=transfer_parts.branches,
                analyses=self.analysis_parts.analyses,
                alerts=alerts,
            ),
        )
        await context_parts.register(base, self.agents)
        await self._register_more(base, admission)
        self._make_batches(base, question_parts, keys, ledger, budget_parts.step_down)

    def _money_waits(self, base: Base, question_parts: QuestionParts) -> MoneyWaits:
        return MoneyWaits(
            store=self.store,
            engine=self.engine,
            live=self._live,
            waits=question_parts.waits,
            language=lambda group: base.groups.locale_of(group).or_else(self.settings.locale).speaks,
        )

    async def _register_more(self, base: Base, admission: Admission) -> None:
        self.plan_parts.register(base, self.agents)
        admission.commands.learn(self.versions.requests.answers())
        transfer_parts = self.transfer_parts
        transfer_parts.register(base, self.agents)
        await self.analysis_parts.register(base, self.agents, self.context_parts, transfer_parts.transfers)

    def _make_batches(
        self, base: Base, question_parts: QuestionParts, keys: Keys, ledger: Ledger, step_down: StepDown
    ) -> None:
        batch_parts = BatchParts.of(
            base,
            question_parts,
            keys,
            ledger,
            self.batch_chat,
            ask_end=self.batch_output_parts.afterwards.ask,
            step_down=step_down,
        )
        self._opened.push_async_callback(batch_parts.vendors.close)
        if base.stays:
            self.engine.register(batch_parts.story)
            self.engine.register(self.batch_output_parts.story)

    def _open_store(self) -> None:
        self.store = database.open_for_host(self.home, self.settings, may_be_new=self._new_database)
        self._opened.callback(self.store.close)
        self.store.after_commit.tells(self._live.tell)
        schema.upgrade(self.store)
        database.remember(self.home, self.settings)
        if self.store.shared:
            # Before anything is planned: by a clock of this machine that is ahead, it would be due hours too late.
            with schema.told(self.store.engine.connect) as tx:
                follow_database(tx)
            self._opened.callback(follow_machine)

    async def _watch_budgets(self) -> None:
        watch = BudgetWatch(self.home, self.store, self.budget_parts, self._owners)
        self._opened.push_async_callback(watch.close)
        watch.start()
        # The files may have been changed while no host ran.
        await self.store.write(lambda tx: budgets.let_go(tx, now()))

    def _watch_store(self) -> None:
        self.alarm = Alarm(self.store, self._channels, self.settings.locale)
        watch = StoreWatch(self.store, self.alarm, self._become_unfit)
        self._opened.push_async_callback(watch.stop)
        watch.start()

    async def _start_engine(self, alerts: Alerts) -> None:
        await self.engine.start()
        if apart := self.engine.heartbeat.apart:
            await self.store.write(partial(tell_of_clock, alerts, apart=apart))

    def _make_console(self, groups: Groups, admission: Admission, front: HostFront) -> Console:
        settings, home = self.settings, self.home
        task_parts, memory_parts = self.task_parts, self.memory_parts
        return Console(
            store=self.store,
            live=self._live,
            receive=self.inbound.receive,
            retry=self.inbound.retry,
            home=home,
            groups=groups,
            known_skills=admission.known_skills,
            group_creation=GroupCreation(home),
            channels=(WEB, TERMINAL),
            owner_name=settings.owner.name,
            locale=settings.locale,
            token=self.token,
            version=version("nanoclaw-os"),
            database=settings.shown_database_url(home),
            attachments=home / "data" / "attachments",
            documents=self.question_parts.documents,
            expect=self.readiness.expect,
            list_bots=self.bots.report,
            connect_bot=self.bots.connect,
            disconnect_bot=self.bots.disconnect,
            pair=self.bots.pair,
            channel_states=self.channels.report,
            press=front.press,
            message_admission=admission.message_admission,
            access=admission.access,
            approvals=admission.approvals,
            questions=self.question_parts.questions,
            question_decisions=self.question_parts.question_decisions,
            sessions=SessionAccess(
                live=self.live_parts.sessions,
                terminals=self.live_parts.terminals,
                has_terminal=self.live_parts.sessions.has_terminal,
            ),
            conclusions=self.question_parts.conclusions,
            task_creation=task_parts.task_creation,
            changes=task_parts.changes,
            background=task_parts.background,
            usual_policy=task_parts.usual,
            handoffs=self.handoff_parts.changes,
            sync=self.versions.now,
            memory=open_memory(home, groups, admission.commands, memory_parts),
            context_files=self.context_parts.files,
            context_versions=self.context_parts.versions,
            proposals=self.context_parts.proposals,
            pipelines=PipelineAccess(
                catalogue=self.pipeline_parts.catalogue,
                files=TemplateFiles(home=home),
                estimates=self.pipeline_parts.estimates,
                changes=self.pipeline_parts.changes,
            ),
            batches=BatchAccess(
                wishes=self.batch_chat.wishes,
                estimates=self.batch_chat.estimates,
                changes=self.batch_chat.changes,
                review=self.batch_output_parts.review,
                schedule=self.batch_output_parts.schedule,
                afterwards=self.batch_output_parts.afterwards,
            ),
            transfers=TransferAccess(
                changes=self.transfer_parts.transfers,
                packages=self.transfer_parts.packages,
                analyses=self.analysis_parts.analyses,
            ),
            budgets=self.budget_parts.changes,
            costs=open_costs(self.budget_parts.files, settings, groups, admission.commands),
        )

    async def _listen(self, approvals: Approvals) -> HostFront:
        """Start receiving messages."""
        front = HostFront(
            inbound=self.inbound,
            presses=Presses(
                store=self.store,
                locale=self.settings.locale,
                approvals=approvals,
                question_decisions=self.question_parts.question_decisions,
                tasks=self.task_parts.task_presses,
                pipelines=self.pipeline_parts.presses,
                plans=self.plan_parts.plans,
                analyses=self.analysis_parts.commands,
            ),
            store=self.store,
        )
        for name, channel in self._channels.items():
            # These last: they have much to load and ask, or may not work at all.
            if not self.bots.has(name) and not self.channels.has(name):
                await channel.start(front)
        return front

    async def _open_bots(self, base: Base) -> None:
        """Open the bots, and the channels that the settings name."""
        owners = self._owners
        self.channels = SettingsChannels(self.home, self.settings, self._channels, owners)
        self.bots = Bots(base, owners, TemplateCommands(catalogue=self.pipeline_parts.catalogue).listed)
        for close in (self.bots.stop, self.channels.stop):
            self._opened.push_async_callback(close)
        if self._with_bots:
            await self.bots.open()
            await self.channels.open()


def _hidden(token: str) -> str:
    hide((token,))
    return token
