"""Reads what a person writes after `/batch-generate`: how many, of what, and in plain words by which skill
and model."""

import re
from dataclasses import dataclass

from nanoclaw.domain.batches import MOST_ITEMS
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.text import is_empty
from nanoclaw.flows.batches.number_words import NotANumber, leading_number

_LONGEST_SUBJECT = 4000  # characters
_SHOWN = 40
_GRADES = range(1, 11)
_NAMES = {
    "skill": ("skill", "навичка", "скіл"),
    "model": ("model", "модель"),
    "grade": ("grade", "оцінка"),
    "channel": ("channel", "канал"),
    "language": ("language", "мова"),
    "topics": ("topics", "file", "теми", "файл"),
}
_OPTION = re.compile(
    rf"(?<!\S)(?P<name>{'|'.join(word for words in _NAMES.values() for word in words)})\s?[:=]\s?(?P<value>\S+)",
    re.I,
)
# In plain words: "model haiku", "grade 7", "from topics.txt".
_GRADE = re.compile(r"(?<!\S)(?:grade|оцінка|з оцінкою)\s+(?P<value>-?\d+)(?!\S)", re.I)
_MODEL = re.compile(r"(?<!\S)(?:model|модель)\s+(?P<value>haiku|sonnet|opus)(?!\S)", re.I)
_FILE = re.compile(r"(?<!\S)(?:(?:from|з|із|за)\s+)?(?P<value>\S+\.(?:txt|csv|md))(?!\S)", re.I)
_TONGUES = {
    "en": re.compile(r"(?<!\S)(?:in english|англійською(?: мовою)?)(?![^\s,.])", re.I),
    "uk": re.compile(r"(?<!\S)(?:in ukrainian|українською(?: мовою)?)(?![^\s,.])", re.I),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Wish:
    """The options as they were said; None means not said."""

    subject: str = ""
    count: int | None = None
    skill: str | None = None
    model: str | None = None
    channel: str | None = None
    language: str | None = None
    least_grade: int | None = None
    topics_file: str | None = None


def read_wish(said: str) -> Wish:
    """Raises Refused for impossible wishes."""
    if len(said) > _LONGEST_SUBJECT:
        raise Refused("batch-long-subject", most=_LONGEST_SUBJECT)
    given: dict[str, str] = {}

    def take(match: re.Match[str]) -> str:
        name = match["name"].casefold()
        given[next(key for key, words in _NAMES.items() if name in words)] = match["value"].strip("`\"'«»,")
        return " "

    rest = _OPTION.sub(take, said)
    for name, pattern in (("grade", _GRADE), ("model", _MODEL), ("topics", _FILE)):
        if name not in given and (match := pattern.search(rest)):
            given[name] = match["value"]
            rest = rest[: match.start()] + rest[match.end() :]
    words = rest.split()
    count, taken = _count(words)
    subject = " ".join(words[taken:]).strip(" ,;:.")
    return Wish(
        subject="" if is_empty(subject) else subject,
        count=count,
        skill=given.get("skill"),
        model=given.get("model", "").casefold() or None,
        channel=given.get("channel", "").casefold() or None,
        language=given.get("language", "").casefold() or _tongue(subject),
        least_grade=_grade(given["grade"]) if "grade" in given else None,
        topics_file=given.get("topics"),
    )


def expect_count(count: int) -> int:
    """Raises Refused if there are too few or too many."""
    if not 1 <= count <= MOST_ITEMS:
        raise Refused("batch-count", count=count, most=MOST_ITEMS)
    return count


def _count(words: list[str]) -> tuple[int | None, int]:
    try:
        found = leading_number(words)
    except NotANumber as error:
        raise Refused("batch-bad-count", said=words[0][:_SHOWN]) from error
    return (expect_count(found[0]), found[1]) if found else (None, 0)


def _grade(said: str) -> int:
    grade = int(said) if re.fullmatch(r"\d{1,3}", said) else 0
    if grade not in _GRADES:
        raise Refused("batch-bad-grade", said=said[:_SHOWN])
    return grade


def _tongue(subject: str) -> str | None:
    return next((language for language, words in _TONGUES.items() if words.search(subject)), None)
