"""The card of a plan in a terminal: a number chooses an answer, a word does the rest, anything else is the
answer.

Its numbers restart with each question, unlike those of other cards: only the planner can press them, and a
wrong one is taken back with a word. What ends a plan or starts the agent has no number, so that nobody does
it by typing one twice.
"""

import re
from collections.abc import Iterator
from shutil import get_terminal_size

from nanoclaw.cli.plain_lines import one_line
from nanoclaw.client.connection import Line
from nanoclaw.domain.parcels import PLAN
from nanoclaw.texts import language_of, say

_NUMBERED = tuple(f"{PLAN}:{what}" for what in ("a:", "eq:", "keep", "new"))
_ANSWER = f"{PLAN}:a:"
_IN_WORDS = f"{PLAN}:t:"
_ENDS_QUESTIONS = f"{PLAN}:confirm"
_WORD = re.compile(r"\w+")


def is_plan(line: Line) -> bool:
    return any(str(button["data"]).startswith(f"{PLAN}:") for button in line["buttons"])


def wants_answer(line: Line) -> bool:
    """Whether it wants an answer: while the model thinks of the next questions it can only be cancelled."""
    return len(line["buttons"]) > 1 and is_plan(line)


def data_of(line: Line, typed: str) -> str | None:
    """The data of the button that was meant; None for an answer in words, or words that are not about the plan."""
    wanted = typed.strip().casefold()
    numbered = [button for button in line["buttons"] if _is_numbered(button)]
    if wanted.isascii() and wanted.isdigit() and len(wanted) < len("1000"):
        place = int(wanted) - 1
        return str(numbered[place]["data"]) if 0 <= place < len(numbered) else None
    for button in line["buttons"]:
        if wanted in (str(button["label"]).casefold(), *([] if _is_numbered(button) else _words(button))):
            return str(button["data"])
    return None


def is_shown_by_card(data: str) -> bool:
    """Whether the card itself shows the result of this press, so that nothing else needs to be said."""
    return data.startswith(f"{PLAN}:") and not data.startswith(_ANSWER)


def choices_text(language: str, line: Line) -> str:
    numbered = [button for button in line["buttons"] if _is_numbered(button)]
    places = [f"{place} {one_line(each['label'])}" for place, each in enumerate(numbered, 1)]
    shown = "   ".join(places)
    if len(shown) >= get_terminal_size().columns:
        shown = "\n".join(places)
    others = [button for button in line["buttons"] if not _is_numbered(button)]
    words = ", ".join(next(_words(each)) for each in others if not each["data"].startswith(_IN_WORDS))
    language = language_of(words) or language  # that of the card: /language applies from the next card
    can = "both" if _takes_words(line) and numbered else "numbers" if numbered else "none"
    if can == "none" and wants_answer(line) and not _is_summary(line):
        can = "words"
    if can == "numbers" and not words:
        can = "choice"
    return "\n".join(filter(None, (shown, say(language, "chat-plan-how", can=can, words=words))))


def _takes_words(line: Line) -> bool:
    return any(str(button["data"]).startswith(_IN_WORDS) for button in line["buttons"])


def _is_summary(line: Line) -> bool:
    return any(button["data"] == _ENDS_QUESTIONS for button in line["buttons"])


def _is_numbered(button: Line) -> bool:
    return str(button["data"]).startswith(_NUMBERED)


def _words(button: Line) -> Iterator[str]:
    """How it is typed: its first word, or all of them."""
    found = _WORD.findall(str(button["label"]).casefold())
    yield found[0] if found else str(button["label"])
    yield " ".join(found)
