"""Assembles plans: the command, presses and words that change them, the model that asks, and the story."""

from dataclasses import dataclass
from typing import Self

from nanoclaw.domain.money import Spender
from nanoclaw.flows.plan import PlanStory
from nanoclaw.flows.plans.changes import Plans
from nanoclaw.flows.plans.commands import PlanCommands
from nanoclaw.flows.plans.files import PlanFiles
from nanoclaw.flows.plans.rounds import Rounds
from nanoclaw.flows.plans.words import PlanWords
from nanoclaw.host.admission import Admission
from nanoclaw.host.agents import Agents
from nanoclaw.host.base import Base
from nanoclaw.host.group_model import model_for
from nanoclaw.runtimes import demo_plan

_MOST_OUTPUT = 2000  # tokens of a round


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanParts:
    plans: Plans
    words: PlanWords

    @classmethod
    def of(cls, base: Base, admission: Admission) -> Self:
        plans = Plans()
        commands = PlanCommands(groups=base.groups, plans=plans, rates=admission.rates)
        admission.commands.learn(commands.answers(), stopped=commands.stopped, idle=commands.idle)
        return cls(plans=plans, words=PlanWords(plans=plans, message_admission=admission.message_admission))

    def register(self, base: Base, agents: Agents) -> None:
        asking = _Asking(base=base, agents=agents)
        base.engine.register(
            PlanStory(
                store=base.store,
                plans=self.plans,
                rounds=Rounds(ask=asking.ask),
                files=PlanFiles(
                    home=base.home, owner_of=agents.owner_of, writers=agents.session_boxes.writers
                ),
            )
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Asking:
    """Asks the model of the group's agent; the demo costs nothing."""

    base: Base
    agents: Agents

    async def ask(self, spender: Spender, prompt: str) -> str:
        model = model_for(self.base, self.agents, spender.group, prompt)
        if model is None:
            return demo_plan.answer(prompt)
        return await self.agents.complete(spender, model, prompt, most_output=_MOST_OUTPUT)
