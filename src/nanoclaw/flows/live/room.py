"""The room of a live session: a chat of this machine for one conversation. Once that is over, it is read-only."""

from datetime import datetime

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.memory import MemoryMode
from nanoclaw.domain.messages import Chat
from nanoclaw.domain.questions import Question
from nanoclaw.durable import live_sessions, people, wirings
from nanoclaw.durable.store import Tx

_CHANNEL = "web"  # the page and the terminal show the same rooms
_PREFIX = "session-"
_TITLE = 60


def is_room(chat: Chat) -> bool:
    """Whether the chat is such a room. They are found through their session, not listed among the chats."""
    return chat.channel == _CHANNEL and chat.address.startswith(_PREFIX)


def furnish(tx: Tx, question: Question, at: datetime) -> Chat:
    """Make the room and wire it to the group that asked: everything said there is meant for its agent. The
    company's memory gets what was concluded; what was said on the way stays here.
    """
    title = " ".join(question.prompt.split())[:_TITLE] or question.id
    address = f"{_PREFIX}{question.id.rpartition('_')[2]}"
    room = people.chat_at(tx, _CHANNEL, address) or people.add_chat(
        tx, channel=_CHANNEL, address=address, title=title, at=at
    )
    people.set_memory(tx, room.id, MemoryMode.READ)
    wirings.wire(tx, room.id, room.kind, question.group, at)
    return room


def refuse_if_over(tx: Tx, chat: Chat) -> None:
    """Raises Refused if the session of this room is over: it is decided, and nobody would read the message."""
    live = live_sessions.in_chat(tx, chat.id) if is_room(chat) else None
    if live and live.ended_at:
        raise Refused("session-over")
