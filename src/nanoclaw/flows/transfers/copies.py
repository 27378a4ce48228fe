"""Drops the copies of files that went with the message about a transfer, once the transfer is over.

A network such as Telegram has its own copies, so its chats go on showing them. A room of the page or the
terminal shows ours: there the message says that they are gone, instead of offering what nobody can open.
"""

from datetime import datetime, timedelta

from nanoclaw.delivery import outbox
from nanoclaw.domain.parcels import ParcelState
from nanoclaw.domain.transfers import Transfer
from nanoclaw.durable.store import Tx
from nanoclaw.flows.transfers.delivery import is_at_machine
from nanoclaw.texts import say

LOOK_AGAIN = timedelta(hours=1)
_PATIENCE = timedelta(days=1)


def origin_of(transfer: Transfer) -> str:
    """The origin of the message that goes with the package."""
    return f"transfer {transfer.id}"


def withdraw(tx: Tx, transfer: Transfer, language: str, at: datetime) -> bool:
    """Returns whether the copies can be deleted now. May be repeated."""
    parcel_id = outbox.id_for(tx, origin_of(transfer))
    parcel = outbox.get(tx, parcel_id) if parcel_id else None
    if parcel is None or not parcel.attachments:
        return True
    if is_at_machine(tx, parcel.chat_id):
        gone = say(language, "transfer-files-gone")
        outbox.amend_without_files(tx, parcel.id, f"{parcel.text}\n\n{gone}", at)
        return True
    if parcel.state in (ParcelState.PENDING, ParcelState.FAILED):  # it has not left, and no longer should
        outbox.drop(tx, parcel, at)
    is_uncertain = parcel.state in (ParcelState.SENDING, ParcelState.UNKNOWN)  # it may be sent once more
    return not is_uncertain or at - (transfer.ended_at or at) > _PATIENCE
