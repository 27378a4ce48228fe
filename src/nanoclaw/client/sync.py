"""A client for syncing a host's workspace over its HTTP API, for the command line."""

from nanoclaw.client.connection import OnCommandLine
from nanoclaw.console.sync_shapes import Synced, SyncState


class SyncClient(OnCommandLine):
    async def state(self) -> SyncState:
        return await self._ask(SyncState, "GET", "/api/sync")

    async def now(self) -> Synced:
        return await self._ask(Synced, "POST", "/api/sync")
