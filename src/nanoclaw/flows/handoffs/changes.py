"""A person looks at handoffs and cancels them."""

from dataclasses import dataclass
from datetime import datetime

from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.handoffs import Handoff, HandoffState
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.people import Actor, Role
from nanoclaw.durable import audit, handoffs, people
from nanoclaw.durable.store import Tx
from nanoclaw.flows.handoffs.ends import HandoffEnds
from nanoclaw.flows.incoming.commands import CommandContext


@dataclass(frozen=True, kw_only=True, slots=True)
class HandoffChanges:
    """Each method runs in the caller's transaction. When one raises Refused, nothing has changed."""

    ends: HandoffEnds

    def find(self, tx: Tx, handoff_id: str, by: Actor, *, to_change: bool = False) -> Handoff:
        """A member of the sender's group may look; the person it works for and the group's admins may change it."""
        found = (handoffs.locked if to_change else handoffs.get)(tx, handoff_id)
        role = by.rights.role_in(found.from_group) if found else Role.STRANGER
        if found is None or not role.may(Role.MEMBER):
            raise NotFound("handoff-unknown", id=handoff_id[:60])
        own = people.person(tx, found.person_id).handle == by.handle
        if to_change and not (own or role.may(Role.ADMIN)):
            raise Refused("handoff-not-yours")
        return found

    def cancel(self, tx: Tx, handoff_id: str, by: Actor, at: datetime) -> Handoff:
        """Stop the receiver and everyone it handed work to; the sender is told."""
        handoff = self.find(tx, handoff_id, by, to_change=True)
        if handoff.state.is_over:
            raise Refused("handoff-over")
        why = {"key": "handoff-cancelled-by", "name": by.name}
        ended = self.ends.end(tx, handoff, HandoffState.CANCELLED, at, why=why, by=by)
        told = {"skill": handoff.to_skill, "group": handoff.from_group, "chain": handoff.chain_id}
        audit.record(tx, by, at, "handoff-cancelled", handoff.id, **told)
        return ended

    def stopped(self, tx: Tx, session_id: SessionId, asked: CommandContext, *, clear: bool) -> bool:
        """A person stopped the session: end what its agent handed over, and wake nobody."""
        under_way = list(self.ends.open_of(tx, session_id))
        for handoff in under_way:
            why = {"key": "handoff-cancelled-by", "name": asked.actor.name}
            self.ends.end(
                tx, handoff, HandoffState.CANCELLED, asked.at, why=why, by=asked.actor, is_told=False
            )
        return bool(under_way)
