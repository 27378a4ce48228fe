"""How the demo model remembers when told to, and answers from the company's memory in its prompt."""

import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

from nanoclaw.texts import say

_TOLD = re.compile(
    r"\s*(?:please,?\s+|будь ласка,?\s+)?"
    r"(?:remember(?:\s+that|:)|запам['’ʼ]ятай(?:те)?(?:,?\s+що\b|:)?)\s+(?P<what>\S.*)",
    re.IGNORECASE | re.DOTALL,
)
_IDS = re.compile(r"Remembered: ([\w, ]+)\.")
_SENTENCES = re.compile(r"(?<=[.!?…])\s+|\n+")
_WE = r"(?:we(?:['’]ve|\s+have)?\s+(?:decided|agreed)|(?:ми\s+)?(?:вирішили|домовилися|домовились))"
_WE_DECIDED = re.compile(rf"\s*{_WE}\b.*[^?\s]\s*$", re.IGNORECASE)
_DECIDED = re.compile(rf"\b(?:{_WE}|decision|вирішено|рішення)\b", re.IGNORECASE)
_ASKED = re.compile(
    r"\b(?:decide|decided|decision|decisions|вирішили|рішення|домовились|домовилися)\b", re.IGNORECASE
)
_ENOUGH = 0.5  # of the words of a question
_ALIKE = 4  # letters that the forms of a word share: знижки, знижок
_ENDINGS = "аеиіїоуюяєь"  # of short words: ціна, ціну, цін


def remember_call(said: str) -> tuple[str, dict[str, Any]] | None:
    """`remember that ...`, `запам'ятай, що ...`, or a sentence that begins with `we decided`, `ми вирішили`."""
    told = _TOLD.match(said)
    found = [told["what"]] if told else filter(_WE_DECIDED.match, _SENTENCES.split(said))
    entries = [
        {"text": what.strip()[:4000], "kind": "decision" if _DECIDED.search(what) else "fact"}
        for what in found
    ][:20]
    return ("remember", {"entries": entries}) if entries else None


def remembered(told: str, language: str, *, ok: bool) -> str:
    """The ids in the person's language; anything else the host told the agent is passed on as it is."""
    if not ok:
        return say(language, "demo-not-remembered", said=told)
    ids = _IDS.fullmatch(told.strip())
    return say(
        language, "demo-remembered", said=say(language, "demo-remembered-as", ids=ids[1]) if ids else told
    )


def from_memory(said: str, recalled: str, stems: Callable[[str], set[str]]) -> str | None:
    """The entry nearest to the question, among decisions if it asks for one. None if none is near."""
    if not recalled:
        return None
    told = ElementTree.fromstring(f"<prompt>{recalled}</prompt>")  # noqa: S314 - made by context/recalled_xml.py
    wants_decision = _ASKED.search(said) is not None
    asked = set(map(_alike, stems(_ASKED.sub(" ", said))))
    if not asked:
        return None
    best, score = None, 0.0
    for entry in told.iter():
        if entry.tag not in ("decision", "fact", "hearsay") or entry.get("kind") == "activity":
            continue
        text = entry.text or ""
        near = len(asked & set(map(_alike, stems(text)))) / len(asked) + (
            0.25 if wants_decision and entry.tag == "decision" else 0
        )
        if near > score:
            best, score = f"{text} ({entry.get('date')}, {entry.get('id')})", near
    return best if score >= _ENOUGH else None


def _alike(stem: str) -> str:
    return stem[:_ALIKE].rstrip(_ENDINGS)
