"""Assembles what changes a company's context: proposals, the tools of agents, the story that writes."""

import asyncio
from dataclasses import dataclass
from typing import Self

from nanoclaw.delivery.alerts import Alerts
from nanoclaw.flows.company_context.age import ContextAge
from nanoclaw.flows.company_context.commands import ContextCommands
from nanoclaw.flows.company_context.documents import Documents
from nanoclaw.flows.company_context.files import ContextFiles
from nanoclaw.flows.company_context.interviews import Interviews
from nanoclaw.flows.company_context.proposals import SHOW_DIFF, Proposals
from nanoclaw.flows.company_context.tools import ContextTools
from nanoclaw.flows.company_context.versions import ContextVersions
from nanoclaw.flows.context import ContextStory
from nanoclaw.flows.interview import InterviewStory
from nanoclaw.git.repository import Repository
from nanoclaw.host.admission import Admission
from nanoclaw.host.agents import Agents
from nanoclaw.host.base import Base
from nanoclaw.host.question_parts import QuestionParts


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextParts:
    files: ContextFiles
    versions: ContextVersions
    proposals: Proposals
    tools: ContextTools
    story: ContextStory
    interview_story: InterviewStory
    age: ContextAge

    @classmethod
    def of(cls, base: Base, admission: Admission, question_parts: QuestionParts, alerts: Alerts) -> Self:
        files = ContextFiles(home=base.home, check=base.engine.liveness.check)
        versions = ContextVersions(files=files, repository=Repository(base.home))
        decisions = question_parts.question_decisions
        proposals = Proposals(groups=base.groups, new_questions=decisions.new_questions)
        decisions.asides[SHOW_DIFF] = proposals.show_diff
        locale = base.settings.locale
        interviews = Interviews(new_questions=decisions.new_questions)
        commands = ContextCommands(
            groups=base.groups, interviews=interviews, resolution=question_parts.resolution
        )
        admission.commands.learn(commands.answers())
        return cls(
            files=files,
            versions=versions,
            proposals=proposals,
            tools=ContextTools(store=base.store, files=files, proposals=proposals, locale=locale),
            story=ContextStory(
                store=base.store, files=files, versions=versions, proposals=proposals, locale=locale
            ),
            interview_story=InterviewStory(
                store=base.store, files=files, proposals=proposals, interviews=interviews, locale=locale
            ),
            age=ContextAge(store=base.store, versions=versions, groups=base.groups, alerts=alerts),
        )

    async def register(self, base: Base, agents: Agents) -> None:
        """Documents are read in boxes, whose agents use the tools: so the tools come first, and boxes now."""
        boxes = agents.session_boxes
        documents = Documents(home=base.home, sandbox=lambda: asyncio.shield(boxes.prove()))
        await documents.clear()
        self.tools.documents = documents
        base.engine.register(self.story)
        base.engine.register(self.interview_story)
        if base.stays:
            base.engine.register(self.age)
            await base.store.write(self.age.plan)
