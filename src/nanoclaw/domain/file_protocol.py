"""The folders through which a box asks the host for something, and gets its answer."""

from enum import StrEnum


class RequestKind(StrEnum):
    """What sort of request a file is: the name of its folder."""

    MESSAGES = "messages"
    TASKS = "tasks"
    HITL = "hitl"
    BACKGROUND = "background"
    HANDOFFS = "handoffs"
    STATE = "state"
    MEMORY = "memory"


RESULTS = "results"
HITL_RESPONSES = "hitl-responses"
ANSWERS = (RESULTS, HITL_RESPONSES)
TASK_RESULT = "task-"
"""Prefix of the files in `results` that hold the result of a task; the others answer a request."""


def answer_folder(kind: RequestKind) -> str:
    return HITL_RESPONSES if kind is RequestKind.HITL else RESULTS
