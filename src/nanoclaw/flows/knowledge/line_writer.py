"""Turns waiting changes into lines of the files: checked, masked, appended once. All of this blocks: use a thread."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import reduce
from typing import Any

from nanoclaw.domain.memory import Entry, EntryKind
from nanoclaw.durable.memory_changes import RECORD, Action, Change, ChangeState
from nanoclaw.memory import claude_md
from nanoclaw.memory.claude_md import Section, Sections
from nanoclaw.memory.entries import (
    BadLine,
    Decision,
    Fact,
    Line,
    Provenance,
    Restoration,
    Tombstone,
    entry_of,
    line_of,
)
from nanoclaw.memory.files import MemoryFiles
from nanoclaw.memory.masking import mask_body
from nanoclaw.memory.sections import LEAST_WORDS, plain

# What people and models wrote, as opposed to ids, times and our own words.
_OF_SECTION = ("text", "replaces", "asked", "answered")

Mask = Callable[[str], tuple[str, Sequence[str]]]
"""The text without what must not be kept, and the kinds that were found."""
_Edit = Callable[[Sections], Sections]


@dataclass(kw_only=True)
class Written:
    """What became of a batch of changes."""

    lines: list[Line] = field(default_factory=list)
    edits: list[_Edit] = field(default_factory=list)
    activities: dict[str, Change] = field(default_factory=dict)  # by their text in CLAUDE.md
    settled: dict[str, tuple[ChangeState, Mapping[str, Any] | None]] = field(default_factory=dict)
    old: dict[str, Entry] = field(default_factory=dict)
    masked: list[str] = field(default_factory=list)  # the kinds found
    masked_entries: int = 0
    quarantined: int = 0

    def settle(self, change: Change, state: ChangeState, reason: Mapping[str, Any] | None = None) -> None:
        self.settled[change.id] = state, reason

    def settle_masked(self, change: Change, found: Sequence[str]) -> None:
        """Keep the kinds and counts, never the words."""
        self.masked += found
        self.masked_entries += bool(found)
        self.settle(change, ChangeState.WRITTEN, {"masked": sorted(set(found))} if found else None)


class LineWriter:
    def __init__(self, files: MemoryFiles, mask: Mask) -> None:
        self._files = files
        self._mask = mask

    def write(
        self,
        company: str,
        changes: Sequence[Change],
        at: datetime,
        old: Mapping[str, Entry] | None = None,
        activity: Mapping[str, Provenance] | None = None,
    ) -> Written:
        """Write the changes to the files. Repeated after a crash, it writes what is missing: all ids come
        from the changes. `old` are the entries that the changes replace, forget or restore, by id, because
        CLAUDE.md may show them. `activity` gives the provenance of activity lines in CLAUDE.md by text:
        old ones move to the facts.
        """
        done = Written(old=dict(old or {}))
        for change in changes:
            self._prepare(change, done)
        if done.lines:
            self._files.append(company, done.lines)
        if done.activities:
            done.edits.append(lambda sections: sections.with_activities(list(done.activities)))
        if done.edits:
            claude_md.update(
                self._files,
                company,
                lambda sections: reduce(lambda made, edit: edit(made), done.edits, sections),
                at,
                (activity or {}).get,
            )
        return done

    def _prepare(self, change: Change, done: Written) -> None:
        match change.action:
            case Action.ADD | Action.CORRECT:
                self._prepare_line(change, done)
            case Action.FORGET | Action.RESTORE:
                done.lines += _marks(change)
                done.settle(change, ChangeState.WRITTEN)
                if entry := done.old.get(change.entry_id or ""):
                    is_all = bool((change.body or {}).get("also"))  # along with everything it replaced
                    before = None if is_all else done.old.get(entry.supersedes or "")
                    gone, back = (before, entry) if change.action is Action.RESTORE else (entry, before)
                    done.edits += [*_edits_away(gone), *_edits_back(back)]
                    if change.action is Action.FORGET:
                        done.edits.append(_without_quotes_of(entry))
            case Action.ACTIVITY:
                body, found = self._masked(dict(change.body or {}), _OF_SECTION)
                text = activity_text(body, change.created_at)
                done.activities[text] = change
                done.settle_masked(change, found)
            case Action.SECTION:
                body, found = self._masked(dict(change.body or {}), _OF_SECTION)
                done.edits.append(_edit(body))
                done.settle_masked(change, found)
            case Action.PURGE | Action.MAINTAIN | Action.REBUILD:
                raise ValueError(change.action)

    def _prepare_line(self, change: Change, done: Written) -> None:
        body, found = dict(change.body or {}), list[str]()
        if not (change.origin or "").startswith(RECORD):
            body, found = mask_body(body, self._mask)
        line = line_of(body)
        if isinstance(line, BadLine):
            done.quarantined += 1
            done.settle(change, ChangeState.QUARANTINED, {"fault": line.reason.value, "field": line.field})
            return
        done.lines.append(line)
        done.settle_masked(change, found)
        if isinstance(line, Fact | Decision):
            done.old[line.id] = entry_of(change.company, "", line)
        if isinstance(line, Fact | Decision) and line.trust.is_trusted:
            done.edits += _edits_of(line, done.old.get(line.supersedes or ""))

    def _masked(self, body: dict[str, Any], fields: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
        found: list[str] = []

        def clean(text: object) -> object:
            if not isinstance(text, str) or not text:
                return text
            masked, kinds = self._mask(text)
            found.extend(kinds)
            return masked

        for name in fields:
            value = body.get(name)
            if isinstance(value, list):
                body[name] = [clean(each) for each in value]
            elif value:
                body[name] = clean(value)
        return body, found


def activity_text(body: Mapping[str, Any], at: datetime) -> str:
    """`2026-02-28 14:30: Olena asked: ... Answer: ...`"""
    moment = f"{at.astimezone(UTC):%Y-%m-%d %H:%M}"
    what = f"task {body['task']}" if body.get("task") else str(body.get("who") or "")
    told = [f"{moment}: {what}"]
    told += [f": {body['asked']}"] if body.get("asked") else []
    told += [f" → {body['answered']}"] if body.get("answered") else []
    return " ".join("".join(told).split())


def _marks(change: Change) -> list[Line]:
    """The marks for the entry, and for what is forgotten with it."""
    first, also = _mark(change), (change.body or {}).get("also") or ()
    return [
        first,
        *(_mark(replace(change, entry_id=each), f"{number:02}") for number, each in enumerate(also, 1)),
    ]


def _mark(change: Change, suffix: str = "") -> Line:
    """A mark with an id derived from the change, so that a repeat is the same line."""
    day, end = f"{change.created_at.astimezone(UTC):%Y%m%d}", change.id[-10:] + suffix
    origin = Provenance(
        message=change.message_id,
        turn=change.turn_id,
        person=(change.body or {}).get("person"),
        chat=change.chat_id,
        trust=change.trust,
        via=(change.body or {}).get("via"),
    )
    if change.action is Action.RESTORE:
        return Restoration(
            id=f"back_{day}_{end}",
            timestamp=change.created_at,
            restores=change.entry_id or "",
            provenance=origin,
        )
    return Tombstone(
        id=f"tomb_{day}_{end}",
        timestamp=change.created_at,
        forgets=change.entry_id or "",
        reason=(change.body or {}).get("reason"),
        provenance=origin,
    )


_SHOWN_IN = {
    EntryKind.DECISION: Section.DECISIONS,
    EntryKind.PREFERENCE: Section.PREFERENCES,
    EntryKind.PRIORITY: Section.PRIORITIES,
    EntryKind.ACTIVITY: Section.ACTIVITY,
}


def _edits_of(line: Fact | Decision, old: Entry | None) -> list[_Edit]:
    """The edits that show the line in the sections of CLAUDE.md."""
    text = line.text
    if isinstance(line, Decision):
        is_routine = line.type == "hitl" or not line.binding
        return [] if is_routine else [lambda made: made.with_decision(text, _as_shown(made, old))]
    if line.kind == "preference":
        return [lambda made: made.with_preference(text, _as_shown(made, old))]
    if line.kind == "priority":
        return [*_edits_away(old), lambda made: made.with_priority(text)]
    return []


def _edits_away(entry: Entry | None) -> list[_Edit]:
    """The edits that remove a forgotten entry from CLAUDE.md, so that it does not stay in every prompt."""
    section = _SHOWN_IN.get(entry.kind) if entry else None
    if section is None:
        return []
    return [lambda made: made.without(section, shown) if (shown := _as_shown(made, entry)) else made]


def _without_quotes_of(entry: Entry) -> _Edit:
    """Removes activity that quotes what is forgotten: it is in every prompt too."""
    words = plain(entry.text)
    return lambda made: made.without_items(
        Section.ACTIVITY, lambda text: len(words) >= LEAST_WORDS and words in plain(text)
    )


def _edits_back(entry: Entry | None) -> list[_Edit]:
    if (
        entry is None
        or not entry.trust.is_trusted
        or (entry.kind is EntryKind.DECISION and not entry.is_binding)
    ):
        return []
    match entry.kind:
        case EntryKind.DECISION:
            return [lambda made: made.with_decision(entry.text)]
        case EntryKind.PREFERENCE:
            return [lambda made: made.with_preference(entry.text)]
        case EntryKind.PRIORITY:
            return [lambda made: made.with_priority(entry.text)]
        case _:
            return []


def _as_shown(sections: Sections, entry: Entry | None) -> str:
    """The item in CLAUDE.md that shows the entry; a decision is shown there without its reason."""
    section = _SHOWN_IN.get(entry.kind) if entry else None
    if entry is None or section is None:
        return ""
    plain = entry.text.rpartition(" (")[0] if entry.text.endswith(")") else ""
    items = sections.items(section)
    return next((each for each in (entry.text, plain) if each and each in items), "")


def _edit(body: Mapping[str, Any]) -> _Edit:
    """The edit of a section by name: add, replace or remove an item."""
    section = Section[str(body["section"])]
    text, replaces = str(body.get("text") or ""), str(body.get("replaces") or "")

    def edit(sections: Sections) -> Sections:
        if not text:
            return sections.without(section, replaces)
        match section:
            case Section.PRIORITIES:
                return (sections.without_priority(replaces) if replaces else sections).with_priority(text)
            case Section.DECISIONS:
                return sections.with_decision(text, replaces)
            case Section.PREFERENCES:
                return sections.with_preference(text, replaces)
            case _:
                return sections.with_activity(text)

    return edit
