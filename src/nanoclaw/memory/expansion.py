"""What a question may mean: its words, their translations, and related words, which count less."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain

from nanoclaw.memory.analyser import is_cyrillic, terms_of_word, tokens, without_ending, words_derived
from nanoclaw.memory.transliteration import in_cyrillic, in_latin
from nanoclaw.memory.word_lists import related_words, translations

TRANSLATED = 0.8
RELATED = 0.3
DERIVED = 0.5
PART = 0.5  # for a part of a compound
MOST_WORDS = 40  # of a question; a long letter is not read to its end
_FEW_WORDS = 12  # a longer question has enough words without related ones
_FEW_SPELLINGS = 4  # of a word that is probably no name


@dataclass(frozen=True, slots=True)
class Term:
    text: str
    weight: float
    word: int  # the word of the question it stands for: of several for one word, the best counts
    is_near: bool = False  # the conversation just mentioned it, the question does not


@lru_cache(maxsize=256)
def query_terms(text: str) -> tuple[Term, ...]:
    """The terms to look for. Repeated words count once. Cached for a while: earlier messages are looked at
    again with those that follow.
    """
    found: dict[str, Term] = {}
    words = list(_words(text))
    for number, (word, weight, name) in enumerate(words):
        alternatives = _alternatives(word, with_related=len(words) <= _FEW_WORDS)
        spellings = _spellings(word, name) if name or len(words) <= _FEW_WORDS else ()
        for alternative, share in chain(alternatives, spellings):
            known = found.get(alternative)
            if known is None or known.weight < weight * share:
                found[alternative] = Term(alternative, weight * share, number)
    return tuple(found.values())


def _words(text: str) -> Iterator[tuple[tuple[str, ...], float, str]]:
    """Each word with its possible dictionary forms, how much it counts, and how it is written if it may be a name."""
    seen: set[tuple[str, ...]] = set()
    for token in tokens(text):
        terms = terms_of_word(token)
        name = token.removesuffix("'s") if token[0].isupper() else ""
        if token.isalpha():
            words = [(terms, 1.0, name)] if terms else []
        else:
            words = [((term,), 1.0 if index == 0 else PART, name) for index, term in enumerate(terms)]
        for word in words:
            if word[0] not in seen and len(seen) < MOST_WORDS:
                seen.add(word[0])
                yield word


def _alternatives(word: tuple[str, ...], *, with_related: bool) -> Iterator[tuple[str, float]]:
    for term in word:
        yield term, 1.0
        yield f"@{term}", 1.0
        for other in _translated().get(term, ()):
            yield other, TRANSLATED
        for other in _related(cyrillic=is_cyrillic(term)).get(term, ()) if with_related else ():
            yield other, RELATED
        for other in words_derived(term) if with_related else ():
            yield other, DERIVED


def _spellings(word: tuple[str, ...], name: str) -> Iterator[tuple[str, float]]:
    """What stands for a name in the other alphabet. In Cyrillic people often write names small."""
    found: dict[str, None] = {}
    for term in filter(is_cyrillic, word):
        for spelling in in_latin(term)[: None if name else _FEW_SPELLINGS]:
            found |= dict.fromkeys(terms_of_word(spelling))
    if name.isascii():
        for spelling in in_cyrillic(name):
            # As the dictionary has it, which takes a while to load, or as the index has a name that is in none.
            found |= dict.fromkeys((spelling, without_ending(spelling)))
    for other in found:
        yield other, TRANSLATED
        yield f"@{other}", TRANSLATED


@cache
def _translated() -> Mapping[str, tuple[str, ...]]:
    """Translations both ways. The Ukrainian words in the list are dictionary forms, so the dictionary need
    not be loaded.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for ukrainian, english in translations():
        for ours in (word.replace("'", "") for word in ukrainian):
            for theirs in (term for word in english for term in terms_of_word(word)):
                found[ours].add(theirs)
                found[theirs].add(ours)
    return _listed(found)


@cache
def _related(*, cyrillic: bool) -> Mapping[str, tuple[str, ...]]:
    """Related words of one language: those of the other would load its dictionary for nothing."""
    found: dict[str, set[str]] = defaultdict(set)
    for words in related_words():
        if is_cyrillic(words[0]) is not cyrillic:
            continue
        terms = {term for word in words for term in terms_of_word(word)}
        for term in terms:
            found[term] |= terms - {term}
    return _listed(found)


def _listed(found: Mapping[str, set[str]]) -> Mapping[str, tuple[str, ...]]:
    """Sorted, so that the order is the same everywhere; as tuples, because sets take four times the memory."""
    return {term: tuple(sorted(others)) for term, others in found.items()}
