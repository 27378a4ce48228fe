"""Puts together what starts by itself and what takes hours: tasks, the stories of their runs, orders and tools."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from nanoclaw.domain.ports import Workshop
from nanoclaw.domain.tasks import Policy
from nanoclaw.flows.background import Background
from nanoclaw.flows.schedule import Schedules
from nanoclaw.flows.tasks.cards import TaskCards
from nanoclaw.flows.tasks.changing import Changes
from nanoclaw.flows.tasks.checking import Checks
from nanoclaw.flows.tasks.delivering import Delivering
from nanoclaw.flows.tasks.editing import Editing
from nanoclaw.flows.tasks.ending import Endings
from nanoclaw.flows.tasks.making import Making
from nanoclaw.flows.tasks.notices import Notices
from nanoclaw.flows.tasks.obstacles import Obstacles
from nanoclaw.flows.tasks.orders import TaskOrders
from nanoclaw.flows.tasks.pressing import Pressing
from nanoclaw.flows.tasks.results import Results
from nanoclaw.flows.tasks.steps import RunSteps
from nanoclaw.flows.tasks.task_turns import TaskTurns
from nanoclaw.flows.tasks.telling import Telling
from nanoclaw.flows.tasks.tools import TaskTools
from nanoclaw.host.admission import Admission
from nanoclaw.host.base import Base
from nanoclaw.host.humans import Humans


@dataclass(frozen=True, kw_only=True, slots=True)
class Tasking:
    making: Making
    changes: Changes
    editing: Editing
    pressing: Pressing
    tools: TaskTools
    background: Background
    schedules: Schedules
    obstacles: Obstacles
    cards: TaskCards
    steps: RunSteps
    usual: Policy

    @classmethod
    def of(cls, base: Base, admission: Admission, humans: Humans) -> Self:
        settings, store, engine = base.settings, base.store, base.engine
        home, groups, shelf = base.home, base.groups, base.shelf
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
            groups=groups,
            making=making,
            changes=changes,
            usual=usual,
            locale=settings.locale,
        )
        editing = Editing(changes=changes)
        orders = TaskOrders(groups=groups, making=making, changes=changes, editing=editing, usual=usual)
        admission.orders.learn(orders.answers())
        return cls(
            making=making,
            changes=changes,
            editing=editing,
            pressing=Pressing(changes=changes, editing=editing),
            tools=tools,
            background=Background(
                store=store,
                making=making,
                cards=cards,
                tools=tools,
                usual=usual,
            ),
            schedules=Schedules(
                store=store,
                engine=engine,
                obstacles=obstacles,
                notices=notices,
                results=Results(home),
            ),
            obstacles=obstacles,
            cards=cards,
            steps=RunSteps(store=store, endings=endings),
            usual=usual,
        )

    def turns(self, base: Base, humans: Humans, workshop: Workshop) -> TaskTurns:
        """What a turn of a task does differently. Its check runs in a box, and agents in boxes ask for tasks."""
        checks = Checks(
            workshop=workshop,
            permissions=humans.permissions,
            patience=base.settings.tasks.check_seconds,
        )
        return TaskTurns(store=base.store, obstacles=self.obstacles, cards=self.cards, checks=checks)
