"""The delivery worker: takes a chat's parcels to its channel, in order, until each is delivered or given up.

At least once inside, exactly once outside. A channel that recognises repeats gets a parcel again after a crash. For
one that does not, a new parcel is marked right before its bytes leave. If the next host finds it marked, it may or may
not have arrived: it is not resent unasked but set aside as "unknown", until something proves that it arrived, its
person writes again, or someone decides. A parcel that was never marked never left, and is sent.
"""

import asyncio
from collections.abc import Coroutine, Mapping
from contextvars import Context
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import structlog

from nanoclaw.delivery import outbox, unknown_sends
from nanoclaw.delivery.alerts import Alerts
from nanoclaw.delivery.enclosed import EnclosedDocuments
from nanoclaw.delivery.send_mark import SendMark
from nanoclaw.domain.errors import LeaseLost, NanoClawError, SendLater, SendRefused, SendUnknown
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.parcels import DROP, SEND_AGAIN, Button, Parcel, ParcelState
from nanoclaw.domain.ports import Channel
from nanoclaw.durable import people, sent, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx, insist
from nanoclaw.durable.timeline import Event, note
from nanoclaw.durable.work import Claim
from nanoclaw.texts import say, tell

log = structlog.get_logger("delivery")

_FIRST_PAUSE = 1.0
_LONGEST_PAUSE = 300.0
_TRIES = 13  # over about 24 minutes
_LAST_WORD = 1.0  # seconds for it, when the work is taken away
_SHOWN = 100  # characters of the undelivered text


Outcome = str | SendLater | SendRefused | SendUnknown
"""The platform's id of what was delivered, or why it was not."""


class DeliveryWorker:
    """Work of kind "delivery", keyed by chat."""

    kind = work.DELIVERY
    at_once = 32

    def __init__(
        self, store: Store, channels: Mapping[str, Channel], alerts: Alerts, documents: EnclosedDocuments
    ) -> None:
        self._store = store
        self._documents = documents
        self._channels = channels
        self._alerts = alerts
        self._reports: set[asyncio.Task[None]] = set()

    def begin(self, tx: Tx, claim: Claim) -> Parcel | None:
        parcel = outbox.next_for(tx, claim.key)
        while parcel is not None and _is_doubtful(tx, parcel, claim):
            self._set_aside(tx, parcel, SendUnknown("send-cut"))
            parcel = outbox.next_for(tx, claim.key)
        if parcel is None:
            return None
        channel = self._channels.get(parcel.channel)
        leaves = channel is not None and not parcel.closed and channel.leaves_at_once(parcel)
        if leaves and not sent.parts_of(tx, parcel.turn_id or parcel.id):
            outbox.mark_leaving(tx, parcel.id, claim.lease)
            return replace(parcel, state=ParcelState.SENDING)
        if parcel.state is ParcelState.SENDING:
            outbox.mark(tx, parcel.id, ParcelState.PENDING)
        return replace(parcel, state=ParcelState.PENDING)

    def look_again(self, key: str) -> None:
        """Nothing to do: the next parcel of the chat is looked up after this one is sent anyway."""

    async def run(self, job: Parcel, claim: Claim) -> datetime | None:
        following: Parcel | None = job
        while following is not None:
            send_mark = SendMark(self._store, claim, following)
            outcome: Outcome | None = None
            try:
                outcome = await self._send(following, send_mark)
                due_again, following = await insist(
                    self._store,
                    partial(self._settle, claim=claim, parcel=following, outcome=outcome),
                    told=lambda why: log.warning("delivery not recorded yet", reason=why),
                    takes_along=True,
                )
            except LeaseLost as lost:
                if isinstance(outcome, str):
                    self._report_later(following, outcome)
                elif isinstance(outcome, SendLater | SendRefused) or (outcome is None and not lost.left):
                    await send_mark.take_back()
                raise
            except asyncio.CancelledError:
                if isinstance(outcome, str):
                    self._report_later(following, outcome)
                elif outcome is None and send_mark.is_early:
                    # The host stops, or was given up: the next host here need not doubt what never left.
                    await asyncio.wait([self._detach(send_mark.take_back())], timeout=_LAST_WORD)
                raise
        return due_again

    def _report_later(self, parcel: Parcel | None, platform_id: str) -> None:
        """It arrived, but that could not be recorded under the lease: tell the host that has the chat by now."""
        if parcel is None:
            return
        self._detach(
            insist(
                self._store,
                partial(unknown_sends.heard, parcel_id=parcel.id, platform_id=platform_id),
                told=lambda why: log.warning("delivery not recorded yet", reason=why),
            )
        )

    def _detach(self, reporting: Coroutine[None, None, None]) -> "asyncio.Task[None]":
        report = asyncio.create_task(reporting, context=Context())
        self._reports.add(report)
        report.add_done_callback(self._reports.discard)
        return report

    async def _send(self, parcel: Parcel, send_mark: SendMark) -> Outcome:
        channel = self._channels.get(parcel.channel)
        if channel is None:
            return SendLater("not-connected", after=timedelta(minutes=1), channel=parcel.channel)
        if parcel.closed:
            return SendRefused("chat-closed", said=parcel.closed)
        try:
            await self._documents.write(parcel.attachments)
            return await channel.send(parcel, send_mark)
        except (SendLater, SendRefused, SendUnknown) as failure:
            return failure

    def _settle(
        self, tx: Tx, *, claim: Claim, parcel: Parcel, outcome: Outcome
    ) -> tuple[datetime | None, Parcel | None]:
        """Record how it went. Returns when to come again, or the next parcel, which is then sent at once."""
        waits = isinstance(outcome, SendLater) and (outcome.in_turn or outcome.by_request)
        attempts = parcel.attempts if waits else parcel.attempts + 1
        subject, at = parcel.turn_id or parcel.message_id, now()
        match outcome:
            case str() as platform_id:
                outbox.mark_sent(tx, parcel, attempts=attempts, error=None, platform_id=platform_id)
                note(tx, subject, Event.DELIVERED, at, channel=parcel.channel)
            case SendLater() if attempts < _TRIES:
                pause = outcome.after or _pause_after(parcel.attempts)
                outbox.mark(tx, parcel.id, ParcelState.PENDING, attempts=attempts, error=_noted(outcome))
                if not outcome.in_turn:
                    seconds = round(pause.total_seconds())
                    note(tx, subject, Event.DELIVERY_DELAYED, at, **_noted(outcome), seconds=seconds)
                return work.finish(tx, claim, again_at=at + pause), None
            case SendUnknown() if self._set_aside(tx, parcel, outcome):
                # Not at once: a flaky network would get the same card again and again.
                return work.finish(tx, claim, again_at=at + _pause_after(parcel.attempts)), None
            case SendUnknown():
                pass
            case SendLater() | SendRefused():
                outbox.mark(tx, parcel.id, ParcelState.FAILED, attempts=attempts, error=_noted(outcome))
                note(tx, subject, Event.DELIVERY_FAILED, at, **_noted(outcome))
                log.error("parcel failed", parcel=parcel.id, channel=parcel.channel, reason=outcome)
                self._tell_owner(tx, parcel, "alert-failed", outcome)
        following = self.begin(tx, claim)
        return (None, following) if following else (work.finish(tx, claim), None)

    def _set_aside(self, tx: Tx, parcel: Parcel, why: SendUnknown) -> bool:
        """Nobody knows whether it arrived, so it is not resent unasked, except for alerts and questions to
        owners: seeing them twice does no harm, never seeing them does. A reminder's card is already there.
        Returns whether to resend it.
        """
        if parcel.attempts < _TRIES and outbox.kind_of(tx, parcel.id) == outbox.ALERT:
            sent.forget_unheard(tx, parcel.id)
            outbox.mark(tx, parcel.id, ParcelState.PENDING, attempts=parcel.attempts + 1, error=_noted(why))
            return True
        under = {"lease": parcel.error["lease"]} if parcel.error and "lease" in parcel.error else {}
        outbox.mark(tx, parcel.id, ParcelState.UNKNOWN, error={**_noted(why), **under})
        note(tx, parcel.turn_id or parcel.message_id, Event.DELIVERY_UNKNOWN, now())
        log.error("parcel unknown", parcel=parcel.id, channel=parcel.channel, reason=why)
        self._tell_owner(tx, parcel, "alert-unknown", why)
        return False

    def _tell_owner(self, tx: Tx, parcel: Parcel, key: str, why: NanoClawError) -> None:
        """Tell owners that something did not arrive and what they can do; never about a lost notice of this kind."""
        if outbox.kind_of(tx, parcel.id) in (outbox.ALERT, outbox.REMINDER):
            return

        def words(language: str) -> tuple[str, tuple[Button, ...]]:
            beginning = " ".join(parcel.text.split())[:_SHOWN]
            said = say(language, key, chat=title, text=beginning, reason=tell(language, why))
            return said, (
                Button(label=say(language, "button-send-again"), data=f"{SEND_AGAIN}:{parcel.id}"),
                Button(label=say(language, "button-drop"), data=f"{DROP}:{parcel.id}"),
            )

        chat = people.chat(tx, parcel.chat_id)
        title = chat.title if chat else parcel.address
        # In the chat itself too, if only this parcel was refused: the owner may be looking nowhere else.
        unreachable = parcel.chat_id if chat is None or chat.closed or parcel.closed else None
        once = f"{parcel.id} {new_id('x')}"
        self._alerts.post(tx, once, words, except_in=unreachable)


def _pause_after(attempts: int) -> timedelta:
    return timedelta(seconds=min(_FIRST_PAUSE * 2**attempts, _LONGEST_PAUSE))


def _is_doubtful(tx: Tx, parcel: Parcel, claim: Claim) -> bool:
    """Whether someone marked it, then died or lost the chat. A mark under our current lease means that
    nothing left: the connection broke before we heard that the mark was committed.
    """
    ours = (parcel.error or {}).get("lease") == claim.lease
    return parcel.state is ParcelState.SENDING and not ours and not _is_edit(tx, parcel)


def _is_edit(tx: Tx, parcel: Parcel) -> bool:
    """Whether the marked send is an edit of known messages: anyone can repeat that."""
    parts = sent.parts_of(tx, parcel.turn_id or parcel.id)
    if parcel.platform_id is None and (0 not in parts or parts[0].platform_id is None):
        return False
    return all(part.platform_id for part in parts.values())


def _noted(error: NanoClawError) -> dict[str, object]:
    """An error as it is stored: put into words only when someone asks, in their language."""
    return {"error": error.key, **error.values}
