"""What the agent gets from a confirmed plan: the task and every answer, in the person's name."""

from nanoclaw.domain.boxes import WORK
from nanoclaw.domain.plans import Plan, PlanSource
from nanoclaw.flows.plans.plan_text import SUMMED_ANSWER, SUMMED_QUESTION, cut
from nanoclaw.texts import say


def prompt_of(plan: Plan) -> str:
    """An agent's questions are repeated only as far as the person could read them in the summary: the agent
    may have read something that hides words in a long question, and this message counts as the person's
    own.
    """
    is_of_agent = plan.source is PlanSource.AGENT
    pairs = [
        (cut(question.question, SUMMED_QUESTION), cut(answer, SUMMED_ANSWER))
        if is_of_agent
        else (question.question, answer)
        for question, answer in plan.answered
    ]
    language = plan.language
    parts = [say(language, "plan-prompt", task=plan.task)]
    if pairs:
        parts.append(say(language, "plan-prompt-answers"))
        parts += [say(language, "plan-prompt-answer", question=asked, answer=said) for asked, said in pairs]
    if plan.path:
        parts.append(say(language, "plan-prompt-file", path=f"{WORK}/{plan.path}"))
    return "\n\n".join(parts)
