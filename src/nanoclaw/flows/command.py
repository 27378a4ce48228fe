"""A command whose answer takes long to read: it is read without holding up writers, and then posted.

Most commands are answered in the transaction that stores their message; reading a million rows there would
block everybody.
"""

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from nanoclaw.domain.ids import MessageId
from nanoclaw.domain.messages import Message
from nanoclaw.durable import messages, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.work import Claim
from nanoclaw.flows.incoming.admission import MessageAdmission


@dataclass(frozen=True, kw_only=True, slots=True)
class SlowCommands:
    """The work of kind "command"; its key is the message."""

    kind = work.COMMAND
    at_once = 2

    store: Store
    message_admission: MessageAdmission

    def begin(self, tx: Tx, claim: Claim) -> Message | None:
        message = messages.get(tx, MessageId(claim.key))
        return message if message and message.end is None else None

    def look_again(self, key: str) -> None:
        """Nothing to do: nothing is ever added to a command."""

    async def run(self, job: Message, claim: Claim) -> datetime | None:
        said = await self.store.read(partial(self.message_admission.read_answer, message=job, at=now()))
        return await self.store.write(partial(self._end, message=job, said=said, claim=claim))

    def _end(self, tx: Tx, message: Message, said: str | None, claim: Claim) -> datetime | None:
        work.expect_mine(tx, claim)
        self.message_admission.give_answer(tx, message, said, now())
        return work.finish(tx, claim)
