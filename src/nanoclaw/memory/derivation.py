"""Ukrainian words of one family: a verb, its other aspect, and its noun: відправити, відправляти,
відправлення.

Found by the endings that turn one into another; what the dictionary does not know is not a word.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache

_NOUNS = ("ування", "ювання", "ення", "ання", "яння", "іння", "ка")
_VERBS = ("увати", "ювати", "ити", "яти", "ати", "іти", "ути")
_LABIALS = "бпвмф"
# How the last consonant of a verb sounds before its other endings: платити, плачу; підтвердити, підтверджувати.
_CHANGES = (("дж", "д"), ("ждж", "зд"), ("щ", "ст"), ("ч", "т"), ("ж", "з"), ("ш", "с"))
_SHORTEST = 4  # letters they must have in common


@lru_cache(2_000)
def family(word: str, is_known: Callable[[str], bool]) -> tuple[str, ...]:
    """The other words of its family, in their dictionary forms."""
    found = dict.fromkeys(
        stem + ending for stem in _stems(word) for ending in (*_VERBS, *_NOUNS) if len(stem) >= _SHORTEST
    )
    return tuple(other for other in found if other != word and is_known(other))


def _stems(word: str) -> Iterator[str]:
    """What may stand before the endings."""
    for ending in (*_VERBS, *_NOUNS):
        if word.endswith(ending):
            stem = word.removesuffix(ending)
            yield stem
            yield from _changed(stem)
            return


def _changed(stem: str) -> Iterator[str]:
    if stem.endswith("л") and stem[-2:-1] in _LABIALS:
        yield stem[:-1]
    elif stem[-1:] in _LABIALS:
        yield f"{stem}л"
    for one, other in _CHANGES:
        if stem.endswith(one):
            yield stem.removesuffix(one) + other
        elif stem.endswith(other):
            yield stem.removesuffix(other) + one
