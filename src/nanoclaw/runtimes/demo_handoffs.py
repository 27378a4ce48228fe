"""How the demo model hands work over, and what it says about work that was handed to it."""

import re
from typing import Any

from nanoclaw.domain.turns import TurnRequest
from nanoclaw.texts import say

# How it is said, and what it means. Several names, separated by commas, work in parallel.
_GIVE = re.compile(
    r"(?P<how>hand (?:this|it) to|ask|quickly,|передай(?: це)?|спитай|швидко,)\s+"
    r"(?P<to>[a-z0-9][a-z0-9-]*(?:\s*,\s*[a-z0-9][a-z0-9-]*)*)\s*:\s*(?P<content>\S.*)",
    re.I | re.S,
)
_BACK, _INSIDE = ("ask", "спитай"), ("quickly,", "швидко,")
_RETURNED = "What you handed over to "
_SHOWN = 600
_DONE = re.compile(
    r"What you handed over to (?P<who>\S+)(?: \(step \d+\))? is done\. Its result:\n(?P<said>.*)", re.S
)


def handoff_call(said: str) -> tuple[str, dict[str, Any]] | None:
    """`hand this to editor: ...`: the editor answers; `ask editor: ...`: its answer comes back; `quickly,
    editor: ...`: within the turn. With several names all work at once.
    """
    found = _GIVE.match(said)
    if found is None:
        return None
    names, how = [name.strip() for name in found["to"].split(",")], found["how"].lower()
    given: dict[str, Any] = {
        "to": names[0] if len(names) == 1 else names,
        "content": found["content"].strip(),
    }
    if how in _INSIDE:
        given["way"] = "inside"
    elif how in _BACK and len(names) == 1:
        given["type"] = "callback"
    return "handoff", given


def handed(text: str, language: str, *, ok: bool) -> str:
    """What it says after the tool."""
    if _RETURNED in text:
        return _returned(text, language)
    return say(language, "demo-handoff-given" if ok else "demo-not-handed-over", said=text[:_SHOWN])


def from_handoff(request: TurnRequest, said: str, language: str) -> str | None:
    """What it says about work that was handed to it, or came back."""
    if said.startswith(_RETURNED):
        return _returned(said, language)
    if request.handoff_id is None:
        return None
    return say(language, "demo-handoff-done", skill=request.skill, said=said[:_SHOWN])


def _returned(text: str, language: str) -> str:
    """What came of it, without the host's words around it where these are known."""
    if done := _DONE.fullmatch(text):
        return say(language, "demo-handoff-done-by", skill=done["who"], said=done["said"][:_SHOWN])
    return say(language, "demo-handoff-returned", said=text[:_SHOWN])
