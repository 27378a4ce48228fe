"""Summarises a session with its agent's model if there is one; a missing model stops nobody."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import structlog

from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.money import Spender
from nanoclaw.domain.transfers import Transfer
from nanoclaw.flows.transfers.new_package import NewPackage
from nanoclaw.flows.transfers.summary import Summary
from nanoclaw.flows.transfers.summary_prompt import prompt_for, read_summary

log = structlog.get_logger("transfers")

Ask = Callable[[Spender, str], Awaitable[str | None]]
"""None: this agent has no model to ask."""
_PATIENCE = 90.0  # seconds; the person waits for the package


@dataclass(frozen=True, kw_only=True, slots=True)
class Summaries:
    ask: Ask

    async def of(self, packing: NewPackage) -> Summary:
        """The model's summary; without a model, money or a readable answer, what the rows say."""
        transfer = packing.transfer
        prompt = prompt_for(
            packing.messages,
            packing.known,
            packing.gathered.decisions,
            purpose=packing.purpose,
            language=transfer.language,
            names=packing.names,
        )
        try:
            async with asyncio.timeout(_PATIENCE):
                said = await self.ask(spender_of(transfer, packing.gathered.asker.handle), prompt)
        except (NanoClawError, TimeoutError) as error:
            log.warning("session not summed up by a model", transfer=transfer.id, reason=error)
            return packing.known
        if said is None:
            return packing.known
        found = read_summary(said)
        if found is None:
            log.warning("the model gave no summary of the session", transfer=transfer.id)
        return found or packing.known


def spender_of(transfer: Transfer, person: str) -> Spender:
    return Spender(
        company=transfer.company,
        group=transfer.group,
        session_id=transfer.session_id,
        turn_id=transfer.turn_id or transfer.id,
        runtime="transfer",
        flow="B",
        person=person,
        chat_id=transfer.chat_id,
        is_own=transfer.turn_id is None,  # a person waits for it
    )
