"""Calls whose effect people see: made only while the host's claim to its work is live, and always run to the
end.

A host that slept may wake in the middle of a call, and find that others have taken over its work. A message
that it sent too late is deleted; if it was in time but nobody could tell, it is reported now. A late edit is
corrected by the host that has the answer by then.
"""

import asyncio
from collections.abc import Awaitable, Coroutine
from contextvars import Context
from functools import partial
from typing import Any, TypeVar

import structlog
from telegram import Bot, Message

from nanoclaw.channels.telegram.bots import Moved, Unfit, asked
from nanoclaw.delivery import outbox, unknown_sends
from nanoclaw.domain.errors import LeaseLost, NanoClawError, SendLater, SendRefused, StoreUnavailable
from nanoclaw.domain.parcels import ParcelState
from nanoclaw.domain.ports import SendMarks
from nanoclaw.durable import sent
from nanoclaw.durable.clock import now
from nanoclaw.durable.liveness import Liveness
from nanoclaw.durable.store import Store, Tx, insist

log = structlog.get_logger("telegram")

T = TypeVar("T")

_LOOKS, _BETWEEN_LOOKS = 30, 2.0
_PATIENCE = 10.0  # seconds that a call in progress gets to finish when the host stops


class Calls:
    def __init__(self, bot: Bot, store: Store, liveness: Liveness) -> None:
        self._bot = bot
        self._store = store
        self._liveness = liveness
        self._late: set[asyncio.Task[None]] = set()

    async def send(
        self,
        subject: str,
        part: int,
        address: str,
        call: Awaitable[Message | tuple[Message, ...] | int],
        send_mark: SendMarks | None = None,
    ) -> int:
        """The number of a new message, or of the first of several. If the caller stops waiting, the call still runs to
        the end; `send_mark` is taken back if it never left."""
        answering = asyncio.ensure_future(asked(call, harmless=False))
        try:
            answer = await asyncio.shield(answering)
            await self._still_ours()
        except (asyncio.CancelledError, LeaseLost):
            ours = not self._liveness.is_over
            self._detach(self._end_late(subject, part, address, answering, send_mark, ours=ours))
            raise
        return _number(answer)

    async def edit(self, subject: str, call: Awaitable[T]) -> T:
        try:
            answer = await asked(call, harmless=True)
            await self._still_ours()
        except (LeaseLost, asyncio.CancelledError):
            if not self._liveness.is_sure or self._liveness.is_over:
                self._detach(self._correct(subject))
            raise
        return answer

    async def close(self) -> None:
        if self._late:
            await asyncio.wait(self._late, timeout=_PATIENCE)

    async def _still_ours(self) -> None:
        """If the database cannot be asked now, recording the send will find out."""
        try:
            await self._liveness.assure()
        except StoreUnavailable as error:
            log.warning("not known whether the chat is still ours", reason=error)
        except LeaseLost:
            raise LeaseLost(left=True) from None

    async def _end_late(
        self,
        subject: str,
        part: int,
        address: str,
        answering: "asyncio.Future[Message | tuple[Message, ...] | int]",
        send_mark: SendMarks | None,
        *,
        ours: bool,
    ) -> None:
        """If others still do not know whether it arrived, tell them; otherwise it is a duplicate, and is deleted."""
        try:
            number = _number(await answering)
        except (NanoClawError, Unfit, Moved) as error:
            log.info("late call failed", subject=subject, reason=error)
            if send_mark and isinstance(error, LeaseLost | SendLater | SendRefused):
                await send_mark.take_back()
            return
        if await self._insist(partial(_tell, subject=subject, part=part, platform_id=str(number), ours=ours)):
            return
        log.warning("late message taken back", subject=subject)
        try:
            await asked(self._bot.delete_message(address, number), harmless=True)
        except (NanoClawError, Unfit, Moved) as error:
            log.warning("late message not taken back", subject=subject, reason=error)
        else:
            await self._insist(lambda tx: sent.find_draft(tx, subject))

    async def _correct(self, subject: str) -> None:
        """The final text may have been overwritten: the host that delivers there writes it again. One that is
        being delivered right now is checked again: it may have arrived before ours.
        """
        for _ in range(_LOOKS):
            if await self._insist(partial(_repeat, subject=subject)):
                return
            await asyncio.sleep(_BETWEEN_LOOKS)

    async def _insist(self, story: Any) -> Any:
        return await insist(
            self._store, story, told=lambda why: log.warning("late call not recorded yet", reason=why)
        )

    def _detach(self, ending: Coroutine[None, None, None]) -> None:
        """Run it in an empty context, so that it is bound to no liveness: it must be done in any case."""
        task = asyncio.get_running_loop().create_task(ending, context=Context())
        self._late.add(task)
        task.add_done_callback(self._late.discard)


def _number(answer: Message | tuple[Message, ...] | int) -> int:
    if isinstance(answer, int):
        return answer
    return (answer if isinstance(answer, Message) else answer[0]).message_id


def _tell(tx: Tx, subject: str, part: int, platform_id: str, *, ours: bool) -> bool:
    """Returns whether anybody was waiting for it."""
    known = sent.parts_of(tx, subject).get(part)
    parcel = outbox.about(tx, subject)
    if known is not None and known.is_lost_draft:
        if ours and parcel is None:  # the turn continues, and so does its draft
            sent.found(tx, subject, part, platform_id)
        return ours and parcel is None
    if parcel is None or (known is None and (part > 0 or parcel.platform_id is not None)):
        return False
    if known is not None and known.platform_id is not None:
        return False
    if parcel.state is ParcelState.UNKNOWN:
        if outbox.was_overtaken(tx, parcel):  # it would appear below what was said later
            return False
        unknown_sends.arrived(tx, parcel, platform_id, now())
        return True
    if parcel.state is ParcelState.SENDING or known is not None:
        sent.put(tx, subject, part, parcel.chat_id, platform_id)
        return True
    return False


def _repeat(tx: Tx, subject: str) -> bool:
    """Returns whether nothing more needs to be done: what is still to be delivered comes after the late write."""
    parcel = outbox.about(tx, subject)
    if parcel is not None and parcel.state is ParcelState.DELIVERED:
        outbox.amend(tx, parcel.id, parcel.text, parcel.buttons, now())
    return parcel is None or parcel.state is ParcelState.DELIVERED
