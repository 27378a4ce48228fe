"""Ask people from a program on this machine: the same inbox as the agents', on every channel that people use."""

from nanoclaw.human.errors import Cancelled, HumanError, NobodyAnswered, NoHost, NotAsked, SessionFailed
from nanoclaw.human.harness import Interaction, cancel, complete, fail, list_pending
from nanoclaw.human.questions import Answer, Option, ask, confirm
from nanoclaw.human.session import InteractiveSession, OutcomeSchema, SessionOptions, SessionResult

__all__ = [
    "Answer",
    "Cancelled",
    "HumanError",
    "Interaction",
    "InteractiveSession",
    "NoHost",
    "NobodyAnswered",
    "NotAsked",
    "Option",
    "OutcomeSchema",
    "SessionFailed",
    "SessionOptions",
    "SessionResult",
    "ask",
    "cancel",
    "complete",
    "confirm",
    "fail",
    "list_pending",
]
