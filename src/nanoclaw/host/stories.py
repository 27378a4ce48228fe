"""Which stories a host's engine runs, and how many of each at once."""

from collections.abc import Iterator, Mapping
from datetime import timedelta

from nanoclaw.context.company_context import CompanyContexts
from nanoclaw.context.file_cache import FileCache
from nanoclaw.context.mounts import list_path
from nanoclaw.context.preparation import Preparation
from nanoclaw.context.recall import MemoryRecall
from nanoclaw.context.system_prompt import SystemPrompts
from nanoclaw.delivery.alerts import Alerts
from nanoclaw.delivery.worker import DeliveryWorker
from nanoclaw.domain.ports import MemoryLookup, Runtime, SpeechToText
from nanoclaw.durable import work
from nanoclaw.durable.single_host import SingleHost
from nanoclaw.flows.command import SlowCommands
from nanoclaw.flows.conversation import Conversation
from nanoclaw.flows.files import Files
from nanoclaw.flows.handoffs.from_git import HandoffsFromGit
from nanoclaw.flows.incoming.admission import MessageAdmission
from nanoclaw.flows.knowledge.activity import TurnMemory
from nanoclaw.flows.plans.changes import Plans
from nanoclaw.flows.syncing.returned import ReturnedAnalyses
from nanoclaw.flows.throttle import Throttle
from nanoclaw.flows.transfers.notes import TransferNotes
from nanoclaw.flows.turns.first_questions import FirstQuestions
from nanoclaw.flows.turns.kind import TurnKind
from nanoclaw.flows.versions import Sharing, Versions
from nanoclaw.host.agents import Agents
from nanoclaw.host.allowed_models import TIERS
from nanoclaw.host.backup.story import Backups
from nanoclaw.host.base import Base
from nanoclaw.host.host_lock import workspace_id
from nanoclaw.host.memory_file import MemoryFileReader
from nanoclaw.host.pipeline_parts import PipelineParts
from nanoclaw.host.question_parts import QuestionParts
from nanoclaw.host.task_parts import TaskParts
from nanoclaw.runtimes.silence_watch import Patience


def make_preparation(
    base: Base, agents: Agents, lookup: MemoryLookup, pipeline_parts: PipelineParts, *, can_ask: bool
) -> Preparation:
    settings = base.settings
    return Preparation(
        groups=base.groups,
        known_skills=base.known_skills,
        contexts=CompanyContexts(base.home),
        system_prompts=SystemPrompts(base.home, FileCache()),
        recall=MemoryRecall(lookup, MemoryFileReader(base.home).read, seconds=settings.memory.recall_seconds),
        locale=settings.locale,
        runtime=agents.default_runtime,
        models={tier: getattr(settings.agents, tier) for tier in TIERS},
        mounts_list=list_path(),
        approvals=settings.approvals,
        ask=agents.ask if can_ask else None,
        most_steps_of_tasks=settings.tasks.most_steps,
        templates=pipeline_parts.catalogue.templates,
    )


def make_turns(
    base: Base,
    runtimes: Mapping[str, Runtime],
    preparation: Preparation,
    question_parts: QuestionParts,
    kinds: Mapping[str, TurnKind],
    memory: TurnMemory,
    plans: Plans,
) -> Iterator[Conversation]:
    """`kinds` say what differs in the turns of a lane."""
    turns, tasks = base.settings.turns, base.settings.tasks
    # People, scheduled tasks, background tasks and steps each have their own places: none waits for another.
    lanes = {work.TURN: (turns.concurrent, turns.longest_pause)}
    if base.stays:
        lanes[work.RUN] = tasks.concurrent, tasks.longest_pause
        lanes[work.BACKGROUND] = tasks.background, tasks.longest_pause
        lanes[work.STEP] = base.settings.pipelines.concurrent, tasks.longest_pause
    for kind, (at_once, longest_pause) in lanes.items():
        yield Conversation(
            kind=kind,
            store=base.store,
            engine=base.engine,
            live=base.live,
            channels=base.channels,
            runtimes=runtimes,
            preparation=preparation,
            at_once=at_once,
            batch_window=timedelta(seconds=turns.batch_window),
            # Steps of one run may wait for each other's money, and have their own end.
            patience=Patience(
                first=longest_pause if kind == work.STEP else turns.longest_silence, later=longest_pause
            ),
            waits=question_parts.waits,
            turns=kinds.get(kind),
            memory=None if kind == work.STEP else memory,  # what a run made is remembered at its end
            first_questions=FirstQuestions(plans=plans) if kind == work.TURN else None,
            transfer_notes=TransferNotes(store=base.store) if kind == work.TURN else None,
        )


def make_versions(
    base: Base,
    alerts: Alerts,
    question_parts: QuestionParts,
    handoffs: HandoffsFromGit,
    returned: ReturnedAnalyses,
) -> Versions:
    memory = base.settings.memory
    shares = memory.push and base.stays
    return Versions(
        store=base.store,
        home=base.home,
        workspace=workspace_id(base.home),
        alerts=alerts,
        questions=question_parts.questions,
        groups=base.groups,
        locale=base.settings.locale,
        commit_after=timedelta(seconds=memory.commit_seconds),
        sharing=Sharing(remote=memory.remote, every=timedelta(minutes=memory.sync_minutes))
        if shares
        else None,
        single_host=SingleHost(base.store, lambda: base.engine.host, work.VERSIONS),
        branches=returned.look,
        followers=(handoffs.look,) if base.stays else (),
    )


async def register_others(
    base: Base,
    alerts: Alerts,
    question_parts: QuestionParts,
    task_parts: TaskParts,
    pipeline_parts: PipelineParts,
    agents: Agents,
    speech_to_text: SpeechToText | None,
    message_admission: MessageAdmission,
    handoffs: HandoffsFromGit,
    returned: ReturnedAnalyses,
) -> Versions:
    files = Files(
        store=base.store,
        groups=base.groups,
        home=base.home,
        channels=base.channels,
        speech_to_text=speech_to_text,
        most_bytes=base.settings.limits.file_mb << 20,
        owner_of=agents.owner_of,
        writers=agents.session_boxes.writers,
        text_answers=question_parts.text_answers,
        message_admission=message_admission,
    )
    worker = DeliveryWorker(base.store, base.channels, alerts, question_parts.documents)
    versions = make_versions(base, alerts, question_parts, handoffs, returned)
    slow_commands = SlowCommands(store=base.store, message_admission=message_admission)
    for story in (worker, files, slow_commands, Throttle(base.store), question_parts.deadlines, versions):
        base.engine.register(story)
    await base.store.write(versions.plan)
    if base.stays:
        base.engine.register(task_parts.schedules)
        base.engine.register(task_parts.steps)
        base.engine.register(pipeline_parts.story)
    if base.stays and base.settings.backup.every:
        backups = Backups(
            home=base.home,
            settings=base.settings,
            store=base.store,
            alerts=alerts,
            workspace=workspace_id(base.home),
        )
        base.engine.register(backups)
        await base.store.write(backups.plan)
    return versions
