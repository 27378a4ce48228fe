"""A person changes what a company knows: remembers, corrects, forgets, restores, or reverts what came from
somewhere.

Each method runs in the caller's transaction and only asks: the company's writer (`flows/memory.py`) carries
it out. When one raises Refused, nothing has changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from nanoclaw.context.groups import Groups
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.memory import Entry, EntryKind, EntryState, Trust
from nanoclaw.domain.people import Actor, Role
from nanoclaw.domain.text import is_empty
from nanoclaw.durable import audit, memory_changes, memory_entries, people
from nanoclaw.durable.clock import now
from nanoclaw.durable.memory_changes import Action, Change, ChangeState
from nanoclaw.durable.store import Tx
from nanoclaw.flows.knowledge.change_questions import ChangeQuestions
from nanoclaw.flows.knowledge.doubles import forgotten_with, known_already
from nanoclaw.flows.knowledge.lines import EntryOrigin, SaidEntry, line_of, pending_entry

LONGEST = 4000
"""The most characters of one entry."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AskedChange:
    """The outcome of a request: the entry it concerns or makes. `is_proposal`: admins decide first."""

    entry_id: str
    is_proposal: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryChanges:
    groups: Groups
    questions: ChangeQuestions

    def role_in(self, by: Actor, company: str) -> Role:
        """Their highest role in any agent group of the company: its memory belongs to all of them."""
        return by.rights.role_among(self.groups_of(company))

    def groups_of(self, company: str) -> list[str]:
        return [name for name in self.groups.names() if self.groups.company_of(name) == company]

    def remember(
        self,
        tx: Tx,
        by: Actor,
        company: str,
        text: str,
        *,
        kind: EntryKind = EntryKind.FACT,
        topic: str = "",
        domain: str = "",
        related: Sequence[str] = (),
        public: bool = False,
        expires: datetime | None = None,
        confidence: float = 1.0,
        rationale: str = "",
        source: str = "",
        place: EntryOrigin | None = None,
    ) -> str:
        """Remember something. Returns the id of the entry."""
        role = self._expect(by, company, Role.MEMBER)
        if public and not role.may(Role.ADMIN):
            raise Refused("memory-public")
        said = SaidEntry(
            text=_checked(text),
            kind=kind,
            topic=topic,
            domain=domain,
            related=tuple(related),
            is_public=public,
            expires=expires,
            confidence=confidence,
            rationale=rationale,
            source=source or by.via,
        )
        return self._add(tx, by, company, said, place, trust_of(role))

    def correct(
        self, tx: Tx, by: Actor, company: str, entry_id: str, text: str, *, place: EntryOrigin | None = None
    ) -> AskedChange:
        """Replace the old entry by a new one, which says who corrected it."""
        role = self._expect(by, company, Role.MEMBER)
        old, text = self._current(tx, company, entry_id), _checked(text)
        said = SaidEntry(
            text=text,
            kind=old.kind,
            topic=old.topic,
            domain=old.domain,
            related=old.related,
            is_public=old.is_public,
            expires=old.expires,
            source=by.via,
            replaces=old.id,
        )
        line = line_of(said, by.handle, place, trust_of(role), by.via, now())
        change = self._change(
            tx, by, company, Action.CORRECT, str(line["id"]), place, trust_of(role), body=line
        )
        return self._ask(tx, by, change, role, old, text)

    def forget(
        self, tx: Tx, by: Actor, company: str, entry_id: str, *, place: EntryOrigin | None = None
    ) -> AskedChange:
        """Forget an entry with everything it replaced, since forgetting a correction must not bring back what it
        corrected; and with what says the same.
        """
        role = self._expect(by, company, Role.MEMBER)
        old = self._current(tx, company, entry_id)
        change = self._change(tx, by, company, Action.FORGET, old.id, place, trust_of(role))
        if also := [*self._replaced_by(tx, old), *forgotten_with(tx, old)]:
            change = replace(change, body={**(change.body or {}), "also": also})
        return self._ask(tx, by, change, role, old, "")

    def _replaced_by(self, tx: Tx, entry: Entry) -> list[str]:
        found: list[str] = []
        current: Entry | None = entry
        while current and current.supersedes and current.supersedes not in (entry.id, *found):
            found.append(current.supersedes)
            current = memory_entries.get(tx, entry.company, current.supersedes)
        return found

    def restore(
        self, tx: Tx, by: Actor, company: str, entry_id: str, *, place: EntryOrigin | None = None
    ) -> str:
        """Take back a forgetting; for a corrected entry, forget its correction. One that maintenance took for
        a duplicate stands beside the other again. Returns the id of what is live.
        """
        role = self._expect(by, company, Role.ADMIN)
        entry = self._known(tx, company, entry_id)
        if entry.state is EntryState.LIVE:
            raise Refused("memory-live", id=entry.id)
        if entry.superseded_by and self._is_corrected(tx, entry, entry.superseded_by):
            newer = self._change(tx, by, company, Action.FORGET, entry.superseded_by, place, trust_of(role))
            memory_changes.ask(tx, newer)
        else:
            back = self._change(tx, by, company, Action.RESTORE, entry.id, place, trust_of(role))
            memory_changes.ask(tx, back)
        audit.record(tx, by, now(), "memory-restored", entry.id, company=company)
        return entry.id

    def _is_corrected(self, tx: Tx, entry: Entry, newer_id: str) -> bool:
        newer = memory_entries.get(tx, entry.company, newer_id)
        return newer is not None and entry.id in self._replaced_by(tx, newer)

    def revert(
        self,
        tx: Tx,
        by: Actor,
        company: str,
        *,
        turn: str | None = None,
        person: str | None = None,
        since: datetime | None = None,
        preview: bool = True,
    ) -> list[Entry]:
        """Take back everything that came from there: what was added is forgotten, what was forgotten comes
        back. Returns the entries concerned; a preview changes nothing. `person` is a handle or `@name`.
        """
        role = self._expect(by, company, Role.OWNER)
        if turn is None and person is None and since is None:
            raise Refused("memory-revert-what")
        handle = self._handle(tx, person) if person else None
        whose = people.person_named(tx, handle) if handle else None
        added = memory_entries.came_from(tx, company, turn=turn, person=handle, since=since)
        forgot = memory_changes.written_from(
            tx, company, Action.FORGET, turn=turn, person_id=whose.id if whose else None, since=since
        )
        lost = [memory_entries.get(tx, company, each.entry_id or "") for each in forgot]
        back = [each for each in lost if each and each.state is EntryState.FORGOTTEN]
        if not preview and (added or back):
            for each in added:
                gone = self._change(tx, by, company, Action.FORGET, each.id, None, trust_of(role))
                memory_changes.ask(tx, gone)
            for each in back:
                again = self._change(tx, by, company, Action.RESTORE, each.id, None, trust_of(role))
                memory_changes.ask(tx, again)
            what = turn or handle or (since.isoformat() if since else "")
            audit.record(
                tx, by, now(), "memory-reverted", what, company=company, entries=len(added) + len(back)
            )
        return [*added, *back]

    def purge(self, tx: Tx, by: Actor, company: str, entry_id: str) -> str:
        """Remove an entry from the files and the local git history. Returns the id of the change: once
        settled, its `reason` holds the commands for the remote.
        """
        role = self._expect(by, company, Role.OWNER)
        entry = self._known(tx, company, entry_id)
        audit.record(tx, by, now(), "memory-purged", entry.id, company=company)
        return memory_changes.ask(
            tx, self._change(tx, by, company, Action.PURGE, entry.id, None, trust_of(role))
        )

    def maintain(self, tx: Tx, by: Actor, company: str) -> str:
        """Remove duplicates, expire and archive now instead of once a month. Returns the id of the change, as
        `purge` does: its `reason` holds the report.
        """
        return self._upkeep(tx, by, company, Action.MAINTAIN)

    def rebuild(self, tx: Tx, by: Actor, company: str) -> str:
        """Rebuild the index from the files."""
        return self._upkeep(tx, by, company, Action.REBUILD)

    def _upkeep(self, tx: Tx, by: Actor, company: str, action: Action) -> str:
        role = self._expect(by, company, Role.ADMIN)
        return memory_changes.ask(tx, self._change(tx, by, company, action, "", None, trust_of(role)))

    def find(self, tx: Tx, company: str, ref: str) -> Entry:
        """Find an entry by its id, or by the last letters of it if they are unique. Raises NotFound."""
        wanted = ref.strip().lstrip("#")
        if found := self._anywhere(tx, company, wanted):
            return found
        ending = [] if len(wanted) < _SHORTEST else memory_entries.named(tx, company, wanted)
        if len(ending) > 1:
            known = ", ".join(each.id for each in ending)
            raise NotFound("several-memories", id=ref.strip()[:60], known=known)
        if not ending:
            raise NotFound("no-such-memory", id=ref.strip()[:60])
        return ending[0]

    def _add(
        self, tx: Tx, by: Actor, company: str, said: SaidEntry, place: EntryOrigin | None, trust: Trust
    ) -> str:
        if known := known_already(tx, company, said, trust):
            return known
        line = line_of(said, by.handle, place, trust, by.via, now())
        memory_changes.ask(
            tx, self._change(tx, by, company, Action.ADD, str(line["id"]), place, trust, body=line)
        )
        return str(line["id"])

    def _ask(self, tx: Tx, by: Actor, change: Change, role: Role, old: Entry, text: str) -> AskedChange:
        """An admin's change is made at once; a member's waits until an admin agrees."""
        entry_id = change.entry_id or old.id
        if role.may(Role.ADMIN):
            memory_changes.ask(tx, change)
            action = "memory-corrected" if change.action is Action.CORRECT else "memory-forgotten"
            audit.record(tx, by, now(), action, old.id, company=change.company)
            return AskedChange(entry_id=entry_id)
        self.questions.propose(tx, change, old, text, by)
        return AskedChange(entry_id=entry_id, is_proposal=True)

    def _expect(self, by: Actor, company: str, needed: Role) -> Role:
        role = self.role_in(by, company)
        if not role.may(needed):
            raise Refused("memory-not-yours", needed=needed.value, company=company)
        return role

    def _current(self, tx: Tx, company: str, entry_id: str) -> Entry:
        """An entry that can be changed. A second person is told who was first, and what it says now."""
        entry = self._known(tx, company, entry_id)
        for change in memory_changes.unwritten(tx, company):
            line = change.body or {}
            if change.state is ChangeState.WAITING and line.get("supersedes") == entry.id:
                raise self._changed(tx, line.get("provenance", {}).get("person", ""), line)
            if (
                change.state is ChangeState.WAITING
                and change.action is Action.FORGET
                and change.entry_id == entry.id
            ):
                raise NotFound("no-such-memory", id=entry.id)
        if entry.state is EntryState.FORGOTTEN:
            raise NotFound("no-such-memory", id=entry.id)
        if entry.state is EntryState.SUPERSEDED and entry.superseded_by:
            newer = memory_entries.get(tx, company, entry.superseded_by)
            raise Refused(
                "memory-changed",
                who=_name(tx, newer.person) if newer else "",
                text=newer.text if newer else "",
                id=entry.superseded_by,
            )
        return entry

    def _changed(self, tx: Tx, who: str, line: Any) -> Refused:
        return Refused(
            "memory-changed",
            who=_name(tx, who),
            text=line.get("fact") or line.get("decision") or "",
            id=line["id"],
        )

    def _known(self, tx: Tx, company: str, entry_id: str) -> Entry:
        if not (entry := self._anywhere(tx, company, entry_id)):
            raise NotFound("no-such-memory", id=entry_id.strip()[:60])
        return entry

    def _anywhere(self, tx: Tx, company: str, entry_id: str) -> Entry | None:
        """The entry from the index, or from what is not yet written."""
        if entry := memory_entries.locked(tx, company, entry_id):
            return entry if entry.kind is not EntryKind.CONTEXT else None
        for change in memory_changes.unwritten(tx, company):
            if (
                change.entry_id == entry_id
                and change.action in _MAKING
                and change.state is ChangeState.WAITING
            ):
                return pending_entry(change)
        return None

    def _handle(self, tx: Tx, person: str) -> str:
        known = people.known_as(tx, person)
        return known[0].handle if len(known) == 1 else person

    def _change(
        self,
        tx: Tx,
        by: Actor,
        company: str,
        action: Action,
        entry_id: str,
        place: EntryOrigin | None,
        trust: Trust,
        body: dict[str, Any] | None = None,
    ) -> Change:
        person, where = people.person_named(tx, by.handle), place or EntryOrigin()
        return Change(
            company=company,
            action=action,
            trust=trust,
            created_at=now(),
            entry_id=entry_id,
            body=body or {"person": by.handle, "via": by.via},
            person_id=person.id if person else None,
            chat_id=where.chat_id,
            message_id=where.message_id,
            turn_id=where.turn_id,
        )


_MAKING = (Action.ADD, Action.CORRECT)
_SHORTEST = 4  # letters of a shortened id


def trust_of(role: Role) -> Trust:
    if role is Role.OWNER:
        return Trust.OWNER
    return Trust.MEMBER if role.may(Role.MEMBER) else Trust.HEARSAY


def _name(tx: Tx, handle: str) -> str:
    person = people.person_named(tx, handle) if handle else None
    return person.name if person else handle


def _checked(text: str) -> str:
    said = text.strip()
    if is_empty(said):
        raise Refused("memory-empty")
    if len(said) > LONGEST:
        raise Refused("memory-too-long", length=len(said), most=LONGEST)
    return said
