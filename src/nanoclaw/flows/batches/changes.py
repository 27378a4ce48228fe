"""A person starts a batch, cancels it, or sends single items again."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from nanoclaw.domain.batches import (
    LONGEST_TOPIC,
    MOST_ITEMS,
    Batch,
    BatchItem,
    BatchStatus,
    ItemState,
)
from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.people import Actor, Person, Role
from nanoclaw.domain.questions import Asker, NewQuestion, Option, Question, QuestionKind, Status, too
from nanoclaw.domain.text import as_written
from nanoclaw.durable import audit, batches, memberships, people, questions, work
from nanoclaw.durable.store import Tx
from nanoclaw.flows.batches.wanted import WantedBatch
from nanoclaw.flows.human.each_language import in_each, sentence, with_line
from nanoclaw.flows.human.new_questions import NewQuestions
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.flows.spending.member_limits import BeyondLimit, MemberLimits, tell_waiting

_SAME = timedelta(seconds=5)  # a command repeated within this time counts once
_MOST_ASKED = 10  # batches of one person waiting for a yes: each is a card in somebody's chat
_START = "start"
_AGAIN_ASKED = "again "
_OPEN_FOR = timedelta(hours=24)
_AGAIN = (ItemState.ERRORED, ItemState.EXPIRED)

StartCard = Callable[[Batch, Mapping[str, Any], Sequence[str], str], NewQuestion]
"""The card that shows the estimate and the named topics and asks for a yes, in a language."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchChanges:
    """Each method runs in the caller's transaction. When one raises Refused, nothing has changed."""

    new_questions: NewQuestions
    resolution: Resolution
    start_card: StartCard
    limits: MemberLimits

    def propose(
        self, tx: Tx, wanted: WantedBatch, by: Person, estimate: Mapping[str, Any], at: datetime
    ) -> Batch:
        """Add a batch that waits for a yes; its card shows what it will cost."""
        batch, is_new = self._add(tx, wanted, by, estimate, BatchStatus.ASKED, at)
        if not is_new:
            return batch
        if batches.asked_by(tx, by.id) > _MOST_ASKED:  # raising rolls back what was just added
            raise Refused("batch-many-asked", most=_MOST_ASKED)
        beyond = self.limits.beyond(tx, by, batch.group, batch.company, _most(estimate), at)
        return self._ask_start(tx, batch, by, beyond, at, language=wanted.asked_in or wanted.language)

    def pass_to_admin(self, tx: Tx, batch: Batch, decided: Question, at: datetime) -> Batch | None:
        """Ask an admin after a member's own yes, if the batch is beyond their limit by now: other starts may have
        used the money since the card was shown. None if it may start.
        """
        if self.limits.may_decide(tx, decided.decided_by, batch.group):
            return None
        by = people.person(tx, batch.started_by)
        beyond = self.limits.beyond(tx, by, batch.group, batch.company, _most(batch.estimate), at)
        return self._ask_start(tx, batch, by, beyond, at, language=batch.language) if beyond else None

    def _ask_start(
        self, tx: Tx, batch: Batch, by: Person, beyond: BeyondLimit | None, at: datetime, *, language: str
    ) -> Batch:
        """Ask the member themselves, or only admins if it is beyond what a member may spend."""
        topics = batches.topics(tx, batch.id)
        card = self.start_card(batch, batch.estimate or {}, topics, language)
        card = with_line(card, beyond.line) if beyond else replace(card, deciders=(too(by.handle),))
        question = self.new_questions.open(
            tx, card, asker_of(batch, "start by admin" if beyond else "start"), None, at
        )
        if beyond:
            tell_waiting(tx, batch.chat_id, batch.thread, batch.message_id, beyond, language, at)
        batches.mark(tx, batch.id, question_id=question.id)
        return replace(batch, question_id=question.id)

    def start(
        self, tx: Tx, wanted: WantedBatch, by: Person, estimate: Mapping[str, Any] | None, at: datetime
    ) -> Batch:
        """Start a batch without asking; what is beyond a member's limit is proposed to an admin."""
        if self.limits.beyond(tx, by, wanted.group, wanted.company, _most(estimate), at):
            return self.propose(tx, wanted, by, estimate or {}, at)
        batch, is_new = self._add(tx, wanted, by, estimate, BatchStatus.PREPARING, at)
        if is_new:
            work.due(tx, work.BATCH, batch.id, at)
        return batch

    def cancel(self, tx: Tx, batch_id: str, by: Actor, at: datetime) -> Batch:
        """Cancel it. What is done stays and is paid for; the rest is called back, and its money is free again."""
        batch = self.theirs(tx, batch_id, by)
        if batch.status.is_over or batch.cancelled_by is not None:
            raise Refused("batch-over", id=batch.id, status=batch.status.value)
        if batch.question_id and (question := questions.get(tx, batch.question_id)) and question.is_open:
            self.resolution.cancel(tx, question, by, at)
        batches.mark(tx, batch.id, cancelled_by=by.name)
        work.due(tx, work.BATCH, batch.id, at)
        audit.record(tx, by, at, "batch-cancelled", batch.id, items=batch.items, group=batch.group)
        return replace(batch, cancelled_by=by.name)

    def resubmit(
        self,
        tx: Tx,
        batch_id: str,
        by: Actor,
        at: datetime,
        items: Sequence[int] | None = None,
        *,
        notes: Mapping[int, str] | None = None,
    ) -> int:
        """Send these items again as new requests; by default all that failed or expired. Returns how many.
        `notes` are a person's wishes by item: a text with a note is written again. 0 while an admin is asked, because
        it is beyond what a member may start.
        """
        batch = self.theirs(tx, batch_id, by)
        if batch.status is BatchStatus.ASKED:
            raise Refused("batch-not-started", id=batch.id)
        wished = notes or {}
        found = _wanted_again(tx, batch.id, items)
        if not found:
            raise Refused("batch-nothing-to-resubmit", id=batch.id)
        for item in found:
            is_again = item.number in wished or (item.state.is_over and item.state is not ItemState.SUCCEEDED)
            if not is_again or item.task_id is not None:
                raise Refused("batch-item-not-failed", number=item.number)
        most = _most(batch.estimate)
        share = None if most is None else most * len(found) // max(batch.items, 1)
        person = people.person_named(tx, by.handle)
        numbers = [item.number for item in found]
        if person and (
            beyond := self.limits.beyond(tx, person, batch.group, batch.company, share, at, most=share)
        ):
            self._ask_again(tx, batch, numbers, wished, beyond, at)
            return 0
        return self._send_again(tx, batch, numbers, wished, by, at)

    def _ask_again(
        self,
        tx: Tx,
        batch: Batch,
        numbers: Sequence[int],
        wished: Mapping[int, str],
        beyond: BeyondLimit,
        at: datetime,
    ) -> None:
        """Ask an admin. A batch under way is not interrupted: an admin can use the same command."""
        if batch.question_id:
            raise Refused("batch-asked-again", id=batch.id)
        if not _is_at_rest(batch):
            raise beyond.refusal()
        told = {"count": len(numbers), "subject": as_written(batch.subject[:80])}
        words = sentence("member-limit-resubmit-asked", **told)
        again = {"texts": list(numbers), "notes": {str(number): note for number, note in wished.items()}}
        card = NewQuestion(
            kind=QuestionKind.APPROVAL,
            prompt=words(batch.language),
            options=(Option(id=_START), Option(id="cancel", safe=True)),
            timeout=_OPEN_FOR,
            default="cancel",
            context=again,
            effect=json.dumps([batch.id, again]),
            config=in_each(words),
        )
        card = with_line(card, beyond.line)
        question = self.new_questions.open(
            tx, card, asker_of(batch, f"{_AGAIN_ASKED}{new_id('q')}"), None, at
        )
        batches.mark(tx, batch.id, question_id=question.id)
        tell_waiting(tx, batch.chat_id, batch.thread, batch.message_id, beyond, batch.language, at)

    def take_up_again(self, tx: Tx, batch: Batch, at: datetime) -> Batch:
        """Carry out what an admin has decided about texts to be written again."""
        question = questions.get(tx, batch.question_id) if batch.question_id else None
        is_this = question is not None and question.asked_id.startswith(f"{batch.id} {_AGAIN_ASKED}")
        if question is None or not is_this or question.is_open:
            return batch
        batches.mark(tx, batch.id, question_id=None)
        again: Any = question.context
        is_agreed = question.status is Status.COMPLETED and question.chosen == _START
        if not is_agreed or not question.is_about(json.dumps([batch.id, again])):
            return replace(batch, question_id=None)
        admin = people.person_named(tx, question.decided_by or "")
        if admin is None or not self.limits.is_free(tx, admin, batch.group):
            return replace(batch, question_id=None)
        wished = {int(number): note for number, note in again["notes"].items()}
        by = Actor.of(
            admin, memberships.rights_of(tx, admin), via=question.via or "", language=batch.language
        )
        self._send_again(tx, batch, again["texts"], wished, by, at)
        return batches.get(tx, batch.id) or batch

    def _send_again(
        self,
        tx: Tx,
        batch: Batch,
        numbers: Sequence[int],
        wished: Mapping[int, str],
        by: Actor,
        at: datetime,
    ) -> int:
        batches.send_again(tx, batch.id, numbers)
        for number, note in wished.items():
            batches.mark_item(tx, batch.id, number, note=note)
        restarted = {"status": BatchStatus.PREPARING.value, "ended_at": None, "why": None}
        changed = restarted if _is_at_rest(batch) else {}
        batches.mark(tx, batch.id, cancelled_by=None, **changed)
        work.due(tx, work.BATCH, batch.id, at)
        audit.record(tx, by, at, "batch-resubmitted", batch.id, items=len(numbers), group=batch.group)
        return len(numbers)

    def theirs(self, tx: Tx, batch_id: str, by: Actor) -> Batch:
        """A batch that this person may change: they started it, or they are an admin of its group."""
        batch = batches.locked(tx, batch_id)
        role = by.rights.role_in(batch.group) if batch else Role.STRANGER
        if batch is None or not role.may(Role.MEMBER):
            raise NotFound("batch-unknown", id=batch_id[:40])
        if not role.may(Role.ADMIN) and people.person(tx, batch.started_by).handle != by.handle:
            raise Refused("batch-not-yours", id=batch.id)
        return batch

    def _add(
        self,
        tx: Tx,
        wanted: WantedBatch,
        by: Person,
        estimate: Mapping[str, Any] | None,
        status: BatchStatus,
        at: datetime,
    ) -> tuple[Batch, bool]:
        """Returns the batch, and whether it is new."""
        if by.blocked or not memberships.rights_of(tx, by).role_in(wanted.group).may(Role.MEMBER):
            raise Refused("batch-not-member", group=wanted.group)
        if not 1 <= wanted.count <= MOST_ITEMS:
            raise Refused("batch-count", count=wanted.count, most=MOST_ITEMS)
        topics = wanted.topics or ()
        if long := next((number for number, each in enumerate(topics, 1) if len(each) > LONGEST_TOPIC), None):
            raise Refused("batch-long-topic", number=long, most=LONGEST_TOPIC)
        batch = Batch(
            id=new_id("b"),
            status=status,
            company=wanted.company,
            group=wanted.group,
            chat_id=wanted.chat_id,
            thread=wanted.thread,
            message_id=wanted.message_id,
            started_by=by.id,
            language=wanted.language,
            subject=wanted.subject,
            skill=wanted.skill,
            model=wanted.model,
            channel=wanted.channel,
            items=wanted.count,
            max_tokens=wanted.max_tokens,
            least_grade=wanted.least_grade,
            estimate=estimate,
            created_at=at,
            started_at=at if status is BatchStatus.PREPARING else None,
        )
        batch, is_new = _add_once(tx, batch, wanted, by, at)
        if is_new:
            rows = [BatchItem(batch_id=batch.id, number=each, topic=t) for each, t in enumerate(topics, 1)]
            batches.add_items(tx, batch.id, rows)
        return batch, is_new


def asker_of(batch: Batch, about: str) -> Asker:
    """The story asks, and continues when it is answered. The same `about` is the same question."""
    return Asker(
        asked_id=f"{batch.id} {about}",
        group=batch.group,
        company=batch.company,
        chat_id=batch.chat_id,
        thread=batch.thread,
        then=Continuation(work.BATCH, batch.id),
        message_id=batch.message_id,
    )


def _is_at_rest(batch: Batch) -> bool:
    return batch.status.is_over or batch.status is BatchStatus.READY


def _most(estimate: Mapping[str, Any] | None) -> int | None:
    return int(estimate["most"]) if estimate and "most" in estimate else None


def _wanted_again(tx: Tx, batch_id: str, numbers: Sequence[int] | None) -> list[BatchItem]:
    if numbers is None:
        return [
            item for state in _AGAIN for item in batches.items(tx, batch_id, state=state, limit=MOST_ITEMS)
        ]
    found = batches.items_numbered(tx, batch_id, numbers)
    if missing := set(numbers) - {item.number for item in found}:
        raise Refused("batch-no-item", number=min(missing))
    return found


def _add_once(tx: Tx, batch: Batch, wanted: WantedBatch, by: Person, at: datetime) -> tuple[Batch, bool]:
    """Add a batch once: repeats within a few seconds share the current time slot or the one before."""
    if wanted.origin is not None:
        return batches.add(tx, batch, wanted.origin)
    what = f"{by.id} {wanted.chat_id} {wanted.thread or ''} {wanted.count} {wanted.subject} {wanted.topics}"
    hashed, slot = hashlib.sha256(what.encode()).hexdigest(), int(at.timestamp() / _SAME.total_seconds())
    before = batches.of_origin(tx, f"{slot - 1} {hashed}")
    if before and at - before.created_at < _SAME:
        return before, False
    return batches.add(tx, batch, f"{slot} {hashed}")
