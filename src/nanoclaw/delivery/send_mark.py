"""Marks a parcel when its first bytes leave, and not before: a host killed while the parcel waits has sent nothing."""

import structlog

from nanoclaw.delivery import outbox
from nanoclaw.domain.parcels import Parcel, ParcelState
from nanoclaw.durable import work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx, insist
from nanoclaw.durable.work import Claim

log = structlog.get_logger("delivery")


class SendMark:
    """The send mark of one parcel, under the lease of its delivery."""

    def __init__(self, store: Store, claim: Claim, parcel: Parcel) -> None:
        self._store = store
        self._claim = claim
        self._parcel = parcel
        self._marked = parcel.state is ParcelState.SENDING  # when it was claimed, in the same commit
        self._may_have_left = False

    @property
    def is_early(self) -> bool:
        """Whether it is marked but nothing can have left yet."""
        return self._marked and not self._may_have_left

    async def leaving(self) -> None:
        if not self._marked:
            await self._store.write(self._mark)
            self._marked = True
        self._may_have_left = True

    async def staying(self) -> None:
        if self._marked:
            await self._store.write(self._unmark)
            self._marked = False

    async def take_back(self) -> None:
        """Another host has the chat by now, and nothing left from here: remove the doubt about the parcel."""
        claim = self._claim
        await insist(
            self._store,
            lambda tx: outbox.take_mark_back(tx, claim.key, claim.lease, now()),
            told=lambda why: log.warning("mark not taken back yet", reason=why),
        )

    def _mark(self, tx: Tx) -> None:
        work.expect_mine(tx, self._claim)
        outbox.mark_leaving(tx, self._parcel.id, self._claim.lease)

    def _unmark(self, tx: Tx) -> None:
        work.expect_mine(tx, self._claim)
        outbox.mark(tx, self._parcel.id, ParcelState.PENDING, error=None)
