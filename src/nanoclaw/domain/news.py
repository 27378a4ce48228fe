"""What watchers are told when rows have changed. Nothing of it is stored: what was missed is read again."""

from dataclasses import dataclass

EVERY_CHAT = "*"  # watched by lists of chats, questions and tasks


@dataclass(frozen=True, slots=True)
class MessageChanged:
    """A person's message is new or has another state."""

    message_id: str


@dataclass(frozen=True, slots=True)
class ChatChanged:
    """A chat is new, has another title, or something was said in it."""

    chat_id: str


@dataclass(frozen=True, slots=True)
class QuestionChanged:
    """A question to people is new, was voted on, is decided, or what was decided is carried out."""

    question_id: str


@dataclass(frozen=True, slots=True)
class TaskChanged:
    """A task is new, was changed, or began or ended a run."""

    task_id: int


@dataclass(frozen=True, slots=True)
class MemoryChanged:
    """Something was asked of a company's memory, or written to it, or set aside."""


@dataclass(frozen=True, slots=True)
class PipelineChanged:
    """A run of a pipeline is new, or one of its steps has another state."""

    run_id: str


@dataclass(frozen=True, slots=True)
class HandoffChanged:
    """A handoff is new, or has another state."""

    handoff_id: str


@dataclass(frozen=True, slots=True)
class BudgetChanged:
    """The limits of a company were changed or added to, or someone wants to see how much of them is used."""

    company: str


@dataclass(frozen=True, slots=True)
class BatchChanged:
    """A batch is new, or has advanced."""

    batch_id: str


@dataclass(frozen=True, slots=True)
class TransferChanged:
    """A session that is taken elsewhere, or the analysis that comes back, has advanced."""

    id: str  # of either


News = (
    MessageChanged
    | ChatChanged
    | QuestionChanged
    | TaskChanged
    | MemoryChanged
    | PipelineChanged
    | HandoffChanged
    | BudgetChanged
    | BatchChanged
    | TransferChanged
)
