"""What a script in the box gets back from people: an answer, or why there is none."""

from collections.abc import Mapping
from typing import Any

PENDING, NOBODY, NOT_ASKED, TAKEN_BACK = 75, 124, 125, 130
"""Exit codes if there is no answer."""


class Answer(str):
    """The id of the choice, or what was written; with who decided, and how. `text` says it in a sentence."""

    question_id: str
    status: str
    chosen: Any
    user_input: str | None
    user_id: str | None  # the handle of the person
    text: str

    @classmethod
    def of(cls, reply: Mapping[str, Any]) -> "Answer":
        chosen = reply.get("chosen")
        answer = cls("" if chosen is None else chosen)
        answer.question_id = reply.get("question_id") or ""
        answer.status = reply.get("status") or ""
        answer.chosen = chosen
        answer.user_input = reply.get("user_input")
        answer.user_id = reply.get("user_id")
        answer.text = reply.get("text") or ""
        return answer

    @property
    def by(self) -> str | None:
        return self.user_id

    @property
    def pending(self) -> bool:
        return self.status == "pending"

    @property
    def timed_out(self) -> bool:
        """Nobody decided; if there is a choice, it is the default."""
        return self.status == "timeout"


class HumanError(Exception):
    """There is no answer. The text says why, and what to do; `answer` is the state of the question."""

    exit_code = NOT_ASKED

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.text)
        self.answer = answer


class NotAsked(HumanError):
    """The host refused; the text says what to change. Nobody was asked."""


class Pending(HumanError):
    """Nobody answered while the turn could wait. End it: the answer will wake the agent."""

    exit_code = PENDING


class NobodyAnswered(HumanError):
    """Time is up, and the question has no default: nothing was decided."""

    exit_code = NOBODY


class Cancelled(HumanError):
    """Someone cancelled the question: nothing was decided."""

    exit_code = TAKEN_BACK
