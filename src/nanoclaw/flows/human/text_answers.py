"""Text as an answer: a reply to a card, or what a decider writes or says where an input is open."""

from datetime import datetime
from typing import Protocol

from nanoclaw.admission.commands import command_in
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.messages import Chat, End, Message
from nanoclaw.domain.people import Actor, Person
from nanoclaw.domain.questions import CUSTOM, Question, QuestionKind
from nanoclaw.domain.text import as_written, is_empty
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import memberships, messages, people, plans, question_cards, questions, sent, work
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event
from nanoclaw.flows.human.answer_text import option_meant, option_named
from nanoclaw.flows.human.deciders import may_decide
from nanoclaw.flows.human.decisions import Decisions
from nanoclaw.flows.incoming.admission import MessageAdmission
from nanoclaw.flows.incoming.arrival import Arrival, answer
from nanoclaw.texts import say, tell


class PlanAnswers(Protocol):
    """Answers in words to the questions of plans: `flows/plans/words.py`."""

    def take(self, arrival: Arrival) -> bool: ...

    def heard(self, arrival: Arrival, answers: str) -> None: ...


class TextAnswers:
    def __init__(
        self,
        question_decisions: Decisions,
        message_admission: MessageAdmission,
        plan_answers: PlanAnswers,
    ) -> None:
        self._question_decisions = question_decisions
        self._message_admission = message_admission
        self._plan_answers = plan_answers

    def take(self, arrival: Arrival) -> bool:
        """False if the message is not an answer. Commands always pass; text that its sender did not write
        decides nothing. A reply to a card wins, then an open question of a plan, then the newest open
        input in this chat and thread.
        """
        message, person = arrival.message, arrival.person
        if person.blocked or not message.in_own_words or command_in(message) is not None:
            return False
        replied = self._replied_to(arrival)
        if replied is None and self._plan_answers.take(arrival):
            return True
        question = replied or self._awaited(arrival)
        if (
            question is None
            or not question.is_open
            or may_decide(arrival.tx, question, person.handle, arrival.at) is None
        ):
            return False
        if message.is_ready:
            return self._decide(arrival, question)
        if not question.takes_words or not message.is_voice:
            return False
        messages.put_question(arrival.tx, message.id, question.id)
        arrival.note(Event.ANSWERS, question=question.prompt[:200])
        work.due(arrival.tx, work.FILES, message.id, arrival.at)
        return True

    def asked_by(self, tx: Tx, message: Message) -> str | None:
        """The group whose question this message answers."""
        if message.answers is None:
            return None
        asked = questions.get(tx, message.answers) or plans.get(tx, message.answers.partition(" ")[0])
        return asked.group if asked else None

    def heard(self, tx: Tx, message: Message, at: datetime) -> None:
        """The transcript of a voice message is ready."""
        person, chat = people.person(tx, message.person_id), people.chat(tx, message.chat_id)
        question = questions.get(tx, message.answers or "")
        if chat is None:
            return
        arrival = self._message_admission.meet(tx, message, chat, person, at)
        if question is None:
            self._plan_answers.heard(arrival, message.answers or "")
            arrival.write_steps()
            return
        missing = next((file.missing for file in message.files if file.missing), None)
        if missing or is_empty(message.text):
            arrival.note(Event.REFUSED, reason="not-heard")
            answer(arrival, say(arrival.locale.speaks, "question-not-heard"), End.REFUSED)
        else:
            self._decide(arrival, question)
        arrival.write_steps()

    def _replied_to(self, arrival: Arrival) -> Question | None:
        tx, chat, quote = arrival.tx, arrival.chat, arrival.message.reply_to
        if quote is None:
            return None
        return question_cards.shown_as(tx, chat.id, sent.subject_at(tx, chat.id, quote.ref) or quote.ref)

    def _awaited(self, arrival: Arrival) -> Question | None:
        message, chat = arrival.message, arrival.chat
        # An edit of an earlier message is not the next message.
        if chat.awaits is None or message.edits or not _is_meant_for_us(chat, message):
            return None
        return question_cards.newest_awaited(arrival.tx, chat.id, message.thread)

    def _decide(self, arrival: Arrival, question: Question) -> bool:
        """False if it was about something else."""
        tx, message, at = arrival.tx, arrival.message, arrival.at
        text = arrival.words
        in_words = question.kind.takes_words
        option = option_named(question, text) if in_words else option_meant(question, text)
        if (
            question.kind is QuestionKind.INTERACTIVE
        ):  # words do not end a session, not even the name of a choice
            option = None
        if option is None and not question.takes_words:
            return False
        by = _actor(tx, arrival.person, arrival.chat, arrival.locale.speaks)
        try:
            self._question_decisions.decide(
                tx,
                question.id,
                option.id if option else None,
                by,
                at,
                said=None if option else text,
                chat_id=arrival.chat.id,
            )
        except Refused as error:
            was_asked_for = question.id in (arrival.chat.awaits, message.answers)
            if error.key == "question-time-unclear" and not was_asked_for:
                return False  # no time was asked for here
            answer(arrival, as_written(tell(by.language, error)), End.REFUSED)
            return True
        if question.takes_time and option and option.id == CUSTOM:  # now they are asked which time
            messages.end(tx, message.id, End.ANSWERED)
            return True
        arrival.note(Event.ANSWERS, question=question.prompt[:200])
        messages.put_question(tx, message.id, question.id)
        messages.end(tx, message.id, End.ANSWERED)
        return True


def _actor(tx: Tx, person: Person, chat: Chat, language: str) -> Actor:
    return Actor.of(person, memberships.rights_of(tx, person), via=chat.channel, language=language)


def _is_meant_for_us(chat: Chat, message: Message) -> bool:
    """In a group chat, only what is addressed to the bot: otherwise any conversation would decide."""
    return chat.kind is ChatKind.PRIVATE or message.addressed
