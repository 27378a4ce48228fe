"""The rows of plans: who is asked what before an agent begins, and how far they are."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.plans import Plan, PlanOption, PlanQuestion, PlanSource, PlanState
from nanoclaw.durable.steering_tables import plans
from nanoclaw.durable.store import Tx

_OPEN = plans.c.ended_at.is_(None)
_ADD = sa.insert(plans)
_GET = sa.select(plans).where(plans.c.id == sa.bindparam("plan"))
_LOCKED = _GET.with_for_update()
# Asked for each message; the thread is compared afterwards, because this finds at most a row or two.
_OPEN_OF = (
    sa.select(plans)
    .where(plans.c.chat_id == sa.bindparam("chat"), plans.c.person_id == sa.bindparam("person"), _OPEN)
    .order_by(plans.c.id.desc())
)
_SHOWN_AS = sa.select(plans).where(
    plans.c.chat_id == sa.bindparam("chat"), plans.c.parcel_id == sa.bindparam("parcel"), _OPEN
)
_SAVE = sa.update(plans).where(plans.c.id == sa.bindparam("plan"))
_FIXED = ("id", "company", "agent_group", "chat_id", "thread", "person_id", "source", "created_at")


def add(tx: Tx, plan: Plan) -> None:
    tx.execute(_ADD, _values(plan))


def save(tx: Tx, plan: Plan) -> None:
    """Store everything that can change in it."""
    values = {name: value for name, value in _values(plan).items() if name not in _FIXED}
    tx.execute(_SAVE, {"plan": plan.id, **values})


def get(tx: Tx, plan_id: str) -> Plan | None:
    row = tx.execute(_GET, {"plan": plan_id}).first()
    return _plan(row) if row else None


def locked(tx: Tx, plan_id: str) -> Plan | None:
    """The plan, locked until this transaction ends."""
    row = tx.execute(_LOCKED, {"plan": plan_id}).first()
    return _plan(row) if row else None


def open_of(tx: Tx, chat_id: str, thread: str | None, person_id: str) -> list[Plan]:
    """Open plans of this person in this chat and thread, newest first."""
    found = tx.execute(_OPEN_OF, {"chat": chat_id, "person": person_id})
    return [_plan(row) for row in found if (row.thread or None) == (thread or None)]


def open_in(tx: Tx, chat_id: str, person_id: str) -> list[Plan]:
    """The same in any thread of the chat."""
    return [_plan(row) for row in tx.execute(_OPEN_OF, {"chat": chat_id, "person": person_id})]


def of_place(tx: Tx, group: str, chat_id: str, thread: str | None, limit: int) -> list[Plan]:
    """Anyone's plans there, open or not, newest first."""
    wanted = sa.select(plans).where(
        plans.c.agent_group == group,
        plans.c.chat_id == chat_id,
        sa.func.coalesce(plans.c.thread, "") == (thread or ""),
    )
    return [_plan(row) for row in tx.execute(wanted.order_by(plans.c.id.desc()).limit(limit))]


def shown_as(tx: Tx, chat_id: str, parcel_id: str) -> Plan | None:
    """The open plan whose card this parcel is."""
    row = tx.execute(_SHOWN_AS, {"chat": chat_id, "parcel": parcel_id}).first()
    return _plan(row) if row else None


def began_with(tx: Tx, started_id: str) -> str | None:
    """The message that started the plan from which an agent was given this one."""
    found = sa.select(plans.c.message_id).where(plans.c.started_id == started_id)
    return tx.execute(found).scalar()


def _values(plan: Plan) -> dict[str, Any]:
    values = {each.name: getattr(plan, each.name) for each in fields(plan)}
    values["agent_group"] = values.pop("group")
    values["state"], values["source"] = plan.state.value, plan.source.value
    return values | {"questions": _stored(plan.questions), "answers": list(plan.answers)}


def _stored(questions: Sequence[PlanQuestion]) -> list[dict[str, Any]]:
    return [asdict(each) for each in questions]


def _plan(row: Any) -> Plan:
    values = dict(row._mapping)
    values["group"] = values.pop("agent_group")
    values["state"], values["source"] = PlanState(values["state"]), PlanSource(values["source"])
    values["questions"] = tuple(
        PlanQuestion(**{**each, "options": tuple(PlanOption(**option) for option in each["options"])})
        for each in values["questions"]
    )
    values["answers"] = tuple(values["answers"])
    return Plan(**values)
