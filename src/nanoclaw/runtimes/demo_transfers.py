"""How the demo model proposes that a conversation goes on elsewhere."""

import re
from typing import Any

from nanoclaw.texts import say

_TOO_BIG = re.compile(
    r"(?:this|it|це|воно)\b.*\b(?:too (?:big|much|long)|завелик\w+|забагато)\b.*\b(?:chat|чат\w*|here|тут)\b",
    re.I | re.S,
)


def transfer_call(said: str) -> tuple[str, dict[str, Any]] | None:
    """`this is too big for a chat`."""
    return ("propose_transfer", {"why": said[:300]}) if _TOO_BIG.match(said) else None


def proposed(text: str, language: str, *, ok: bool) -> str:
    return say(language, "demo-transfer-proposed") if ok else say(language, "demo-transfer-not", said=text)
