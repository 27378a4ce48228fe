"""How the demo asks before it begins: as the model of `/plan`, and as an agent that is unsure.

Two rounds from a small script; the second depends on the answers to the first.
"""

import json
import re
from collections.abc import Sequence
from itertools import product
from typing import Any

from nanoclaw.domain.plans import MOST_ROUNDS
from nanoclaw.texts import LANGUAGES, say

# As written by flows/plans/rounds.py.
_TASK = re.compile(r"<task>\n(?P<task>.*?)\n</task>", re.DOTALL)
_ANSWERED = re.compile(r"^Q: (?P<question>.*) → (?P<answer>.*)$", re.MULTILINE)
_LANGUAGE = re.compile(r"Write questions and labels in (?P<language>English|Ukrainian)")
_CODES = {"English": "en", "Ukrainian": "uk"}
_ASK_FIRST = "INTERACTIVE MODE INSTRUCTIONS"  # in the system prompt, if someone is there to answer
_TOPICS = ("bug", "access")
_ANYTHING = "any"
_OWN_WORDS = "…"
_DECIDES = 1  # position of the question in the first round whose answer chooses the second
_NAMED = 60  # characters of the task that name the plan


def answer(prompt: str) -> str:
    """What a model would answer, in JSON, when the host wants the next round of a plan."""
    task, spoken = _TASK.search(prompt), _LANGUAGE.search(prompt)
    language = _CODES[spoken["language"]] if spoken else "en"
    said = task["task"] if task else prompt
    answered = {found["question"]: found["answer"] for found in _ANSWERED.finditer(prompt)}
    if not answered:
        return _written(_questions(language, f"demo-plan-{_topic(said, language)}"), said, done=False)
    topic = _topic_asked(answered, language) or _topic(said, language)
    first = _questions(language, f"demo-plan-{topic}")
    variants = [_questions(language, f"demo-plan-{topic}-{place}") for place in range(1, MOST_ROUNDS + 1)]
    if any(each["question"] in answered for variant in variants for each in variant):
        return json.dumps({"done": True, "questions": []})
    decides = first[_DECIDES]
    labels = [option["label"] for option in decides["options"]]
    chosen = answered.get(decides["question"], "")
    place = labels.index(chosen) if chosen in labels else len(variants) - 1
    return _written(variants[place], said, done=False)


def unsure(said: str, language: str, system_prompt: str) -> str | None:
    """The questions of an agent that is told about a bug and little else; None for anything else."""
    if _ASK_FIRST not in system_prompt or "\n" in said or not _hints(said, language, "bug"):
        return None
    return _written(_questions(language, "demo-plan-bug"), said, interactive=True)


def planned(said: str) -> str | None:
    """The answer to a message that brings a confirmed plan; None for any other."""
    for language in LANGUAGES:
        begin, *_ = say(language, "plan-prompt", task="").splitlines()
        if said.startswith(begin):
            rest = said.removeprefix(begin).strip()
            quoted = "\n".join(f"> {line}".rstrip() for line in rest.splitlines())
            return f"{say(language, 'demo-planned')}\n\n{quoted}"
    return None


def _topic(said: str, language: str) -> str:
    return next((topic for topic in _TOPICS if _hints(said, language, topic)), _ANYTHING)


def _topic_asked(answered: dict[str, str], language: str) -> str | None:
    asked = product((*_TOPICS, _ANYTHING), answered)
    return next(
        (
            topic
            for topic, question in asked
            if question == _questions(language, f"demo-plan-{topic}")[0]["question"]
        ),
        None,
    )


def _hints(said: str, language: str, topic: str) -> bool:
    lowered = said.lower()
    return any(cue.strip() in lowered for cue in say(language, f"demo-plan-cues-{topic}").split("|"))


def _questions(language: str, key: str) -> list[dict[str, Any]]:
    return [
        _question(number, [part.strip() for part in line.split("|")])
        for number, line in enumerate(say(language, key).splitlines(), 1)
    ]


def _question(number: int, parts: Sequence[str]) -> dict[str, Any]:
    question, *labels = parts
    options = [{"label": label, "value": label} for label in labels if label != _OWN_WORDS]
    free = _OWN_WORDS in labels
    return {"id": f"q{number}", "question": question, "options": options, "allowFreeText": free}


def _written(questions: Sequence[dict[str, Any]], task: str, **more: bool) -> str:
    """On one line: it comes word by word, and nobody sees it."""
    name = " ".join(task.split())[:_NAMED]
    said = {**more, "goal": name, "description": name, "questions": questions}
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"))
