"""What every part of a host is built on."""

from dataclasses import dataclass
from pathlib import Path

from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Skills
from nanoclaw.delivery.live import Live
from nanoclaw.domain.ports import Channel
from nanoclaw.durable.engine import Engine
from nanoclaw.durable.store import Store
from nanoclaw.host.settings import Settings


@dataclass(frozen=True, kw_only=True, slots=True)
class Base:
    home: Path
    settings: Settings
    store: Store
    engine: Engine
    live: Live
    groups: Groups
    known_skills: Skills
    channels: dict[str, Channel]  # bots come and go while the host runs
    stays: bool  # a temporary host has no bots and begins no tasks: it would end before they do
