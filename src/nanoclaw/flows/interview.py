"""Flow H. A person answers questions about the company, area by area, and the answers become context files.

Each question is one of flow E; its answer is a row before the next is asked. Killed anywhere, or left alone
for a week, it continues with the first question that has no answer.
"""

import asyncio
from dataclasses import replace
from datetime import datetime
from functools import partial

import structlog

from nanoclaw.delivery import outbox
from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.ids import ChatId, PersonId
from nanoclaw.domain.interviews import BY_KEY, is_unknown, problem_with
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.parcels import Author
from nanoclaw.domain.people import Actor
from nanoclaw.domain.questions import Question, Status
from nanoclaw.durable import interviews, memberships, people, proposals, questions, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.interviews import Interview, InterviewAnswer, InterviewState
from nanoclaw.durable.proposals import ProposalSource
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.turns import ended_for
from nanoclaw.durable.work import Claim
from nanoclaw.flows.company_context.files import ContextFiles
from nanoclaw.flows.company_context.interviews import (
    BACK,
    SKIP,
    STOP,
    Interviews,
    answered_files,
    effect_of,
    text_of,
)
from nanoclaw.flows.company_context.proposals import ContextChange, ProposalPlace, Proposals
from nanoclaw.texts import say

log = structlog.get_logger("interview")


class InterviewStory:
    """The work of kind "interview"; its key is the interview."""

    kind = work.INTERVIEW
    at_once = 8

    def __init__(
        self,
        *,
        store: Store,
        files: ContextFiles,
        proposals: Proposals,
        interviews: Interviews,
        locale: Locale,
    ) -> None:
        self._store = store
        self._files = files
        self._proposals = proposals
        self._interviews = interviews
        self._locale = locale

    def begin(self, tx: Tx, claim: Claim) -> Interview | None:
        return interviews.get(tx, claim.key)

    def look_again(self, key: str) -> None:
        """Nothing to do: answers given meanwhile are read when the story runs again."""

    async def run(self, job: Interview, claim: Claim) -> datetime | None:
        if job.state is not InterviewState.REVIEWING:
            return await self._store.write(partial(self._go_on, claim=claim))
        texts = {
            file: await asyncio.to_thread(self._files.read, job.company, file)
            for file in await self._written(job)
        }
        return await self._store.write(partial(self._finish, claim=claim, texts=texts))

    def _go_on(self, tx: Tx, claim: Claim) -> datetime | None:
        interview, at = interviews.get(tx, claim.key), now()
        if interview is None or interview.state is not InterviewState.ASKING:
            return work.finish(tx, claim)
        asked = questions.get(tx, interview.question_id) if interview.question_id else None
        if asked and asked.is_open:
            return work.finish(tx, claim)
        actor = self._actor(tx, interview)
        all_of = interviews.answers(tx, interview.id)
        if asked and not self._take(tx, interview, asked, all_of, at):
            interviews.mark(tx, interview.id, state=InterviewState.PAUSED, question_id=None)
            self._tell(tx, interview, say(actor.language, "interviewing-rests"), at)
            return work.finish(tx, claim)
        all_of = interviews.answers(tx, interview.id)
        if any(each.answered_at is None for each in all_of):
            self._interviews.ask(tx, interview, all_of, actor.language, at)
        elif answered_files(all_of):
            self._tell(tx, interview, say(actor.language, "interviewing-writing"), at)
            self._interviews.write_up(tx, interview, all_of, actor.language, at)
        else:
            self._tell(tx, interview, say(actor.language, "interviewing-nothing"), at)
            interviews.mark(tx, interview.id, state=InterviewState.DONE)
        return work.finish(tx, claim)

    def _take(
        self, tx: Tx, interview: Interview, asked: Question, all_of: list[InterviewAnswer], at: datetime
    ) -> bool:
        """Take the person's answer. False if they stopped, or let the time pass."""
        current = next((each for each in all_of if each.answered_at is None), None)
        interviews.mark(tx, interview.id, question_id=None)
        if asked.status is not Status.COMPLETED or asked.chosen == STOP or current is None:
            return False
        if not asked.is_about(effect_of(current)):
            return True  # it is asked again
        if asked.chosen == BACK:
            before = [each for each in all_of if each.number < current.number]
            if before:
                interviews.put(tx, interview.id, before[-1].key, answered_at=None, problem=None)
            return True
        said = "" if asked.chosen == SKIP else (asked.user_input or "").strip()
        if asked.chosen == SKIP or is_unknown(said):
            interviews.put(tx, interview.id, current.key, answer=None, problem=None, answered_at=at)
            return True
        problem = problem_with(BY_KEY[current.key], said)
        if problem:
            interviews.put(tx, interview.id, current.key, problem=problem)
        else:
            interviews.put(tx, interview.id, current.key, answer=said, problem=None, answered_at=at)
        return True

    async def _written(self, interview: Interview) -> list[str]:
        """The files with answers."""
        return answered_files(await self._store.read(partial(interviews.answers, interview_id=interview.id)))

    def _finish(self, tx: Tx, claim: Claim, texts: dict[str, str | None]) -> datetime | None:
        """The agent is done: propose what it left out in the person's words."""
        interview, at = interviews.get(tx, claim.key), now()
        is_over = interview and ended_for(tx, Continuation(work.INTERVIEW, interview.id))
        if interview is None or interview.state is not InterviewState.REVIEWING or not is_over:
            return work.finish(tx, claim)
        actor = self._actor(tx, interview)
        made = {each.file for each in proposals.of_session(tx, interview.session_id or "")}
        all_of = interviews.answers(tx, interview.id)
        place = ProposalPlace(
            group=interview.agent_group,
            chat_id=interview.chat_id,
            thread=interview.thread,
            session_id=interview.session_id,
        )
        for file, before in texts.items():
            if file in made:
                continue
            change = ContextChange(
                company=interview.company,
                file=file,
                before=before,
                after=text_of(file, before, all_of, actor.language),
                summary=say(actor.language, "interviewing-summary"),
                source=ProposalSource.INTERVIEW,
                origin=f"interview {interview.id} {file}",
            )
            try:
                self._proposals.propose(tx, actor, change, place, at)
            except NanoClawError as error:  # the file already says that
                log.info("nothing to propose", file=file, reason=error.key)
        interviews.mark(tx, interview.id, state=InterviewState.DONE)
        return work.finish(tx, claim)

    def _actor(self, tx: Tx, interview: Interview) -> Actor:
        person = people.person(tx, PersonId(interview.person_id))
        own = Locale(language=person.language, timezone=person.timezone)
        usual = own.or_else(self._proposals.groups.locale_of(interview.agent_group)).or_else(self._locale)
        chat = people.chat(tx, ChatId(interview.chat_id))
        rights = memberships.rights_of(tx, person)
        return replace(
            Actor.of(person, rights, via="", language=usual.speaks), via=chat.channel if chat else ""
        )

    def _tell(self, tx: Tx, interview: Interview, text: str, at: datetime) -> None:
        outbox.post(
            tx,
            chat_id=ChatId(interview.chat_id),
            thread=interview.thread,
            author=Author.HOST,
            text=text,
            at=at,
        )
