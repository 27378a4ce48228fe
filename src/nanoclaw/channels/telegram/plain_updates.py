"""Reads a person's plain words in a private chat without the library, which makes an object with a hundred
fields of each message.

The result is the same; anything unusual takes the long way.
"""

from datetime import UTC, datetime
from typing import Any

from nanoclaw.channels.telegram.names import PREFIX
from nanoclaw.domain.messages import Incoming
from nanoclaw.domain.wirings import ChatKind

_UPDATE = {"update_id", "message"}
_MESSAGE = {"message_id", "from", "chat", "date", "text"}
_LATEST = 1 << 32  # seconds; larger values are not timestamps


def read_plain(raw: Any, *, channel: str) -> Incoming | None:
    """None: let the library read it."""
    match raw:
        case {
            "update_id": int(),
            "message": {
                "message_id": int(number),
                "from": {"id": int(person), "is_bot": False, "first_name": str(first), **about},
                "chat": {"id": int(chat), "type": "private", **place},
                "date": int(date),
                "text": str(text),
            } as message,
        } if (
            raw.keys() == _UPDATE
            and message.keys() == _MESSAGE
            and "title" not in place
            and text[:1] not in ("", "@")  # a command may follow a mention
            and 0 < date < _LATEST
            and bool not in map(type, (number, person, chat, date))
        ):
            optional: list[Any] = [about.get(name) for name in ("last_name", "username", "language_code")]
            if not all(each is None or isinstance(each, str) for each in optional):
                return None
            last, username, language = optional
            sender = f"{first} {last}" if last else first
            return Incoming(
                channel=channel,
                address=str(chat),
                external_id=str(number),
                handle=f"{PREFIX}:{person}",
                sender=sender,
                text=text,
                sent_at=datetime.fromtimestamp(date, UTC),
                chat_title=sender,
                kind=ChatKind.PRIVATE,
                addressed=True,
                language=language,
                username=username,
            )
    return None
