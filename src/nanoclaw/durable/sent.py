"""What stands in a chat on its platform: the messages that an answer became, by the platform's own ids."""

import sqlalchemy as sa

from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import parcels, sent

_OF = sa.select(sent.c.part, sent.c.platform_id).where(sent.c.subject == sa.bindparam("subject"))
_ADD = sa.insert(sent)
_THIS = sa.and_(sent.c.subject == sa.bindparam("of_subject"), sent.c.part == sa.bindparam("of_part"))
_FORGET = sa.delete(sent).where(_THIS)


def parts_of(tx: Tx, subject: str) -> dict[int, str | None]:
    """By their place. One without an id was handed over, and nobody heard back."""
    return {row.part: row.platform_id for row in tx.execute(_OF, {"subject": subject})}


def put(tx: Tx, subject: str, part: int, chat_id: str, platform_id: str | None) -> None:
    """It is about to be sent; with an id, it stands there."""
    forget(tx, subject, part)
    tx.execute(_ADD, {"subject": subject, "part": part, "chat_id": chat_id, "platform_id": platform_id})


def forget(tx: Tx, subject: str, part: int) -> None:
    """It is not there after all, or not any more."""
    tx.execute(_FORGET, {"of_subject": subject, "of_part": part})


def forget_unheard(tx: Tx, subject: str) -> None:
    """A person decided that what may have arrived is sent again."""
    tx.execute(sa.delete(sent).where(sent.c.subject == subject, sent.c.platform_id.is_(None)))


def subject_at(tx: Tx, chat_id: str, platform_id: str) -> str | None:
    """The turn or parcel that a message on the platform belongs to."""
    here = sa.select(sent.c.subject).where(sent.c.chat_id == chat_id, sent.c.platform_id == platform_id)
    plain = sa.select(parcels.c.id).where(parcels.c.chat_id == chat_id, parcels.c.platform_id == platform_id)
    return tx.execute(here).scalar() or tx.execute(plain).scalar()
