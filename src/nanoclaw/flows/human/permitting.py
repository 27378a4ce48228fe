"""Permits are taken back by those who may give them."""

from datetime import datetime

from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.people import Role, Ruler
from nanoclaw.durable import audit, permits
from nanoclaw.durable.permits import Permit
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.words import SHORT


def find_permit(tx: Tx, ref: str, at: datetime) -> Permit:
    """By the end of its id."""
    wanted = ref.strip().lower()
    fits = [each for each in permits.valid(tx, at) if len(wanted) >= SHORT and each.id.endswith(wanted)]
    if len(fits) != 1:
        raise NotFound("no-such-permit", id=ref[:80])
    return fits[0]


def revoke(tx: Tx, permit: Permit, by: Ruler, at: datetime) -> None:
    if not by.rights.role_in(permit.agent_group).may(Role.ADMIN):
        raise Refused("question-forbidden")
    if not permits.revoke(tx, permit.id, at):
        raise NotFound("no-such-permit", id=permit.id[-SHORT:])
    audit.record(
        tx, by, at, "permit-revoked", permit.id, tool=permit.tool, rule=permit.rule, group=permit.agent_group
    )
