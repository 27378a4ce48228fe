"""Packs a package again if it is gone when it should leave, or if somebody picked more for it.

A host may lack the folder of the one that packed it, or somebody tidied up: neither altered what was shown.
But the new package may differ from the old one, so the earlier decision does not count, and the deciders look
at it once more.
"""

from datetime import datetime

from nanoclaw.domain.questions import Question
from nanoclaw.domain.transfers import Transfer
from nanoclaw.durable import timeline, transfers
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event, note

_SHOWN = 16  # characters of a hash
_REPLACED = (Event.TRANSFER_MISSED, Event.TRANSFER_PICKED)


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


def note_picked(tx: Tx, transfer: Transfer, name: str, files: str, at: datetime) -> None:
    known = transfer.content_hash or ""
    event = Event.TRANSFER_PICKED
    note(tx, transfer.id, event, at, name=name, files=files, hash=known[:_SHOWN], whole_hash=known)


def earlier(tx: Tx, transfer: Transfer) -> frozenset[str]:
    """The hashes of packages of this transfer that were replaced."""
    steps = timeline.of_transfer(tx, transfer.id)
    return frozenset(step.detail["whole_hash"] for step in steps if step.event in _REPLACED)
