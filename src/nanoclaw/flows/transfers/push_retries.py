"""Pushes the branch of a transfer again if that failed, with growing pauses, while its time lasts."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from nanoclaw.delivery import outbox
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.transfers import Transfer, TransferState
from nanoclaw.durable import people
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event, note
from nanoclaw.texts import say

FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=1), timedelta(hours=1)
_LASTING = ("git-branch-taken",)  # trying again would not help
_MOST_DOUBLED = 10


def is_wanted(to: Mapping[str, Any]) -> bool:
    """Whether the branch should be pushed again; `to` is the transfer's `delivered_to`."""
    trouble = to.get("trouble")
    return trouble is not None and "pushed" in to and trouble["key"] not in _LASTING


def next_try(transfer: Transfer, at: datetime) -> datetime | None:
    """When to push its branch again; None if there is nothing to push."""
    to = transfer.delivered_to or {}
    if transfer.state is not TransferState.DELIVERED or not is_wanted(to):
        return None
    pause = min(FIRST_PAUSE * (1 << min(tries(to) - 1, _MOST_DOUBLED)), LONGEST_PAUSE)
    last = tried_at(transfer) or at
    return min(last, at) + pause  # the clock may have been set back


def tried(to: Mapping[str, Any], trouble: Mapping[str, Any], at: datetime) -> dict[str, Any]:
    """`to` after one more try; `trouble` as the branch reports it, empty if it succeeded."""
    rest = {name: value for name, value in to.items() if name != "trouble"}
    return {**rest, "pushed": not trouble, "tries": tries(to) + 1, "tried_at": at.isoformat(), **trouble}


def tell(tx: Tx, transfer: Transfer, to: Mapping[str, Any], language: str, at: datetime) -> None:
    """Report the push where its failure was reported."""
    note(tx, transfer.id, Event.TRANSFER_PUSHED, at, branch=to["branch"], count=tries(to))
    chat = people.chat(tx, to["chat"])
    if chat is None or chat.closed:
        return
    outbox.post(
        tx,
        chat_id=chat.id,
        thread=transfer.thread if chat.id == transfer.chat_id else None,
        author=Author.HOST,
        text=say(language, "transfer-pushed", branch=to["branch"]),
        at=at,
    )


def tries(to: Mapping[str, Any]) -> int:
    """The number of tries; the first is that of its delivery."""
    return int(to.get("tries", 1))


def tried_at(transfer: Transfer) -> datetime | None:
    written = (transfer.delivered_to or {}).get("tried_at")
    return datetime.fromisoformat(written) if written else transfer.delivered_at
