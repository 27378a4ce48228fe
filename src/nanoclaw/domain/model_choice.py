"""Which model a turn gets and how much it thinks first: by its task or step, group, skill, or how hard it looks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

AUTO = "auto"
"""Stands for a model: chosen by how hard the message looks."""


class ThinkingChoice(StrEnum):
    """As people write it."""

    OFF = "off"
    LOW = "low"
    HIGH = "high"
    AUTO = "auto"  # by how hard the message looks


class Thinking(StrEnum):
    """How much a model thinks before it answers, if its runtime supports that."""

    OFF = "off"
    LOW = "low"
    HIGH = "high"


class Complexity(StrEnum):
    SIMPLE = "simple"
    STANDARD = "standard"
    COMPLEX = "complex"


TIER_FOR = {Complexity.SIMPLE: "haiku", Complexity.STANDARD: "sonnet", Complexity.COMPLEX: "opus"}
THINKING_FOR = {
    Complexity.SIMPLE: Thinking.OFF,
    Complexity.STANDARD: Thinking.LOW,
    Complexity.COMPLEX: Thinking.HIGH,
}

_LONG, _VERY_LONG, _SHORT = 400, 1500, 200  # characters
_MANY_FILES = 3
_COMPLEX_FROM = 3  # points
# Beginnings of words, because both languages inflect their ends.
_HARD = (
    r"analy[sz]|strateg|compar|evaluat|assess|trade-?offs?|pros and cons|architect|research|root cause|forecast|"
    r"investigat|in depth|step by step|"
    r"аналіз|проаналіз|стратег|порівн|оцін(?:и|іть|ка|ити)|переваг|недолік|архітектур|дослід|обґрунт|прогноз|"
    r"першопричин|розслід|детально|покроково"
)
_WORK = (
    r"writ(?:e|ing)|draft|creat|prepar|summari[sz]|explain|describ|translat|rewrit|edit|fix|"
    r"напиш|напис|склад(?:и|іть)|створ|підгот|підсум|поясн|опиш|перекла|перепиш|відредаг|виправ"
)
_HARD_WORDS = re.compile(rf"\b(?:{_HARD})", re.IGNORECASE)
_WORK_WORDS = re.compile(rf"\b(?:{_WORK})", re.IGNORECASE)
_CODE = re.compile(
    r"```|Traceback \(most recent|^\s*(?:def|class|import|function|SELECT|#include)\b", re.MULTILINE
)
_POINTS = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelChoice:
    """The model, and the reasons for `why`: `task`, `step`, `group`, `skill`, `complexity-simple` ..., `default`."""

    model: str
    reason: str
    thinking: Thinking | None = None  # None: the vendor's default
    thinking_reason: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelWish:
    """What one place says about model and thinking; None: nothing."""

    by: str
    model: str | None = None
    thinking: str | None = None


def judge(text: str, files: int = 0) -> Complexity:
    """How hard a message looks. A guess from its surface, which costs nothing."""
    points = 2 * min(len(set(map(str.lower, _HARD_WORDS.findall(text)))), 2)
    points += 1 if _WORK_WORDS.search(text) else 0
    points += 2 if _CODE.search(text) else 0
    points += 2 if len(text) > _VERY_LONG else 1 if len(text) > _LONG else 0
    points += 2 if files >= _MANY_FILES else 1 if files else 0
    points += 1 if len(_POINTS.findall(text)) >= 3 or text.count("?") >= 3 else 0
    if points >= _COMPLEX_FROM:
        return Complexity.COMPLEX
    return Complexity.STANDARD if points or len(text) > _SHORT else Complexity.SIMPLE


def choose(
    places: Sequence[ModelWish], text: str, files: int, judged: Complexity | None = None
) -> ModelChoice:
    """The first place that names something decides, separately for the model and the thinking. `judged` is
    what a small model said about the message, if one read it anyway.
    """

    def hard() -> Complexity:
        return judged or judge(text, files)

    model, reason = next(((each.model, each.by) for each in places if each.model), ("sonnet", "default"))
    if model == AUTO:
        complexity = hard()
        model, reason = TIER_FOR[complexity], f"complexity-{complexity}"
    thinking, why = next(((each.thinking, each.by) for each in places if each.thinking), (None, ""))
    if thinking == AUTO:
        complexity = hard()
        return ModelChoice(
            model=model,
            reason=reason,
            thinking=THINKING_FOR[complexity],
            thinking_reason=f"complexity-{complexity}",
        )
    return ModelChoice(
        model=model, reason=reason, thinking=Thinking(thinking) if thinking else None, thinking_reason=why
    )
