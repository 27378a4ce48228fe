"""How the demo model proposes to continue a conversation elsewhere, and what it says about the result."""

import re
from typing import Any

from nanoclaw.domain.text import as_written
from nanoclaw.texts import say

_TOO_BIG = re.compile(
    r"(?:this|it|це|воно)\b.*\b(?:too (?:big|much|long)|завелик\w+|забагато)\b.*\b(?:chat|чат\w*|here|тут)\b",
    re.I | re.S,
)

# As `flows/analyses/merging.py` wakes an agent.
_BACK = re.compile(r"The result of transfer \S+ came back as a document\. Taken over:")
_STEP = re.compile(r"^> \*\*Next step:\*\* (?P<step>.+)$", re.M)
_SHOWN = 300


def transfer_call(said: str) -> tuple[str, dict[str, Any]] | None:
    """`this is too big for a chat`."""
    return ("propose_transfer", {"why": said[:300]}) if _TOO_BIG.match(said) else None


def proposed(text: str, language: str, *, ok: bool) -> str:
    return say(language, "demo-transfer-proposed") if ok else say(language, "demo-transfer-not", said=text)


def is_back(said: str) -> bool:
    """Whether these are the host's words about a result, which contain no wish."""
    return _BACK.match(said) is not None


def came_back(said: str, language: str) -> str | None:
    if not is_back(said):
        return None
    step = _STEP.search(said)
    told = say(language, "demo-transfer-back")
    return (
        f"{told} {say(language, 'demo-transfer-step', step=as_written(step['step'][:_SHOWN]))}"
        if step
        else told
    )
