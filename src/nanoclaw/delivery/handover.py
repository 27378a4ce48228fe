"""Marks a parcel when its first bytes leave, and not before: whoever is killed while it waits has sent nothing."""

from functools import partial

from nanoclaw.delivery import outbox
from nanoclaw.domain.parcels import Parcel, ParcelState
from nanoclaw.durable import work
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.work import Claim


class Leaving:
    """The handover of one parcel, under the lease of its delivery."""

    def __init__(self, store: Store, claim: Claim, parcel: Parcel) -> None:
        self._store = store
        self._claim = claim
        self._parcel = parcel
        self._marked = parcel.state is ParcelState.SENDING  # when it was taken up: it cost no further commit

    async def leaving(self) -> None:
        if not self._marked:
            await self._store.write(partial(self._mark, state=ParcelState.SENDING))
            self._marked = True

    async def staying(self) -> None:
        if self._marked:
            await self._store.write(partial(self._mark, state=ParcelState.PENDING))
            self._marked = False

    def _mark(self, tx: Tx, state: ParcelState) -> None:
        work.expect_mine(tx, self._claim)
        outbox.mark(tx, self._parcel.id, state)
