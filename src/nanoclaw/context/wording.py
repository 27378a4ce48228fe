"""How messages are put to an agent: as XML, on the clock of the person it works for."""

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from nanoclaw.domain.locale import Locale, clock_face
from nanoclaw.domain.messages import Message

_AGAIN = (
    "<note>You were interrupted while you worked on these messages: what you did may be half done. "
    "Look first at what is there, then go on.</note>\n"
)


def put(messages: Sequence[Message], locale: Locale, *, again: bool = False) -> str:
    """`<context timezone/>` and the messages, in the order they came."""
    lines = "\n".join(_message(message, locale) for message in messages)
    head = f"<context timezone={quoteattr(locale.zone.key)} />\n{_AGAIN if again else ''}"
    return f"{head}<messages>\n{lines}\n</messages>"


def _message(message: Message, locale: Locale) -> str:
    attributes = (
        f"sender={quoteattr(message.sender)} time={quoteattr(clock_face(message.sent_at, locale.zone))}"
    )
    quoted = ""
    if message.reply_to:
        attributes += f" reply_to={quoteattr(message.reply_to.ref)}"
        quote = message.reply_to
        quoted = f"\n<quoted_message from={quoteattr(quote.sender)}>{escape(quote.text)}</quoted_message>\n"
    return f"<message {attributes}>{quoted}{escape(message.text)}</message>"
