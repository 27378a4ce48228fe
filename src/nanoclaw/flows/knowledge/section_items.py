"""What the sections of `CLAUDE.md` show of entries: an item goes when its entry is corrected or forgotten.

Else agents would be told it for ever: the sections are in every prompt.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from nanoclaw.domain.memory import Entry, EntryKind
from nanoclaw.durable import memory_entries
from nanoclaw.durable.memory_changes import Action, Change
from nanoclaw.durable.store import Tx
from nanoclaw.memory.claude_md import Section, Sections

Edit = Callable[[Sections], Sections]

_SECTIONS = {
    EntryKind.DECISION: Section.DECISIONS,
    EntryKind.PREFERENCE: Section.PREFERENCES,
    EntryKind.PRIORITY: Section.PRIORITIES,
    EntryKind.ACTIVITY: Section.ACTIVITY,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Touched:
    """The entries that a change takes away, and those that hold again after it."""

    gone: tuple[Entry, ...] = ()
    back: tuple[Entry, ...] = ()


NOTHING = Touched()


def touched_by(tx: Tx, company: str, changes: Sequence[Change]) -> Mapping[str, Touched]:
    """By the id of the change."""
    return {change.id: touched for change in changes if (touched := _touched(tx, company, change)) != NOTHING}


def _touched(tx: Tx, company: str, change: Change) -> Touched:
    body = change.body or {}

    def known(*ids: object) -> tuple[Entry, ...]:
        found = (memory_entries.get(tx, company, str(each)) for each in ids if each)
        return tuple(each for each in found if each and each.kind in _SECTIONS)

    match change.action:
        case Action.ADD | Action.CORRECT:
            return Touched(gone=known(body.get("supersedes")))
        case Action.RESTORE:
            entry = memory_entries.get(tx, company, change.entry_id or "")
            return Touched(gone=known(entry and entry.supersedes), back=known(change.entry_id))
        case Action.FORGET:
            entry = memory_entries.get(tx, company, change.entry_id or "")
            also = body.get("also") or ()
            # Without them a correction is undone, and what it replaced holds again.
            back = known(entry.supersedes) if entry and not also else ()
            return Touched(gone=known(change.entry_id, *also), back=back)
        case _:
            return NOTHING


def item_of(entry: Entry) -> Iterator[str]:
    """How a section may show it: the index tells a decision with its reason."""
    yield entry.text
    decision, opened, _ = entry.text.rpartition(" (")
    if entry.kind is EntryKind.DECISION and opened and entry.text.endswith(")"):
        yield decision


def edits_of(touched: Touched) -> list[Edit]:
    return [
        *(_without(each) for each in touched.gone),
        *(_with(each) for each in touched.back if each.trust.is_trusted),
    ]


def _without(entry: Entry) -> Edit:
    section, texts = _SECTIONS[entry.kind], list(item_of(entry))

    def edit(sections: Sections) -> Sections:
        for text in texts:
            sections = sections.without(section, text)
        return sections

    return edit


def _with(entry: Entry) -> Edit:
    """An old line of activity does not come back: the section shows what was done lately."""
    *_, text = item_of(entry)

    def edit(sections: Sections) -> Sections:
        match entry.kind:
            case EntryKind.DECISION if entry.is_binding:
                return sections.with_decision(text)
            case EntryKind.PREFERENCE:
                return sections.with_preference(text)
            case EntryKind.PRIORITY:
                return sections.with_priority(text)
            case _:
                return sections

    return edit
