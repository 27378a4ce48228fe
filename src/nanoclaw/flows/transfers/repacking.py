"""A package that is not there any more when it is to leave is packed again, and those who decide look at it once more.

A host without the folder of the one that packed it, or somebody who tidied up: neither has altered what was shown. But
what is packed anew may differ from it, so that the decision about the other one does not count.
"""

from datetime import datetime

from nanoclaw.domain.questions import Question
from nanoclaw.domain.transfers import Transfer
from nanoclaw.durable import timeline, transfers
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event, note

_SHOWN = 16  # of a hash


def pack_again(tx: Tx, transfer: Transfer, question: Question, at: datetime) -> None:
    """Its question stays: the next one is asked in its place."""
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
    """The hashes of packages of this transfer that another one took the place of."""
    steps = timeline.of_transfer(tx, transfer.id)
    return frozenset(step.detail["whole_hash"] for step in steps if step.event is Event.TRANSFER_MISSED)
