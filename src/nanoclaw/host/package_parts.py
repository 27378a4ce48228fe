"""Assembles what packs a session for another runtime: the scrubber, and the model that summarises it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from nanoclaw.domain.money import Spender
from nanoclaw.domain.secret_search.masker import holds_secret, without_known
from nanoclaw.domain.transfers import Target
from nanoclaw.flows.transfers.packages import Extras, Packages
from nanoclaw.flows.transfers.scrubber import Check, Scrubber
from nanoclaw.flows.transfers.summaries import Summaries
from nanoclaw.flows.transfers.summary_prompt import MOST_OUTPUT
from nanoclaw.flows.transfers.tokens import Tokens
from nanoclaw.host.agents import Agents
from nanoclaw.host.base import Base
from nanoclaw.host.group_model import model_for
from nanoclaw.host.settings import Settings
from nanoclaw.memory.masking import addresses_in, mask
from nanoclaw.memory.personal_numbers import region_of


def make_packages(base: Base, agents: Agents, extras: Mapping[Target, Extras]) -> Packages:
    """`extras`: what single targets add, such as the transcript of Claude Code."""
    model = _Model(base=base, agents=agents)
    return Packages(
        store=base.store,
        home=base.home,
        writers=agents.session_boxes.writers,
        new_scrubber=lambda public: _scrubber(base.settings, public),
        summaries=Summaries(ask=model.ask),
        tokens=Tokens(count=model.count),
        extras=extras,
    )


def _scrubber(settings: Settings, public: Sequence[str]) -> Scrubber:
    region = region_of(settings.locale.timezone)
    own = [*settings.memory.own_addresses, *addresses_in("\n".join(public), region)]

    def masked(text: str, check: Check) -> tuple[str, Sequence[str]]:
        made = mask(text, own, without_known, region, check)
        return made.text, made.found

    return Scrubber(mask=masked, holds_secret=holds_secret)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Model:
    """The model of the group's agent. The demo has none."""

    base: Base
    agents: Agents

    async def ask(self, spender: Spender, prompt: str) -> str | None:
        name = model_for(self.base, self.agents, spender.group, prompt)
        if name is None:
            return None
        return await self.agents.complete(spender, name, prompt, most_output=MOST_OUTPUT)

    async def count(self, group: str, text: str) -> int | None:
        name = model_for(self.base, self.agents, group, "")
        return None if name is None else await self.agents.count_tokens(name, text)
