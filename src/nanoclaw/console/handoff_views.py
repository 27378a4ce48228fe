"""Handoffs and chains, from their rows to what the API shows."""

from collections.abc import Sequence

from nanoclaw.console import handoff_shapes as shapes
from nanoclaw.domain.handoff_contract import as_contract
from nanoclaw.domain.handoffs import Handoff, HandoffState
from nanoclaw.domain.money import MICROS
from nanoclaw.durable import chains, handoffs, messages, people, pipeline_runs
from nanoclaw.durable.store import Tx
from nanoclaw.flows.handoffs.given_work import reason


def show_handoff(tx: Tx, handoff: Handoff, language: str, **more: object) -> shapes.Handoff:
    return shapes.Handoff.of(handoff, **_own(tx, handoff, language), **more)


def show_whole(tx: Tx, handoff: Handoff, language: str) -> shapes.WholeHandoff:
    return shapes.WholeHandoff.of(
        handoff,
        **_own(tx, handoff, language),
        contract=as_contract(handoff),
        chain=show_chain(tx, handoff.chain_id, language),
    )


def show_all(tx: Tx, found: Sequence[Handoff], language: str) -> list[shapes.Handoff]:
    return [show_handoff(tx, each, language) for each in found]


def show_chain(tx: Tx, chain_id: str, language: str) -> shapes.Chain:
    budget, run = chains.budget_of(tx, chain_id), pipeline_runs.get(tx, chain_id)
    return shapes.Chain(
        id=chain_id,
        message_id=chains.message_of(tx, chain_id),
        message=_message(tx, chain_id),
        pipeline=run.template.name if run else None,
        cost_usd=chains.spent(tx, chain_id) / MICROS,
        budget_usd=None if budget is None else budget / MICROS,
        handoffs=show_all(tx, handoffs.of_chain(tx, chain_id), language),
    )


def _message(tx: Tx, chain_id: str) -> str | None:
    message_id = chains.message_of(tx, chain_id)
    message = messages.get(tx, message_id) if message_id else None
    return message.text if message else None


def _own(tx: Tx, handoff: Handoff, language: str) -> dict[str, object]:
    """What the row names differently, or lacks."""
    chat = people.chat(tx, handoff.chat_id)
    parent = handoffs.worked_on(tx, handoff.from_session)
    went_badly = handoff.state.is_over and handoff.state is not HandoffState.DONE
    return {
        "is_over": handoff.state.is_over,
        "person": people.person(tx, handoff.person_id).name,
        "chat_title": chat.title if chat else "",
        "message": _message(tx, handoff.chain_id),
        "parent": parent.id if parent else None,
        "reason": reason(handoff, language) if went_badly else None,
        "cost_usd": handoffs.cost_of(tx, handoff) / MICROS if handoff.session_id else None,
    }
