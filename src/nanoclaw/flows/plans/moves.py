"""What an answer, a step back or a new round does to a plan. Nothing here touches the database."""

from dataclasses import replace

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.plans import MOST_ROUNDS, Plan, PlanState, Questionnaire


def answered(plan: Plan, index: int, answer: str) -> Plan:
    """Record an answer; the next question is the first without one. Changing an answer discards what was
    asked because of it.
    """
    before = plan.answers[index]
    answers = _with(plan.answers, index, answer)
    if before not in (None, answer):
        rounds = [each.round for each in plan.questions]
        kept = sum(each <= rounds[index] for each in rounds)
        plan = replace(plan, questions=plan.questions[:kept], round=rounds[index])
        answers = answers[:kept]
    plan = replace(plan, answers=answers)
    if None in answers:
        return replace(plan, state=PlanState.COLLECTING, current=answers.index(None))
    if before == answer or plan.round >= MOST_ROUNDS:  # the same as before: nothing new to ask about
        return summed_up(plan)
    return replace(plan, state=PlanState.GENERATING, current=len(answers))


def back(plan: Plan) -> Plan:
    """Go to the question before, or back to the summary from which an answer is edited."""
    if plan.state is PlanState.CONFIRMING or None not in plan.answers:
        return summed_up(plan)
    if plan.current == 0:
        raise Refused("plan-first-question")
    return replace(plan, answers=_with(plan.answers, plan.current, None), current=plan.current - 1)


def edited(plan: Plan, index: int) -> Plan:
    """Ask one question again; until then the old answer holds."""
    return replace(plan, state=PlanState.COLLECTING, current=index)


def with_round(plan: Plan, asked: Questionnaire) -> Plan:
    """Add the model's next round, or sum up if it has enough."""
    plan = replace(
        plan,
        goal=plan.goal or asked.goal,
        description=plan.description or asked.description,
        note=asked.note or None,
    )
    if asked.done or not asked.questions:
        return summed_up(plan)
    begins = len(plan.questions)
    return replace(
        plan,
        state=PlanState.COLLECTING,
        questions=(*plan.questions, *asked.questions),
        answers=(*plan.answers, *(None for _ in asked.questions)),
        current=begins,
        round=plan.round + 1,
    )


def summed_up(plan: Plan) -> Plan:
    return replace(plan, state=PlanState.CONFIRMING, current=len(plan.questions))


def _with(answers: tuple[str | None, ...], index: int, answer: str | None) -> tuple[str | None, ...]:
    return (*answers[:index], answer, *answers[index + 1 :])
