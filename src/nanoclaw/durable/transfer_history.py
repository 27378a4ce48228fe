"""What became of a transfer that a message asked for, or a turn proposed: read from its rows, for `why`."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from nanoclaw.domain.questions import Question, Status
from nanoclaw.domain.transfers import Transfer, TransferState
from nanoclaw.durable import people, questions, timeline, transfers
from nanoclaw.durable.chain_history import ChainStep
from nanoclaw.durable.store import Tx


def history_of(tx: Tx, message_id: str) -> Iterator[ChainStep]:
    """The sentences about all of them; values that begin with `=` are keys of texts."""
    for transfer in transfers.began_with(tx, message_id, timeline.turns_of(tx, message_id)):
        yield from _told(tx, transfer)


def _told(tx: Tx, transfer: Transfer) -> Iterator[ChainStep]:
    target = f"=transfer-target-{transfer.target}"
    named = {"id": transfer.id, "target": target, "purpose": transfer.purpose or "-"}
    key = "transfer-proposed" if transfer.turn_id else "transfer-asked"
    name = people.person(tx, transfer.person_id).name
    yield ChainStep(at=transfer.created_at, key=key, values={**named, "name": name})
    for step in timeline.of_transfer(tx, transfer.id):
        yield ChainStep(at=step.at, key=step.event.value, values=step.detail)
    if transfer.packed_at:
        files = (transfer.manifest or {}).get("files", {})
        removed = sum(value for value in (transfer.removed or {}).values() if isinstance(value, int))
        values = {"files": len(files), "removed": removed, "hash": (transfer.content_hash or "")[:16]}
        yield ChainStep(at=transfer.packed_at, key="transfer-packed", values=values)
    question = questions.get(tx, transfer.question_id) if transfer.question_id else None
    # Not for a decision about a package that was gone: the step below tells about that one.
    is_asked = question is not None and transfer.packed_at is not None
    if is_asked and question and question.resolved_at and question.status is not Status.CANCELLED:
        yield _decision(question)
    if transfer.delivered_at:
        to = transfer.delivered_to or {}
        chat = people.chat(tx, str(to.get("chat", "")))
        place = to.get("branch") or (chat.title if chat else "-")
        yield ChainStep(
            at=transfer.delivered_at, key="transfer-delivered", values={"target": target, "place": place}
        )
        if trouble := to.get("trouble"):
            tried_at = datetime.fromisoformat(to["tried_at"]) if "tried_at" in to else transfer.delivered_at
            values = {"reason": trouble, "count": to.get("tries", 1)}
            yield ChainStep(at=tried_at, key="transfer-not-pushed", values=values)
    if transfer.ended_at:
        reason = f"={transfer.reason}" if transfer.reason else "-"
        key = {
            TransferState.RESUMED: "transfer-resumed",
            TransferState.EXPIRED: "transfer-expired",
        }.get(transfer.state, "transfer-cancelled")
        yield ChainStep(at=transfer.ended_at, key=key, values={"reason": reason})


def _decision(question: Question) -> ChainStep:
    at = question.resolved_at or question.created_at
    after = timedelta(seconds=round((at - question.created_at).total_seconds()))
    if question.status is Status.TIMEOUT:
        return ChainStep(at=at, key="transfer-undecided", values={"after": str(after)})
    key = "transfer-declined" if question.chosen == "cancel" else "transfer-released"
    return ChainStep(at=at, key=key, values={"name": question.decided_name or "", "after": str(after)})
