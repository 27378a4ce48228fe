"""The demo asks two rounds of questions that fit the task and the answers, in both languages."""

from itertools import product

import pytest

from nanoclaw.context.ask_first import ASK_FIRST
from nanoclaw.domain.interactive_signal import read_signal
from nanoclaw.domain.plans import PlanQuestion, Questionnaire
from nanoclaw.domain.questionnaires import read_questionnaire
from nanoclaw.runtimes.demo_plan import answer, planned, unsure
from nanoclaw.texts import LANGUAGES, say

TASKS = ("add JWT authentication", "Додати вхід через JWT", "paint the office", "I need to fix the auth bug")


def round_of(task: str, language: str, *answered: tuple[PlanQuestion, str]) -> Questionnaire:
    said = "\n".join(f"Q: {question.question} → {label}" for question, label in answered)
    prompt = f"Task: <task>\n{task}\n</task>\n\n<answers>\n{said}\n</answers>\n\n"
    prompt += f"Write questions and labels in {'Ukrainian' if language == 'uk' else 'English'}; slugs in Latin letters."
    known = [question for question, _ in answered]
    found = read_questionnaire(answer(prompt), first_of_agent=False, round=1, known=known)
    assert found
    return found


@pytest.mark.parametrize(("task", "language"), list(product(TASKS, LANGUAGES)))
def test_the_second_round_depends_on_the_first_and_there_is_no_third(task: str, language: str) -> None:
    first = round_of(task, language)
    assert (len(first.questions), first.done, first.note) == (3, False, "")
    seconds = set()
    for option in first.questions[1].options:
        chosen = [(each, each.options[0].label) for each in first.questions]
        chosen[1] = (first.questions[1], option.label)
        second = round_of(task, language, *chosen)
        assert [each.id for each in second.questions] == ["q4", "q5"]
        seconds.add(second.questions[0].question)
        both = [*chosen, *((each, "in words") for each in second.questions)]
        assert round_of(task, language, *both).done
    assert len(seconds) == 3
    for each in first.questions:
        assert all(len(option.label) <= 20 for option in each.options)


@pytest.mark.parametrize(
    ("said", "language"), [("I need to fix the auth bug", "en"), ("Треба виправити помилку входу", "uk")]
)
def test_an_unsure_demo_answers_with_the_signal_where_it_may(said: str, language: str) -> None:
    found = read_signal(unsure(said, language, ASK_FIRST) or "")
    assert found
    assert len(found.questionnaire.questions) == 3
    assert unsure(said, language, "") is None
    brought = f"{say(language, 'plan-prompt', task=said)}\n\nQ: Where? → There"
    assert unsure(brought, language, ASK_FIRST) is None
    assert (planned(brought) or "").startswith(say(language, "demo-planned"))
    assert said in (planned(brought) or "")
    assert planned(said) is None
