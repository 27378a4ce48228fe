"""Assembles tasks: the stories of their runs, their commands and tools."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from nanoclaw.domain.ports import SessionBoxes
from nanoclaw.domain.tasks import Policy
from nanoclaw.flows.background import Background
from nanoclaw.flows.schedule import Schedules
from nanoclaw.flows.tasks.blockers import Blockers
from nanoclaw.flows.tasks.cards import TaskCards
from nanoclaw.flows.tasks.changes import TaskChanges
from nanoclaw.flows.tasks.check import TaskChecks
from nanoclaw.flows.tasks.commands import TaskCommands
from nanoclaw.flows.tasks.creation import TaskCreation
from nanoclaw.flows.tasks.edits import TaskEdits
from nanoclaw.flows.tasks.notices import Notices
from nanoclaw.flows.tasks.presses import TaskPresses
from nanoclaw.flows.tasks.result_delivery import ResultDelivery
from nanoclaw.flows.tasks.results import RunResults
from nanoclaw.flows.tasks.routes import Routes
from nanoclaw.flows.tasks.run_end import RunEnds
from nanoclaw.flows.tasks.run_money import RunMoney
from nanoclaw.flows.tasks.steps import RunSteps
from nanoclaw.flows.tasks.task_pipelines import TaskPipelines
from nanoclaw.flows.tasks.task_turns import TaskTurns
from nanoclaw.flows.tasks.tools import TaskTools
from nanoclaw.host.admission import Admission
from nanoclaw.host.base import Base
from nanoclaw.host.pipeline_parts import PipelineParts
from nanoclaw.host.question_parts import QuestionParts


@dataclass(frozen=True, kw_only=True, slots=True)
class TaskParts:
    task_creation: TaskCreation
    changes: TaskChanges
    task_edits: TaskEdits
    task_presses: TaskPresses
    tools: TaskTools
    background: Background
    schedules: Schedules
    blockers: Blockers
    cards: TaskCards
    task_pipelines: TaskPipelines
    steps: RunSteps
    usual: Policy

    @classmethod
    def of(
        cls, base: Base, admission: Admission, question_parts: QuestionParts, pipeline_parts: PipelineParts
    ) -> Self:
        settings, store, engine = base.settings, base.store, base.engine
        home, groups, known_skills = base.home, base.groups, base.known_skills
        wanted = settings.tasks
        usual = Policy(
            retries=wanted.retries,
            retry_pause=timedelta(seconds=wanted.retry_seconds),
            pause_after=wanted.pause_after,
        )
        routes = Routes(groups=groups, whereabouts=question_parts.whereabouts)
        cards, blockers = TaskCards(telling=routes), Blockers(groups=groups, known_skills=known_skills)
        notices = Notices(cards=cards)
        task_pipelines = TaskPipelines(
            catalogue=pipeline_parts.catalogue,
            estimates=pipeline_parts.estimates,
            changes=pipeline_parts.changes,
        )
        run_ends = RunEnds(
            cards=cards,
            notices=notices,
            result_delivery=ResultDelivery(telling=routes),
            resolution=question_parts.resolution,
            pipelines=task_pipelines,
        )
        task_creation = TaskCreation(
            groups=groups,
            known_skills=known_skills,
            telling=routes,
            locale=settings.locale,
            most=wanted.most,
            most_background=wanted.most_background,
        )
        changes = TaskChanges(groups=groups, blockers=blockers, cards=cards, run_ends=run_ends)
        tools = TaskTools(
            store=store,
            groups=groups,
            task_creation=task_creation,
            changes=changes,
            usual=usual,
            locale=settings.locale,
        )
        task_edits = TaskEdits(changes=changes, channels=base.channels)
        commands = TaskCommands(
            groups=groups, task_creation=task_creation, changes=changes, task_edits=task_edits, usual=usual
        )
        admission.commands.learn(commands.answers())
        return cls(
            task_creation=task_creation,
            changes=changes,
            task_edits=task_edits,
            task_presses=TaskPresses(changes=changes, task_edits=task_edits),
            tools=tools,
            background=Background(
                store=store,
                task_creation=task_creation,
                cards=cards,
                tools=tools,
                usual=usual,
            ),
            schedules=Schedules(
                store=store,
                engine=engine,
                blockers=blockers,
                notices=notices,
                results=RunResults(home),
            ),
            blockers=blockers,
            cards=cards,
            task_pipelines=task_pipelines,
            steps=RunSteps(store=store, run_ends=run_ends),
            usual=usual,
        )

    def turns(self, base: Base, question_parts: QuestionParts, session_boxes: SessionBoxes) -> TaskTurns:
        """What a task's turn does differently. Its check runs in a box, and agents in boxes request tasks."""
        checks = TaskChecks(
            session_boxes=session_boxes,
            permissions=question_parts.permissions,
            patience=base.settings.tasks.check_seconds,
        )
        return TaskTurns(
            store=base.store,
            blockers=self.blockers,
            cards=self.cards,
            checks=checks,
            pipelines=self.task_pipelines,
            money=RunMoney(
                limits=self.task_pipelines.changes.limits,
                groups=base.groups,
                new_questions=self.task_pipelines.changes.new_questions,
            ),
        )
