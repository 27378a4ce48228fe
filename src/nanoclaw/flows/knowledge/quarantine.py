"""Unusable lines of memory wait here until an admin mends or drops them. Nothing is dropped by itself."""

from dataclasses import dataclass

from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.people import Actor, Role
from nanoclaw.durable import audit, memory_changes, memory_entries, people
from nanoclaw.durable.clock import now
from nanoclaw.durable.memory_changes import Action, Change, ChangeState
from nanoclaw.durable.store import Tx
from nanoclaw.flows.knowledge.changes import MemoryChanges, trust_of
from nanoclaw.flows.knowledge.lines import provenance
from nanoclaw.memory.entries import BadLine, Decision, Fact, body_of, new_decision_id, new_fact_id, read_line
from nanoclaw.texts import say


@dataclass(frozen=True, kw_only=True, slots=True)
class Quarantine:
    """Each method runs in the caller's transaction. When one raises Refused, nothing has changed."""

    changes: MemoryChanges

    def find(self, tx: Tx, change_id: str) -> Change:
        found = memory_changes.get(tx, change_id)
        if found is None or found.state is not ChangeState.QUARANTINED:
            raise NotFound("memory-not-in-quarantine")
        return found

    def drop(self, tx: Tx, by: Actor, change_id: str) -> Change:
        change = self.find(tx, change_id)
        self._expect(by, change.company)
        self._end(tx, change, {"dropped": by.name})
        audit.record(tx, by, now(), "memory-line-dropped", change.id, company=change.company)
        return memory_changes.get(tx, change.id) or change

    def mend(self, tx: Tx, by: Actor, change_id: str, line: str) -> str:
        """Add what the line should have been: an object as in the files, or plain words. Returns the entry's id."""
        change = self.find(tx, change_id)
        role = self._expect(by, change.company)
        written = line.strip()
        if not written.startswith("{"):
            entry_id = self.changes.remember(tx, by, change.company, written)
        else:
            read = read_line(written.encode())
            if isinstance(read, BadLine):
                raise Refused(
                    "memory-line-bad", why=say(by.language, f"memory-line-{read.reason}", field=read.field)
                )
            if not isinstance(read, Fact | Decision):
                raise Refused("memory-line-bad", why=say(by.language, "memory-line-shape"))
            at, trust = now(), trust_of(role)
            entry_id = read.id
            if memory_entries.get(tx, change.company, entry_id):
                entry_id = new_fact_id(at) if isinstance(read, Fact) else new_decision_id(at)
            # The person who mends it vouches for it, whatever the line itself says.
            body = {**body_of(read), "id": entry_id, "provenance": provenance(by.handle, None, trust, by.via)}
            person = people.person_named(tx, by.handle)
            asked = Change(
                company=change.company,
                action=Action.ADD,
                trust=trust,
                created_at=at,
                entry_id=entry_id,
                body=body,
                person_id=person.id if person else None,
            )
            memory_changes.ask(tx, asked)
        self._end(tx, change, {"mended": entry_id})
        audit.record(tx, by, now(), "memory-line-mended", change.id, company=change.company, entry=entry_id)
        return entry_id

    def _expect(self, by: Actor, company: str) -> Role:
        role = self.changes.role_in(by, company)
        if not role.may(Role.ADMIN):
            raise Refused("memory-not-yours", needed=Role.ADMIN.value, company=company)
        return role

    def _end(self, tx: Tx, change: Change, reason: dict[str, str]) -> None:
        memory_changes.settle(
            tx, [change.id], ChangeState.REFUSED, now(), {**(change.reason or {}), **reason}
        )
