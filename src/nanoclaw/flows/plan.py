"""Flow E. Before the work begins a person answers questions with buttons, round by round; then one agent gets
it all.

A plan is a row, and each look does what it needs next: ask the model for a round, write the plan's file and
show the summary, or give everything to the agent. Killed anywhere, it continues there. Left alone for a day,
it rests.
"""

import time
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial

import structlog

from nanoclaw.delivery import outbox
from nanoclaw.domain.budgets import BUDGET_HELD
from nanoclaw.domain.errors import ModelFailed, ModelOutage
from nanoclaw.domain.ids import ChatId, MessageId, ParcelId, PersonId, new_id
from nanoclaw.domain.plans import Plan, PlanState, Questionnaire
from nanoclaw.durable import budgets, memberships, messages, people, plans, session_queue, sessions, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.timeline import Event, note
from nanoclaw.durable.work import Claim
from nanoclaw.flows.plans import moves, plan_text
from nanoclaw.flows.plans.changes import Plans, may_ask
from nanoclaw.flows.plans.files import PlanFiles
from nanoclaw.flows.plans.handover import prompt_of
from nanoclaw.flows.plans.open_plans import going_on
from nanoclaw.flows.plans.rounds import Rounds
from nanoclaw.texts import tell

log = structlog.get_logger("plan")

RESTS_AFTER = timedelta(hours=24)
_LONGEST_PAUSE = timedelta(minutes=5)


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanStory:
    """The work of kind "plan"; its key is the plan."""

    kind = work.PLAN
    at_once = 32

    store: Store
    plans: Plans
    rounds: Rounds
    files: PlanFiles

    def begin(self, tx: Tx, claim: Claim) -> Plan | None:
        return plans.get(tx, claim.key)

    def look_again(self, key: str) -> None:
        """Nothing to do: presses made meanwhile are seen when this runs again."""

    async def run(self, job: Plan, claim: Claim) -> datetime | None:
        if job.state in (PlanState.GENERATING, PlanState.EXECUTING):
            job = await self._if_welcome(job)
        if job.state is PlanState.GENERATING:
            await self._mirror(job)
            try:
                asked, seconds = await self._ask(job)
            except ModelOutage as outage:
                return await self.store.write(partial(self._wait, claim=claim, outage=outage))
            job = await self.store.write(
                partial(self._take_round, claim=claim, before=job, asked=asked, seconds=seconds)
            )
        if job.state is PlanState.CONFIRMING and job.path is None:
            path = await self.files.save(job)
            job = await self.store.write(partial(self._saved, claim=claim, before=job, path=path))
        if job.state is PlanState.EXECUTING:
            path = await self.files.save(job)
            job = await self.store.write(partial(self._hand_over, claim=claim, before=job, path=path))
        if job.state is PlanState.CANCELLED:
            await self.files.save(job)
        await self._mirror(job)
        return await self.store.write(partial(self._finish, claim=claim))

    async def _if_welcome(self, plan: Plan) -> Plan:
        """Give the plan up if the person may no longer talk to the agent, so that nothing is spent on it."""

        def is_welcome(tx: Tx) -> bool:
            person = people.person(tx, PersonId(plan.person_id))
            return not person.blocked and may_ask(tx, plan, memberships.rights_of(tx, person))

        def give_up(tx: Tx) -> Plan:
            found = plans.locked(tx, plan.id) or plan
            if found.is_open and not is_welcome(tx):
                self.plans.cancel(tx, found, now())
            return plans.get(tx, plan.id) or plan

        return plan if await self.store.read(is_welcome) else await self.store.write(give_up)

    async def _ask(self, plan: Plan) -> tuple[Questionnaire | None, float]:
        """None if the model gives no questions, and asking again would not help."""
        began = time.monotonic()
        handle = await self.store.read(lambda tx: people.person(tx, PersonId(plan.person_id)).handle)
        try:
            asked = await self.rounds.next(plan, handle)
        except ModelFailed as failed:  # the agent will meet the same failure, and report it as usual
            log.warning("no questions for a plan", plan=plan.id, reason=failed)
            asked = None
        return asked, time.monotonic() - began

    def _take_round(
        self, tx: Tx, *, claim: Claim, before: Plan, asked: Questionnaire | None, seconds: float
    ) -> Plan:
        """Store the round, unless the person gave the plan up meanwhile."""
        work.expect_mine(tx, claim)
        plan, at = plans.locked(tx, before.id) or before, now()
        if plan.state is not PlanState.GENERATING:
            return plan
        if asked is None and not plan.questions:
            return self._begin_without(tx, plan, at)
        # If the model fails to ask for more, the answers so far are enough.
        asked = asked or Questionnaire(questions=(), done=True)
        count = 0 if asked.done else len(asked.questions)
        note(
            tx,
            plan.message_id,
            Event.PLAN_ASKED,
            at,
            round=plan.round + 1,
            count=count,
            seconds=round(seconds, 1),
        )
        return self.plans.change(tx, replace(moves.with_round(plan, asked), reason=None), at)

    def _saved(self, tx: Tx, *, claim: Claim, before: Plan, path: str) -> Plan:
        work.expect_mine(tx, claim)
        plan = plans.locked(tx, before.id) or before
        if plan.state is not PlanState.CONFIRMING or plan.path is not None or plan.answers != before.answers:
            return plan
        return self.plans.change(tx, replace(plan, path=path), now())

    def _begin_without(self, tx: Tx, plan: Plan, at: datetime) -> Plan:
        """There are no questions: give the task to the agent as if it had been written without `/plan`."""
        if plan.parcel_id:
            told = plan_text.told_of(plan, "plan-no-questions")
            outbox.amend(tx, ParcelId(plan.parcel_id), told, (), at)
        return self._give(tx, plan, plan.task, "plan-no-questions", at)

    def _hand_over(self, tx: Tx, *, claim: Claim, before: Plan, path: str) -> Plan:
        work.expect_mine(tx, claim)
        plan = plans.locked(tx, before.id) or before
        if plan.state is not PlanState.EXECUTING:
            return plan
        plan = replace(plan, path=path)
        return self._give(tx, plan, prompt_of(plan), "plan-confirmed", now())

    def _give(self, tx: Tx, plan: Plan, text: str, how: str, at: datetime) -> Plan:
        """Give it to the agent as a message of the person in this chat's conversation, where it is answered."""
        person = people.person(tx, PersonId(plan.person_id))
        chat_id = ChatId(plan.chat_id)
        told = messages.by_host(f"plan {plan.id}", person, text, at, sender=person.name, thread=plan.thread)
        message = messages.store(tx, MessageId(new_id("m")), told, chat_id, person.id, at)
        asked = messages.get_alone(tx, plan.message_id) if plan.message_id else None
        if asked and asked.files:  # they came with `/plan`, and are already where the agent works
            messages.put_files(tx, message.id, asked.files, unfetched=False)
        session = sessions.find_or_open(tx, plan.group, chat_id, plan.thread, at)
        session_queue.join(tx, message.id, session.id)
        note(tx, plan.message_id, Event.PLAN_STARTED, at, how=how, message=message.id)
        done = replace(
            plan, state=PlanState.DONE, started_id=message.id, updated_at=at, ended_at=at, reason=how
        )
        plans.save(tx, done)
        work.due(tx, session.lane, session.id, at, hasten=False, priority=session.priority)
        return done

    def _wait(self, tx: Tx, *, claim: Claim, outage: ModelOutage) -> datetime:
        """Say on its card, once, why it waits; it continues by itself."""
        plan, at = plans.locked(tx, claim.key), now()
        if plan is None or plan.state is not PlanState.GENERATING:
            return work.put_back(tx, claim, at, None)
        if plan.reason != outage.key:
            plans.save(tx, replace(plan, reason=outage.key))
            note(tx, plan.message_id, Event.PLAN_WAITED, at, error=outage.key, **outage.values)
            self.plans.say_waiting(tx, plan, tell(plan.language, outage), at)
        if outage.key == BUDGET_HELD:
            budgets.hold(tx, str(outage.values["company"]), claim.kind, claim.key, at)
            return work.put_back(tx, claim, at + timedelta(seconds=outage.after), None)
        return work.put_back(tx, claim, at + min(timedelta(seconds=outage.after), _LONGEST_PAUSE), None)

    async def _mirror(self, plan: Plan) -> None:
        def look(tx: Tx) -> tuple[str, Plan | None]:
            chat = people.chat(tx, ChatId(plan.chat_id))
            return chat.address if chat else "", going_on(
                plans.open_of(tx, plan.chat_id, plan.thread, plan.person_id)
            )

        address, shown = await self.store.read(look)
        await self.files.mirror(plan, address, shown)

    def _finish(self, tx: Tx, *, claim: Claim) -> datetime | None:
        """Finish; due again when it has been left alone for a day."""
        plan, at = plans.locked(tx, claim.key), now()
        if plan is None or not plan.is_open or plan.rested_at:
            return work.finish(tx, claim)
        rests_at = plan.updated_at + RESTS_AFTER
        if rests_at > at:  # as new work, so that presses made meanwhile come first
            work.due(tx, work.PLAN, plan.id, rests_at)
        elif plan.state is not PlanState.GENERATING:
            self.plans.rest(tx, plan, at)
        return work.finish(tx, claim)
