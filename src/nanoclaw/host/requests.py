"""The tools of the host that agents can request, and who carries them out."""

from collections.abc import Mapping

from nanoclaw.context.adaptors import Adaptors
from nanoclaw.context.group_creation import GroupCreation
from nanoclaw.domain.ports import TextToSpeech
from nanoclaw.flows.request import Act, Requests
from nanoclaw.flows.sending.adapted_texts import AdaptedTexts
from nanoclaw.flows.sending.messages import Sending
from nanoclaw.flows.sending.other_groups import OtherGroups
from nanoclaw.host.base import Base
from nanoclaw.host.context_parts import ContextParts
from nanoclaw.host.memory_parts import MemoryParts
from nanoclaw.host.pipeline_parts import PipelineParts
from nanoclaw.host.question_parts import QuestionParts
from nanoclaw.host.task_parts import TaskParts


def make_requests(
    base: Base,
    question_parts: QuestionParts,
    task_parts: TaskParts,
    memory_parts: MemoryParts,
    context_parts: ContextParts,
    pipeline_parts: PipelineParts,
    text_to_speech: TextToSpeech | None,
    others: Mapping[str, Act],
) -> Requests:
    """`others` are the acts of further tools."""
    locale = base.settings.locale
    sending = Sending(
        store=base.store,
        copies=question_parts.copies,
        locale=locale,
        text_to_speech=text_to_speech,
        adapted_texts=AdaptedTexts(Adaptors(base.home)),
    )
    return Requests(
        store=base.store,
        groups=base.groups,
        group_creation=GroupCreation(base.home),
        other_groups=OtherGroups(
            store=base.store, questions=question_parts.questions, groups=base.groups, locale=locale
        ),
        locale=locale,
        acts={
            "send_message": sending.send_message,
            "send_file": sending.send_file,
            "request_human": question_parts.questions.answer,
            "request_session": question_parts.session_tool.answer,
            "schedule_task": task_parts.tools.schedule,
            "list_tasks": task_parts.tools.show,
            "change_task": task_parts.tools.change,
            "background_task": task_parts.background.answer,
            "remember": memory_parts.tools.remember,
            "recall": memory_parts.tools.recall,
            "propose_context": context_parts.tools.propose,
            "read_document": context_parts.tools.read_document,
            "finish_step": pipeline_parts.tools.finish,
            **others,
        },
    )
