"""Which skill does a message need? A small model reads it, and counts only when it is sure enough."""

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import structlog

from nanoclaw.context.skills import Choice, Skill
from nanoclaw.domain.errors import NanoClawError

log = structlog.get_logger("classifier")

Ask = Callable[[str], Awaitable[str]]

_SURE = 0.5
_LONGEST = 2000  # characters of a message; its beginning says what it is about
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)
_QUESTION = """A person wrote the message below to an assistant that has these skills:

{skills}

Which skill fits best? Answer with one JSON object and nothing else:
{{"skill": "<name>", "confidence": <0.0 to 1.0>}}. The confidence is low when the message is small talk or fits none.

<message>
{message}
</message>"""


async def classify(ask: Ask, message: str, skills: Sequence[Skill]) -> Choice | None:
    """None when the model is unsure, gives an odd answer, or cannot be asked: then the default is used."""
    listed = "\n".join(f"- {skill.name}: {skill.head.description}" for skill in skills)
    try:
        said = await ask(_QUESTION.format(skills=listed, message=message[:_LONGEST]))
    except NanoClawError as error:
        log.warning("skill not classified", reason=error)
        return None
    answer = _parsed(said)
    confidence = answer.get("confidence")
    chosen = next((skill for skill in skills if skill.name == answer.get("skill")), None)
    if chosen is None or not isinstance(confidence, int | float) or not _SURE <= confidence <= 1:
        return None
    return Choice(skill=chosen, reason="classified")


def _parsed(said: str) -> dict[str, Any]:
    found = _OBJECT.search(said)
    try:
        value = json.loads(found[0]) if found else {}
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
