"""Reads the questions that a model asks in JSON, and keeps only what can be asked.

A model may write anything: prose around it, twelve questions, options that are all the same. It is told in
`note` what was left out.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from nanoclaw.domain.json_objects import MOST_JSON, objects_in
from nanoclaw.domain.plans import (
    MOST_FIRST_QUESTIONS,
    MOST_OPTIONS,
    MOST_QUESTIONS,
    PlanOption,
    PlanQuestion,
    Questionnaire,
)
from nanoclaw.domain.slugs import slug
from nanoclaw.domain.text import is_empty, storable, visible

_LEAST_OPTIONS = 2
_SCALARS = (str, int, float)


def read_questionnaire(
    text: str,
    *,
    first_of_agent: bool,
    round: int,  # noqa: A002 - as the field is called
    known: Sequence[PlanQuestion] = (),
) -> Questionnaire | None:
    """None if there is no usable JSON in it: prose, broken JSON, neither questions nor `done`."""
    if len(text) > MOST_JSON:
        return None
    read = (
        questionnaire_of(found.value, first_of_agent=first_of_agent, in_round=round, known=known)
        for found in objects_in(text)
    )
    return next((each for each in read if each), None)


def questionnaire_of(
    said: Mapping[str, Any], *, first_of_agent: bool, in_round: int, known: Sequence[PlanQuestion] = ()
) -> Questionnaire | None:
    """The same for one object."""
    is_done = said.get("done") is True and not first_of_agent
    asked = () if is_done else tuple(_readable(said.get("questions")))
    most = MOST_FIRST_QUESTIONS if first_of_agent else MOST_QUESTIONS
    notes: list[str] = []
    new = _without_repeats(asked, known)
    if len(new) > most:
        notes.append(f"Only the first {most} of your {len(new)} questions were asked.")
    questions = tuple(
        _question(each, number, in_round, notes) for number, each in enumerate(new[:most], len(known) + 1)
    )
    if not questions:
        # Everything was already answered: there is nothing more to ask.
        return Questionnaire(questions=(), done=True) if is_done or asked else None
    goal = slug(_text(said.get("goal"))) or slug(_text(said.get("description")), "plan")
    return Questionnaire(
        questions=questions,
        goal=goal,
        description=slug(_text(said.get("description"))) or slug(questions[0].question, goal),
        note=" ".join(notes),
    )


def _readable(questions: object) -> Iterator[Mapping[str, Any]]:
    for each in questions if isinstance(questions, list) else ():
        if isinstance(each, str):
            each = {"question": each}
        if isinstance(each, dict) and _text(each.get("question")):
            yield each


def _without_repeats(
    asked: Sequence[Mapping[str, Any]], known: Sequence[PlanQuestion]
) -> list[Mapping[str, Any]]:
    seen = {_compared(each.question) for each in known}
    new = []
    for each in asked:
        words = _compared(_text(each["question"]))
        if words not in seen:
            seen.add(words)
            new.append(each)
    return new


def _question(said: Mapping[str, Any], number: int, in_round: int, notes: list[str]) -> PlanQuestion:
    options = _options(said.get("options"))
    if len(options) > MOST_OPTIONS:
        notes.append(
            f"Only the first {MOST_OPTIONS} of the {len(options)} options of q{number} were offered."
        )
    if len(options) < _LEAST_OPTIONS:
        options = ()  # nothing to choose from: the person writes the answer
    return PlanQuestion(
        id=f"q{number}",
        question=_text(said["question"]),
        options=options[:MOST_OPTIONS],
        allow_free_text=said.get("allowFreeText") is True or not options,
        round=in_round,
    )


def _options(said: object) -> tuple[PlanOption, ...]:
    """Options without duplicates. A value that would also name another one gives way to the label: an answer
    is kept as its value, and must not be read as something that nobody chose.
    """
    found: dict[str, PlanOption] = {}
    for each in said if isinstance(said, list) else ():
        given = each if isinstance(each, dict) else {"label": each}
        label = " ".join((_text(given.get("label")) or _text(given.get("value"))).split())
        if label:
            option = PlanOption(label=label, value=_text(given.get("value")) or label)
            found.setdefault(_compared(label), option)
    names = Counter(name for label, each in found.items() for name in {label, _compared(each.value)})
    return tuple(
        each if names[_compared(each.value)] == 1 else replace(each, value=each.label)
        for each in found.values()
    )


def _text(said: object) -> str:
    text = visible(storable(str(said))).strip() if isinstance(said, _SCALARS) else ""
    return "" if is_empty(text) else text


def _compared(text: str) -> str:
    """The form in which texts are compared: case, spaces and the last mark do not count."""
    return " ".join(text.casefold().split()).rstrip(" ?!.:…")
