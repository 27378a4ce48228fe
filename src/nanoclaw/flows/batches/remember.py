"""What the company's memory keeps of a finished batch: one fact and one line of activity."""

from datetime import datetime

from nanoclaw.domain.batches import Batch, BatchCounts
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.memory import MemoryMode
from nanoclaw.domain.money import dollars
from nanoclaw.durable import memberships, memory_changes, people
from nanoclaw.durable.memory_changes import Action, Change
from nanoclaw.durable.store import Tx
from nanoclaw.flows.batches.batch_text import in_short, short_id
from nanoclaw.flows.knowledge.changes import trust_of
from nanoclaw.flows.knowledge.lines import EntryOrigin, SaidEntry, line_of
from nanoclaw.texts import say

_VIA = "batch"
_SHORT = 200


def remember(tx: Tx, batch: Batch, counts: BatchCounts, at: datetime, locale: Locale | None = None) -> None:
    """Runs in the transaction that ends the batch; idempotent."""
    chat = people.chat(tx, batch.chat_id)
    if chat is None or chat.memory is not MemoryMode.WRITE or not counts.succeeded:
        return
    starter, language = people.person(tx, batch.started_by), batch.language
    trust = trust_of(memberships.rights_of(tx, starter).role_in(batch.group))
    subject = in_short(batch.subject, _SHORT)
    told = {
        "subject": subject,
        "count": batch.items,
        "channel": batch.channel or "none",
        "day": f"{at.astimezone((locale or Locale()).zone):%Y-%m-%d}",
        "ready": counts.succeeded,
        "passed": counts.passed,
        "cost": dollars(counts.micros),
        "id": short_id(batch),
        "who": starter.name or starter.handle,
    }
    said = SaidEntry(
        text=say(language, "batch-fact", **told),
        topic=subject,
        domain=batch.skill,
        source=f"{_VIA} {batch.id}",
        extracted_by=_VIA,
    )
    place = EntryOrigin(chat_id=batch.chat_id, message_id=batch.message_id)
    line = line_of(said, starter.handle, place, trust, _VIA, at)
    memory_changes.ask(
        tx,
        Change(
            company=batch.company,
            action=Action.ADD,
            trust=trust,
            created_at=at,
            entry_id=str(line["id"]),
            body=line,
            origin=f"batch {batch.id} fact",
            person_id=starter.id,
            chat_id=batch.chat_id,
            message_id=batch.message_id,
        ),
    )
    activity = {
        "at": at.isoformat(),
        "who": starter.name or starter.handle,
        "handle": starter.handle,
        "session": None,
        "task": None,
        "asked": f"/batch_generate {batch.items} {subject}",
        "answered": say(language, "batch-activity", **told),
    }
    memory_changes.ask(
        tx,
        Change(
            company=batch.company,
            action=Action.ACTIVITY,
            trust=trust,
            created_at=at,
            body=activity,
            origin=f"batch {batch.id} activity",
            person_id=starter.id,
            chat_id=batch.chat_id,
            message_id=batch.message_id,
        ),
    )
