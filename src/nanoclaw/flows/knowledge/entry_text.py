"""Words an entry of memory for a chat: its text, the end of its id, whose word it is, and when."""

from datetime import datetime

from nanoclaw.domain.locale import Locale
from nanoclaw.domain.memory import Entry, EntryKind
from nanoclaw.domain.text import as_written
from nanoclaw.durable import people
from nanoclaw.durable.store import Tx
from nanoclaw.texts import say

_SHOWN = 300  # characters; the whole is on the page


def short_id(entry_id: str) -> str:
    """The end of an id, by which a person names it."""
    end = entry_id.rpartition("_")[2]
    return end if len(end) >= len("k3v9") else entry_id


def entry_line(tx: Tx, entry: Entry, locale: Locale, at: datetime) -> str:
    language = locale.speaks
    words = " ".join(entry.text.split())
    shown = words if len(words) <= _SHOWN else f"{words[:_SHOWN].rstrip()}…"
    marks = [
        *([] if entry.kind is EntryKind.FACT else [say(language, f"memory-kind-{entry.kind}")]),
        *([] if entry.trust.is_trusted else [say(language, "memory-hearsay")]),
        *([say(language, "memory-public")] if entry.is_public else []),
        *([] if entry.is_current(at) else [say(language, "memory-expired")]),
        as_written(name_of(tx, entry)),
        f"{entry.at.astimezone(locale.zone):%Y-%m-%d}",
    ]
    return f"- {as_written(shown)} `{short_id(entry.id)}` ({', '.join(mark for mark in marks if mark)})"


def name_of(tx: Tx, entry: Entry) -> str:
    """The name of the person who said it; their handle if nobody here knows them."""
    known = people.person_named(tx, entry.person) if entry.person else None
    return known.name if known else entry.person
