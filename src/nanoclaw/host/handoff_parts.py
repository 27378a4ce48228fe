"""Assembles handoffs: the tool of agents, the story of what they hand over, and what people can do with it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Self

from nanoclaw.context.preparation import Preparation
from nanoclaw.delivery.alerts import Alerts
from nanoclaw.domain.budgets import Budget
from nanoclaw.domain.money import MICROS
from nanoclaw.domain.ports import Runtime
from nanoclaw.durable import work
from nanoclaw.flows.handoff import Handoffs
from nanoclaw.flows.handoffs.came_contracts import CameContracts
from nanoclaw.flows.handoffs.changes import HandoffChanges
from nanoclaw.flows.handoffs.contract_files import ContractFiles
from nanoclaw.flows.handoffs.ends import HandoffEnds
from nanoclaw.flows.handoffs.from_git import HandoffsFromGit
from nanoclaw.flows.handoffs.git_files import GitFiles
from nanoclaw.flows.handoffs.progress import HandoffProgress
from nanoclaw.flows.handoffs.receiver_turns import ReceiverTurns
from nanoclaw.flows.handoffs.rules import HandoffLimits, HandoffRules
from nanoclaw.flows.handoffs.sub_agents import SubAgents
from nanoclaw.flows.handoffs.tools import HandoffTools
from nanoclaw.flows.versions import WORKSPACE
from nanoclaw.host.admission import Admission
from nanoclaw.host.base import Base
from nanoclaw.host.host_lock import workspace_id
from nanoclaw.host.member_limits import member_limits
from nanoclaw.host.question_parts import QuestionParts
from nanoclaw.runtimes.silence_watch import Patience


@dataclass(frozen=True, kw_only=True, slots=True)
class HandoffParts:
    tools: HandoffTools
    changes: HandoffChanges
    turns: ReceiverTurns
    story: Handoffs
    from_git: HandoffsFromGit
    sub_agents: SubAgents

    @classmethod
    def of(
        cls,
        base: Base,
        admission: Admission,
        question_parts: QuestionParts,
        alerts: Alerts,
        budgets: Callable[[str], Budget],
    ) -> Self:
        settings, wanted = base.settings, base.settings.handoffs
        ends = HandoffEnds(groups=base.groups, resolution=question_parts.resolution, locale=settings.locale)
        sub_agents = SubAgents(
            store=base.store,
            ends=ends,
            waits=question_parts.waits,
            patience=Patience(first=settings.turns.longest_silence, later=settings.turns.longest_pause),
        )
        budget = wanted.chain_budget
        rules = HandoffRules(
            groups=base.groups,
            known_skills=base.known_skills,
            limits=HandoffLimits(
                most_hops=wanted.most_hops,
                most_in_chain=wanted.most_in_chain,
                most_in_turn=wanted.most_in_turn,
                chain_budget=None if budget is None else round(budget * MICROS),
            ),
        )
        changes, git_files = HandoffChanges(ends=ends), GitFiles(base.home)
        admission.commands.learn({}, stopped=changes.stopped)
        return cls(
            tools=HandoffTools(
                store=base.store,
                rules=rules,
                ends=ends,
                new_questions=question_parts.new_questions,
                sub_agents=sub_agents,
                alerts=alerts,
                budgets=budgets,
                limits=member_limits(base.settings.spending, budgets),
            ),
            changes=changes,
            turns=ReceiverTurns(store=base.store),
            story=Handoffs(
                store=base.store,
                progress=HandoffProgress(ends=ends),
                files=ContractFiles(home=base.home),
                git_files=git_files,
                versions=work.versions_of(workspace_id(base.home)),
                versions_key=WORKSPACE,
                commit_after=timedelta(seconds=settings.memory.commit_seconds),
            ),
            sub_agents=sub_agents,
            from_git=HandoffsFromGit(
                store=base.store,
                files=git_files,
                contracts=CameContracts(
                    rules=rules,
                    groups=base.groups,
                    new_questions=question_parts.new_questions,
                    budgets=budgets,
                    locale=settings.locale,
                ),
                ends=ends,
                alerts=alerts,
            ),
        )

    def equip(self, preparation: Preparation, runtimes: Mapping[str, Runtime]) -> None:
        """Give sub-agents what is made after the tools by which agents ask for them."""
        self.sub_agents.preparation, self.sub_agents.runtimes = preparation, runtimes
