"""The Ukrainian dictionary as we read it, beside the library that made it."""

from importlib import import_module
from itertools import islice
from typing import Any

from nanoclaw.memory.dictionary import Dictionary


def test_words_have_the_same_dictionary_forms_as_in_the_library() -> None:
    library: Any = import_module("pymorphy3").MorphAnalyzer(lang="uk").dictionary
    substitutes = library.words.compile_replaces({"г": "ґ"})
    ours = Dictionary()
    beginnings = ("найк", "щонай", "якнайб", "ґ", "прода", "зне", "їд", "об'є", "щ")
    words = [word for each in beginnings for word in islice(library.words.iterkeys(each), 60)]
    for word in (*words, "грунту", "мати", "ніколинебуло"):
        found = library.words.similar_items(word, substitutes)
        expected = [library.build_normal_form(*place, known) for known, places in found for place in places]
        assert ours.forms(word) == tuple(dict.fromkeys(expected)), word
    assert len(words) > 400
    assert ours.forms("грунту") == ("грунт", "ґрунт")
