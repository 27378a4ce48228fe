"""Tells which language a text is in, by its letters and by small words that only one language has."""

import re
from collections import Counter

_WORD = re.compile(r"[^\W\d_]+(?:['’ʼ][^\W\d_]+)*")
_CYRILLIC = re.compile("[\u0400-\u04ff]+")
_LATIN = re.compile("[A-Za-z]+")
_ONLY_UKRAINIAN, _ONLY_RUSSIAN = re.compile("[іїєґІЇЄҐ]"), re.compile("[ыэъёЫЭЪЁ]")
_MOSTLY = 0.6  # of the letters
_READ = 1500  # characters of a text
_FEWEST = 20  # letters; a shorter text is not judged
_STOP_WORDS = {
    "en": {
        "the",
        "and",
        "of",
        "to",
        "a",
        "in",
        "is",
        "you",
        "for",
        "it",
        "with",
        "that",
        "your",
        "on",
        "are",
    },
    "de": {
        "der",
        "die",
        "und",
        "das",
        "ist",
        "nicht",
        "ein",
        "eine",
        "mit",
        "für",
        "sie",
        "auf",
        "wir",
        "den",
    },
    "pl": {"się", "nie", "jest", "na", "że", "do", "dla", "przez", "oraz", "jak", "ale", "od", "są", "po"},
    "fr": {"le", "la", "les", "et", "des", "est", "pour", "une", "dans", "vous", "que", "avec", "pas", "qui"},
    "es": {"el", "los", "las", "que", "y", "una", "para", "con", "por", "del", "es", "su", "más", "pero"},
}


def spoken_in(text: str) -> str | None:
    """`uk`, `ru`, `en` and some others; None if the text is too short or two languages are equally likely."""
    text = text[:_READ]
    cyrillic, latin = (sum(map(len, each.findall(text))) for each in (_CYRILLIC, _LATIN))
    if cyrillic + latin < _FEWEST:
        return None
    if cyrillic >= _MOSTLY * (cyrillic + latin):
        ukrainian, russian = len(_ONLY_UKRAINIAN.findall(text)), len(_ONLY_RUSSIAN.findall(text))
        return None if ukrainian == russian else "uk" if ukrainian > russian else "ru"
    if latin < _MOSTLY * (cyrillic + latin):
        return None
    words = Counter(_WORD.findall(text.casefold()))
    found = {name: sum(words[word] for word in known) for name, known in _STOP_WORDS.items()}
    best, second = sorted(found, key=lambda name: found[name], reverse=True)[:2]
    return best if found[best] > found[second] else None
