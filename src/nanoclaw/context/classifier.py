"""Which skill does a message need, or which pipeline does it ask for? A small model says, and counts only if
it is sure enough.
"""

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import structlog

from nanoclaw.context.skills import ChosenSkill, Skill
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.model_choice import Complexity
from nanoclaw.domain.pipelines import PipelineWish, Template

log = structlog.get_logger("classifier")

Ask = Callable[[str], Awaitable[str]]

_SURE = 0.5
_SURE_OF_PIPELINE = 0.7  # higher, because a card disturbs people
_LONGEST = 2000  # characters of a message; its beginning says what it is about
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_QUESTION = """A person wrote the message below to an assistant that has these skills:

{skills}

Which skill fits best? Answer with one JSON object and nothing else:
{{"skill": "<name>", "confidence": <0.0 to 1.0>, "complexity": "simple" | "standard" | "complex"}}.
The confidence is low when the message is small talk or fits none.

<message>
{message}
</message>"""
_PIPELINES = """
If the message asks to start one of these pipelines, which take minutes and cost money, answer instead with
{{"pipeline": "<name>", "subject": "<what it should be about, in the person's words>", "confidence": <0.0 to 1.0>}}:

{pipelines}
"""


async def classify(
    ask: Ask, message: str, skills: Sequence[Skill], templates: Sequence[Template] = ()
) -> ChosenSkill | None:
    """None if the model is unsure, gives an odd answer, or cannot be asked: then the default is used."""
    listed = "\n".join(f"- {skill.name}: {skill.head.description}" for skill in skills)
    if templates:
        known = "\n".join(f"- {each.name}: {each.title}. {each.description}".strip() for each in templates)
        listed += f"\n{_PIPELINES.format(pipelines=known)}"
    try:
        said = await ask(_QUESTION.format(skills=listed, message=message[:_LONGEST]))
    except NanoClawError as error:
        log.warning("skill not classified", reason=error)
        return None
    answer = _parsed(said)
    confidence = answer.get("confidence")
    if wish := _wish(answer, confidence, templates):
        return ChosenSkill(skill=None, reason="classified", wish=wish)
    chosen = next((skill for skill in skills if skill.name == answer.get("skill")), None)
    if chosen is None or not isinstance(confidence, int | float) or not _SURE <= confidence <= 1:
        return None
    judged = next((each for each in Complexity if each.value == answer.get("complexity")), None)
    return ChosenSkill(skill=chosen, reason="classified", complexity=judged)


def _wish(answer: dict[str, Any], confidence: object, templates: Sequence[Template]) -> PipelineWish | None:
    subject = answer.get("subject")
    wanted = next((each for each in templates if each.name == answer.get("pipeline")), None)
    is_sure = isinstance(confidence, int | float) and _SURE_OF_PIPELINE <= confidence <= 1
    if wanted is None or not is_sure or not isinstance(subject, str):
        return None
    return PipelineWish(template=wanted.name, subject=subject.strip()[:_LONGEST])


def _parsed(said: str) -> dict[str, Any]:
    found = _OBJECT.search(said)
    try:
        value = json.loads(found[0]) if found else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
