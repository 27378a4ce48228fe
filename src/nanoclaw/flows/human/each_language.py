"""What the host itself asks, in each reader's own language."""

from collections.abc import Callable, Mapping
from typing import Any

from nanoclaw.domain.questions import Question, QuestionKind
from nanoclaw.texts import LANGUAGES, say

_PROMPTS, _CONTEXTS = "prompts", "contexts"


def in_each(words: Callable[[str], str], context: Callable[[str], str] | None = None) -> Mapping[str, Any]:
    """The `config` of a question by the host: what it asks and shows. Only the host sets one on questions
    other than interactive sessions.
    """
    said = {_PROMPTS: {language: words(language) for language in LANGUAGES}}
    return said | {_CONTEXTS: {language: context(language) for language in LANGUAGES}} if context else said


def sentence(key: str, **values: object) -> Callable[[str], str]:
    """A text with its values, in any language."""
    return lambda language: say(language, key, **values)


def prompt_in(question: Question, language: str) -> str:
    """The prompt in this language; what others ask stays in their words."""
    if question.kind is QuestionKind.INTERACTIVE or not question.config:
        return question.prompt
    return str(question.config[_PROMPTS].get(language, question.prompt))


def context_in(question: Question, language: str) -> object:
    """What it shows besides."""
    if question.kind is QuestionKind.INTERACTIVE or not question.config:
        return question.context
    return question.config.get(_CONTEXTS, {}).get(language, question.context)
