"""What the host itself asks, said to each reader in their own language."""

from collections.abc import Callable, Mapping
from typing import Any

from nanoclaw.domain.questions import Question, QuestionKind
from nanoclaw.texts import LANGUAGES, say

_PROMPTS = "prompts"


def in_each(words: Callable[[str], str]) -> Mapping[str, Any]:
    """The `config` of such a question. Only the host gives one to a question that is no interactive session."""
    return {_PROMPTS: {language: words(language) for language in LANGUAGES}}


def sentence(key: str, **values: object) -> Callable[[str], str]:
    """A text with its values, for whichever language is asked for."""
    return lambda language: say(language, key, **values)


def prompt_in(question: Question, language: str) -> str:
    """Whatever others ask stays in their words."""
    if question.kind is QuestionKind.INTERACTIVE or not question.config:
        return question.prompt
    return str(question.config[_PROMPTS].get(language, question.prompt))
