"""What was said in the room of a live session, if its transcript was asked for."""

from nanoclaw.durable import history
from nanoclaw.durable.live_sessions import LiveSession
from nanoclaw.durable.store import Tx

_MOST_LINES = 2000
_MOST = 1_000_000  # characters; the end matters most


def of_room(tx: Tx, live: LiveSession) -> str | None:
    """What people and the agent said, in order. None if nothing was said."""
    if live.chat_id is None:
        return None
    lines, _ = history.of_chat(tx, live.chat_id, limit=_MOST_LINES)
    told = [
        f"{line.name if line.author == 'person' else line.author}: {line.text}"
        for line in lines
        if line.author != "host"
    ]
    text = "\n\n".join(told)
    return text[-_MOST:] or None
