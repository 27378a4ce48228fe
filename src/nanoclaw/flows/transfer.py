"""Flow B. Takes a session to another runtime: packed, shown to the deciders, delivered, and waited for.

A transfer is a row, and each look does what it needs next. Killed anywhere, it continues there: packing
writes the same folder again, and what goes to the chat is posted in the transaction that says it was
delivered.
"""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

import structlog

from nanoclaw.delivery import outbox
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.ids import PersonId, SessionId
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.people import Actor, Person
from nanoclaw.domain.questions import Question, Status
from nanoclaw.domain.text import as_written
from nanoclaw.domain.transfers import Package, Transfer, TransferState
from nanoclaw.durable import analyses, audit, memberships, people, prompts, questions, transfers, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.work import Claim
from nanoclaw.flows.analyses import transfer_match
from nanoclaw.flows.human.card_text import SHORT
from nanoclaw.flows.human.deciders import deciders_of
from nanoclaw.flows.transfers import changes, copies, push_retries, repacking
from nanoclaw.flows.transfers.cards import TransferCards, effect_of, target_in
from nanoclaw.flows.transfers.changes import Transfers
from nanoclaw.flows.transfers.delivery import Delivered, Delivery, is_at_machine, place_of
from nanoclaw.flows.transfers.notes import declined
from nanoclaw.flows.transfers.packages import Condition, Packages
from nanoclaw.flows.transfers.trouble import reason_of
from nanoclaw.git.branches import UNREAD as BRANCH_UNREAD
from nanoclaw.texts import say, tell

log = structlog.get_logger("transfer")

_TRY_AGAIN = timedelta(minutes=1)
_WHILE_TIDIED = timedelta(seconds=5)  # somebody removed the folder it was being packed in
_WHILE_READ = timedelta(minutes=10)
_MOST_ATTEMPTS = 6
_LASTING = ("git-missing", "git-no-repository")  # trying again would not help


@dataclass(frozen=True, kw_only=True, slots=True)
class TransferStory:
    """The work of kind "transfer"; its key is the transfer."""

    kind = work.TRANSFER
    at_once = 4

    store: Store
    transfers: Transfers
    packages: Packages
    cards: TransferCards
    delivery: Delivery

    def begin(self, tx: Tx, claim: Claim) -> Transfer | None:
        return transfers.get(tx, claim.key)

    async def sweep(self) -> None:
        """Deletes the copies of transfers that were over before anybody deleted copies: nothing is due for these."""
        for transfer_id in await asyncio.to_thread(self.delivery.have_copies):
            if await self.store.write(partial(self._is_left_over, transfer_id=transfer_id)):
                await asyncio.to_thread(self.delivery.forget_copies, transfer_id)

    def look_again(self, key: str) -> None:
        """Nothing to do: decisions made meanwhile are read when this runs again."""

    async def run(self, job: Transfer, claim: Claim) -> datetime | None:
        try:
            if job.is_open and job.packed_at is None:
                return await self._pack(job, claim)
            if job.state is TransferState.CREATED and job.is_open:
                return await self._decided(job, claim)
            if job.is_open and _is_to_push(job):
                return await self._push(job, claim)
            if not job.is_open and job.cleared_at is None and _is_past(job):
                return await self._take_back(job, claim)
        except OSError as error:  # a full disk: it may have room later
            if job.is_open and job.expires_at <= now():
                return await self._fail(job, claim, changes.UNDELIVERED if job.packed_at else changes.FAILED)
            log.warning("transfer not done yet", transfer=job.id, reason=error)
            pause = _WHILE_TIDIED if isinstance(error, FileNotFoundError) else _TRY_AGAIN
            return await self.store.write(lambda tx: work.put_back(tx, claim, now() + pause, None))
        return await self.store.write(partial(self._finish, claim=claim))

    async def _pack(self, transfer: Transfer, claim: Claim) -> datetime | None:
        if self.transfers.groups.company_of(transfer.group) is None:
            return await self._fail(transfer, claim, changes.GROUP_GONE)
        try:
            package = await self.packages.pack(transfer)
        except NanoClawError as error:
            return await self._fail(transfer, claim, changes.FAILED, error)
        return await self.store.write(partial(self._ask, claim=claim, before=transfer, package=package))

    def _ask(self, tx: Tx, *, claim: Claim, before: Transfer, package: Package) -> datetime | None:
        """Mark the package complete and ask the deciders, in one transaction."""
        work.expect_mine(tx, claim)
        transfer, at = transfers.locked(tx, before.id) or before, now()
        if not transfer.is_open or transfer.packed_at:
            return _later(tx, claim, at)
        packed = {
            "packed_at": at,
            "content_hash": package.content_hash,
            "manifest": dict(package.manifest),
            "removed": dict(package.removed),
            "tokens": dict(package.tokens),
        }
        person = people.person(tx, PersonId(transfer.person_id))
        left = max(transfer.expires_at - at, timedelta(minutes=1))
        question = self.cards.ask(tx, transfer, package, person.name, left, at)
        transfers.mark(tx, transfer.id, question_id=question.id, **packed)
        if transfer.question_id is None:
            self._tell_member(tx, transfer, person, at)
        return work.finish(tx, claim)

    def _tell_member(self, tx: Tx, transfer: Transfer, person: Person, at: datetime) -> None:
        """Tell a person who may not decide it that others were asked."""
        deciders = deciders_of(tx, transfer.group, (), at)
        if transfer.turn_id is None and person.handle not in {each.person.handle for each in deciders}:
            self.transfers.tell(tx, transfer, say(transfer.language, "transfer-others-decide"), at)

    async def _decided(self, transfer: Transfer, claim: Claim) -> datetime | None:
        question = await self.store.read(lambda tx: questions.get(tx, transfer.question_id or ""))
        if question is None or question.is_open:
            return await self.store.write(partial(self._finish, claim=claim))
        if question.status is not Status.COMPLETED or question.chosen != changes.SEND:
            return await self.store.write(
                partial(self._decline, claim=claim, before=transfer, question=question)
            )
        if not question.is_about(effect_of(transfer, transfer.content_hash)):
            return await self.store.write(
                partial(self._miss, claim=claim, before=transfer, question=question)
            )
        earlier = await self.store.read(partial(repacking.earlier, transfer=transfer))
        match await asyncio.to_thread(self.packages.condition, transfer, earlier):
            case Condition.ALTERED:
                return await self._fail(transfer, claim, changes.ALTERED)
            case Condition.MISSING:
                return await self.store.write(
                    partial(self._miss, claim=claim, before=transfer, question=question)
                )
            case Condition.INTACT:
                pass
        language = await self.store.read(lambda tx: self._language_of(tx, transfer, question))
        try:
            delivered = await self.delivery.deliver(transfer, language)
        except FileNotFoundError:  # removed while it was being delivered
            return await self.store.write(
                partial(self._miss, claim=claim, before=transfer, question=question)
            )
        except NanoClawError as error:
            if claim.attempt < _MOST_ATTEMPTS and error.key not in _LASTING:
                log.warning("transfer not delivered yet", transfer=transfer.id, reason=error)
                key, later = error.key, now() + _TRY_AGAIN
                return await self.store.write(lambda tx: work.put_back(tx, claim, later, key))
            return await self._fail(transfer, claim, changes.UNDELIVERED, error)
        return await self.store.write(
            partial(self._deliver, claim=claim, before=transfer, question=question, delivered=delivered)
        )

    def _miss(self, tx: Tx, *, claim: Claim, before: Transfer, question: Question) -> datetime | None:
        """The package is gone: pack it and ask again, unless somebody has given it up meanwhile."""
        work.expect_mine(tx, claim)
        transfer, at = transfers.locked(tx, before.id) or before, now()
        if transfer.is_open and transfer.question_id == question.id:
            repacking.pack_again(tx, transfer, question, at)
        return _later(tx, claim, at)

    def _language_of(self, tx: Tx, transfer: Transfer, question: Question) -> str:
        person = _released_by(tx, question)
        return (person and person.language) or transfer.language

    def _deliver(
        self, tx: Tx, *, claim: Claim, before: Transfer, question: Question, delivered: Delivered
    ) -> datetime | None:
        work.expect_mine(tx, claim)
        transfer, at = transfers.locked(tx, before.id) or before, now()
        if not transfer.is_open or transfer.state is not TransferState.CREATED:
            return _later(tx, claim, at)  # given up meanwhile: nothing is posted
        person = _released_by(tx, question)
        chat_id = place_of(tx, transfer, person)
        is_here = chat_id == transfer.chat_id
        text = delivered.text
        if is_at_machine(tx, chat_id):
            language = self._language_of(tx, transfer, question)
            text = "\n\n".join([text, say(language, "transfer-back-at-machine")])
        outbox.post(
            tx,
            chat_id=chat_id,
            thread=transfer.thread if is_here else None,
            author=Author.HOST,
            text=text,
            at=at,
            attachments=delivered.attachments,
            origin=copies.origin_of(transfer),
        )
        expires_at = at + self.transfers.lifetime
        transfers.mark(
            tx,
            transfer.id,
            state=TransferState.DELIVERED,
            delivered_at=at,
            expires_at=expires_at,
            delivered_to={"chat": chat_id, **delivered.to},
        )
        if not is_here:
            values = {"target": target_in(transfer, transfer.language), "short": transfer.id[-SHORT:]}
            name = as_written(question.decided_name or "")
            self.transfers.tell(
                tx, transfer, say(transfer.language, "transfer-left", name=name, **values), at
            )
        if person:
            by = _actor(tx, person, question.via or "", transfer.language)
            audit.record(
                tx,
                by,
                at,
                "transfer-released",
                transfer.id,
                target=transfer.target.value,
                group=transfer.group,
                sha256=transfer.content_hash,
            )
        return self._finish(tx, claim=claim)

    async def _push(self, transfer: Transfer, claim: Claim) -> datetime | None:
        """Try again to push, after the remote could not be reached. It is reported once, when it succeeds."""
        trouble = await self.delivery.branches.push(transfer)

        def story(tx: Tx) -> datetime | None:
            work.expect_mine(tx, claim)
            found, at = transfers.locked(tx, transfer.id) or transfer, now()
            if found.is_open:
                to = push_retries.tried(found.delivered_to or {}, trouble, at)
                transfers.mark(tx, found.id, delivered_to=to)
                if not trouble:
                    question = questions.get(tx, found.question_id or "")
                    language = self._language_of(tx, found, question) if question else found.language
                    push_retries.tell(tx, found, to, language, at)
            return self._finish(tx, claim=claim)

        return await self.store.write(story)

    def _decline(self, tx: Tx, *, claim: Claim, before: Transfer, question: Question) -> datetime | None:
        """Decline: it stays here. An agent that proposed it continues by itself."""
        work.expect_mine(tx, claim)
        transfer, at = transfers.locked(tx, before.id) or before, now()
        if not transfer.is_open:
            return _later(tx, claim, at)
        is_decided = question.status is not Status.TIMEOUT
        reason = changes.DECLINED if is_decided else changes.NOBODY
        decider = _released_by(tx, question) if is_decided else None
        by = _actor(tx, decider, question.via or "", transfer.language) if decider else None
        is_theirs = (
            decider is not None and decider.id == transfer.person_id
        )  # the person who asked decided it
        told = say(transfer.language, "transfer-stays", reason=say(transfer.language, reason))
        self.transfers.end(
            tx, transfer, TransferState.CANCELLED, at, reason=reason, by=by, told=None if is_theirs else told
        )
        if transfer.turn_id:
            person = people.person(tx, PersonId(transfer.person_id))
            ref = f"transfer {transfer.id} stays"
            prompts.give(tx, SessionId(transfer.session_id), declined(transfer, reason), person, ref, at)
        return work.finish(tx, claim)  # due again: it has ended

    async def _fail(
        self, transfer: Transfer, claim: Claim, reason: str, error: NanoClawError | None = None
    ) -> datetime | None:
        """It cannot be packed or delivered, and trying again would not help: tell its chat why."""

        def story(tx: Tx) -> datetime | None:
            work.expect_mine(tx, claim)
            found, at = transfers.locked(tx, transfer.id) or transfer, now()
            if found.is_open:
                language = found.language
                told = (
                    say(language, "transfer-failed", reason=tell(language, error))
                    if error
                    else say(language, "transfer-stays", reason=say(language, reason))
                )
                self.transfers.end(tx, found, TransferState.CANCELLED, at, reason=reason, told=told)
            return _later(tx, claim, at)

        return await self.store.write(story)

    async def _take_back(self, transfer: Transfer, claim: Claim) -> datetime | None:
        """Take the branch back. One that somebody works on stays; an unreachable remote is tried again, and
        finally reported.
        """
        can_go = await self.store.write(partial(self._withdraw, transfer=transfer))
        trouble = await self.delivery.take_back(transfer, with_copies=can_go)
        if trouble and trouble["key"] != BRANCH_UNREAD and claim.attempt < _MOST_ATTEMPTS:
            key, later = trouble["key"], now() + _TRY_AGAIN
            return await self.store.write(lambda tx: work.put_back(tx, claim, later, key))

        def story(tx: Tx) -> datetime | None:
            work.expect_mine(tx, claim)
            at = now()
            if not can_go:
                return _later(tx, claim, at + copies.LOOK_AGAIN)
            transfers.mark(tx, transfer.id, cleared_at=at)
            if trouble:
                values = {"short": transfer.id[-SHORT:], "reason": reason_of(trouble, transfer.language)}
                self.transfers.tell(
                    tx, transfer, say(transfer.language, "transfer-branch-stays", **values), at
                )
            return work.finish(tx, claim)

        return await self.store.write(story)

    def _is_left_over(self, tx: Tx, transfer_id: str) -> bool:
        transfer = transfers.locked(tx, transfer_id)
        return transfer is not None and transfer.cleared_at is not None and self._withdraw(tx, transfer)

    def _withdraw(self, tx: Tx, transfer: Transfer) -> bool:
        question = questions.get(tx, transfer.question_id or "")
        language = self._language_of(tx, transfer, question) if question else transfer.language
        return copies.withdraw(tx, transfer, language, now())

    def _finish(self, tx: Tx, *, claim: Claim) -> datetime | None:
        """Finish; due again when its time is over."""
        transfer, at = transfers.locked(tx, claim.key), now()
        if transfer is None or transfer.cleared_at:
            return work.finish(tx, claim)
        if not transfer.is_open:
            return _later(tx, claim, at if _is_past(transfer) else transfer.expires_at)
        if transfer.state is TransferState.CREATED:
            return work.finish(tx, claim)  # its question wakes this, even when its time runs out
        if transfer.expires_at > at:
            again = push_retries.next_try(transfer, at)
            return _later(tx, claim, min(again or transfer.expires_at, transfer.expires_at))
        # What came in time counts, even if people or a model are late.
        if analyses.is_going_on(tx, transfer.id) or transfer_match.may_be_back(tx, transfer):
            return _later(tx, claim, at + _WHILE_READ)
        language = transfer.language
        values = {"target": target_in(transfer, language), "short": transfer.id[-SHORT:]}
        told = say(language, "transfer-expired", **values)
        self.transfers.end(tx, transfer, TransferState.EXPIRED, at, told=told)
        return work.finish(tx, claim)  # due again: it has ended


def heed_clock(tx: Tx, by: timedelta) -> None:
    """The machine's clock was set: let every transfer keep its remaining time."""
    transfers.heed_clock(tx, by)


def _is_to_push(transfer: Transfer) -> bool:
    at = now()
    again = push_retries.next_try(transfer, at)
    return again is not None and again <= at < transfer.expires_at


def _is_past(transfer: Transfer) -> bool:
    """Whether its package is no longer needed; if it came back, it is kept until its time is over."""
    return transfer.state is not TransferState.RESUMED or transfer.expires_at <= now()


def _released_by(tx: Tx, question: Question) -> Person | None:
    return people.person_named(tx, question.decided_by) if question.decided_by else None


def _actor(tx: Tx, person: Person, via: str, language: str) -> Actor:
    rights = memberships.rights_of(tx, person)
    return Actor.of(person, rights, via=via, language=person.language or language)


def _later(tx: Tx, claim: Claim, at: datetime) -> datetime | None:
    """As new work, so that decisions made meanwhile come first."""
    work.due(tx, claim.kind, claim.key, at)
    return work.finish(tx, claim)
