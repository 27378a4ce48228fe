"""What the agent of a live session is told: the request, its context, and the conclusion the person should reach."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nanoclaw.domain.questions import Question
from nanoclaw.domain.turns import SystemPrompt

_RULES = (
    "You are in a live session: a person opened it to work with you on one request, and somebody waits for what they "
    "conclude. Help them to look into it: show files and differences, run what they ask for, say what you think. "
    "Only the person concludes, with `nanoclaw session conclude`, the page or the card; nothing that is said here "
    "ends the session, and you cannot end it."
)
_OPENS = "<live_session>"


def instructed(prompt: SystemPrompt, question: Question) -> SystemPrompt:
    """The prompt of the group's agent, with what the request says about this session below it."""
    own = str((question.config or {}).get("systemPrompt") or "").strip()
    lines = "\n\n".join(filter(None, (_RULES, own)))
    return replace(prompt, skill=f"{prompt.skill}\n\n{_OPENS}\n{lines}\n</live_session>".strip())


def is_live(prompt: SystemPrompt) -> bool:
    return _OPENS in prompt.skill


def first_message(question: Question) -> str:
    """What the conversation begins with."""
    config = question.config or {}
    parts = [question.prompt.strip()]
    context = config.get("context") or question.context
    if context:
        text = context if isinstance(context, str) else json.dumps(context, ensure_ascii=False, indent=2)
        parts.append(f"## Context\n{text}")
    if folder := config.get("cwd"):
        parts.append(f"## Folder\nBegin in {folder}.")
    parts.append(f"## Conclusion\n{_wanted(config.get('outcomeSchema') or {})}")
    return "\n\n".join(parts)


def _wanted(outcome: Mapping[str, Any]) -> str:
    match outcome.get("type"):
        case "approval":
            return "The person will approve or reject it."
        case "selection":
            return (
                f"The person will choose one of these: {', '.join(map(str, outcome.get('options') or ()))}."
            )
        case "structured":
            schema = json.dumps(outcome.get("jsonSchema") or {}, ensure_ascii=False)
            return (
                f"The person will fill in a form with this JSON Schema: {schema}\n"
                "Once you have gathered everything and they are ready to conclude, sum it up and write the result down "
                'in this format, which fills in the form for them:\n```json\n{"decision": <the result>}\n```'
            )
        case _:
            return "The person will write down what was decided, in their own words."
