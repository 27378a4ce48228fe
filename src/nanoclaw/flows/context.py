"""Flow H. Writes an approved change of a company's context: once, and only if the file still says what people
saw.

The work is keyed by company, so each company has one writer, even with several hosts. Killed anywhere, it
runs again: a file that already has the new text is not written twice, a commit without changes is skipped,
and the decision has one row.
"""

import asyncio
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

import structlog

from nanoclaw.delivery import outbox
from nanoclaw.domain.context_edits import read_replacement, replaced
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.ids import ChatId
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.memory import EntryKind, Trust
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.people import Actor, Role
from nanoclaw.domain.questions import Question, Status
from nanoclaw.domain.text import as_written
from nanoclaw.durable import audit, memberships, memory_changes, people, proposals, questions, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.memory_changes import Action, Change
from nanoclaw.durable.proposals import Proposal, ProposalState
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.work import Claim
from nanoclaw.flows.company_context.files import Changed, ContextFiles, merged
from nanoclaw.flows.company_context.proposals import APPLY, EDIT, ContextChange, Proposals, effect_of
from nanoclaw.flows.company_context.versions import ContextVersions
from nanoclaw.flows.knowledge.lines import EntryOrigin, SaidEntry, line_of
from nanoclaw.git.command import GitFailed, GitUnready
from nanoclaw.git.repository import approved
from nanoclaw.memory.entries import CONTEXT_RECORD
from nanoclaw.texts import say, tell

log = structlog.get_logger("context")

_COMMIT_AGAIN = timedelta(seconds=30)
_NO_GIT = ("git-missing", "git-no-repository")  # then there is nothing to wait for


@dataclass(frozen=True, kw_only=True, slots=True)
class DecidedProposal:
    proposal: Proposal
    question: Question
    by: Actor | None  # None: nobody decided


class ContextStory:
    """The work of kind "context"; its key is the company."""

    kind = work.CONTEXT
    at_once = 4

    def __init__(
        self,
        *,
        store: Store,
        files: ContextFiles,
        versions: ContextVersions,
        proposals: Proposals,
        locale: Locale,
    ) -> None:
        self._store = store
        self._files = files
        self._versions = versions
        self._proposals = proposals
        self._locale = locale

    def begin(self, tx: Tx, claim: Claim) -> list[DecidedProposal]:
        found = []
        for proposal in proposals.decided(tx, claim.key):
            question = questions.get(tx, proposal.question_id or "")
            if question is not None:
                found.append(
                    DecidedProposal(proposal=proposal, question=question, by=self._decider(tx, question))
                )
        return found

    def look_again(self, key: str) -> None:
        """Nothing to do: decisions made meanwhile are read when the story runs again."""

    async def run(self, job: list[DecidedProposal], claim: Claim) -> datetime | None:
        committed = [await self._carry_out(decided, claim) for decided in job]
        again_at = None if all(committed) else now() + _COMMIT_AGAIN
        return await self._store.write(partial(work.finish, claim=claim, again_at=again_at))

    async def _carry_out(self, decided: DecidedProposal, claim: Claim) -> bool:
        """False if something must be repeated later."""
        proposal, question = decided.proposal, decided.question
        is_decided = question.status is Status.COMPLETED and decided.by is not None
        if proposal.state is ProposalState.WRITTEN:
            return await self._commit(decided)
        is_edit = proposal.state is ProposalState.EDITING or question.chosen == EDIT
        if is_decided and is_edit and question.user_input:
            await self._store.write(
                partial(self._edited, decided=decided, current=await self._read(proposal))
            )
        elif is_decided and question.chosen == EDIT:
            await self._store.write(partial(self._wants_to_edit, decided=decided))
        elif is_decided and question.chosen == APPLY:
            return await self._apply(decided, claim)
        else:
            await self._store.write(
                lambda tx: proposals.mark(tx, proposal.id, state=ProposalState.CANCELLED, decided_at=now())
            )
        return True

    async def _apply(self, decided: DecidedProposal, claim: Claim) -> bool:
        proposal = decided.proposal
        if not decided.question.is_about(effect_of(proposal)):
            await self._store.write(partial(self._ask_anew, decided=decided))
            return True
        await self._store.read(partial(work.expect_mine, claim=claim))
        changed = await asyncio.to_thread(
            self._files.write, proposal.company, proposal.file, proposal.before, proposal.after
        )
        if changed:
            await self._propose_again(decided, changed)
            return True
        await self._store.write(partial(self._written, decided=decided))
        return await self._commit(decided)

    def _ask_anew(self, tx: Tx, *, decided: DecidedProposal) -> None:
        """What would be written is not what people were shown: their yes does not count for it."""
        log.warning("context change is not what was shown", proposal=decided.proposal.id)
        place = self._proposals.place_of(tx, decided.proposal, decided.question)
        self._proposals.ask_again(tx, decided.proposal, place, self._language(decided), now())

    async def _commit(self, decided: DecidedProposal) -> bool:
        proposal = decided.proposal
        message = approved(f"{proposal.file}: {proposal.summary}", decided.question.decided_name)
        try:
            await asyncio.to_thread(self._versions.commit, proposal.company, proposal.file, message)
        except (GitFailed, GitUnready) as error:
            log.warning("context not committed yet", file=proposal.file, reason=error)
            if not isinstance(error, GitUnready) or error.key not in _NO_GIT:
                return False
        await self._store.write(lambda tx: proposals.mark(tx, proposal.id, state=ProposalState.APPLIED))
        return True

    def _written(self, tx: Tx, *, decided: DecidedProposal) -> None:
        proposal, question, at = decided.proposal, decided.question, now()
        proposals.mark(tx, proposal.id, state=ProposalState.WRITTEN, decided_at=at)
        person = people.person_named(tx, question.decided_by or "")
        is_owner = decided.by is not None and decided.by.rights.role_in(question.group).may(Role.OWNER)
        trust = Trust.OWNER if is_owner else Trust.MEMBER
        memory_changes.ask(
            tx,
            Change(
                company=proposal.company,
                action=Action.ADD,
                trust=trust,
                created_at=at,
                body=line_of(
                    SaidEntry(
                        text=f"{proposal.file}: {proposal.summary}",
                        kind=EntryKind.DECISION,
                        domain=CONTEXT_RECORD,
                        related=(proposal.file,),
                        # The file says it. Ten changes of a price are not the ten decisions of a company.
                        is_binding=False,
                        replaces=_last_record(tx, proposal),
                    ),
                    question.decided_by or "",
                    EntryOrigin(chat_id=proposal.chat_id, turn_id=proposal.turn_id),
                    trust,
                    question.via or "",
                    at,
                ),
                # They have just decided this: an earlier change of the same file is no reason to ask again.
                reason={"decided": question.id},
                person_id=person.id if person else None,
                chat_id=proposal.chat_id,
                turn_id=proposal.turn_id,
                origin=f"context {proposal.id}",
            ),
        )
        if decided.by:
            audit.record(
                tx,
                decided.by,
                at,
                "context-changed",
                proposal.id,
                file=proposal.file,
                company=proposal.company,
            )
        key = "context-deleted" if proposal.after is None else "context-changed"
        self._tell(tx, decided, say(self._language(decided), key, file=proposal.file), at)

    async def _propose_again(self, decided: DecidedProposal, changed: Changed) -> None:
        """The file is no longer what people saw: apply the change to its current text, and ask again."""
        proposal = decided.proposal
        after = await asyncio.to_thread(merged, proposal.before, changed.current, proposal.after)

        def story(tx: Tx) -> None:
            at = now()
            questions.locked(tx, decided.question.id)  # undoing an analysis locks it too
            found = proposals.get(tx, proposal.id)
            if found is None or not found.is_waiting:
                return
            proposals.mark(tx, proposal.id, state=ProposalState.OUTDATED, decided_at=at)
            if decided.by is None or after == changed.current:
                return
            language = self._language(decided)
            self._tell(tx, decided, say(language, "context-outdated", file=proposal.file), at)
            change = ContextChange(
                company=proposal.company,
                file=proposal.file,
                before=changed.current,
                after=after,
                summary=proposal.summary,
                source=proposal.source,
                origin=proposals.successor_of(proposal.origin) if proposal.origin else None,
            )
            place = self._proposals.place_of(tx, proposal, decided.question)
            self._proposals.propose(tx, decided.by, change, place, at)

        await self._store.write(story)

    def _wants_to_edit(self, tx: Tx, *, decided: DecidedProposal) -> None:
        self._proposals.ask_for_text(tx, decided.proposal, decided.question, self._language(decided), now())

    def _edited(self, tx: Tx, *, decided: DecidedProposal, current: str | None) -> None:
        proposal, question, at, language = decided.proposal, decided.question, now(), self._language(decided)
        written = _written(question.user_input or "", proposal.after or "")
        place = self._proposals.place_of(tx, proposal, question)
        try:
            edited = replace(proposal, before=current, after=written)
            self._proposals.ask_again(tx, edited, place, language, at)
        except NanoClawError as error:
            proposals.mark(tx, proposal.id, state=ProposalState.CANCELLED, decided_at=at)
            self._tell(tx, decided, as_written(tell(language, error)), at)

    async def _read(self, proposal: Proposal) -> str | None:
        return await asyncio.to_thread(self._files.read, proposal.company, proposal.file)

    def _tell(self, tx: Tx, decided: DecidedProposal, text: str, at: datetime) -> None:
        """Post where the card was shown, and where it was proposed if that is another chat. Once, even after
        a crash.
        """
        proposal = decided.proposal
        place = self._proposals.place_of(tx, proposal, decided.question)
        for chat_id in {place.chat_id, proposal.chat_id} - {None}:
            origin = f"context {proposal.id} {decided.question.id} {chat_id}"
            if chat_id is None or outbox.posted_for(tx, origin):
                continue
            outbox.post(
                tx,
                chat_id=ChatId(chat_id),
                thread=place.thread if chat_id == place.chat_id else None,
                author=Author.HOST,
                text=text,
                at=at,
                origin=origin,
            )

    def _language(self, decided: DecidedProposal) -> str:
        return decided.by.language if decided.by else self._locale.speaks

    def _decider(self, tx: Tx, question: Question) -> Actor | None:
        person = people.person_named(tx, question.decided_by) if question.decided_by else None
        if person is None:
            return None
        own = Locale(language=person.language, timezone=person.timezone)
        language = own.or_else(self._proposals.groups.locale_of(question.group)).or_else(self._locale).speaks
        return Actor.of(person, memberships.rights_of(tx, person), via=question.via or "", language=language)


def _last_record(tx: Tx, proposal: Proposal) -> str | None:
    """The record of the change before, which this one replaces."""
    before = proposals.last_written(tx, proposal.company, proposal.file, proposal.id)
    change = memory_changes.of_origin(tx, f"context {before.id}") if before else None
    return str(change.body["id"]) if change and change.body else None


def _written(said: str, proposed: str) -> str:
    """A change to the proposed text, if it reads as one; otherwise the whole new text."""
    change = read_replacement(said)
    return (replaced(proposed, change) if change else None) or f"{said.strip()}\n"
