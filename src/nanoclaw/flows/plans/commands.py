"""`/plan`: a person wants to be asked questions before the agent begins."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from nanoclaw.admission.rates import Rates
from nanoclaw.context.groups import Groups
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.people import Role
from nanoclaw.domain.plans import MOST_TASK, PlanState
from nanoclaw.domain.text import as_written, is_empty
from nanoclaw.durable.store import Tx
from nanoclaw.flows.incoming.commands import Answer, CommandContext, RefusedAnswer, refused_in_words
from nanoclaw.flows.plans import plan_text
from nanoclaw.flows.plans.changes import Plans
from nanoclaw.flows.plans.open_plans import locked_going_on
from nanoclaw.texts import language_of, say


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanCommands:
    groups: Groups
    plans: Plans
    rates: Rates

    def answers(self) -> Mapping[str, Answer]:
        return {"plan": partial(refused_in_words, self._plan)}

    def idle(self, tx: Tx, _: str, asked: CommandContext) -> str:
        """Answer `/stop` when nothing else runs: what they write goes to the plan, so say how to end it."""
        plan = locked_going_on(tx, asked.chat.id, asked.message.thread, asked.person.id)
        if plan is None or plan.rested_at:
            return ""
        if (
            plan.state is PlanState.GENERATING
        ):  # the first plan in a chat where no agent has said anything yet
            return self.plans.cancel(tx, plan, asked.at)
        return say(asked.locale.speaks, "plan-stop-open", task=as_written(plan_text.cut(plan.task, 100)))

    def stopped(self, tx: Tx, session_id: SessionId, asked: CommandContext, *, clear: bool) -> bool:
        """Handle `/stop` while the model thinks of questions; a plan that waits for answers is kept, whatever
        else is stopped.
        """
        del session_id, clear  # a plan belongs to the person, not to a conversation
        plan = locked_going_on(tx, asked.chat.id, asked.message.thread, asked.person.id)
        if plan is None or plan.state is not PlanState.GENERATING:
            return False
        self.plans.cancel(tx, plan, asked.at)
        return True

    def _plan(self, tx: Tx, task: str, asked: CommandContext) -> str:
        """`/plan TASK`. Without a task it shows the open plan again, where the person looks now. Empty: the
        card is the answer.
        """
        if is_empty(task):
            if plan := locked_going_on(tx, asked.chat.id, asked.message.thread, asked.person.id):
                self.plans.take_up(tx, plan, asked.at)
                return ""
            return RefusedAnswer(as_written(say(asked.locale.speaks, "plan-usage")))
        if len(task) > MOST_TASK:
            raise Refused("plan-task-long", most=MOST_TASK, count=len(task))
        fits = [each for each in asked.groups if asked.rights.role_in(each).may(Role.MEMBER)]
        found = ((each, self.groups.company_of(each)) for each in fits)
        group, company = next(((each, company) for each, company in found if company), (None, None))
        if group is None or company is None:
            raise Refused("plan-no-agent")
        # Asking for questions costs as much as a message, so it counts as one.
        pause = self.rates.take(asked.message.id, asked.person.id, (group,), asked.at)
        self.plans.begin(
            tx,
            task=task,
            person=asked.person,
            chat=asked.chat,
            thread=asked.message.thread,
            group=group,
            company=company,
            language=asked.person.language or language_of(task) or asked.locale.speaks,
            message_id=asked.message.id,
            at=asked.at,
            not_before=pause.until if pause else None,
        )
        return ""
