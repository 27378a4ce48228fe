"""Assembles memory: who changes it, who writes it, what boxes see of it, and the tools of agents."""

from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Self

from nanoclaw.delivery.alerts import Alerts
from nanoclaw.domain.secret_search.masker import without_known
from nanoclaw.durable import work
from nanoclaw.flows.extraction import Extraction
from nanoclaw.flows.knowledge.activity import TurnMemory
from nanoclaw.flows.knowledge.change_questions import ChangeQuestions
from nanoclaw.flows.knowledge.changes import MemoryChanges
from nanoclaw.flows.knowledge.extraction_prompt import MOST_OUTPUT
from nanoclaw.flows.knowledge.line_writer import Mask
from nanoclaw.flows.knowledge.tools import MemoryTools
from nanoclaw.flows.knowledge.upkeep import Upkeep
from nanoclaw.flows.knowledge.views import MemoryViews
from nanoclaw.flows.memory import MemoryWriter
from nanoclaw.host.agents import Agents
from nanoclaw.host.base import Base
from nanoclaw.host.host_lock import workspace_id
from nanoclaw.host.question_parts import QuestionParts
from nanoclaw.host.settings import Settings
from nanoclaw.memory.embeddings import Embeddings
from nanoclaw.memory.files import MemoryFiles
from nanoclaw.memory.masking import mask
from nanoclaw.memory.personal_numbers import region_of
from nanoclaw.memory.search import MemorySearch


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryParts:
    changes: MemoryChanges
    mask: Mask
    search: MemorySearch
    tools: MemoryTools
    views: MemoryViews
    writer: MemoryWriter
    turn_memory: TurnMemory

    @classmethod
    def of(cls, base: Base, alerts: Alerts, question_parts: QuestionParts, *, can_ask: bool) -> Self:
        """`can_ask`: there is a key for the small model that extracts what agents did not remember themselves."""
        settings, store, groups = base.settings.memory, base.store, base.groups
        change_questions = ChangeQuestions(
            new_questions=question_parts.new_questions, groups=groups, locale=base.settings.locale
        )
        embed = Embeddings(store, settings.embeddings_url, settings.embeddings_model)
        masked = _mask(base.settings)
        search = MemorySearch(store, embed if settings.embeddings_url else None)
        views = MemoryViews(home=base.home, store=store, change_questions=change_questions)
        files = MemoryFiles(base.home, base.engine.liveness.check)
        is_extracted = can_ask and settings.extraction == "rest"
        return cls(
            changes=MemoryChanges(groups=groups, questions=change_questions),
            mask=masked,
            search=search,
            tools=MemoryTools(store=store, search=search, questions=change_questions),
            views=views,
            writer=MemoryWriter(
                store=store,
                home=base.home,
                alerts=alerts,
                change_questions=change_questions,
                mask=masked,
                take_in=views.take_in,
                commit_after=timedelta(seconds=settings.commit_seconds),
                versions=work.versions_of(workspace_id(base.home)),
                upkeep=Upkeep(home=base.home, files=files, alerts=alerts),
            ),
            turn_memory=TurnMemory(
                groups=groups, rest=timedelta(minutes=settings.rest_minutes) if is_extracted else None
            ),
        )

    async def register(self, base: Base, agents: Agents) -> None:
        base.engine.register(self.writer)
        if self.turn_memory.rest is not None:
            base.engine.register(
                Extraction(
                    store=base.store,
                    groups=base.groups,
                    search=self.search,
                    questions=self.changes.questions,
                    ask=partial(agents.ask, most_output=MOST_OUTPUT),
                    rest=self.turn_memory.rest,
                    rest_turns=base.settings.memory.rest_turns,
                )
            )
        await base.store.write(self.writer.plan)


def _mask(settings: Settings) -> Mask:
    own = settings.memory.own_addresses

    def masked(text: str) -> tuple[str, tuple[str, ...]]:
        made = mask(text, own, without_known, region_of(settings.locale.timezone))
        return made.text, made.found

    return masked
