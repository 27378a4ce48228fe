"""Makes what a person is shown: whatever a screen would hide, reorder or pass off as something else is a visible mark.

People decide by what they see, and models read every character. Cards, diffs, lists and previews on every channel
go through `shown`. What ordinary writing needs stays as it is: no-break spaces, emoji, joiners inside Persian and
Indic words, a Latin name with a Cyrillic ending.
"""

import re
from collections import Counter
from functools import lru_cache
from itertools import groupby

from nanoclaw.domain.lookalikes import LIKE_CYRILLIC, LIKE_GREEK, LIKE_LATIN

_LATIN = "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1e00-\u1eff"
_CYRILLIC = "\u0400-\u0481\u048a-\u052f\u1c80-\u1c8f\ua640-\ua66e"
_GREEK = "\u0370-\u0373\u0376-\u037d\u037f-\u03ff\u1f00-\u1fff"
_OTHERS = "\u0531-\u0587\u13a0-\u13fd\uab70-\uabbf\u2c80-\u2ce4"  # Armenian, Cherokee, Coptic
# Marks that sit above, below or around the letter before them.
_COMBINING = (
    "\u0300-\u034e\u0350-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc"
    "\u0ec8-\u0ece\u1ab0-\u1ace\u1dc0-\u1dff\u20d0-\u20f0\u302a-\u302d\u3099\u309a\ufe20-\ufe2f"
)
_HIGHEST_TOWER = 4  # more marks on one letter cover the lines around it
# What a screen obeys, hides, reverses, or shows as a gap of another width. Not tab and line feed.
_UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u1680\u17b4\u17b5"
    "\u180b-\u180f\u2000-\u200f\u2028-\u202e\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\ud800-\udfff\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_EMOJI = (
    "\xa9\xae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf\u2934\u2935\u2b05-\u2b55"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001f3fa\U0001f400-\U0001faff"
)
_STYLED = f"[{_EMOJI}](?:[\U0001f3fb-\U0001f3ff]|[\ufe0e\ufe0f])?"
# The flags of England, Scotland and Wales, the only ones written with tags.
_FLAG = "\U0001f3f4\U000e0067\U000e0062(?:{})\U000e007f".format(
    "|".join("".join(chr(0xE0000 + ord(letter)) for letter in name) for name in ("eng", "sct", "wls"))
)
_JOINED = (
    "\u0620-\u06d3\u06d5\u06ee-\u06ff\u0750-\u077f\u08a0-\u08c7\u0900-\u0dff"  # Arabic script, and of India
)
_IDEOGRAPH = "\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff60"
_SPECIAL = re.compile(
    rf"(?P<ordinary>{_FLAG}|{_STYLED}(?:\u200d{_STYLED})*|[0-9#*]\ufe0f\u20e3"
    rf"|(?<=[{_JOINED}])[\u200c\u200d](?=[{_JOINED}])|(?<=[{_IDEOGRAPH}])\u3000(?=[{_IDEOGRAPH}]))"
    rf"|(?P<unseen>[{_UNSEEN}])(?P=unseen)*"
    rf"|(?P<low>[{_COMBINING}]{{{_HIGHEST_TOWER}}})(?P<high>[{_COMBINING}]+)"
)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_ALPHABETS = (_LATIN, _CYRILLIC, _GREEK, _OTHERS)
_LATIN_RUN, _CYRILLIC_RUN = 0, 1  # their places among the alphabets
_LIKE = (LIKE_LATIN, LIKE_CYRILLIC, LIKE_GREEK, frozenset[str]())
_LETTERS = "".join(_ALPHABETS)
_WORD = re.compile(f"[{_LETTERS}][{_LETTERS}{_COMBINING}]*")
_MIXED = re.compile("|".join(f"[{one}][{_COMBINING}]*(?![{one}])[{_LETTERS}]" for one in _ALPHABETS))
_RUN = re.compile("|".join(f"([{each}][{each}{_COMBINING}]*)" for each in _ALPHABETS))
_MARKS = re.compile(f"[{_COMBINING}]+")
_MARKED_LETTERS = re.compile(f"[{_LETTERS}]")
# What Ukrainian and Russian add to a Latin word, of the endings that could pass for Latin letters: Telegram\u0443.
_ENDINGS = frozenset(("\u0443", "\u0456", "\u0430\u0445"))
_ENDINGS_OF_NAMES = _ENDINGS | {"\u0430", "\u0435", "\u0457"}
_SHORTEST_STEM = 2
_SHORT_WORD = 40  # letters: these are remembered, because texts repeat them
_COUNTED_FROM = 4  # the same character this often in a row is one mark with a number


def shown(text: str) -> str:
    """The text as a person is shown it."""
    if text.isascii() and not _CONTROL.search(text):
        return text
    if _MIXED.search(text):
        text = _WORD.sub(_word, text)
    return _SPECIAL.sub(_special, text)


def shown_line(text: str) -> str:
    """The same on one line."""
    return shown(text).replace("\n", _mark("\n"))


def _special(found: re.Match[str]) -> str:
    if found["ordinary"]:
        return found[0]
    if found["high"]:
        counted = ((letter, sum(1 for _ in same)) for letter, same in groupby(found["high"]))
        return found["low"] + "".join(_mark(letter, count) for letter, count in counted)
    return _mark(found["unseen"], len(found[0]))


@lru_cache(4096)
def _mark(letter: str, count: int = 1) -> str:
    if count >= _COUNTED_FROM:
        return f"⟨U+{ord(letter):04X} x {count}⟩"
    return f"⟨U+{ord(letter):04X}⟩" * count


def _word(found: re.Match[str]) -> str:
    return _known_word(found[0]) if len(found[0]) <= _SHORT_WORD else _marked_word(found[0])


def _marked_word(word: str) -> str:
    """The word, with a mark in place of each letter that passes for one of another alphabet in the same word.
    Where two alphabets could pass for each other, the one with fewer letters is marked.
    """
    if not _MIXED.search(word):
        return word
    runs = [(run.lastindex - 1, run[0]) for run in _RUN.finditer(word) if run.lastindex]
    if _is_ordinary_mixture(runs):
        return word
    counts = Counter[int]()
    for alphabet, run in runs:
        counts[alphabet] += len(run)
    main = max(counts, key=lambda alphabet: (counts[alphabet], -alphabet))
    like = {alphabet: [_LIKE[other] for other in counts if other != alphabet] for alphabet in counts}
    # Each different run once: a word of half a million letters may consist of two.
    passing = [
        (alphabet, run)
        for alphabet, run in dict.fromkeys(runs)
        if any(others.issuperset(_MARKS.sub("", run)) for others in like[alphabet])
    ]
    is_foreign = any(alphabet != main for alphabet, _ in passing)
    marked = {
        run: _MARKED_LETTERS.sub(lambda each: _mark(each[0]), run)
        for alphabet, run in passing
        if alphabet != main or not is_foreign
    }
    return "".join(marked.get(run, run) for _, run in runs)


_known_word = lru_cache(4096)(_marked_word)


def _is_ordinary_mixture(runs: list[tuple[int, str]]) -> bool:
    """A Latin word with an ending that Ukrainian needs, or an abbreviation with a suffix."""
    if [alphabet for alphabet, _ in runs] != [_LATIN_RUN, _CYRILLIC_RUN] or len(runs[0][1]) < _SHORTEST_STEM:
        return False
    (_, stem), (_, ending) = runs
    if ending in (_ENDINGS_OF_NAMES if stem[0].isupper() else _ENDINGS):
        return True
    return stem.isupper() and ending[0].islower() and not set(ending) <= LIKE_LATIN
