"""Assembles what takes analyses in: the command and its buttons, the model that reads, and the story."""

from dataclasses import dataclass
from typing import Self

from nanoclaw.domain.money import Spender
from nanoclaw.flows.analyses.adoption import Adoption
from nanoclaw.flows.analyses.changes import Analyses
from nanoclaw.flows.analyses.commands import AnalysisCommands
from nanoclaw.flows.analyses.decisions_card import DecisionsCard
from nanoclaw.flows.analyses.files import AnalysisFiles
from nanoclaw.flows.analyses.interpretation import SKILL
from nanoclaw.flows.analyses.reader import DocumentReader
from nanoclaw.flows.analysis import AnalysisStory
from nanoclaw.flows.transfers.changes import Transfers
from nanoclaw.host.admission import Admission
from nanoclaw.host.agents import Agents
from nanoclaw.host.base import Base
from nanoclaw.host.context_parts import ContextParts
from nanoclaw.host.group_model import model_for
from nanoclaw.host.question_parts import QuestionParts

_MOST_OUTPUT = 8000  # tokens for one part of a document
_OTHERWISE = "You turn a document into facts that can be checked: what it says, and where it says it."


@dataclass(frozen=True, kw_only=True, slots=True)
class AnalysisParts:
    analyses: Analyses
    commands: AnalysisCommands

    @classmethod
    def of(cls, base: Base, admission: Admission, question_parts: QuestionParts) -> Self:
        analyses = Analyses(
            store=base.store,
            groups=base.groups,
            files=AnalysisFiles(home=base.home),
            new_questions=question_parts.new_questions,
            resolution=question_parts.resolution,
            decisions=DecisionsCard(
                new_questions=question_parts.new_questions, resolution=question_parts.resolution
            ),
        )
        commands = AnalysisCommands(analyses=analyses)
        admission.commands.learn(commands.answers())
        return cls(analyses=analyses, commands=commands)

    async def register(
        self, base: Base, agents: Agents, context_parts: ContextParts, transfers: Transfers
    ) -> None:
        """Documents are read in boxes, so `context_parts` must be registered first."""
        documents = context_parts.tools.documents
        if documents is None:
            raise RuntimeError("the context is registered first")
        story = AnalysisStory(
            store=base.store,
            analyses=self.analyses,
            files=self.analyses.files,
            reading=DocumentReader(
                files=self.analyses.files,
                documents=documents,
                context=context_parts.files,
                ask=_Asking(base=base, agents=agents).ask,
                instructions=lambda: _instructions(base),
            ),
            merging=Adoption(
                proposals=context_parts.proposals,
                decisions=self.analyses.decisions,
                transfers=transfers,
            ),
        )
        base.engine.register(story)
        await story.sweep()


def _instructions(base: Base) -> str:
    """The skill's instructions: a workspace may have changed the skill, or lack it."""
    skill = base.known_skills.find(SKILL)
    return skill.instructions if skill else _OTHERWISE


@dataclass(frozen=True, kw_only=True, slots=True)
class _Asking:
    """Asks the group's model, otherwise the skill's; the demo has none."""

    base: Base
    agents: Agents

    async def ask(self, spender: Spender, prompt: str) -> str | None:
        model = model_for(self.base, self.agents, spender.group, prompt, SKILL)
        if model is None:
            return None
        return await self.agents.complete(spender, model, prompt, most_output=_MOST_OUTPUT)
