"""A person takes in a file of facts and decisions. Importing it twice adds nothing."""

from dataclasses import dataclass, field

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.people import Actor, Role
from nanoclaw.durable import audit, memory_changes, memory_entries, people
from nanoclaw.durable.clock import now
from nanoclaw.durable.memory_changes import Action, Change
from nanoclaw.durable.store import Tx
from nanoclaw.flows.knowledge.changes import MemoryChanges, trust_of
from nanoclaw.memory.entries import BadLine, Provenance, body_of
from nanoclaw.memory.imports import Imported, read_import

_VIA = "import"


@dataclass(frozen=True, kw_only=True, slots=True)
class Taken:
    """How many entries are new, how many were known, and which lines are unusable."""

    taken: int
    known: int
    bad: tuple[BadLine, ...] = field(default=())


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryImports:
    changes: MemoryChanges

    def read(self, by: Actor, company: str, name: str, content: bytes) -> Imported:
        """Read the entries of a file. The person who imports it vouches for it. Blocks: use a thread."""
        role = self.changes.role_in(by, company)
        if not role.may(Role.ADMIN):
            raise Refused("memory-not-yours", needed=Role.ADMIN.value, company=company)
        return read_import(name, content, now(), Provenance(person=by.handle, trust=trust_of(role), via=_VIA))

    def take(self, tx: Tx, by: Actor, company: str, found: Imported, *, preview: bool) -> Taken:
        at, person = now(), people.person_named(tx, by.handle)
        waiting = {change.entry_id for change in memory_changes.unwritten(tx, company)}
        new = [
            line
            for line in found.lines
            if line.id not in waiting and memory_entries.get(tx, company, line.id) is None
        ]
        if not preview:
            for line in new:
                memory_changes.ask(
                    tx,
                    Change(
                        company=company,
                        action=Action.ADD,
                        trust=line.trust,
                        created_at=at,
                        entry_id=line.id,
                        body=body_of(line),
                        person_id=person.id if person else None,
                    ),
                )
            if new:
                audit.record(tx, by, at, "memory-imported", company, company=company, entries=len(new))
        return Taken(taken=len(new), known=len(found.lines) - len(new), bad=found.bad_lines)
