"""The words of a text as the index keeps them: forms of one word meet, in English and Ukrainian.

The same text gives the same terms always and everywhere, because an index outlives the process that made it.
The Ukrainian dictionary is loaded at the first Cyrillic word, which takes a tenth of a second: never on the
event loop (`warm`).
"""

import asyncio
import re
import threading
import unicodedata
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from nanoclaw.memory.derivation import family
from nanoclaw.memory.dictionary import Dictionary
from nanoclaw.memory.word_lists import irregular_forms, stop_words

_KNOWN_WORDS = 100_000  # in memory, with their terms
_LONGEST_WORD = 60  # anything longer is a key or noise, and nobody types it
_FORMS = 3  # most dictionary words that one form may belong to: мати is a mother, and to have

_APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u02bc\u2018\u0060\u00b4\u02b9\uff07", "'"))
_SPEAKER = re.compile(r"\s*([^\W\d_][\w'-]{1,30})(?: [^\W\d_][\w'-]{1,30})?:\s")
# A number with its thousands, decimals and sign; an address or a word made of parts; a plain word.
_TOKEN = re.compile(
    r"\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?![\d.,:/-]*\d)"
    r"|\w+(?:[-'._@:/,+]\w+)*(?:\+\+|#|%)?"
)
_THOUSANDS = re.compile(r"\d{1,3}(?:[, \u00a0\u202f]\d{3})+(?:\.\d+)?")
_CONTINENTAL = re.compile(r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:\.\d{3}){2,}")  # 1.240,50
_GAPS = re.compile("[, \u00a0\u202f]")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_DATE = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})|(\d{1,2})[./](\d{1,2})[./](\d{4})")
_PARTS = re.compile(r"[^\W_]+")
_CAMEL = re.compile(r"(?<=[a-zа-яіїєґ])(?=[A-ZА-ЯІЇЄҐ])")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_ENGLISH_ENDINGS = {"s", "re", "ve", "ll", "d", "m"}
# Endings of words that no dictionary has: names, brands, slang.
_UKRAINIAN_ENDINGS = re.compile(
    "(?:ями|ами|ові|еві|єві|ого|ому|ими|іми|ої|ою|ею|єю|ій|ий|ім|им|их|іх|ів|їв|ах|ях|ам|ям|ом|ем|єм|[аеиіоуюяєїйь])$"
)


def analyse(text: str) -> list[str]:
    """The terms of a text in order, without stop words."""
    return [term for token in tokens(text) for term in terms_of_word(token)]


def speaker_of(text: str) -> str | None:
    """For a line such as `Anna: ...`, the term for the speaker: @anna."""
    spoken = _SPEAKER.match(text)
    terms = terms_of_word(spoken[1]) if spoken and spoken[1][0].isupper() else ()
    return f"@{terms[0]}" if terms else None


def tokens(text: str) -> list[str]:
    """The tokens as they are written."""
    found: list[str] = _TOKEN.findall(plain(text))
    return found


def plain(text: str) -> str:
    """One spelling for what looks the same: apostrophes, wide letters, ligatures."""
    return unicodedata.normalize("NFKC", text).translate(_APOSTROPHES)


async def warm() -> None:
    """Load the dictionary in another thread, before something needs it on this one."""
    if not _loaded_dictionary.cache_info().currsize:
        await asyncio.to_thread(_dictionary)


async def warm_for(text: str) -> None:
    """Load it only if the text has words that need it."""
    if _CYRILLIC.search(text):
        await warm()


@lru_cache(_KNOWN_WORDS)
def terms_of_word(token: str) -> tuple[str, ...]:
    """The terms of one token; several for a compound."""
    if len(token) > _LONGEST_WORD:
        return ()
    if token[0].isdigit() and (number := _number(token)):
        return number
    token = token[:-2] if token.endswith(("'s", "'S")) else token
    parts = _PARTS.findall(token)
    if len(parts) == 1 and parts[0] == token:
        return tuple(dict.fromkeys((*_word(token.lower()), *_of_camel(token))))
    if "'" in token and len(parts) == 2:
        return _with_apostrophe(parts)
    return tuple(
        dict.fromkeys((*_whole(token, parts), *(term for part in parts for term in terms_of_word(part))))
    )


def _number(token: str) -> tuple[str, ...]:
    amount, percent = (token[:-1], True) if token.endswith("%") else (token, False)
    if date := _DATE.fullmatch(amount):
        year, month, day = (date[1], date[2], date[3]) if date[1] else (date[6], date[5], date[4])
        return f"{year}-{month:0>2}-{day:0>2}", year, str(int(month)), str(int(day))
    if _THOUSANDS.fullmatch(amount):
        amount = _GAPS.sub("", amount)
    elif _CONTINENTAL.fullmatch(amount):
        amount = amount.replace(".", "").replace(",", ".")
    elif _NUMBER.fullmatch(amount):
        amount = amount.replace(",", ".")
    else:
        return ()
    if "." not in amount:
        amount = amount.lstrip("0") or "0"
    return (amount, f"{amount}%") if percent else (amount,)


def _whole(token: str, parts: list[str]) -> tuple[str, ...]:
    """Compounds are also found as a whole: e-mail as email, gpt-4 as gpt4, an address as it is."""
    token = token.lower()
    if "/" in token or "," in token:
        return ()
    if re.search("[@.:]", token) or not parts:
        return (token.strip("'"),)
    if token.endswith(("++", "#")):
        return (token,)
    return ("".join(parts).lower(),) if len(parts) > 1 else ()


def _with_apostrophe(parts: list[str]) -> tuple[str, ...]:
    first, last = parts
    if _CYRILLIC.search(first):
        return _word(f"{first}'{last}".lower())
    if last.lower() == "t" and first.lower().endswith("n"):
        return ("not",)  # don't, isn't: a denial must not match the statement
    if last.lower() in _ENGLISH_ENDINGS:
        return terms_of_word(first)
    return tuple(dict.fromkeys((*_word(f"{first}{last}".lower()), *_word(last.lower()))))


def _of_camel(token: str) -> tuple[str, ...]:
    parts = _CAMEL.split(token)
    return tuple(term for part in parts for term in _word(part.lower())) if len(parts) > 1 else ()


def _word(word: str) -> tuple[str, ...]:
    if word in stop_words():
        return ()
    if _CYRILLIC.search(word):
        return _ukrainian(word)
    if word.isascii() and word.isalpha():
        return (_stem_english(irregular_forms().get(word, word)),) if len(word) > 1 else ()
    return (word,)


@cache
def _english() -> Any:
    return import_module("snowballstemmer.english_stemmer").EnglishStemmer()


def _stem_english(word: str) -> str:
    with _stemming:  # the stemmer keeps state in itself
        stem: str = _english().stemWord(word)
    return stem


_stemming = threading.Lock()
_loading = threading.Lock()


def _dictionary() -> Dictionary:
    with _loading:
        return _loaded_dictionary()


@cache
def _loaded_dictionary() -> Dictionary:
    return Dictionary()


def give_back() -> None:
    """Free the memory that many new words took; their terms stay known."""
    if _loaded_dictionary.cache_info().currsize:
        _dictionary().give_back()


def is_cyrillic(word: str) -> bool:
    return _CYRILLIC.match(word) is not None


def words_derived(term: str) -> tuple[str, ...]:
    """Other words of its family, as terms. Loads the dictionary for Cyrillic ones."""
    if not is_cyrillic(term) or not term.isalpha():
        return ()
    return family(term, _is_in_dictionary)


def _is_in_dictionary(word: str) -> bool:
    return word in _dictionary().forms(word)


def without_ending(word: str) -> str:
    """A Ukrainian word that no dictionary has."""
    stem = _UKRAINIAN_ENDINGS.sub("", word) if len(word) > 4 else word
    return stem.replace("'", "")


def _ukrainian(word: str) -> tuple[str, ...]:
    forms = _dictionary().forms(word)
    if not forms:
        return (without_ending(word),)
    kept = [form for form in forms if form not in stop_words()][:_FORMS]
    return tuple(form.replace("'", "") for form in kept)
