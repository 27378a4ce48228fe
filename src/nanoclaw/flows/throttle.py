"""Messages that came too fast wait for their time; then their session is woken, and the next one waits in turn."""

from datetime import datetime, timedelta

from nanoclaw.domain.ids import SessionId
from nanoclaw.durable import session_queue, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.work import Claim

_LOOK_AGAIN = timedelta(seconds=5)


class Throttle:
    """The work of kind "wake"; its key is the session. A separate kind, so that it delays no turn of the session."""

    kind = work.WAKE
    at_once = 8

    def __init__(self, store: Store) -> None:
        self._store = store

    def begin(self, tx: Tx, claim: Claim) -> SessionId:
        work.due(tx, work.TURN, claim.key, now(), hasten=False)
        return SessionId(claim.key)

    def look_again(self, key: str) -> None:
        """Nothing to do: what arrives meanwhile is seen when this is settled."""

    async def run(self, job: SessionId, claim: Claim) -> datetime | None:
        def story(tx: Tx) -> datetime | None:
            due = session_queue.paused_until(tx, job)
            # Its time has come but no turn has it yet: another host's clock may be behind.
            return work.finish(tx, claim, again_at=due and max(due, now() + _LOOK_AGAIN))

        return await self._store.write(story)
