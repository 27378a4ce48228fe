"""Flow I. What becomes of the texts of a batch: people review them, they are scheduled, or saved as files.

One row of work for each batch. An answer to its card makes it due; so do texts that wait for their day, lot by lot.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from nanoclaw.delivery import outbox
from nanoclaw.domain.batches import Batch, BatchStatus
from nanoclaw.domain.parcels import Author
from nanoclaw.durable import batches, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.work import Claim
from nanoclaw.flows.batches.afterwards import Afterwards
from nanoclaw.flows.batches.files import BatchFiles, Saved
from nanoclaw.flows.human.card_text import SHORT
from nanoclaw.texts import say

log = structlog.get_logger("batches")

_WRITE_AGAIN = timedelta(minutes=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchOutput:
    """The work of kind "batch-output"; its key is the batch."""

    kind = work.BATCH_OUTPUT
    at_once = 2

    store: Store
    afterwards: Afterwards
    files: BatchFiles

    def begin(self, tx: Tx, claim: Claim) -> Batch | None:
        return batches.get(tx, claim.key)

    def look_again(self, key: str) -> None:
        """Nothing to do: decisions made meanwhile are read when the story runs again."""

    async def run(self, job: Batch | None, claim: Claim) -> datetime | None:
        saved: Saved | None = None
        later: datetime | None = None
        if job and _wants_files(job):
            try:
                saved = await self.files.save(job)
            except OSError as error:  # a full disk may have room later, and the rest does not wait for it
                log.warning("files of a batch not written yet", batch=job.id, reason=error)
                later = now() + _WRITE_AGAIN

        def story(tx: Tx) -> datetime | None:
            batch, at = batches.locked(tx, claim.key), now()
            if batch is None:
                return work.finish(tx, claim)
            if saved and _wants_files(batch):
                batch = self._told(tx, batch, saved, at)
            self.afterwards.take_up(tx, batch, at)
            batch = batches.get(tx, batch.id) or batch
            more = self.afterwards.schedule.go_on(tx, batch, at)
            return work.finish(tx, claim, again_at=at if more else later)

        return await self.store.write(story)

    def _told(self, tx: Tx, batch: Batch, saved: Saved, at: datetime) -> Batch:
        language = self.afterwards.language_of(tx, batch)
        wanted = (batch.plan or {})["files"]["wanted"]
        origin = f"batch {batch.id} files {wanted}"
        if not outbox.posted_for(tx, origin):
            outbox.post(
                tx,
                chat_id=batch.chat_id,
                thread=batch.thread,
                author=Author.HOST,
                text=say(
                    language,
                    "batch-saved",
                    count=saved.count,
                    id=batch.id[-SHORT:],
                    folder=f"groups/{batch.group}/files/{saved.folder}",
                ),
                at=at,
                attachments=[saved.archive] if saved.archive else (),
                origin=origin,
            )
        files = {"folder": saved.folder, "count": saved.count, "at": at.isoformat()}
        ended = {"status": BatchStatus.DONE.value, "ended_at": batch.ended_at or at}
        done = ended if batch.status is BatchStatus.READY else {}
        batches.mark(tx, batch.id, plan={**(batch.plan or {}), "files": files}, **done)
        return batches.get(tx, batch.id) or batch


def _wants_files(batch: Batch) -> bool:
    return "wanted" in ((batch.plan or {}).get("files") or {})
