"""What the host itself asks, in each reader's own language."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from nanoclaw.domain.questions import NewQuestion, Question, QuestionKind
from nanoclaw.texts import LANGUAGES, say

_PROMPTS, _CONTEXTS, _ENCLOSED, _SEEN = "prompts", "contexts", "enclosed", "seen"
_SETTINGS = ("systemPrompt", "model", "cwd", "mcpConfig", "mcpServers", "captureTranscript")


def in_each(words: Callable[[str], str], context: Callable[[str], str] | None = None) -> Mapping[str, Any]:
    """The `config` of a question by the host: what it asks and shows. Only the host sets one on questions
    other than interactive sessions.
    """
    said = {_PROMPTS: {language: words(language) for language in LANGUAGES}}
    return said | {_CONTEXTS: {language: context(language) for language in LANGUAGES}} if context else said


def with_line(wanted: NewQuestion, line: Callable[[str], str]) -> NewQuestion:
    """The same card with one more line below, in each language that it has."""
    config = dict(wanted.config or {})
    prompts = config.get(_PROMPTS) or dict.fromkeys(LANGUAGES, wanted.prompt)
    longer = {language: f"{prompt}\n\n{line(language)}" for language, prompt in prompts.items()}
    said = next((each for each, prompt in prompts.items() if prompt == wanted.prompt), LANGUAGES[0])
    return replace(wanted, prompt=longer[said], config={**config, _PROMPTS: longer})


def enclosed(seen: Mapping[str, str] | None = None, **texts: str) -> Mapping[str, Any]:
    """The part of a `config` with texts that the card only names, and whose document has them. `seen`: where they
    were agreed to before, word for word (`chat_id`, `name`, `at`, `file`); that chat has their document already.
    """
    return {_ENCLOSED: texts} | ({_SEEN: seen} if seen else {})


def sentence(key: str, **values: object) -> Callable[[str], str]:
    """A text with its values, in any language."""
    return lambda language: say(language, key, **values)


def prompt_in(question: Question, language: str) -> str:
    """The prompt in this language; what others ask stays in their words."""
    if question.kind is QuestionKind.INTERACTIVE or not question.config:
        return question.prompt
    return str(question.config.get(_PROMPTS, {}).get(language, question.prompt))


def context_in(question: Question, language: str) -> object:
    """What it shows besides."""
    if question.kind is QuestionKind.INTERACTIVE or not question.config:
        return question.context
    return question.config.get(_CONTEXTS, {}).get(language, question.context)


def enclosed_with(question: Question, language: str) -> Mapping[str, str]:
    """What takes effect and is too long for any card, by its name."""
    if question.kind is QuestionKind.INTERACTIVE or not question.config:
        return {}
    enclosed: Mapping[str, str] = question.config.get(_ENCLOSED, {})
    return {say(language, f"question-part-{name}"): text for name, text in enclosed.items()}


def seen_before(question: Question) -> Mapping[str, str]:
    """Where the enclosed texts were agreed to before; empty if nowhere."""
    if question.kind is QuestionKind.INTERACTIVE or not question.config:
        return {}
    seen: Mapping[str, str] = question.config.get(_SEEN, {})
    return seen


def settings_of(question: Question) -> Mapping[str, Any]:
    """What an interactive session is started with, besides what its card shows anyway."""
    if question.kind is not QuestionKind.INTERACTIVE:
        return {}
    config = dict(question.config or {})
    schema = (config.get("outcomeSchema") or {}).get("jsonSchema")
    told = {name: config[name] for name in _SETTINGS if config.get(name)}
    hidden = {"context": config["context"]} if config.get("context") and question.context is None else {}
    return told | hidden | ({"jsonSchema": schema} if schema else {})
