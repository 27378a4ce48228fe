"""What the console needs from the rest of the host, passed in by the wiring code."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from starlette.requests import Request

from nanoclaw.channels.rooms import WEB
from nanoclaw.console import owner
from nanoclaw.console.bot_shapes import Bot, Pairing
from nanoclaw.console.shape import COMMAND_LINE, VIA
from nanoclaw.context.group_creation import GroupCreation
from nanoclaw.context.groups import Groups
from nanoclaw.context.skills import Skills
from nanoclaw.delivery.enclosed import EnclosedDocuments
from nanoclaw.delivery.live import Live
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.messages import Press, Pressed
from nanoclaw.domain.people import Actor
from nanoclaw.domain.ports import Receive
from nanoclaw.domain.questions import Question
from nanoclaw.domain.tasks import Policy
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.analyses.changes import Analyses
from nanoclaw.flows.background import Background
from nanoclaw.flows.batches.afterwards import Afterwards
from nanoclaw.flows.batches.changes import BatchChanges
from nanoclaw.flows.batches.estimate import BatchEstimates
from nanoclaw.flows.batches.review import Review
from nanoclaw.flows.batches.schedule import BatchSchedule
from nanoclaw.flows.batches.wishes import Wishes
from nanoclaw.flows.budgets.changes import BudgetChanges
from nanoclaw.flows.company_context.files import ContextFiles
from nanoclaw.flows.company_context.proposals import Proposals
from nanoclaw.flows.company_context.versions import ContextVersions
from nanoclaw.flows.handoffs.changes import HandoffChanges
from nanoclaw.flows.human.conclusions import Conclusions
from nanoclaw.flows.human.decisions import Decisions
from nanoclaw.flows.human.questions import Questions
from nanoclaw.flows.incoming.access import AccessChanges
from nanoclaw.flows.incoming.admission import MessageAdmission
from nanoclaw.flows.incoming.approvals import Approvals
from nanoclaw.flows.knowledge.changes import MemoryChanges
from nanoclaw.flows.knowledge.imports import MemoryImports
from nanoclaw.flows.knowledge.quarantine import Quarantine
from nanoclaw.flows.live.sessions import LiveSessions
from nanoclaw.flows.live.terminals import Terminals
from nanoclaw.flows.pipelines.changes import PipelineChanges
from nanoclaw.flows.pipelines.estimates import Estimates
from nanoclaw.flows.pipelines.template_files import TemplateFiles
from nanoclaw.flows.spending.reports import CostReports
from nanoclaw.flows.syncing.now import SyncNow
from nanoclaw.flows.tasks.changes import TaskChanges
from nanoclaw.flows.tasks.creation import TaskCreation
from nanoclaw.flows.transfers.changes import Transfers
from nanoclaw.flows.transfers.packages import Packages
from nanoclaw.memory.files import MemoryFiles
from nanoclaw.memory.search import MemorySearch
from nanoclaw.pipelines.catalogue import Catalogue

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class ChannelState:
    """A channel that the settings name, and what is wrong with it, if anything."""

    name: str
    trouble: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryAccess:
    """How companies' memories are searched and changed."""

    files: MemoryFiles
    search: MemorySearch
    changes: MemoryChanges
    quarantine: Quarantine
    imports: MemoryImports


@dataclass(frozen=True, kw_only=True, slots=True)
class PipelineAccess:
    """The templates of pipelines, what runs of them will cost, and how runs are changed."""

    catalogue: Catalogue
    files: TemplateFiles
    estimates: Estimates
    changes: PipelineChanges


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchAccess:
    """How batches are started and changed, and what becomes of their texts."""

    wishes: Wishes
    estimates: BatchEstimates
    changes: BatchChanges
    review: Review
    schedule: BatchSchedule
    afterwards: Afterwards


@dataclass(frozen=True, kw_only=True, slots=True)
class TransferAccess:
    """How sessions are taken elsewhere, and how results come back."""

    changes: Transfers
    packages: Packages
    analyses: Analyses


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionAccess:
    """Where people work with an agent on an interactive session."""

    live: LiveSessions
    terminals: Terminals
    has_terminal: Callable[[Question], bool]  # whether its agent has a screen of its own


@dataclass(frozen=True, kw_only=True)
class Console:
    store: Store
    live: Live
    channels: tuple[str, ...]
    owner_name: str
    locale: Locale
    token: str
    version: str
    database: str
    documents: EnclosedDocuments
    attachments: Path  # the bytes of files that agents sent, by parcel id
    home: Path  # the workspace
    groups: Groups
    known_skills: Skills
    group_creation: GroupCreation
    # Rooms
    receive: Receive
    retry: Callable[[str], Awaitable[bool]]
    press: Callable[[Press], Awaitable[Pressed]]
    expect: Callable[[str], None]  # someone has opened this chat and may soon write
    # Bots on chat networks
    list_bots: Callable[[str], Awaitable[list[Bot]]]  # in this language
    connect_bot: Callable[[str], Awaitable[Bot]]  # by its token
    disconnect_bot: Callable[[str], Awaitable[None]]
    pair: Callable[[], Awaitable[Pairing]]
    channel_states: Callable[[str], list[ChannelState]]  # likewise, for the channels that the settings name
    # People and access
    message_admission: MessageAdmission
    access: AccessChanges
    approvals: Approvals
    # Questions to people
    questions: Questions
    question_decisions: Decisions
    sessions: SessionAccess
    conclusions: Conclusions
    # Tasks
    task_creation: TaskCreation
    changes: TaskChanges
    background: Background
    usual_policy: Policy
    # What agents hand over to each other
    handoffs: HandoffChanges
    # The workspace, shared through git
    sync: SyncNow
    # What companies know
    memory: MemoryAccess
    # A company's context
    context_files: ContextFiles
    context_versions: ContextVersions
    proposals: Proposals
    # Pipelines
    pipelines: PipelineAccess
    batches: BatchAccess
    # Sessions that are elsewhere
    transfers: TransferAccess
    # What companies may spend
    budgets: BudgetChanges
    # What model calls cost
    costs: CostReports

    def locale_of_owner(self, tx: Tx) -> Locale:
        """The holder of the token is the owner."""
        return owner.owner_locale(tx, self.locale)

    async def language(self) -> str:
        """The owner's, or the host's while the database does not answer."""
        try:
            return (await self.store.read(self.locale_of_owner)).speaks
        except NanoClawError:
            return self.locale.speaks

    def actor(self, tx: Tx, via: str = WEB) -> Actor:
        return owner.owner_actor(tx, usual=self.locale, name=self.owner_name, via=via)

    async def act(self, request: Request, story: Callable[[Tx, Actor], T]) -> T:
        """Run one transaction as the owner. The token says who acts; the header only names the program."""
        return await self.store.write(lambda tx: story(tx, self.actor(tx, _via(request))))

    async def actor_of(self, request: Request) -> Actor:
        """The owner, for actions that take more than one transaction."""
        return await self.store.read(lambda tx: self.actor(tx, _via(request)))


def _via(request: Request) -> str:
    return COMMAND_LINE if request.headers.get(VIA) == COMMAND_LINE else WEB
