"""Makes what a person is shown: whatever a screen would hide, reorder or pass off as something else is a visible mark.

People decide by what they see, and models read every character. Cards, diffs, lists and previews on every channel
go through `shown`. What ordinary writing needs stays as it is: no-break spaces, emoji, joiners inside Persian and
Indic words, a Latin name with a Cyrillic ending.
"""

import re
from collections import Counter
from functools import lru_cache
from itertools import groupby
from unicodedata import category

from nanoclaw.domain.lookalikes import LIKE_CYRILLIC, LIKE_GREEK, LIKE_LATIN

_LATIN = "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u1e00-\u1eff"
_CYRILLIC = "\u0400-\u0481\u048a-\u052f\u1c80-\u1c8f\ua640-\ua66e"
_GREEK = "\u0370-\u0373\u0376-\u037d\u037f-\u03ff\u1f00-\u1fff"
_OTHERS = "\u0531-\u0587\u13a0-\u13fd\uab70-\uabbf\u2c80-\u2ce4"  # Armenian, Cherokee, Coptic
# Of other alphabets, and letters in another style: beside ordinary letters in a word they are there for their looks.
_RARE = (
    "\u10a0-\u10ff\u1400-\u167f\u16a0-\u16f0\u1d26-\u1d2b\u2160-\u217f\u2d30-\u2d67\ua4d0-\ua4f7\uff21-\uff3a\uff41-\uff5a"
    "\U00010280-\U0001032f\U00010400-\U0001052f\U000118a0-\U000118df\U00016f00-\U00016f4a\U0001d400-\U0001d7cb"
)
_COMBINING = "\u0300-\u034e\u0350-\u036f\u0483-\u0489\u1ab0-\u1ace\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f"
_HIGHEST_TOWER = 4  # more marks on one letter cover the lines around it
# What a screen obeys, hides, reverses, or shows as a gap of another width, and what each font shows as it likes.
# Not tab and line feed.
_UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u1680\u17b4\u17b5"
    "\u180b-\u180f\u2000-\u200f\u2028-\u202e\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\ud800-\uf8ff\ufdd0-\ufdef\U00016fe4\U0001d159\U000110bd\U000110cd\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff\U000f0000-\U0010ffff"
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
_VIRAMA = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca"
_IDEOGRAPH = "\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff01-\uff60"
_SPECIAL = re.compile(
    rf"(?P<ordinary>{_FLAG}|{_STYLED}(?:\u200d{_STYLED})*|[0-9#*]\ufe0f\u20e3"
    rf"|(?<=[{_JOINED}])(?<=\w)[\u200c\u200d](?=[{_JOINED}])|(?<=[{_JOINED}])[\u200c\u200d](?=[{_JOINED}])(?=\w)"
    rf"|(?<=[{_VIRAMA}])\u200d|(?<=[{_IDEOGRAPH}])\u3000|\u3000(?=[{_IDEOGRAPH}]))"
    rf"|(?P<unseen>[{_UNSEEN}])(?P=unseen)*"
    rf"|[^\w\s\x00-\x7f{_UNSEEN}{_EMOJI}]{{{_HIGHEST_TOWER + 1},}}"
)
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_ALPHABETS = (_LATIN, _CYRILLIC, _GREEK, _OTHERS, _RARE)
_LATIN_RUN, _CYRILLIC_RUN, _GREEK_RUN, _RARE_RUN = 0, 1, 2, 4  # their places among the alphabets
_LIKE = (LIKE_LATIN, LIKE_CYRILLIC, LIKE_GREEK, frozenset[str](), frozenset[str]())
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
_ADDRESS_GOES_ON = re.compile(r"@|\.[A-Za-z0-9]")
_ADDRESS_BEGAN = re.compile(r"(?:@|://\S*|www\.\S*)\Z")
_LONGEST_ADDRESS = 100
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


def unmarked(given: str, before: str) -> str:
    """What a form sends back, which was given `before` as it is shown: lines that nobody changed keep their letters."""
    letters = {shown(line): line for line in before.split("\n")}
    return "\n".join(letters.get(line, line) for line in given.split("\n"))


def _special(found: re.Match[str]) -> str:
    if found["ordinary"]:
        return found[0]
    if found["unseen"]:
        return _mark(found["unseen"], len(found[0]))
    runs = (("".join(same), is_above) for is_above, same in groupby(found[0], _is_combining))
    return "".join(_lowered(run) if is_above else run for run, is_above in runs)


def _is_combining(letter: str) -> bool:
    return category(letter) in ("Mn", "Me")


def _lowered(tower: str) -> str:
    high = ((letter, sum(1 for _ in same)) for letter, same in groupby(tower[_HIGHEST_TOWER:]))
    return tower[:_HIGHEST_TOWER] + "".join(_mark(letter, count) for letter, count in high)


@lru_cache(4096)
def _mark(letter: str, count: int = 1) -> str:
    if count >= _COUNTED_FROM:
        return f"⟨U+{ord(letter):04X} x {count}⟩"
    return f"⟨U+{ord(letter):04X}⟩" * count


def _word(found: re.Match[str]) -> str:
    if not _MIXED.search(found[0]):
        return found[0]
    mark = _known_word if len(found[0]) <= _SHORT_WORD else _marked_word
    return mark(found[0], is_in_address=_is_in_address(found))


def _is_in_address(found: re.Match[str]) -> bool:
    """Nobody declines a name there: the address leads elsewhere."""
    text, (start, end) = found.string, found.span()
    before = text[max(0, start - _LONGEST_ADDRESS) : start]
    return bool(_ADDRESS_GOES_ON.match(text, end) or _ADDRESS_BEGAN.search(before))


def _marked_word(word: str, *, is_in_address: bool) -> str:
    """The word, with a mark in place of each letter that passes for one of another alphabet in the same word.
    Where two alphabets could pass for each other, the one with fewer letters is marked.
    """
    runs = [(run.lastindex - 1, run[0]) for run in _RUN.finditer(word) if run.lastindex]
    if not is_in_address and _is_ordinary_mixture(runs):
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
        if alphabet == _RARE_RUN or any(others.issuperset(_MARKS.sub("", run)) for others in like[alphabet])
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
    """A Latin word with an ending that Ukrainian needs, an abbreviation with a suffix, or a quantity: \u0394T."""
    if [alphabet for alphabet, _ in runs] == [_GREEK_RUN, _LATIN_RUN] and runs[0][1] not in LIKE_LATIN:
        return len(runs[0][1]) == 1
    if [alphabet for alphabet, _ in runs] != [_LATIN_RUN, _CYRILLIC_RUN] or len(runs[0][1]) < _SHORTEST_STEM:
        return False
    (_, stem), (_, ending) = runs
    if ending in (_ENDINGS if stem.islower() else _ENDINGS_OF_NAMES):
        return True
    return stem.isupper() and ending[0].islower() and not set(ending) <= LIKE_LATIN
