"""The host itself gives an agent group something to do: a message in a separate session, which becomes a turn.

Nobody watches it in the chat, and its answer is not posted there: the work that waits for the turn gets it.
"""

from datetime import datetime

from nanoclaw.domain.ids import ChatId, MessageId, SessionId, new_id
from nanoclaw.domain.people import Person
from nanoclaw.durable import messages, session_queue, sessions, work
from nanoclaw.durable.store import Tx


def give(
    tx: Tx,
    session_id: SessionId,
    text: str,
    by: Person,
    ref: str,
    at: datetime,
    *,
    begins: datetime | None = None,
    is_hearsay: bool = False,
) -> MessageId:
    """Give it on behalf of a person, with their rights. The same `ref` is given only once per chat.
    `is_hearsay`: its words came from outside, so they count as nobody's own.
    """
    session = sessions.get(tx, session_id)
    if known := messages.seen(tx, messages.HOST, ChatId(session.chat_id), ref):
        return known
    told = messages.by_host(ref, by, text, at, sender=messages.HOST if is_hearsay else by.name)
    message = messages.store(tx, MessageId(new_id("m")), told, ChatId(session.chat_id), by.id, at)
    session_queue.join(tx, message.id, session.id)
    work.due(tx, session.lane, session.id, begins or at, priority=session.priority)
    return message.id
