"""Which batch a person means: by the end of its id, by its number in the group, or the one that the chat is about."""

from collections.abc import Sequence
from dataclasses import dataclass

from nanoclaw.domain.batches import Batch, BatchStatus
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.people import Actor, Role
from nanoclaw.durable import batch_numbers, batches
from nanoclaw.durable.store import Tx
from nanoclaw.flows.batches.batch_text import in_short, short_id

OPEN = tuple(status for status in BatchStatus if not status.is_over)
_LISTED = 10
_SHORTEST = 3  # letters of an id
_NUMBER_DIGITS = 4
_NAMED = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class VisibleBatches:
    """The batches that someone may see from where they ask: those of these groups."""

    by: Actor
    groups: Sequence[str]
    chat_id: str

    def has(self, batch: Batch) -> bool:
        return batch.group in self.groups and self.by.rights.role_in(batch.group).may(Role.MEMBER)


def listed(tx: Tx, seen: VisibleBatches) -> list[Batch]:
    """The batches as `/batches` shows them, newest first."""
    return [each for each in batches.newest(tx, groups=seen.groups, limit=_LISTED) if seen.has(each)]


def named(tx: Tx, ref: str, seen: VisibleBatches) -> Batch:
    """Raises NotFound, or Refused if several ids end like this."""
    end = ref.strip("`#").lower()
    if end.isascii() and end.isdigit() and len(end) <= _NUMBER_DIGITS:
        numbered = (batch_numbers.numbered(tx, group, int(end)) for group in seen.groups)
        fits = [batch for batch in numbered if batch and seen.has(batch)]
    else:
        found = batches.ending(tx, end) if len(end) >= _SHORTEST else []
        fits = [batch for batch in found if seen.has(batch)]
    if not fits:
        raise NotFound("batch-unknown", id=ref[:20])
    if len(fits) > 1:
        raise Refused("batch-several", batches=_listed(fits))
    return fits[0]


def last(tx: Tx, seen: VisibleBatches, statuses: Sequence[BatchStatus] = ()) -> Batch:
    """The newest batch of this chat."""
    found = batches.newest(tx, groups=seen.groups, chat_id=seen.chat_id, statuses=statuses, limit=1)
    if not found or not seen.has(found[0]):
        raise NotFound("batch-none-open" if statuses else "batch-none")
    return found[0]


def _listed(found: Sequence[Batch]) -> str:
    return ", ".join(f"{short_id(batch)} ({in_short(batch.subject, 40)})" for batch in found[:_NAMED])
