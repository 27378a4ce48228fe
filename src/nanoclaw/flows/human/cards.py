"""The cards of a question: posted where its deciders are, and kept up to date.

Every change rewrites each card from the rows, in its reader's language.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache, partial
from typing import Any

from nanoclaw.context.groups import Groups
from nanoclaw.delivery import outbox
from nanoclaw.delivery.enclosed import enclosed
from nanoclaw.domain.ids import ChatId, MessageId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.messages import Chat
from nanoclaw.domain.parcels import Attachment, Author, Button
from nanoclaw.domain.people import LOCAL_OWNER, Person
from nanoclaw.domain.questions import Question, QuestionKind, Status
from nanoclaw.domain.shown_text import shown_line
from nanoclaw.domain.wirings import ChatKind
from nanoclaw.durable import live_sessions, people, question_cards, questions
from nanoclaw.durable.question_cards import Shown
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human import card_text, session_card
from nanoclaw.flows.human.deciders import Decider, QuestionChat, Whereabouts, counted_votes, deciders_of
from nanoclaw.texts import say

DOCUMENT = "card"
"""The kind of document that a card encloses."""
_TIME = 99  # in place of a reminder's number: the message that asks for a time


class QuestionCards:
    def __init__(self, whereabouts: Whereabouts, groups: Groups, page: str = "") -> None:
        """`page` is the address of the console."""
        self.whereabouts = whereabouts
        self._groups = groups
        self._page = page

    def locale_of(self, group: str) -> Locale:
        return self._groups.locale_of(group)

    def ask(
        self,
        tx: Tx,
        question: Question,
        deciders: Sequence[Decider],
        at: datetime,
        *,
        chat_id: str | None,
        thread: str | None,
        message_id: MessageId | None = None,
    ) -> None:
        """Show the question to its deciders; in the chat of the message that it answers, as a reply to it."""
        group = self.locale_of(question.group)
        places = self.whereabouts.first(tx, group, chat_id, thread, deciders, at)
        self._show(tx, question, places, at, answers={chat_id: message_id})

    def escalate(self, tx: Tx, question: Question, at: datetime) -> list[ChatId]:
        """Ask the deciders who have not been asked yet. Returns where."""
        asked = {card.chat_id for card in question_cards.cards_of(tx, question.id)}
        present = [each for each in self._deciders(tx, question, at) if not each.away]
        places = self.whereabouts.own(tx, self.locale_of(question.group), present, at)
        others = [each for each in places if each.chat_id not in asked]
        self._show(tx, question, others, at)
        return [each.chat_id for each in others]

    def pass_on(self, tx: Tx, question: Question, other: Person, at: datetime) -> None:
        """Show it to the delegate of someone who was asked, if they may decide it."""
        asked = {card.chat_id for card in question_cards.cards_of(tx, question.id)}
        them = [each for each in self._deciders(tx, question, at) if each.person.id == other.id]
        places = self.whereabouts.own(tx, self.locale_of(question.group), them, at)
        self._show(tx, question, [each for each in places if each.chat_id not in asked], at)

    def remind(
        self,
        tx: Tx,
        question: Question,
        number: int,
        *,
        last: bool,
        at: datetime,
        but_not_in: Collection[ChatId] = (),
    ) -> None:
        """Remind wherever it is shown and nobody sleeps, except where it was only just asked."""
        shown = question_cards.cards_of(tx, question.id)
        cards = [card for card in shown if not card.reminder and card.chat_id not in but_not_in]
        deciders = self._deciders(tx, question, at)
        for card in cards:
            if self._sleeps(tx, card.chat_id, deciders, at):
                continue
            locale = self.whereabouts.reader_in(tx, card.chat_id, self.locale_of(question.group), deciders)
            text = card_text.reminder(question, locale, last=last, at=at)
            self._remind_in(tx, question, card, number, text, locale, at)

    def warn(
        self, tx: Tx, question: Question, number: int, words: Callable[[Question, str], str], at: datetime
    ) -> None:
        """Time is up while someone works on it: tell them at once, even if they sleep."""
        deciders = self._deciders(tx, question, at)
        for card in question_cards.cards_of(tx, question.id):
            if not card.reminder:
                locale = self.whereabouts.reader_in(
                    tx, card.chat_id, self.locale_of(question.group), deciders
                )
                text = words(question, locale.speaks)
                self._remind_in(tx, question, card, number, text, locale, at)

    def _remind_in(
        self, tx: Tx, question: Question, card: Shown, number: int, text: str, locale: Locale, at: datetime
    ) -> None:
        parcel = outbox.get(tx, card.parcel_id)
        parcel_id = outbox.post(
            tx,
            chat_id=card.chat_id,
            thread=parcel.thread if parcel else None,
            author=Author.HOST,
            text=text,
            at=at,
            buttons=card_text.buttons(question, locale.speaks),
            origin=f"{outbox.REMINDER} {question.id} {card.chat_id} {number}",
        )
        question_cards.show_in(
            tx, question, Shown(chat_id=card.chat_id, parcel_id=parcel_id, reminder=number)
        )

    def ask_for_time(self, tx: Tx, question: Question, chat: Chat, language: str, at: datetime) -> None:
        """Someone chose a time that is not on the card: ask once for it, and they write it here."""
        origin = f"{outbox.REMINDER} {question.id} {chat.id} {_TIME}"
        question_cards.await_words(tx, question.id, chat.id)
        if outbox.posted_for(tx, origin):
            return
        card = next(
            (each for each in question_cards.cards_of(tx, question.id) if each.chat_id == chat.id), None
        )
        shown = outbox.get(tx, card.parcel_id) if card else None
        key = "question-time-alone" if chat.kind is ChatKind.PRIVATE else "question-time-reply"
        parcel_id = outbox.post(
            tx,
            chat_id=chat.id,
            thread=shown.thread if shown else None,
            author=Author.HOST,
            text=say(language, key),
            at=at,
            origin=origin,
        )
        question_cards.show_in(tx, question, Shown(chat_id=chat.id, parcel_id=parcel_id, reminder=_TIME))

    def quiet_until(self, tx: Tx, question: Question, at: datetime) -> datetime | None:
        """When the first of those asked may be disturbed again; None if one may be disturbed now. The page
        disturbs nobody: a person looking at it is awake.
        """
        shown = {card.chat_id for card in question_cards.cards_of(tx, question.id)}
        ends = []
        for each in _present(self._deciders(tx, question, at)):
            if each.person.handle != LOCAL_OWNER and shown & set(people.own_chats(tx, each.person)):
                until = self.whereabouts.quiet_until(each.person, at)
                if until is None:
                    return None
                ends.append(until)
        return min(ends, default=None)

    def refresh(self, tx: Tx, question: Question, at: datetime) -> None:
        """Show what has changed wherever the question is shown."""
        deciders = self._deciders(tx, question, at)
        votes = counted_votes(tx, question, deciders) if question.votes > 1 else ()
        filled = _filled(tx, question)
        for card in question_cards.cards_of(tx, question.id):
            locale = self.whereabouts.reader_in(tx, card.chat_id, self.locale_of(question.group), deciders)
            if card.reminder and question.is_open:
                continue  # unchanged
            text = (
                card_text.settled_reminder(question, locale)
                if card.reminder
                else card_text.card(
                    question,
                    locale,
                    votes,
                    alone=_is_alone(tx, card.chat_id),
                    more=self._more(question, locale, filled),
                    chat_id=card.chat_id,
                )
            )
            outbox.amend(tx, card.parcel_id, text, self._buttons(question, card, locale, filled), at)

    def _show(
        self,
        tx: Tx,
        question: Question,
        places: Sequence[QuestionChat],
        at: datetime,
        answers: Mapping[str | None, MessageId | None] | None = None,
    ) -> None:
        filled = _filled(tx, question)
        documents_in = cache(partial(_documents, question))
        for place in {each.chat_id: each for each in places}.values():
            silent = place.quiet_until is not None
            if documents := documents_in(place.locale.speaks, place.chat_id):
                outbox.post(
                    tx,
                    chat_id=place.chat_id,
                    thread=place.thread,
                    author=Author.HOST,
                    text="",
                    at=at,
                    attachments=documents,
                    origin=f"document {question.id} {place.chat_id}",
                    silent=silent,
                )
            parcel_id = outbox.post(
                tx,
                chat_id=place.chat_id,
                thread=place.thread,
                author=Author.HOST,
                text=card_text.card(
                    question,
                    place.locale,
                    alone=_is_alone(tx, place.chat_id),
                    more=self._more(question, place.locale, filled),
                    chat_id=place.chat_id,
                ),
                at=at,
                buttons=(
                    *card_text.buttons(question, place.locale.speaks),
                    *session_card.buttons(question, place.locale.speaks, filled),
                ),
                message_id=(answers or {}).get(place.chat_id),
                origin=f"{outbox.ALERT} {question.id} {place.chat_id}",
                silent=silent,
            )
            question_cards.show_in(tx, question, Shown(chat_id=place.chat_id, parcel_id=parcel_id))

    def _deciders(self, tx: Tx, question: Question, at: datetime) -> list[Decider]:
        return deciders_of(tx, question.group, question.deciders, at)

    def _sleeps(self, tx: Tx, chat_id: ChatId, deciders: Sequence[Decider], at: datetime) -> bool:
        """Whether the person of a private chat sleeps or is away. In a group someone may be awake."""
        theirs = [each for each in deciders if chat_id in people.own_chats(tx, each.person)]
        here = _present(deciders)
        return bool(theirs) and all(
            each not in here or self.whereabouts.quiet_until(each.person, at) for each in theirs
        )

    def _more(self, question: Question, locale: Locale, filled: Mapping[str, Any] | None) -> Sequence[str]:
        if question.kind is not QuestionKind.INTERACTIVE or not question.is_open:
            return ()
        return session_card.lines(question, locale.speaks, self._page, filled)

    def _buttons(
        self, question: Question, card: Shown, locale: Locale, filled: Mapping[str, Any] | None
    ) -> tuple[Button, ...]:
        if question.is_open:
            ours = session_card.buttons(question, locale.speaks, filled)
            return (*card_text.buttons(question, locale.speaks), *ours)
        if question.status is Status.TIMEOUT and question.session_id and not card.reminder:
            return (Button(label=say(locale.speaks, "button-ask-again"), data=question.again_data),)
        return ()


def document_of(tx: Tx, question_id: str, language: str) -> str | None:
    """Makes the document of a card."""
    question = questions.get(tx, question_id)
    return card_text.document(question, language) if question else None


def _documents(question: Question, language: str, chat_id: ChatId) -> list[Attachment]:
    """What is to be reviewed, and all that does not fit on the card."""
    given = question.document
    documents = [replace(given, name=shown_line(given.name))] if given else []
    if whole := card_text.document(question, language, chat_id):
        documents.append(enclosed(DOCUMENT, question.id, language, card_text.document_name(question), whole))
    return documents


def _filled(tx: Tx, question: Question) -> Mapping[str, Any] | None:
    """What people said towards the conclusion of an interactive session."""
    if question.kind is not QuestionKind.INTERACTIVE:
        return None
    filled: Mapping[str, Any] | None = live_sessions.get(tx, question.id).prefill
    return filled


def _is_alone(tx: Tx, chat_id: ChatId) -> bool:
    """Whether everything written there is meant for the bot."""
    chat = people.chat(tx, chat_id)
    return chat is not None and chat.kind is ChatKind.PRIVATE


def _present(deciders: Sequence[Decider]) -> Sequence[Decider]:
    """Those who are not away; everyone if all are."""
    return [each for each in deciders if not each.away] or deciders
