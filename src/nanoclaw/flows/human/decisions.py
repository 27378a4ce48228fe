"""A person decides a question, takes it back, or asks it again: checked before anything changes."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.ids import ChatId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import Actor
from nanoclaw.domain.questions import CONCLUDE, CUSTOM, Question, QuestionKind, Status
from nanoclaw.durable import people, question_cards, questions
from nanoclaw.durable.clock import now
from nanoclaw.durable.question_cards import Vote
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.answer_text import label, option_meant
from nanoclaw.flows.human.card_text import SHORT, clock
from nanoclaw.flows.human.cards import QuestionCards
from nanoclaw.flows.human.deciders import Decider, counted_votes, deciders_of
from nanoclaw.flows.human.new_questions import NewQuestions
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.flows.human.session_ends import SessionEnds
from nanoclaw.texts import say
from nanoclaw.times.when import read_when

Act = Callable[[Tx, str, Actor, datetime], Question]
Aside = Callable[[Tx, Question, Actor, datetime, ChatId | None], str]
"""Does what an option says without deciding anything; returns what to tell the person."""

_LATE = {
    Status.TIMEOUT: "question-late-timeout",
    Status.CANCELLED: "question-late-cancelled",
    Status.FAILED: "question-late-failed",
}
_SHOWN = 200  # characters


class TooLate(Refused):
    """The question is already decided."""

    def __init__(self, question: Question, key: str, **values: object) -> None:
        super().__init__(key, **values)
        self.question = question


@dataclass(frozen=True, kw_only=True, slots=True)
class Decisions:
    """Each method runs in the caller's transaction. When one raises, nothing has changed."""

    cards: QuestionCards
    resolution: Resolution
    new_questions: NewQuestions
    session_ends: SessionEnds
    locale: Locale
    asides: dict[str, Aside] = field(default_factory=dict)  # by the id of an option of ours

    @property
    def acts(self) -> Mapping[str, Act]:
        """What can be done with a question by name alone; each returns the question to show afterwards."""
        return {"cancel": self.cancel, "again": self.ask_again}

    def find(self, tx: Tx, ref: str) -> Question:
        """Find a question by its id, or the end of it as shown on cards."""
        wanted = ref.strip().lower()
        if exact := questions.get(tx, wanted):
            return exact
        fits = questions.ending(tx, wanted) if len(wanted) >= SHORT else []
        if len(fits) != 1:
            raise NotFound("no-such-question", id=ref)
        return fits[0]

    def decide(
        self,
        tx: Tx,
        question_id: str,
        choice: str | None,
        by: Actor,
        at: datetime,
        *,
        said: str | None = None,
        chat_id: ChatId | None = None,
    ) -> str:
        """Decide a question; returns what to tell the person. `chat_id` is where they can be asked for more.
        Raises Refused: not theirs to decide, already decided (TooLate), no such choice.
        """
        question, decider, deciders = self.theirs(tx, question_id, by, at)
        if not question.is_open:
            raise self.too_late(question, by)
        if not question.is_as_asked:  # its cards show something else
            raise Refused("question-not-as-shown")
        if question.kind is QuestionKind.INTERACTIVE:
            return self._conclude(tx, question, choice, by, at, said)
        option = option_meant(question, choice) if choice is not None else None
        known = ", ".join(each.id for each in question.options)
        if not question.options and not said:
            raise Refused("question-needs-words")
        if choice is not None and option is None:
            raise Refused("no-such-option", choice=choice[:80], known=known)
        if option and not option.label and (aside := self.asides.get(option.id)):
            return aside(tx, question, by, at, chat_id)
        if question.takes_time and (said or (option and option.id == CUSTOM)):
            if not said:
                return self._ask_for_time(tx, question, by, at, chat_id)
            option, said = question.option(CUSTOM), self._time_meant(question, said, by, at)
        takes_words = question.takes_words and question.votes == 1  # free text cannot be counted as a vote
        if option is None and not (said and takes_words):
            raise Refused("question-needs-option", known=known)
        if option and question.votes > 1 and not option.safe:
            vote = Vote(voter=decider.voter, name=by.name, option=option.id, at=at)
            if waiting := self._count(tx, question, vote, by, deciders):
                return waiting
        chosen = option.id if option else None
        if not self.resolution.decide(tx, question, by, at, chosen=chosen, said=said):
            raise self.too_late(questions.get(tx, question.id) or question, by)
        shown = label(option, by.language) if option else (said or "")
        return say(by.language, "question-taken", label=shown[:80])

    def _conclude(
        self, tx: Tx, question: Question, choice: str | None, by: Actor, at: datetime, said: str | None
    ) -> str:
        is_choice = choice is not None and not choice.startswith(CONCLUDE)
        option = option_meant(question, choice or "") if is_choice else None
        if option is None and is_choice:
            known = ", ".join(each.id for each in question.options) or "-"
            raise Refused("no-such-option", choice=(choice or "")[:80], known=known)
        if option is None and choice is None and not said:
            raise Refused("question-needs-words")
        told = self.session_ends.choose(tx, question, option, choice, by, at, said)
        if told is None:
            raise self.too_late(questions.get(tx, question.id) or question, by)
        return told

    def _ask_for_time(
        self, tx: Tx, question: Question, by: Actor, at: datetime, chat_id: ChatId | None
    ) -> str:
        """Keep it open and ask for a time: it is what they write next in that chat, or in reply."""
        chat = people.chat(tx, chat_id) if chat_id else None
        if chat is None:
            raise Refused("question-needs-time")
        self.cards.ask_for_time(tx, question, chat, by.language, at)
        return say(by.language, "question-time-wanted")

    def _time_meant(self, question: Question, said: str, by: Actor, at: datetime) -> str:
        """The time on the decider's clock, with its offset, so that it is unambiguous."""
        usual = self.cards.locale_of(question.group).or_else(self.locale)
        zone = Locale(timezone=by.timezone).or_else(usual).zone
        try:
            schedule = read_when(said, at, zone.key)
        except Refused as refused:
            raise Refused("question-time-unclear", text=said[:80]) from refused
        moment = next(iter(schedule.times_after(at)), None)
        if schedule.repeats or moment is None:
            raise Refused("question-time-unclear", text=said[:80])
        return moment.astimezone(zone).isoformat(" ", "minutes")

    def cancel(self, tx: Tx, question_id: str, by: Actor, at: datetime) -> Question:
        question, *_ = self.theirs(tx, question_id, by, at)
        if not self.resolution.cancel(tx, question, by, at):
            raise self.too_late(questions.get(tx, question.id) or question, by)
        return question

    def ask_again(self, tx: Tx, question_id: str, by: Actor, at: datetime) -> Question:
        question, *_ = self.theirs(tx, question_id, by, at)
        return self.new_questions.again(tx, question, at)

    def theirs(
        self, tx: Tx, question_id: str, by: Actor, at: datetime
    ) -> tuple[Question, Decider, Sequence[Decider]]:
        """The question, if it is theirs to decide, with the decider they are and all deciders."""
        question = questions.locked(tx, question_id)
        if question is None:
            raise NotFound("no-such-question", id=question_id)
        deciders = deciders_of(tx, question.group, question.deciders, at)
        decider = next((each for each in deciders if each.person.handle == by.handle), None)
        if decider is None:
            raise Refused("question-forbidden")
        return question, decider, deciders

    def _count(
        self, tx: Tx, question: Question, vote: Vote, by: Actor, deciders: Sequence[Decider]
    ) -> str | None:
        """Count a vote. None if enough agree; otherwise what to say."""
        question_cards.vote(tx, question.id, vote)
        given = counted_votes(tx, question, deciders)
        agreed = [each for each in given if each.option == vote.option]
        if len(agreed) >= question.votes:
            return None
        self.cards.refresh(tx, question, vote.at)
        return say(by.language, "vote-counted", given=len(agreed), needed=question.votes)

    def too_late(self, question: Question, by: Actor) -> TooLate:
        locale = Locale(language=by.language, timezone=by.timezone).or_else(self.locale)
        option = question.option(question.chosen)
        values = {
            "time": clock(question.resolved_at or now(), locale, asked_at=now()),
            "name": question.decided_name or "",
            "label": label(option, by.language) if option else _said(question),
        }
        if question.status is Status.TIMEOUT and option is None:
            return TooLate(question, "question-late-nothing", **values)
        return TooLate(question, _LATE.get(question.status, "question-late-decided"), **values)


def _said(question: Question) -> str:
    """One line of what was written or concluded."""
    said = question.user_input or question.concluded
    written = said if said is None or isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    return (written or "")[:_SHOWN]
