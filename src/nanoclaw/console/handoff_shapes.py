"""API bodies about handoffs: who gave what to whom, how far it is, and the chain it belongs to."""

from datetime import datetime
from typing import Any

from pydantic import Field

from nanoclaw.console.shape import Shape

MOST_HANDOFFS = 200


class Handoff(Shape):
    """One handoff. `reason` says why it has no result; `parent` is the handoff on which its sender works,
    `message` what a person wrote at the beginning."""

    id: str
    chain_id: str
    step: int
    type: str
    way: str
    state: str
    is_over: bool
    company: str
    from_group: str
    from_skill: str
    from_session: str
    to_group: str
    to_skill: str
    person: str
    chat_id: str
    chat_title: str
    message: str | None
    content: str
    is_mixed: bool
    joins: str | None
    parent: str | None
    session_id: str | None
    question_id: str | None
    result: str | None
    reason: str | None
    created_at: datetime
    expires_at: datetime
    ended_at: datetime | None
    cost_usd: float | None


class Chain(Shape):
    """What followed from one message. `cost_usd` is that of the whole chain, `budget_usd` what it may be."""

    id: str
    message_id: str | None
    message: str | None
    pipeline: str | None
    cost_usd: float
    budget_usd: float | None
    handoffs: list[Handoff]


class HandoffList(Shape):
    handoffs: list[Handoff]


class WholeHandoff(Handoff):
    """With its contract, as others would read it."""

    contract: dict[str, Any]
    chain: Chain


class HandoffsOf(Shape):
    before: str | None = Field(default=None, max_length=100)
    limit: int = Field(default=50, ge=1, le=MOST_HANDOFFS)
    open: bool = False
