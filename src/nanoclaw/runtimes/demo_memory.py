"""How the demo model remembers when it is told to, and answers from what its prompt holds of the company's memory."""

import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

_TOLD = re.compile(
    r"\s*(?:please,?\s+)?(?:remember(?:\s+that|:)|запам['’ʼ]ятай(?:те)?(?:,?\s+що|:))\s+(?P<what>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_DECIDED = re.compile(r"\b(?:we(?:\s+have)?\s+decided|decision|вирішили|вирішено|рішення)\b", re.IGNORECASE)
_ASKED = re.compile(
    r"\b(?:decide|decided|decision|decisions|вирішили|рішення|домовились|домовилися)\b", re.IGNORECASE
)
_ENOUGH = 0.5  # of the words of a question


def remember_call(said: str) -> tuple[str, dict[str, Any]] | None:
    """`remember that ...`, `запам'ятай, що ...`"""
    told = _TOLD.match(said)
    if told is None:
        return None
    what = told["what"].strip()
    kind = "decision" if _DECIDED.search(what) else "fact"
    return "remember", {"entries": [{"text": what[:4000], "kind": kind}]}


def from_memory(said: str, recalled: str, stems: Callable[[str], set[str]]) -> str | None:
    """The entry that is nearest to the question; of decisions, where it asks for one. None: none is near."""
    if not recalled:
        return None
    told = ElementTree.fromstring(f"<prompt>{recalled}</prompt>")  # noqa: S314 - made by context/recalled_xml.py
    wants_decision = _ASKED.search(said) is not None
    asked = stems(_ASKED.sub(" ", said))
    if not asked:
        return None
    best, score = None, 0.0
    for entry in told.iter():
        if entry.tag not in ("decision", "fact", "hearsay") or entry.get("kind") == "activity":
            continue
        text = entry.text or ""
        near = len(asked & stems(text)) / len(asked) + (
            0.25 if wants_decision and entry.tag == "decision" else 0
        )
        if near > score:
            best, score = f"{text} ({entry.get('date')}, {entry.get('id')})", near
    return best if score >= _ENOUGH else None
