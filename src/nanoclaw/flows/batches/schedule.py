"""Sends the texts of a batch one a day, or in another rhythm: each becomes a task that needs no agent.

No transaction is long, however many texts there are: the first lot is made at once, and the story of the
output makes the others. The plan in the batch's row says how far it is, so that a crash neither loses nor
repeats a text.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from nanoclaw.context.groups import Groups
from nanoclaw.domain.batch_plans import MOST_A_DAY, USUAL_TIME, TextRhythm
from nanoclaw.domain.batches import Batch, BatchStatus
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import ChatId, PersonId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import Actor
from nanoclaw.domain.tasks import Policy, ZoneOf
from nanoclaw.durable import audit, batch_texts, batches, people, stored_texts, wirings, work
from nanoclaw.durable.batch_texts import TextFilter
from nanoclaw.durable.store import Tx
from nanoclaw.durable.stored_texts import TextSender, TextToSend
from nanoclaw.flows.batches.changes import BatchChanges

MOST_WAITING = 100_000
"""Texts of one agent group that are scheduled and not yet sent."""

_LOT = 200
_TITLE = 300
_DAY = timedelta(days=1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Planned:
    """How many texts got a day now or will in a moment, and when the first and the last of them go out."""

    count: int
    first: datetime | None
    last: datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchSchedule:
    """Each method runs in the caller's transaction. When one raises Refused, nothing has changed."""

    changes: BatchChanges
    groups: Groups
    locale: Locale  # of the workspace
    usual: Policy

    def clock_of(self, batch: Batch) -> tuple[str, ZoneOf]:
        """The group's clock, otherwise the host's."""
        named = self.groups.get(batch.group).timezone
        return (named, ZoneOf.GROUP) if named else (self.locale.zone.key, ZoneOf.HOST)

    def plan(
        self,
        tx: Tx,
        batch_id: str,
        by: Actor,
        at: datetime,
        *,
        first: date | None = None,
        times: Sequence[time] = (USUAL_TIME,),
        weekdays: bool = False,
        chat_id: ChatId | None = None,
    ) -> Planned:
        """Schedule what was approved, or what passed the check if nothing was. Repeating it plans nothing
        twice. The first day is tomorrow by default, or the day after the batch's last scheduled text.
        """
        batch = self.changes.theirs(tx, batch_id, by)
        check_written(batch)
        going_on = plan_of(batch)
        if going_on and going_on["left"]:
            return self._planned(tx, batch, going_on)
        approved = batch_texts.count(tx, batch.id, TextFilter.APPROVED) > 0
        count = batch_texts.count_to_send(tx, batch.id, approved=approved)
        if not count and batch_texts.count(tx, batch.id, TextFilter.SCHEDULED):
            return Planned(count=0, first=None, last=None)
        if not count:
            raise Refused("batch-nothing-to-schedule", id=batch.id)
        if stored_texts.count_in(tx, batch.group) + count > MOST_WAITING:
            raise Refused("batch-too-many-waiting", most=MOST_WAITING, group=batch.group)
        rhythm = self._rhythm(tx, batch, first, times, at, weekdays=weekdays)
        where = chat_id or batch.chat_id
        if batch.group not in wirings.groups_of(tx, where):
            raise Refused("task-not-wired", group=batch.group)
        owner = people.person_named(tx, by.handle)
        plan = {
            "rhythm": rhythm.row(),
            "zone_of": self.clock_of(batch)[1].value,
            "approved": approved,
            "chat_id": where,
            "owner": owner.id if owner else batch.started_by,
            "left": count,
        }
        audit.record(tx, by, at, "batch-scheduled", batch.id, count=count, group=batch.group)
        left = self._lot(tx, batch, plan, at)
        if left["left"]:
            work.due(tx, work.BATCH_OUTPUT, batch.id, at)
        return Planned(count=count, first=rhythm.moment(0), last=rhythm.moment(count - 1))

    def take_back(self, tx: Tx, batch_id: str, by: Actor, at: datetime) -> int:
        """Unschedule all texts that are not sent yet, so that they can be scheduled again; returns how many."""
        batch = self.changes.theirs(tx, batch_id, by)
        plan = plan_of(batch)
        count = stored_texts.delete_waiting(tx, batch.id)
        if plan is None or not (count or plan["left"]):
            raise Refused("batch-nothing-scheduled", id=batch.id)
        batches.mark(tx, batch.id, plan={**(batch.plan or {}), "schedule": {**plan, "left": 0}})
        audit.record(tx, by, at, "batch-unscheduled", batch.id, count=count, group=batch.group)
        return count

    def go_on(self, tx: Tx, batch: Batch, at: datetime) -> bool:
        """Schedule the next lot; returns whether there is another."""
        plan = plan_of(batch)
        return bool(plan and plan["left"] and self._lot(tx, batch, plan, at)["left"])

    def _lot(self, tx: Tx, batch: Batch, plan: Mapping[str, Any], at: datetime) -> Mapping[str, Any]:
        rhythm = TextRhythm.read(plan["rhythm"])
        found = batch_texts.to_send(
            tx, batch.id, approved=plan["approved"], limit=min(_LOT, int(plan["left"]))
        )
        texts = []
        for item, (moment, after) in zip(found, rhythm.moments(), strict=False):
            title = item.topic.strip()[:_TITLE] or item.text.strip()[:_TITLE]
            texts.append(TextToSend(title=title, text=item.text, at=moment))
            rhythm = after
        sender = TextSender(
            batch_id=batch.id,
            group=batch.group,
            chat_id=ChatId(plan["chat_id"]),
            thread=batch.thread if plan["chat_id"] == batch.chat_id else None,
            owner=PersonId(plan["owner"]),
            timezone=rhythm.timezone,
            zone_of=ZoneOf(plan["zone_of"]),
            policy=replace(self.usual, jitter=timedelta()),
        )
        made = stored_texts.add_many(tx, sender, texts, at)
        batch_texts.set_tasks(
            tx, batch.id, {item.number: task for item, task in zip(found, made, strict=True)}
        )
        # If somebody has rejected some meanwhile there are fewer, and the plan ends.
        is_over = len(found) < min(_LOT, int(plan["left"]))
        left = {**plan, "rhythm": rhythm.row(), "left": 0 if is_over else plan["left"] - len(found)}
        ended = {"status": BatchStatus.DONE.value, "ended_at": batch.ended_at or at}
        is_done = not left["left"] and batch.status is BatchStatus.READY
        batches.mark(
            tx, batch.id, plan={**(batch.plan or {}), "schedule": left}, **(ended if is_done else {})
        )
        return left

    def _rhythm(
        self,
        tx: Tx,
        batch: Batch,
        first: date | None,
        times: Sequence[time],
        at: datetime,
        *,
        weekdays: bool,
    ) -> TextRhythm:
        zone = self.clock_of(batch)[0]
        if not 1 <= len(times) <= MOST_A_DAY:
            raise Refused("batch-times", most=MOST_A_DAY)
        today = at.astimezone(ZoneInfo(zone)).date()
        if first is None:
            waiting = stored_texts.waiting(tx, batch_id=batch.id)
            last = waiting[0].last if waiting else None
            days = [today + _DAY, *([last.astimezone(ZoneInfo(zone)).date() + _DAY] if last else [])]
            first = max(days)
        rhythm = TextRhythm(
            day=first,
            times=tuple(sorted({each.replace(second=0, microsecond=0, tzinfo=None) for each in times})),
            weekdays=weekdays,
            timezone=zone,
        )
        if rhythm.moment(0) <= at:
            raise Refused("batch-first-past", day=first.isoformat())
        return rhythm

    def _planned(self, tx: Tx, batch: Batch, plan: Mapping[str, Any]) -> Planned:
        waiting = stored_texts.waiting(tx, batch_id=batch.id)
        last = TextRhythm.read(plan["rhythm"]).moment(plan["left"] - 1)
        return Planned(count=0, first=waiting[0].next if waiting else None, last=last)


def plan_of(batch: Batch) -> Mapping[str, Any] | None:
    found: Mapping[str, Any] | None = (batch.plan or {}).get("schedule")
    return found


def check_written(batch: Batch) -> None:
    """Raises Refused while texts are still being made."""
    if not batch.status.is_over and batch.status is not BatchStatus.READY:
        raise Refused("batch-not-ready", id=batch.id, status=batch.status.value)
