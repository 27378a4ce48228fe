"""What companies know as the API shows it: entries with the names of people, and the story of each."""

from collections.abc import Iterable, Sequence

from nanoclaw.console import memory_shapes as shapes
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.memory import Entry, EntryKind
from nanoclaw.domain.secret_search.masker import mask_secrets
from nanoclaw.durable import memory_changes, memory_entries, memory_figures, messages, people
from nanoclaw.durable.clock import now
from nanoclaw.durable.memory_changes import Change, ChangeState
from nanoclaw.durable.store import Tx
from nanoclaw.flows.knowledge.entry_text import name_of
from nanoclaw.flows.knowledge.reason_text import reason_sentence
from nanoclaw.memory.entries import BadLine, read_line
from nanoclaw.memory.files import MemoryFiles

_LONGEST_CHAIN = 20
_USES_SHOWN = 50
_SHOWN = 300  # characters of a message


def show_entry(tx: Tx, entry: Entry) -> shapes.MemoryEntry:
    at = now()
    return shapes.MemoryEntry.of(
        entry,
        related=list(entry.related),
        is_expired=entry.expires is not None and entry.expires <= at,
        name=name_of(tx, entry),
    )


def show_entries(tx: Tx, entries: Iterable[Entry]) -> list[shapes.MemoryEntry]:
    return [show_entry(tx, entry) for entry in entries]


def show_story(
    tx: Tx, entry: Entry, line: str | None, locale: Locale, rooms: Sequence[str]
) -> shapes.MemoryStory:
    changes = memory_changes.of_entry(tx, entry.company, entry.id)
    return shapes.MemoryStory(
        entry=show_entry(tx, entry),
        line=line,
        message=_message(tx, entry, rooms),
        replaced=show_entries(tx, _chain(tx, entry, forth=False)),
        replaced_by=show_entries(tx, _chain(tx, entry, forth=True)),
        changes=[show_change(tx, change, locale) for change in changes],
        uses=[
            shapes.MemoryUse.of(use, text=_short(use.text))
            for use in memory_figures.uses_of(tx, entry.company, entry.id, _USES_SHOWN)
        ],
        times_used=memory_figures.times_used(tx, entry.company, entry.id),
    )


def show_change(tx: Tx, change: Change, locale: Locale) -> shapes.MemoryChange:
    by = people.person(tx, change.person_id) if change.person_id else None
    body = change.body or {}
    return shapes.MemoryChange.of(
        change,
        at=change.created_at,
        name=by.name if by else "",
        reason=reason_sentence(locale.speaks, change),
        raw=mask_secrets(str(body.get("raw", ""))) if change.state is ChangeState.QUARANTINED else None,
    )


def line_of(files: MemoryFiles, entry: Entry) -> str | None:
    """The line as the file has it, with secrets masked. It may have to read the whole file: use a thread."""
    if entry.kind is EntryKind.CONTEXT:
        return None
    wanted = entry.id.encode()
    for raw, _start, _end in files.raw_lines(entry.company, entry.file):
        if not isinstance(raw, BadLine) and wanted in raw:
            line = read_line(raw)
            if not isinstance(line, BadLine) and line.id == entry.id:
                return mask_secrets(raw.decode("utf-8", "replace").strip().removeprefix("\ufeff"))
    return None


def _chain(tx: Tx, entry: Entry, *, forth: bool) -> list[Entry]:
    """What it replaced, or what replaced it, from one correction to the next."""
    found: list[Entry] = []
    seen, current = {entry.id}, entry
    while len(found) < _LONGEST_CHAIN:
        following = current.superseded_by if forth else current.supersedes
        if following is None or following in seen:
            break
        known = memory_entries.get(tx, entry.company, following)
        if known is None:
            break
        seen.add(known.id)
        found.append(known)
        current = known
    return found


def _message(tx: Tx, entry: Entry, rooms: Sequence[str]) -> shapes.MemoryMessage | None:
    said = messages.get(tx, entry.message_id) if entry.message_id else None
    if said is None:
        return None
    chat = people.chat(tx, said.chat_id)
    is_room = chat is not None and chat.channel in rooms
    return shapes.MemoryMessage(
        id=said.id,
        chat=chat.title if chat else "",
        room=chat.id if chat and is_room else None,
        sender=said.sender,
        text=_short(said.text),
        at=said.sent_at,
    )


def _short(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN].rstrip()}…"
