"""The time of a session ends while someone works in it: they are warned once, and get a moment to conclude."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from nanoclaw.delivery import outbox
from nanoclaw.domain.ids import ChatId
from nanoclaw.domain.news import EVERY_CHAT, QuestionChanged
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.questions import Question, QuestionKind
from nanoclaw.durable import live_sessions, people
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.card_text import SHORT, span
from nanoclaw.flows.human.cards import QuestionCards
from nanoclaw.texts import say

_WARNING = 98  # used as a reminder's number


@dataclass(frozen=True, kw_only=True, slots=True)
class Overtime:
    cards: QuestionCards
    grace: timedelta

    def until(self, tx: Tx, question: Question) -> datetime | None:
        """When it ends, after the warning; None if nobody needs a warning, or none was given yet."""
        warned = live_sessions.get(tx, question.id).warned_at if _is_session(question) else None
        return warned and warned + self.grace

    def warn(self, tx: Tx, question: Question, at: datetime) -> datetime | None:
        """Warn in the room, wherever its card is, and at a terminal. None if nobody works in it."""
        live = live_sessions.get(tx, question.id) if _is_session(question) else None
        if live is None or live.opened_at is None or live.chat_id is None:
            return None
        live_sessions.mark(tx, question.id, warned_at=at)
        person = people.person_named(tx, live.opened_by or "")
        group = self.cards.locale_of(question.group).or_else(self.cards.whereabouts.locale)
        outbox.post(
            tx,
            chat_id=ChatId(live.chat_id),
            thread=None,
            author=Author.HOST,
            text=self.words(question, (person and person.language) or group.speaks),
            at=at,
            origin=f"{outbox.REMINDER} {question.id} {live.chat_id} {_WARNING}",
        )
        self.cards.warn(tx, question, _WARNING, self.words, at)
        announce(tx, EVERY_CHAT, QuestionChanged(question.id))
        return at + self.grace

    def words(self, question: Question, language: str) -> str:
        return say(language, "session-time-up", left=span(language, self.grace), id=question.id[-SHORT:])


def _is_session(question: Question) -> bool:
    return question.kind is QuestionKind.INTERACTIVE
