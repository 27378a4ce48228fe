"""Assembles transfers of sessions: commands, the card, the agents' tool, delivery, and the story."""

from dataclasses import dataclass, field
from datetime import timedelta
from importlib.metadata import version
from typing import Self

from nanoclaw.domain.transfers import Target
from nanoclaw.flows.transfer import TransferStory
from nanoclaw.flows.transfers.branch import TransferBranches
from nanoclaw.flows.transfers.cards import TransferCards
from nanoclaw.flows.transfers.changes import Transfers
from nanoclaw.flows.transfers.claude_transcript import ClaudeTranscripts
from nanoclaw.flows.transfers.commands import TransferCommands
from nanoclaw.flows.transfers.delivery import Delivery
from nanoclaw.flows.transfers.drive import Drive
from nanoclaw.flows.transfers.packages import Packages
from nanoclaw.flows.transfers.tool import TransferTool
from nanoclaw.host.admission import Admission
from nanoclaw.host.agents import Agents
from nanoclaw.host.base import Base
from nanoclaw.host.package_parts import make_packages
from nanoclaw.host.question_parts import QuestionParts


@dataclass(kw_only=True, slots=True)
class TransferParts:
    """`packages` need the agents, whose tools need the rest: they come with `register`."""

    transfers: Transfers
    tool: TransferTool
    cards: TransferCards
    branches: TransferBranches
    packages: Packages = field(init=False)
    story: TransferStory = field(init=False)

    @classmethod
    def of(cls, base: Base, admission: Admission, question_parts: QuestionParts) -> Self:
        transfers = Transfers(
            groups=base.groups,
            decisions=question_parts.question_decisions,
            resolution=question_parts.resolution,
            version=version("nanoclaw-os"),
            lifetime=timedelta(hours=base.settings.transfer.hours),
        )
        commands = TransferCommands(transfers=transfers, rates=admission.rates)
        memory = base.settings.memory
        remote = memory.remote if memory.push and base.stays else None
        admission.commands.learn(commands.answers(), cleared=commands.cleared, status=commands.status)
        return cls(
            transfers=transfers,
            tool=TransferTool(store=base.store, transfers=transfers, locale=base.settings.locale),
            cards=TransferCards(new_questions=question_parts.new_questions),
            branches=TransferBranches(home=base.home, remote=remote),
        )

    def register(self, base: Base, agents: Agents) -> None:
        extras = {Target.CLAUDE_CODE: ClaudeTranscripts(home=base.home, store=base.store).add}
        packages = self.packages = make_packages(base, agents, extras)
        wanted = base.settings.transfer
        drive = Drive(
            servers=agents.servers,
            server=wanted.drive_server,
            tool=wanted.drive_tool,
            folder=wanted.drive_folder,
        )
        self.story = TransferStory(
            store=base.store,
            transfers=self.transfers,
            packages=packages,
            cards=self.cards,
            delivery=Delivery(
                home=base.home,
                packages=packages,
                branches=self.branches,
                drive=drive if wanted.drive_server else None,
            ),
        )
        base.engine.register(self.story)
