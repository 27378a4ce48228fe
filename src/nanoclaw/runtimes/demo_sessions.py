"""How the demo model asks for a session with a person, what it says in one, and what it says about the result."""

import re
from html import unescape
from typing import Any

from nanoclaw.domain.turns import TurnRequest
from nanoclaw.texts import language_of, say

_REVIEW = re.compile(
    r"(?:let(?:'s| us) |please |давай(?:те)? )?(?:review|перегля\w+|розглян\w+)\b.*\b(?:decide|decision|виріш\w+)\b",
    re.I | re.S,
)
_LIVE, _REQUEST = "<live_session>", "## Conclusion"
_RESULT = re.compile(
    r'<human-interaction type="interactive_session" status="(?P<status>\w+)">(?P<body>.*)', re.S
)
_RESPONSE = re.compile(r"<response>(.*?)</response>", re.S)
# How the host says that nobody decided anything.
_NOTHING = ("The question was taken back", "Nobody answered in time", "The question came to nothing")
_SHOWN = 600
# Something to look at, for people without a refactoring at hand.
_EXAMPLE = {
    "file": "checkout.py",
    "before": "total = 0\nfor item in cart:\n    total = total + item.price * item.count",
    "after": "total = sum(item.price * item.count for item in cart)",
}


def session_call(said: str) -> tuple[str, dict[str, Any]] | None:
    """`review this refactoring and decide`: a person should work on it with an agent."""
    if not _REVIEW.match(said):
        return None
    return "request_session", {
        "prompt": said,
        "context": _EXAMPLE,
        "outcomeSchema": {"type": "approval"},
    }


def session_result(text: str, language: str, *, ok: bool) -> str:
    """What it says after the tool: the result, or that it continues when there is one."""
    if not ok:
        return say(language, "demo-not-handed-over", said=text[:_SHOWN])
    told = result_in(text, language)
    if told is None and text.startswith(_NOTHING):
        return say(language, "demo-session-nothing")
    return told or say(language, "demo-session-decided", said=text[:_SHOWN])


def result_in(text: str, language: str) -> str | None:
    """What the host says about a session that was asked for; None if this is about something else."""
    found = _RESULT.search(text)
    if found is None:
        return None
    if found["status"] == "pending":
        return say(language, "demo-session-asked")
    response = _RESPONSE.search(found["body"])
    if found["status"] != "completed" or response is None:
        return say(language, "demo-session-nothing")
    return say(language, "demo-session-decided", said=unescape(response[1])[:_SHOWN])


def in_session(request: TurnRequest, said: str, language: str) -> str | None:
    """What it says in a live session: greets with the request, and says what can be done there."""
    if _LIVE not in request.system_prompt.skill:
        return None
    if _REQUEST in said:
        asked = said.split("\n\n## ")[0].strip()
        return say(language_of(asked) or language, "demo-session-hello", asked=asked[:_SHOWN])
    return say(language, "demo-session-talk", example=_EXAMPLE["after"])
