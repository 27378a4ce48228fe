"""A person starts a run of a pipeline, cancels it, or repeats it from a step on."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import partial

from nanoclaw.domain.continuations import Continuation
from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.domain.ids import ChatId, MessageId, new_id
from nanoclaw.domain.people import Actor, Person, Role
from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus, StepRun, StepState
from nanoclaw.domain.pipelines import Template
from nanoclaw.domain.questions import Asker, Question, too
from nanoclaw.durable import audit, memberships, people, pipeline_runs, work
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.each_language import prompt_in, with_line
from nanoclaw.flows.human.new_questions import NewQuestions
from nanoclaw.flows.pipelines.run_end import PipelineRunEnds, cancelled_by
from nanoclaw.flows.pipelines.start_card import asked_again, seen_here, wanted_start
from nanoclaw.flows.spending.member_limits import BeyondLimit, MemberLimits, tell_waiting
from nanoclaw.pipelines.estimates import RunEstimate

_SAME = timedelta(seconds=5)  # a command repeated within this time counts once
_MOST_SUBJECT = 4000
_MOST_ASKED = 10  # runs of one person waiting for a yes: each is a card in somebody's chat


@dataclass(frozen=True, kw_only=True, slots=True)
class WantedRun:
    template: Template
    subject: str
    group: str
    company: str
    chat_id: ChatId
    language: str
    thread: str | None = None
    message_id: MessageId | None = None
    task_id: int | None = None
    budget: int | None = None  # in micros; by default the template's
    origin: str | None = None  # the same origin is the same run


@dataclass(frozen=True, kw_only=True, slots=True)
class PipelineChanges:
    """Each method runs in the caller's transaction. When one raises Refused, nothing has changed."""

    new_questions: NewQuestions
    run_ends: PipelineRunEnds
    limits: MemberLimits

    def propose(
        self, tx: Tx, wanted: WantedRun, by: Person, estimate: RunEstimate, at: datetime
    ) -> PipelineRun:
        """Add a run that waits for a yes; the card shows its steps and what it will cost."""
        return self._propose(tx, wanted, by, estimate, self._judge(tx, wanted, by, estimate, at), at)

    def _propose(
        self,
        tx: Tx,
        wanted: WantedRun,
        by: Person,
        estimate: RunEstimate | None,
        judged: tuple[int | None, BeyondLimit | None],
        at: datetime,
    ) -> PipelineRun:
        budget, beyond = judged
        run, is_new = self._add(tx, replace(wanted, budget=budget), by, estimate, PipelineRunStatus.ASKED, at)
        if not is_new:
            return run
        return self._ask_start(tx, run, by, beyond, at, estimate=estimate, language=wanted.language)

    def _judge(
        self, tx: Tx, wanted: WantedRun, by: Person, estimate: RunEstimate | None, at: datetime
    ) -> tuple[int | None, BeyondLimit | None]:
        """The run's ceiling, and why an admin decides about it, if one must."""
        expected = estimate.cost[1] if estimate and estimate.cost else None
        own = wanted.budget if wanted.budget is not None else wanted.template.budget
        return self.limits.judge(tx, by, wanted.group, wanted.company, expected, at, own=own)

    def pass_to_admin(self, tx: Tx, run: PipelineRun, decided: Question, at: datetime) -> PipelineRun | None:
        """Ask an admin after a member's own yes, if the run is beyond their limit by now: other starts may have used
        the money since the card was shown. None if it may start.
        """
        if self.limits.may_decide(tx, decided.decided_by, run.group):
            return None
        by = people.person(tx, run.started_by)
        asked = _most(run) if run.budget is None else run.budget
        beyond = self.limits.beyond(tx, by, run.group, run.company, asked, at, most=run.budget)
        return self._ask_start(tx, run, by, beyond, at, decided=decided) if beyond else None

    def _ask_start(
        self,
        tx: Tx,
        run: PipelineRun,
        by: Person,
        beyond: BeyondLimit | None,
        at: datetime,
        *,
        estimate: RunEstimate | None = None,
        language: str | None = None,
        decided: Question | None = None,
        given: Mapping[str, str] | None = None,
    ) -> PipelineRun:
        """Ask the member themselves, or only admins if it is beyond what a member may spend. `decided` is the
        member's own card, `given` what the first step is told besides."""
        if pipeline_runs.asked_by(tx, by.id) > _MOST_ASKED:  # raising rolls back what was just added
            raise Refused("run-many-asked", most=_MOST_ASKED)
        language = language or by.language or "en"
        if decided:
            card = asked_again(run, partial(prompt_in, decided), language, given)
        else:
            seen = None if beyond else seen_here(tx, run, by, at)
            card = wanted_start(run, estimate, language, given, seen)
        card = with_line(card, beyond.line) if beyond else replace(card, deciders=(too(by.handle),))
        if beyond:
            tell_waiting(tx, run.chat_id, run.thread, run.message_id, beyond, language, at)
        asker = Asker(
            asked_id=f"{run.id} start by admin" if beyond else f"{run.id} start",
            group=run.group,
            company=run.company,
            chat_id=run.chat_id,
            thread=run.thread,
            then=Continuation(work.PIPELINE, run.id),
            chain_id=run.id,
            step=0,
            message_id=run.message_id,
        )
        question = self.new_questions.open(tx, card, asker, None, at)
        pipeline_runs.mark(tx, run.id, question_id=question.id)
        return replace(run, question_id=question.id)

    def start(
        self, tx: Tx, wanted: WantedRun, by: Person, estimate: RunEstimate | None, at: datetime
    ) -> PipelineRun:
        """Start a run without asking; what is beyond a member's limit is proposed to an admin."""
        if wanted.origin is not None and (known := pipeline_runs.of_origin(tx, wanted.origin)):
            return known
        budget, beyond = self._judge(tx, wanted, by, estimate, at)
        if beyond:
            return self._propose(tx, wanted, by, estimate, (budget, beyond), at)
        limited = replace(wanted, budget=budget)
        run, is_new = self._add(tx, limited, by, estimate, PipelineRunStatus.RUNNING, at)
        if is_new:
            work.due(tx, work.PIPELINE, run.id, at)
        return run

    def cancel(self, tx: Tx, run_id: str, by: Actor, at: datetime) -> PipelineRun:
        run = self._theirs(tx, run_id, by)
        if run.status.is_over:
            raise Refused("run-over", id=run.id, status=run.status.value)
        self.run_ends.end(tx, run, PipelineRunStatus.CANCELLED, cancelled_by(by.name), by, at)
        work.due(tx, work.PIPELINE, run.id, at)  # to write the output of its finished steps into files
        audit.record(tx, by, at, "pipeline-cancelled", run.id, template=run.template.title, group=run.group)
        return pipeline_runs.get(tx, run.id) or run

    def retry(
        self,
        tx: Tx,
        run_id: str,
        by: Person,
        at: datetime,
        *,
        from_step: int | None = None,
        text: str | None = None,
        note: str | None = None,
    ) -> PipelineRun:
        """Start a new run of the same template, taking over what was done before the step. The old run stays.
        `text` replaces the step's input, `note` adds to it.
        """
        rights = memberships.rights_of(tx, by)
        old = self._theirs(tx, run_id, Actor.of(by, rights, via="", language=by.language or "en"))
        if not old.status.is_over:
            raise Refused("run-not-over", id=old.id)
        done = pipeline_runs.steps(tx, old.id)
        first = from_step if from_step is not None else _first_open(done)
        if not 1 <= first <= len(done):
            raise Refused("run-no-step", step=first, count=len(done))
        for step in done[: first - 1]:
            if step.state not in (StepState.DONE, StepState.SKIPPED):
                raise Refused("run-step-not-done", step=step.number)
        budget, beyond = self.limits.judge(tx, by, old.group, old.company, _most(old), at, own=old.budget)
        run = replace(
            old,
            id=new_id("pl"),
            status=PipelineRunStatus.ASKED if beyond else PipelineRunStatus.RUNNING,
            budget=budget,
            started_by=by.id,
            created_at=at,
            started_at=None if beyond else at,
            ended_at=None,
            session_id=None,
            question_id=None,
            parcel_id=None,
            task_id=None,
            again_of=old.id,
            from_step=first,
            why=None,
        )
        given = {name: value for name, value in (("text", text), ("note", note)) if value}
        steps = [
            _taken_over(step, run.id)
            if step.number < first
            else _new_step(run.id, step.number, given if step.number == first else None)
            for step in done
        ]
        run, is_new = _add_once(tx, run, steps, f"{by.id} {old.id} {first} {given}", at)
        if is_new and beyond:
            return self._ask_start(tx, run, by, beyond, at, given=given)
        if is_new:
            work.due(tx, work.PIPELINE, run.id, at)
        return run

    def _add(
        self,
        tx: Tx,
        wanted: WantedRun,
        by: Person,
        estimate: RunEstimate | None,
        status: PipelineRunStatus,
        at: datetime,
    ) -> tuple[PipelineRun, bool]:
        """Returns the run, and whether it is new."""
        if by.blocked or not memberships.rights_of(tx, by).role_in(wanted.group).may(Role.MEMBER):
            raise Refused("run-not-member", group=wanted.group)
        subject = wanted.subject.strip()
        if not subject:
            raise Refused("run-no-subject")
        if len(subject) > _MOST_SUBJECT:
            raise Refused("run-long-subject", most=_MOST_SUBJECT)
        what = f"{wanted.template.name} {wanted.chat_id} {wanted.thread or ''} {subject}"
        run = PipelineRun(
            id=new_id("pl"),
            template=wanted.template,
            subject=subject,
            status=status,
            company=wanted.company,
            group=wanted.group,
            chat_id=wanted.chat_id,
            thread=wanted.thread,
            started_by=by.id,
            message_id=wanted.message_id,
            task_id=wanted.task_id,
            budget=wanted.budget if wanted.budget is not None else wanted.template.budget,
            estimate=asdict(estimate) if estimate else None,
            created_at=at,
            started_at=at if status is PipelineRunStatus.RUNNING else None,
        )
        steps = [_new_step(run.id, step.number) for step in wanted.template.steps]
        if wanted.origin is not None:
            return pipeline_runs.add(tx, run, steps, origin=wanted.origin)
        return _add_once(tx, run, steps, f"{by.id} {what}", at)

    def _theirs(self, tx: Tx, run_id: str, by: Actor) -> PipelineRun:
        """A run that this person may change: they started it, or they are an admin of its group."""
        run = pipeline_runs.locked(tx, run_id)
        role = by.rights.role_in(run.group) if run else Role.STRANGER
        if run is None or not role.may(Role.MEMBER):
            raise NotFound("run-unknown", id=run_id[:40])
        if not role.may(Role.ADMIN) and people.person(tx, run.started_by).handle != by.handle:
            raise Refused("run-not-yours", id=run.id)
        return run


def _add_once(
    tx: Tx, run: PipelineRun, steps: list[StepRun], what: str, at: datetime
) -> tuple[PipelineRun, bool]:
    """Add a run once: repeats within a few seconds share the current time slot or the one before."""
    hashed, slot = hashlib.sha256(what.encode()).hexdigest(), int(at.timestamp() / _SAME.total_seconds())
    before = pipeline_runs.of_origin(tx, f"{slot - 1} {hashed}")
    if before and at - before.created_at < _SAME:
        return before, False
    return pipeline_runs.add(tx, run, steps, origin=f"{slot} {hashed}")


def _most(run: PipelineRun) -> int | None:
    """None if nobody knows what it may cost."""
    cost = (run.estimate or {}).get("cost")
    return int(cost[1]) if cost else None


def _new_step(run_id: str, number: int, given: dict[str, str] | None = None) -> StepRun:
    return StepRun(run_id=run_id, number=number, state=StepState.WAITING, given=given or None)


def _taken_over(step: StepRun, run_id: str) -> StepRun:
    """A finished step taken over; its money was spent by the old run."""
    return StepRun(
        run_id=run_id,
        number=step.number,
        state=StepState.SKIPPED,
        texts=step.texts,
        results=step.results,
        claims=step.claims,
        faults=step.faults,
    )


def _first_open(steps: Sequence[StepRun]) -> int:
    """Where a run stopped; its first step if it reached the end."""
    ended = (StepState.DONE, StepState.SKIPPED)
    return next((step.number for step in steps if step.state not in ended), 1)
