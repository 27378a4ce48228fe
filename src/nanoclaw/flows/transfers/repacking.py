"""Packs a package again if it is gone when it should leave, and has the deciders look at it once more.

A host may lack the folder of the one that packed it, or somebody tidied up: neither altered what was shown.
But the new package may differ from the old one, so the earlier decision does not count.
"""

from datetime import datetime

from nanoclaw.domain.questions import Question
from nanoclaw.domain.transfers import Transfer
from nanoclaw.durable import timeline, transfers
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event, note

_SHOWN = 16  # characters of a hash


def pack_again(tx: Tx, transfer: Transfer, question: Question, at: datetime) -> None:
    """Pack it again. Its question stays until the next one replaces it."""
    known = transfer.content_hash or ""
    note(
        tx,
        transfer.id,
        Event.TRANSFER_MISSED,
        at,
        name=question.decided_name or "",
        hash=known[:_SHOWN],
        whole_hash=known,
    )
    transfers.mark(tx, transfer.id, packed_at=None)


def earlier(tx: Tx, transfer: Transfer) -> frozenset[str]:
    """The hashes of packages of this transfer that were replaced."""
    steps = timeline.of_transfer(tx, transfer.id)
    return frozenset(step.detail["whole_hash"] for step in steps if step.event is Event.TRANSFER_MISSED)
