"""The rows of plans: who is asked what before an agent begins, and how far they are."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.plans import Plan, PlanOption, PlanQuestion, PlanSource, PlanState
from nanoclaw.durable.steering_tables import plans
from nanoclaw.durable.store import Tx

_OPEN = plans.c.ended_at.is_(None)


def add(tx: Tx, plan: Plan) -> None:
    values = asdict(plan)
    values["agent_group"] = values.pop("group")
    tx.execute(sa.insert(plans).values(values))


def get(tx: Tx, plan_id: str) -> Plan | None:
    row = tx.execute(sa.select(plans).where(plans.c.id == plan_id)).first()
    return _plan(row) if row else None


def locked(tx: Tx, plan_id: str) -> Plan | None:
    """Nobody else changes it before this transaction ends."""
    row = tx.execute(sa.select(plans).where(plans.c.id == plan_id).with_for_update()).first()
    return _plan(row) if row else None


def open_of(tx: Tx, chat_id: str, thread: str | None, person_id: str) -> list[Plan]:
    """Of this person in this chat and thread, the newest first."""
    in_thread = plans.c.thread.is_(None) if thread is None else plans.c.thread == thread
    found = sa.select(plans).where(
        plans.c.chat_id == chat_id, plans.c.person_id == person_id, in_thread, _OPEN
    )
    return [_plan(row) for row in tx.execute(found.order_by(plans.c.id.desc()))]


def shown_as(tx: Tx, parcel_id: str) -> Plan | None:
    """The open plan whose card this parcel is."""
    row = tx.execute(sa.select(plans).where(plans.c.parcel_id == parcel_id, _OPEN)).first()
    return _plan(row) if row else None


def mark(tx: Tx, plan_id: str, at: datetime, **values: object) -> None:
    tx.execute(sa.update(plans).where(plans.c.id == plan_id).values(updated_at=at, **values))


def stored(questions: tuple[PlanQuestion, ...]) -> list[dict[str, Any]]:
    """As the column keeps them."""
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
