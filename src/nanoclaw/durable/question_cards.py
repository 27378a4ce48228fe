"""The rows around a question: where it is shown, where text answers it, and the votes."""

from dataclasses import asdict, dataclass
from datetime import datetime

import sqlalchemy as sa

from nanoclaw.domain.ids import ChatId, ParcelId
from nanoclaw.domain.news import EVERY_CHAT, QuestionChanged
from nanoclaw.domain.questions import Question, QuestionKind
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.questions import to_question
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import OPEN, chats, human_interactions, human_votes, parcels, question_cards
from nanoclaw.durable.upsert import insert_if_new


@dataclass(frozen=True, kw_only=True, slots=True)
class Vote:
    voter: str
    name: str
    option: str
    at: datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """A card of a question, or one of its reminders."""

    chat_id: ChatId
    parcel_id: ParcelId
    reminder: int = 0


def show_in(tx: Tx, question: Question, shown: Shown) -> None:
    tx.execute(insert_if_new(tx, question_cards), {"question_id": question.id, **asdict(shown)})
    if question.kind is QuestionKind.INPUT and not shown.reminder:
        await_words(tx, question.id, shown.chat_id)


def await_words(tx: Tx, question_id: str, chat_id: str) -> None:
    """Let a decider's next message in this chat answer the question."""
    tx.execute(sa.update(chats).where(chats.c.id == chat_id).values(awaits=question_id))


def cards_of(tx: Tx, question_id: str) -> list[Shown]:
    found = sa.select(question_cards).where(question_cards.c.question_id == question_id)
    rows = tx.execute(found.order_by(question_cards.c.parcel_id))
    return [
        Shown(chat_id=ChatId(row.chat_id), parcel_id=ParcelId(row.parcel_id), reminder=row.reminder)
        for row in rows
    ]


def shown_as(tx: Tx, chat_id: str, parcel_id: str) -> Question | None:
    """The question whose card this is."""
    here = sa.and_(question_cards.c.chat_id == chat_id, question_cards.c.parcel_id == parcel_id)
    found = sa.select(human_interactions).join(question_cards).where(here)
    row = tx.execute(found).first()
    return to_question(row) if row else None


def newest_awaited(tx: Tx, chat_id: str, thread: str | None) -> Question | None:
    """The open question that last asked for text here, otherwise the newest open input in this thread."""
    asked_for = sa.select(chats.c.awaits).where(chats.c.id == chat_id).scalar_subquery()
    is_input = human_interactions.c.type == QuestionKind.INPUT.value
    found = (
        sa.select(human_interactions)
        .join(question_cards)
        .join(parcels, parcels.c.id == question_cards.c.parcel_id)
        .where(
            question_cards.c.chat_id == chat_id,
            parcels.c.thread == (thread or ""),
            OPEN,
            sa.or_(is_input, human_interactions.c.id == asked_for),
        )
        .order_by((human_interactions.c.id == asked_for).desc(), human_interactions.c.id.desc())
        .limit(1)
    )
    row = tx.execute(found).first()
    return to_question(row) if row else None


def await_next(tx: Tx, question_id: str) -> None:
    """Chats that waited for text for this question now answer the newest of the others, if any."""
    waited = sa.select(chats.c.id).where(chats.c.awaits == question_id)
    for chat_id in tx.execute(waited).scalars().all():
        newest = (
            sa.select(question_cards.c.question_id)
            .join(human_interactions)
            .where(
                question_cards.c.chat_id == chat_id,
                OPEN,
                human_interactions.c.type == QuestionKind.INPUT.value,
            )
            .order_by(question_cards.c.question_id.desc())
            .limit(1)
        )
        tx.execute(sa.update(chats).where(chats.c.id == chat_id).values(awaits=newest.scalar_subquery()))


# Votes


def vote(tx: Tx, question_id: str, given: Vote) -> None:
    """Store a vote; voting again changes the vote, or that of the person they vote for."""
    voice, voter = given.voter.partition(" ")[0], human_votes.c.voter
    same = sa.or_(voter == voice, voter.startswith(f"{voice} ", autoescape=True))
    mine = sa.and_(human_votes.c.interaction_id == question_id, same)
    tx.execute(sa.delete(human_votes).where(mine))
    tx.execute(sa.insert(human_votes).values(interaction_id=question_id, **asdict(given)))
    announce(tx, EVERY_CHAT, QuestionChanged(question_id))


def votes_on(tx: Tx, question_id: str) -> list[Vote]:
    found = (
        sa.select(human_votes).where(human_votes.c.interaction_id == question_id).order_by(human_votes.c.at)
    )
    return [Vote(voter=row.voter, name=row.name, option=row.option, at=row.at) for row in tx.execute(found)]
