"""The rows of calls that wait for money: in order of arrival, across all hosts. Those of dead hosts block nobody."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from nanoclaw.domain.ids import HostId
from nanoclaw.durable.money_tables import waiting_calls
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import hosts

_THIS = waiting_calls.c.id == sa.bindparam("of_id")
_ADD = sa.insert(waiting_calls)
_MOVE = sa.update(waiting_calls).where(_THIS).values(limits=sa.bindparam("at_limits", type_=sa.JSON))
_REMOVE = sa.delete(waiting_calls).where(_THIS)
_IS_ALIVE = sa.or_(
    waiting_calls.c.host == sa.bindparam("host"), waiting_calls.c.host.in_(sa.select(hosts.c.id))
)
_ALL = sa.select(waiting_calls.c.id, waiting_calls.c.limits).where(
    waiting_calls.c.company == sa.bindparam("company"), _IS_ALIVE
)


@dataclass(frozen=True, kw_only=True, slots=True)
class WaitingCall:
    id: str
    company: str
    host: HostId
    turn_id: str
    at: datetime


def of_company(tx: Tx, company: str, host: HostId) -> list[tuple[str, list[str]]]:
    """Calls that wait there on living hosts: ids, which give the order, and the limits at which each waits."""
    return [(row[0], row[1]) for row in tx.execute(_ALL, {"company": company, "host": host})]


def put(tx: Tx, call: WaitingCall, limits: list[str], *, is_new: bool) -> None:
    """Note that a call waits at these limits, newly or still."""
    if is_new:
        values = {"id": call.id, "company": call.company, "host": call.host, "turn_id": call.turn_id}
        tx.execute(_ADD, {**values, "at": call.at, "limits": limits})
    else:
        tx.execute(_MOVE, {"of_id": call.id, "at_limits": limits})


def remove(tx: Tx, call_id: str) -> None:
    """The call waits no longer."""
    tx.execute(_REMOVE, {"of_id": call_id})


def forget_dead(tx: Tx, host: HostId) -> None:
    """Remove those of dead hosts."""
    dead = sa.and_(waiting_calls.c.host != host, waiting_calls.c.host.not_in(sa.select(hosts.c.id)))
    tx.execute(sa.delete(waiting_calls).where(dead))
