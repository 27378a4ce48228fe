"""The lists in `words/`: stop words, irregular English forms, related words, and translations."""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files


@cache
def stop_words() -> frozenset[str]:
    return frozenset(word for line in _lines("stop") for word in line.split())


def talk_words() -> Iterator[str]:
    """Words about the talk itself; the Ukrainian ones are dictionary forms."""
    return (word for line in _lines("talk") for word in line.split())


@cache
def irregular_forms() -> dict[str, str]:
    """English words that no rule leads back to their base: went, bought, children."""
    return {form: base for base, *forms in map(str.split, _lines("irregular")) for form in forms}


def related_words() -> Iterator[list[str]]:
    yield from map(str.split, _lines("related"))


def translations() -> Iterator[tuple[list[str], list[str]]]:
    """Ukrainian words, and the English ones that mean the same."""
    for line in _lines("translations"):
        ukrainian, _, english = line.partition("=")
        yield ukrainian.split(), english.split()


def _lines(name: str) -> Iterator[str]:
    text = (files("nanoclaw.memory") / "words" / f"{name}.txt").read_text("utf-8")
    return (line for line in text.splitlines() if line and not line.startswith("#"))
