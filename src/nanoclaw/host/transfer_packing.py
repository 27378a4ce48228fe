"""Assembles what packs a session for another runtime."""

from collections.abc import Mapping, Sequence

from nanoclaw.domain.transfers import Target
from nanoclaw.flows.transfers.packages import Extras, Packages
from nanoclaw.flows.transfers.scrubbing import Mask, Scrubber
from nanoclaw.host import secret_mask
from nanoclaw.host.agents import Agents
from nanoclaw.host.base import Base
from nanoclaw.host.settings import Settings
from nanoclaw.memory.masking import mask
from nanoclaw.memory.personal_numbers import region_of


def make_packages(base: Base, agents: Agents, extras: Mapping[Target, Extras]) -> Packages:
    """`extras`: what single targets add, such as the transcript of Claude Code."""
    return Packages(
        store=base.store,
        home=base.home,
        groups=base.groups,
        new_scrubber=lambda: Scrubber(mask=_mask(base.settings)),
        extras=extras,
    )


def _mask(settings: Settings) -> Mask:
    def masked(text: str, own: Sequence[str]) -> tuple[str, Sequence[str]]:
        kept = [*settings.memory.own_addresses, *own]
        made = mask(text, kept, secret_mask.masked, region_of(settings.locale.timezone))
        return made.text, made.found

    return masked
