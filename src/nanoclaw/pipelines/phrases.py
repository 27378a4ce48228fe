"""Recognises a pipeline in what people say: a phrase of its template begins their message, then comes the subject."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from nanoclaw.domain.pipelines import Template

_BEGINNING = 500  # characters in which a phrase is looked for
_WORD = re.compile(r"[^\W_]+(?:['’ʼ-][^\W_]+)*")
_MENTION = re.compile(r"\s*@\w+[,:]?\s+")
_QUOTES = re.compile("[\"“”„«»'`>]")
_BEFORE = frozenset(["please", "pls", "hi", "hello", "hey", "привіт", "вітаю", "прошу", "будь", "ласка"])
"""Courtesies that may come before a phrase."""
_ABOUT = re.compile(
    r"(?:about|on the (?:topic|subject) of|on|regarding|concerning|на тему|за темою)(?!\w)", re.IGNORECASE
)
_KEPT_BEFORE = re.compile(r"(?:про|щодо|стосовно)\Z", re.IGNORECASE)
"""After these a noun takes another form: they stay with it, and alone they are no subject."""
_COURTESY_AFTER = re.compile(r"[\s,]+(?:please|pls|будь ласка|прошу)[.!\s]*\Z", re.IGNORECASE)
_VAGUE = {
    *("it", "this", "that", "these", "those", "them", "something", "anything", "same", "the"),
    *("це", "цього", "цьому", "те", "того", "тому", "них", "нього", "неї", "щось", "будь-що", "про"),
}
"""Words that only point at something."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Meant:
    """With several templates nobody can tell which one is meant."""

    templates: tuple[Template, ...]
    subject: str


def meant_by(text: str, templates: Iterable[Template]) -> Meant | None:
    """The templates whose longest phrase begins the message; None if there are none."""
    said = _words(text)
    begins = {word for word, _, _ in said[: _first(said) + 1]}
    ends = [(template, max(_ends(text, said, begins, template), default=0)) for template in templates]
    longest = max((end for _, end in ends), default=0)
    if not longest:
        return None
    fits = tuple(template for template, end in ends if end == longest)
    return Meant(templates=fits, subject=_subject(text[longest:]))


def is_vague(subject: str) -> bool:
    """Whether it only points at something that no agent of a run would see."""
    return all(word in _VAGUE for word in _plain(subject))


def _ends(
    text: str, said: list[tuple[str, int, int]], begins: Collection[str], template: Template
) -> Iterator[int]:
    """Where phrases of a template end. Most messages begin with none, and then nothing is compared."""
    for wanted in map(_wanted, template.phrases):
        if wanted and wanted[0] in begins:
            yield _end(text, said, wanted)


def _first(said: list[tuple[str, int, int]]) -> int:
    """The position of the first word that is not a courtesy."""
    return next((place for place, (word, _, _) in enumerate(said) if word not in _BEFORE), len(said))


def _end(text: str, said: list[tuple[str, int, int]], wanted: list[str]) -> int:
    """Where the phrase ends in the text; 0 if the text does not begin with it."""
    for start in range(_first(said) + 1):  # a phrase may itself begin with a courtesy
        part = said[start : start + len(wanted)]
        if not part or [word for word, _, _ in part] != wanted:
            continue
        gaps = (text[end:begin] for (_, _, end), (_, begin, _) in pairwise(part))
        if all(gap.isspace() for gap in gaps) and not _QUOTES.search(text[: part[0][1]]):
            return part[-1][2]
    return 0


def _words(text: str) -> list[tuple[str, int, int]]:
    """The words with their positions. A mention of the bot before them does not count."""
    mention = _MENTION.match(text)
    found = _WORD.finditer(text, mention.end() if mention else 0, _BEGINNING)
    return [(_form(each[0]), each.start(), each.end()) for each in found]


@lru_cache(maxsize=1000)
def _wanted(phrase: str) -> list[str]:
    """Cached: every message is compared with each phrase."""
    return _plain(phrase)


def _plain(text: str) -> list[str]:
    return [word for word, _, _ in _words(text)]


def _form(word: str) -> str:
    return unicodedata.normalize("NFC", word).casefold().replace("’", "'").replace("ʼ", "'")


def _subject(rest: str) -> str:
    bare = rest.strip(" \t\n:,-–—.!?")
    about = _ABOUT.match(bare)
    said = bare[about.end() :] if about else bare
    subject = _COURTESY_AFTER.sub("", said).strip(" \t\n:,-–—")
    return "" if _KEPT_BEFORE.match(subject) else subject
