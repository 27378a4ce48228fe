"""Mistakes in templates, as sentences for people."""

from nanoclaw.domain.pipelines import Mistake
from nanoclaw.domain.text import storable
from nanoclaw.texts import say

_MOST_ALLOWED = 20


def sentence(language: str, mistake: Mistake) -> str:
    """What is wrong, and what is allowed. It may quote the file, so control characters are removed that a
    terminal would obey.
    """
    said = say(language, f"mistake-{mistake.key}", **mistake.values)
    if mistake.allowed:
        listed = [*mistake.allowed[:_MOST_ALLOWED], *(["…"] if len(mistake.allowed) > _MOST_ALLOWED else [])]
        said = say(language, "mistake-allowed", said=said, allowed=", ".join(listed))
    return storable(said)
