"""Finds the plan a person is working on, in one chat and thread."""

from collections.abc import Sequence

from nanoclaw.domain.plans import Plan, PlanState
from nanoclaw.durable import plans
from nanoclaw.durable.store import Tx


def going_on(open_ones: Sequence[Plan]) -> Plan | None:
    """The plan in progress among the open ones of a chat and thread."""
    return next(
        (each for each in open_ones if each.state not in (PlanState.OFFERED, PlanState.EXECUTING)), None
    )


def locked_going_on(tx: Tx, chat_id: str, thread: str | None, person_id: str) -> Plan | None:
    """The same, locked for a change until this transaction ends."""
    found = going_on(plans.open_of(tx, chat_id, thread, person_id))
    plan = plans.locked(tx, found.id) if found else None
    return going_on([plan]) if plan and plan.is_open else None
