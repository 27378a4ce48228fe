"""The right to do what only one host may do at a time, such as fetching a bot's updates. It ends with its host."""

from collections.abc import Callable

import sqlalchemy as sa

from nanoclaw.domain.ids import HostId
from nanoclaw.durable import work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.tables import work as rows


class SingleHost:
    def __init__(self, store: Store, host: Callable[[], HostId], key: str) -> None:
        """`host` returns this host's id, which changes after the others gave it up."""
        self._store = store
        self._host = host
        self._key = key
        self._claim: work.Claim | None = None

    async def take(self) -> bool:
        """Whether this host has it now. A dead host's right is free as soon as the others know that it died."""
        if self._claim is not None and (not self._store.shared or await self._store.read(self._is_mine)):
            return True

        def story(tx: Tx) -> work.Claim | None:
            work.due(tx, work.LEASE, self._key, now())
            return work.claim(tx, work.LEASE, self._key, self._host(), now())

        self._claim = await self._store.write(story)
        return self._claim is not None

    async def let_go(self) -> None:
        claim, self._claim = self._claim, None
        if claim is not None:
            await self._store.write(lambda tx: work.put_back(tx, claim, now(), None))

    def _is_mine(self, tx: Tx) -> bool:
        mine = sa.and_(
            rows.c.kind == work.LEASE,
            rows.c.key == self._key,
            rows.c.lease == (self._claim.lease if self._claim else ""),
        )
        return tx.execute(sa.select(rows.c.key).where(mine)).first() is not None
