"""How messages are presented to an agent: as XML, on the clock of the person it works for."""

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

from nanoclaw.domain.boxes import WORK
from nanoclaw.domain.ids import PersonId
from nanoclaw.domain.locale import Locale, clock_face
from nanoclaw.domain.messages import File, Message
from nanoclaw.domain.outcomes import INTERACTION
from nanoclaw.domain.people import Speaker

_AGAIN = (
    "<note>You were interrupted while you worked on these messages: what you did may be half done. "
    "Look first at what is there, then go on.</note>\n"
)
_WORDLESS = "[something without words, which this host does not know]"


def put(
    messages: Sequence[Message],
    locale: Locale,
    *,
    overheard: Sequence[Message] = (),
    speakers: Mapping[PersonId, Speaker] | None = None,
    again: bool = False,
    notes: Sequence[str] = (),
) -> str:
    """`<context timezone/>` and the messages in order of arrival; overheard ones are marked. `speakers` tells
    people apart if several speak: two may have the same name, and a name can be chosen freely.
    """
    told = speakers or {}
    marked = [(message, False) for message in messages] + [(message, True) for message in overheard]
    lines = "\n".join(
        _message(message, locale, told.get(message.person_id), overheard=is_overheard)
        for message, is_overheard in sorted(marked, key=lambda pair: pair[0].id)
    )
    told_before = "".join(f"<note>{escape(each)}</note>\n" for each in notes)
    head = f"<context timezone={quoteattr(locale.zone.key)} />\n{_AGAIN if again else ''}{told_before}"
    return f"{head}<messages>\n{lines}\n</messages>"


def _message(message: Message, locale: Locale, speaker: Speaker | None, *, overheard: bool) -> str:
    attributes = f"sender={quoteattr(message.sender)}"
    if speaker:
        attributes += f" sender_id={quoteattr(speaker.handle)} sender_role={quoteattr(speaker.role)}"
    attributes += f" time={quoteattr(clock_face(message.sent_at, locale.zone))}"
    if overheard:
        attributes += ' overheard="yes"'
    if message.answers:
        attributes += ' answers="your question"'
    quoted = ""
    if message.reply_to:
        attributes += f" reply_to={quoteattr(message.reply_to.ref)}"
        quote = message.reply_to
        said = quote.text or _WORDLESS
        quoted = f"\n<quoted_message from={quoteattr(quote.sender)}>{escape(said)}</quoted_message>\n"
    if message.edits:
        attributes += ' edited="yes"'
    if message.forwarded_from:
        attributes += f" forwarded_from={quoteattr(message.forwarded_from)}"
    files = "".join(f"\n{_file(file)}" for file in message.files)
    text = f"\n{message.text}\n" if _is_result(message) else escape(message.text)
    return f"<message {attributes}>{quoted}{text}{files}</message>"


def _is_result(message: Message) -> bool:
    """Whether it is the result of a session that the agent asked for, in the host's XML, where everything
    people said is escaped. Nobody else can send it: its id on the host's own channel names the question it
    answers.
    """
    return message.external_id == f"answer {message.answers}" and message.text.startswith(INTERACTION)


def _file(file: File) -> str:
    attributes = f"kind={quoteattr(file.kind.value)} name={quoteattr(file.name)}"
    if file.path:
        attributes += f" path={quoteattr(f'{WORK}/{file.path}')}"
    if file.size is not None:
        attributes += f' bytes="{file.size}"'
    if file.seconds is not None:
        attributes += f' seconds="{file.seconds:g}"'
    return f"<file {attributes}>{escape(file.missing)}</file>" if file.missing else f"<file {attributes} />"
