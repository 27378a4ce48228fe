"""How much of a message an entry is about: below a share of its words, silence is the better answer.

Ranking always finds a best entry, also for "make it shorter". A prompt should have it only if the message is about it.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from nanoclaw.memory.analyser import is_cyrillic, terms_of_word
from nanoclaw.memory.expansion import Term
from nanoclaw.memory.word_lists import talk_words

_SUBJECT = 0.12  # of what the words about its subject are worth
_ALL = 0.6  # of what all its words are worth
_SMALL = 2  # digits


class Fit:
    """`rarity` is what a word is worth here, and `known` whether any entry has it. A word that none has counts in
    full against all entries; what the conversation just mentioned counts nothing.
    """

    def __init__(
        self, terms: Sequence[Term], rarity: Callable[[str], float], known: Callable[[str], bool]
    ) -> None:
        self._worth: dict[str, tuple[int, float]] = {}
        words: dict[int, float] = {}
        for term in terms:
            if not term.is_near:
                value = term.weight * (1 + rarity(term.text)) if known(term.text) else 0.0
                self._worth[term.text] = term.word, value
                words[term.word] = max(value, words.get(term.word, 0.0))
        unknown = 1 + rarity("")
        self._subject = words.keys() - _talk_in(terms)
        self._of_subject = sum(words[word] or unknown for word in self._subject)
        self._of_all = sum(value or unknown for value in words.values())

    def holds(self, words: Iterable[str]) -> bool:
        """Whether the message is about an entry with these terms: by some of what it is about, or most of its words."""
        if not self._subject:
            return False
        found: dict[int, float] = {}
        for word in words:
            if word in self._worth:
                number, value = self._worth[word]
                found[number] = max(value, found.get(number, 0.0))
        about = sum(value for word, value in found.items() if word in self._subject)
        return about >= _SUBJECT * self._of_subject or sum(found.values()) >= _ALL * self._of_all


def has_subject(terms: Sequence[Term]) -> bool:
    """Whether a message is about anything at all."""
    return bool({term.word for term in terms if not term.is_near} - _talk_in(terms))


def _talk_in(terms: Sequence[Term]) -> set[int]:
    """The words that say nothing about a subject. Only as they are written: what else they may mean counts less."""
    written: dict[int, float] = {}
    return {
        term.word
        for term in terms
        if term.weight == written.setdefault(term.word, term.weight) and _is_talk(term.text)
    }


def _is_talk(term: str) -> bool:
    """Words about the talk itself, and bare small numbers."""
    return term in _talk() or (term.isdigit() and len(term) <= _SMALL)


@cache
def _talk() -> frozenset[str]:
    """As terms. The Ukrainian words are dictionary forms, so the dictionary need not be loaded."""
    return frozenset(
        term
        for word in talk_words()
        for term in ((word.replace("'", ""),) if is_cyrillic(word) else terms_of_word(word))
    )
