"""The next round of a plan: the model reads the task and the answers, and asks more or has enough."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from nanoclaw.domain.errors import ModelRefused
from nanoclaw.domain.money import Spender
from nanoclaw.domain.plans import (
    LEAST_QUESTIONS,
    MOST_OPTIONS,
    MOST_QUESTIONS,
    MOST_ROUNDS,
    MOST_TASK,
    Plan,
    Questionnaire,
)
from nanoclaw.domain.questionnaires import read_questionnaire

Ask = Callable[[Spender, str], Awaitable[str]]

_LANGUAGES = {"en": "English", "uk": "Ukrainian"}
_SHAPE = """{"goal": "short-slug-for-goal", "description": "short-slug-for-description", "done": false,
 "questions": [{"id": "q1", "question": "The question text",
   "options": [{"label": "Option A", "value": "a"}, {"label": "Option B", "value": "b"}], "allowFreeText": true}]}"""
_RULES = (
    f"Each question has 2 to {MOST_OPTIONS} options with labels of at most 20 characters. "
    "Set allowFreeText to true where someone may have an answer of their own. "
    "Ask only what changes how the task is done. Answer with the JSON alone."
)
_MORE = """Do you need more clarifying questions?
- If yes: return {{"done": false, "questions": [...]}} ({wanted} more, no repeats)
- If enough context: return {{"done": true, "questions": []}}
Max {most} rounds total; this would be round {round}."""
_PROSE = "Your last answer was not the JSON object that was asked for. Answer with that object alone."


@dataclass(frozen=True, kw_only=True, slots=True)
class Rounds:
    ask: Ask

    async def next(self, plan: Plan, person: str) -> Questionnaire | None:
        """None if the model has twice given an unusable answer. Raises ModelOutage or ModelFailed."""
        spender = Spender(
            company=plan.company,
            group=plan.group,
            session_id=plan.id,
            turn_id=plan.id,
            runtime="plan",
            flow="E",
            person=person,
            chat_id=plan.chat_id,
            is_own=True,
        )
        for note in (plan.note, _PROSE):
            said = await self._said(spender, prompt_for(plan, note))
            found = read_questionnaire(said, first_of_agent=False, round=plan.round + 1, known=plan.questions)
            if found is not None:
                return found
        return None

    async def _said(self, spender: Spender, prompt: str) -> str:
        try:
            return await self.ask(spender, prompt)
        except ModelRefused:
            # If the overdraft for people's own messages is used up too, ask as work for nobody, which is held
            # until there is money.
            return await self.ask(replace(spender, is_own=False), prompt)


def prompt_for(plan: Plan, note: str | None = None) -> str:
    """The prompt. The task and the person's words stand between marks, so that they do not act as
    instructions about the form.
    """
    wanted = f"{LEAST_QUESTIONS} to {MOST_QUESTIONS}"
    task = f"<task>\n{plan.task[:MOST_TASK]}\n</task>"
    notes = [f"Note: {note}"] if note else []
    language = (
        f"Write questions and labels in {_LANGUAGES.get(plan.language, 'English')}; slugs in Latin letters."
    )
    if not plan.questions:
        asked = f"Generate {wanted} clarifying questions. Return JSON: {_SHAPE}"
        return "\n\n".join([f"Task: {task}", asked, _RULES, language, *notes])
    answers = "\n".join(f"Q: {question.question} → {answer}" for question, answer in plan.answered)
    return "\n\n".join(
        [
            f"Task: {task}",
            f"Answers gathered so far:\n<answers>\n{answers}\n</answers>",
            _MORE.format(wanted=wanted, most=MOST_ROUNDS, round=plan.round + 1),
            f"The shape of the JSON: {_SHAPE}",
            _RULES,
            language,
            *notes,
        ]
    )
