"""Interactive sessions as the API shows them, in the owner's language."""

import json
from collections.abc import Iterable

from nanoclaw.console.question_views import show_questions
from nanoclaw.console.session_shapes import LiveState, Session
from nanoclaw.domain import questions
from nanoclaw.domain.outcomes import APPROVED, REJECTED, OutcomeType, outcome_of
from nanoclaw.durable import live_sessions
from nanoclaw.durable.live_sessions import LiveSession
from nanoclaw.durable.store import Tx
from nanoclaw.texts import say

_SHOWN = 200  # characters of a result in a list


def show_sessions(tx: Tx, found: Iterable[questions.Question], language: str) -> list[Session]:
    every = list(found)
    shown = show_questions(tx, every, language)
    return [
        Session.of(
            each,
            outcome=outcome_name(question),
            asker=each.asker or say(language, "asker-agent" if question.session_id else "asker-program"),
            opened_at=(live := live_sessions.get(tx, each.id)).opened_at,
            opened_by=live.opened_by,
            warned_at=live.warned_at,
            concluded=concluded(question, language)[:_SHOWN],
        )
        for each, question in zip(shown, every, strict=True)
    ]


def show_live(live: LiveSession, *, has_terminal: bool) -> LiveState:
    return LiveState.of(live, room=live.chat_id, has_terminal=has_terminal)


def outcome_name(question: questions.Question) -> str:
    """The kind of outcome; by default people write a text."""
    return outcome_of(question.config).type or OutcomeType.FREEFORM


def concluded(question: questions.Question, language: str) -> str:
    """The result as a person reads it; empty if there is none."""
    found = question.concluded
    if found is None:
        return ""
    if outcome_name(question) == OutcomeType.APPROVAL and found in (APPROVED, REJECTED):
        return say(language, f"session-{found}")
    return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False, indent=2)
