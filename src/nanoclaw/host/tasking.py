"""Puts together what starts by itself and what takes hours: tasks, the stories of their runs, orders and tools."""

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Self

from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Shelf
from nanoclaw.delivery.live import Live
from nanoclaw.domain.ports import Workshop
from nanoclaw.domain.tasks import Policy
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.store import Store
from nanoclaw.flows.background import Background
from nanoclaw.flows.schedule import Schedules, heed_clock
from nanoclaw.flows.tasks.cards import TaskCards
from nanoclaw.flows.tasks.changing import Changes
from nanoclaw.flows.tasks.checking import Checks
from nanoclaw.flows.tasks.delivering import Delivering
from nanoclaw.flows.tasks.editing import Editing
from nanoclaw.flows.tasks.ending import Endings
from nanoclaw.flows.tasks.errands import Errands
from nanoclaw.flows.tasks.making import Making
from nanoclaw.flows.tasks.notices import Notices
from nanoclaw.flows.tasks.obstacles import Obstacles
from nanoclaw.flows.tasks.orders import TaskOrders
from nanoclaw.flows.tasks.pressing import Pressing
from nanoclaw.flows.tasks.results import Results
from nanoclaw.flows.tasks.telling import Telling
from nanoclaw.flows.tasks.tools import TaskTools
from nanoclaw.host.door import Door
from nanoclaw.host.humans import Humans
from nanoclaw.host.settings import Settings


@dataclass(frozen=True, kw_only=True, slots=True)
class Tasking:
    making: Making
    changes: Changes
    editing: Editing
    pressing: Pressing
    tools: TaskTools
    background: Background
    schedules: Schedules
    errands: Errands
    usual: Policy

    @classmethod
    def of(
        cls,
        home: Path,
        settings: Settings,
        *,
        store: Store,
        engine: Engine,
        live: Live,
        groups: Groups,
        shelf: Shelf,
        door: Door,
        humans: Humans,
        workshop: Workshop,
    ) -> Self:
        wanted = settings.tasks
        usual = Policy(
            retries=wanted.retries,
            retry_pause=timedelta(seconds=wanted.retry_seconds),
            pause_after=wanted.pause_after,
        )
        telling = Telling(groups=groups, whereabouts=humans.whereabouts)
        cards, obstacles = TaskCards(telling=telling), Obstacles(groups=groups, shelf=shelf)
        notices = Notices(cards=cards)
        endings = Endings(
            cards=cards,
            notices=notices,
            delivering=Delivering(telling=telling),
            resolution=humans.resolution,
        )
        making = Making(
            groups=groups,
            shelf=shelf,
            telling=telling,
            locale=settings.locale,
            most=wanted.most,
            most_background=wanted.most_background,
        )
        changes = Changes(groups=groups, obstacles=obstacles, cards=cards, endings=endings)
        tools = TaskTools(
            store=store,
            engine=engine,
            live=live,
            groups=groups,
            making=making,
            changes=changes,
            usual=usual,
            locale=settings.locale,
        )
        editing = Editing(changes=changes)
        orders = TaskOrders(groups=groups, making=making, changes=changes, editing=editing, usual=usual)
        door.orders.learn(orders.answers())
        engine.heed_clock(heed_clock)
        return cls(
            making=making,
            changes=changes,
            editing=editing,
            pressing=Pressing(changes=changes, editing=editing),
            tools=tools,
            background=Background(
                store=store,
                engine=engine,
                live=live,
                making=making,
                cards=cards,
                tools=tools,
                usual=usual,
            ),
            schedules=Schedules(
                store=store,
                engine=engine,
                live=live,
                obstacles=obstacles,
                notices=notices,
                results=Results(home),
            ),
            errands=Errands(
                store=store,
                engine=engine,
                live=live,
                obstacles=obstacles,
                endings=endings,
                checks=Checks(
                    workshop=workshop, permissions=humans.permissions, patience=wanted.check_seconds
                ),
            ),
            usual=usual,
        )
