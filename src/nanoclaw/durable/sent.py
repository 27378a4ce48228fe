"""The messages in a chat that an answer became, by the platform's own ids."""

from dataclasses import dataclass

import sqlalchemy as sa

from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import parcels, sent

# Parts of drafts that may be in the chat but cannot be found have positions below 0.
_KNOWN = sent.c.part >= 0
_OF = sa.select(sent).where(sent.c.subject == sa.bindparam("subject"), _KNOWN)
_ADD = sa.insert(sent)
_THIS = sa.and_(sent.c.subject == sa.bindparam("of_subject"), sent.c.part == sa.bindparam("of_part"))
_FORGET = sa.delete(sent).where(_THIS)


@dataclass(frozen=True, kw_only=True, slots=True)
class SentMessage:
    """One message of an answer. Without an id it was sent, but the outcome is unknown. An unknown part of a
    draft has the hash of its text.
    """

    platform_id: str | None
    draft: str | None

    @property
    def is_lost_draft(self) -> bool:
        return self.platform_id is None and self.draft is not None


def parts_of(tx: Tx, subject: str) -> dict[int, SentMessage]:
    """Parts by their position."""
    rows = tx.execute(_OF, {"subject": subject})
    return {row.part: SentMessage(platform_id=row.platform_id, draft=row.draft) for row in rows}


def put(
    tx: Tx, subject: str, part: int, chat_id: str, platform_id: str | None, *, draft: str | None = None
) -> None:
    """Note that a part is about to be sent; with an id, that it has arrived."""
    forget(tx, subject, part)
    values = {"subject": subject, "part": part, "chat_id": chat_id, "platform_id": platform_id}
    tx.execute(_ADD, {**values, "draft": draft})


def lose_draft(tx: Tx, subject: str, part: int) -> None:
    """The answer is sent afresh; its draft may remain above it."""
    forget(tx, subject, -1 - part)
    this = sa.and_(sent.c.subject == subject, sent.c.part == part)
    tx.execute(sa.update(sent).where(this).values(part=-1 - part))


def found(tx: Tx, subject: str, part: int, platform_id: str) -> None:
    """A part whose outcome was unknown has arrived under this id."""
    this = {"of_subject": subject, "of_part": part}
    tx.execute(sa.update(sent).where(_THIS), {**this, "platform_id": platform_id, "draft": None})


def find_draft(tx: Tx, subject: str) -> None:
    """A lost draft was found and removed."""
    lost = sa.and_(sent.c.platform_id.is_(None), sent.c.draft.is_not(None))
    tx.execute(sa.delete(sent).where(sent.c.subject == subject, lost))


def lost_drafts(tx: Tx) -> list[tuple[str, str]]:
    """Turn and chat of each lost draft."""
    found = sa.select(sent.c.subject, sent.c.chat_id).where(~_KNOWN).order_by(sent.c.subject)
    return [(row.subject, row.chat_id) for row in tx.execute(found)]


def forget(tx: Tx, subject: str, part: int, *, unheard: bool = False) -> None:
    """Forget a part that is not there, or no longer; `unheard`: only if its outcome is unknown."""
    found = _FORGET.where(sent.c.platform_id.is_(None)) if unheard else _FORGET
    tx.execute(found, {"of_subject": subject, "of_part": part})


def forget_unheard(tx: Tx, subject: str) -> None:
    """A person decided to resend what may have arrived."""
    unheard = sa.and_(sent.c.platform_id.is_(None), _KNOWN)
    tx.execute(sa.delete(sent).where(sent.c.subject == subject, unheard))


def subject_at(tx: Tx, chat_id: str, platform_id: str) -> str | None:
    """The turn or parcel that a message on the platform belongs to."""
    here = sa.select(sent.c.subject).where(sent.c.chat_id == chat_id, sent.c.platform_id == platform_id)
    plain = sa.select(parcels.c.id).where(parcels.c.chat_id == chat_id, parcels.c.platform_id == platform_id)
    return tx.execute(here).scalar() or tx.execute(plain).scalar()
