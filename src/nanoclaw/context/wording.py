"""How messages are put to an agent: as XML, on the clock of the person it works for."""

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

from nanoclaw.domain.boxes import WORK
from nanoclaw.domain.locale import Locale, clock_face
from nanoclaw.domain.messages import File, Message

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
    if message.edits:
        attributes += ' edited="yes"'
    if message.forwarded_from:
        attributes += f" forwarded_from={quoteattr(message.forwarded_from)}"
    files = "".join(f"\n{_file(file)}" for file in message.files)
    return f"<message {attributes}>{quoted}{escape(message.text)}{files}</message>"


def _file(file: File) -> str:
    attributes = f"kind={quoteattr(file.kind.value)} name={quoteattr(file.name)}"
    if file.path:
        attributes += f" path={quoteattr(f'{WORK}/{file.path}')}"
    if file.size is not None:
        attributes += f' bytes="{file.size}"'
    if file.seconds is not None:
        attributes += f' seconds="{file.seconds:g}"'
    return f"<file {attributes}>{escape(file.missing)}</file>" if file.missing else f"<file {attributes} />"
