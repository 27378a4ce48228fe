"""What a run of a member's task may cost. Once its owner's day is used up, it waits for an admin's yes.

Scheduled and background work alike: nobody knows before what an agent will cost, so the run gets what is left for a
start, as the ceiling of a chain of its own.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from nanoclaw.context.groups import Groups
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.people import Actor
from nanoclaw.domain.question_requests import LAYOUTS
from nanoclaw.domain.questions import Asker, NewQuestion, Question, QuestionKind, Status, digest_of
from nanoclaw.domain.tasks import Run, Task
from nanoclaw.domain.text import as_written
from nanoclaw.durable import audit, chains, handoffs, messages, people, questions
from nanoclaw.durable.store import Tx
from nanoclaw.flows.human.each_language import in_each, sentence, with_line
from nanoclaw.flows.human.new_questions import NewQuestions
from nanoclaw.flows.spending.member_limits import BeyondLimit, MemberLimits, tell_waiting

_ABOUT = "money for "
_YES = "approve"
_OPEN_FOR = timedelta(hours=24)


@dataclass(frozen=True, kw_only=True, slots=True)
class Allowed:
    """The run may begin. Its calls count for this chain; None if it has no ceiling of its own."""

    chain_id: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class RunMoney:
    limits: MemberLimits
    groups: Groups
    new_questions: NewQuestions

    def allow(
        self, tx: Tx, task: Task, run: Run, session_id: SessionId, turn_id: str, at: datetime
    ) -> Allowed | None:
        """None while an admin is asked. Raises Refused when none agreed."""
        if chains.company_of(tx, run.id) is not None:  # an earlier turn of this run
            return Allowed(chain_id=run.id)
        owner, company = people.person(tx, task.owner), self.groups.get(task.group).company
        if self.limits.is_free(tx, owner, task.group):
            return Allowed(chain_id=None)
        asked = questions.find(tx, session_id, f"{_ABOUT}{run.id}")
        if asked is not None:
            return self._decided(tx, asked, run, company, at)
        budget, beyond = self.limits.judge_unknown(tx, owner, task.group, company, at)
        if beyond:
            self._ask(tx, task, run, beyond, session_id, turn_id, company, at)
            return None
        return _with_ceiling(tx, run, company, budget, at)

    def _decided(self, tx: Tx, asked: Question, run: Run, company: str, at: datetime) -> Allowed | None:
        if asked.is_open:
            return None
        is_agreed = asked.status is Status.COMPLETED and asked.chosen == _YES
        if not is_agreed or not self.limits.may_decide(tx, asked.decided_by, asked.group):
            raise Refused("member-limit-declined")
        most = self.limits.by_yes
        if not asked.is_about(_effect(run, _work_of(tx, run), most)):
            raise Refused("member-limit-declined")
        return _with_ceiling(tx, run, company, most, at)

    def _ask(
        self,
        tx: Tx,
        task: Task,
        run: Run,
        beyond: BeyondLimit,
        session_id: SessionId,
        turn_id: str,
        company: str,
        at: datetime,
    ) -> None:
        owner = people.person(tx, task.owner)
        language, work = owner.language or "en", _work_of(tx, run)
        told = {"id": task.id, "title": as_written(task.title), "name": as_written(owner.name)}
        words = sentence("member-limit-run-asked", **told)
        wanted = NewQuestion(
            kind=QuestionKind.APPROVAL,
            prompt=words(language),
            config=in_each(words),
            options=LAYOUTS["approve_reject"],
            timeout=_OPEN_FOR,
            default="reject",
            context={"prompt": work},
            skill=task.skill,
            effect=_effect(run, work, self.limits.by_yes),
        )
        asker = Asker(
            asked_id=f"{_ABOUT}{run.id}",
            group=task.group,
            company=company,
            session_id=session_id,
            execution_id=turn_id,
            chat_id=task.chat_id,
            thread=task.thread,
        )
        self.new_questions.open(tx, with_line(wanted, beyond.line), asker, None, at)
        tell_waiting(tx, task.chat_id, task.thread, None, beyond, language, at)


def is_about_money(question: Question) -> bool:
    """Whether it asked an admin if a run may begin, before the agent was told anything."""
    return question.session_id is not None and question.asked_id.startswith(_ABOUT)


def let_cost(tx: Tx, run: Run, company: str, by: Actor, at: datetime) -> None:
    """An admin starts it by hand: what they decide has no limit but the company's."""
    handoffs.begin_chain(tx, run.id, company, budget=None, message_id=None, at=at)
    audit.record(tx, by, at, "task-run-allowed", str(run.task_id), run=run.id)


def _with_ceiling(tx: Tx, run: Run, company: str, budget: int | None, at: datetime) -> Allowed:
    handoffs.begin_chain(tx, run.id, company, budget=budget, message_id=run.message_id, at=at)
    return Allowed(chain_id=run.id)


def _work_of(tx: Tx, run: Run) -> str:
    """What its agent is told: the task as it was when the run began, whatever became of it since."""
    told = messages.get(tx, run.message_id) if run.message_id else None
    return told.text if told else ""


def _effect(run: Run, told: str, micros: int) -> str:
    return digest_of(run.id, told, micros)
