"""Looks up sentences in the Fluent files of a language; what a language lacks is said in English."""

import os
import re
import sys
import zlib
from functools import cache, cached_property, lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

from babel.plural import PluralRule, to_python
from fluent.runtime import FluentBundle, FluentResource, resolver
from fluent.runtime.resolver import Pattern

from nanoclaw.domain.errors import NanoClawError

LANGUAGES = ("en", "uk")
# The name under which the person called the program, so that a command in a sentence can be typed as it is
# (./nanoclaw in a clone).
COMMAND = os.environ.get("NANOCLAW_COMMAND", "nanoclaw")
_FOLDER = Path(__file__).parent
_KEY = re.compile(r"^([a-z][\w-]*) =", re.MULTILINE)
# A guard against strangers' sentences; in ours, people's words beyond 2500 letters would become "{???}".
resolver.MAX_PART_LENGTH = 1_000_000
# Letters that only Ukrainian has, or that any Cyrillic text has; enough to answer in the language spoken to.
_CYRILLIC = re.compile("[а-щьюяєіїґА-ЩЬЮЯЄІЇҐ]")
_LATIN = re.compile("[a-zA-Z]")


def say(language: str, key: str, /, **values: object) -> str:
    """The sentence for a key. A missing key is its own value; a test keeps that from happening."""
    for spoken in (language, "en"):
        if pattern := _pattern(spoken, key):
            text, _errors = _bundle(spoken).format_pattern(pattern, {"command": COMMAND, **values})
            return str(text)
    return key


def tell(language: str, error: NanoClawError, /) -> str:
    """An error as a sentence for the person who met it."""
    return say(language, f"error-{error.key}", **error.values)


def entries(language: str) -> dict[str, str]:
    """Each sentence as it is written."""
    found: dict[str, str] = {}
    for packed in dict.fromkeys(_packed(language).values()):
        found |= _sentences(packed)
    return found


def language_of(text: str) -> str | None:
    """Ukrainian or English, by the letters; None if the text has none."""
    cyrillic, latin = len(_CYRILLIC.findall(text)), len(_LATIN.findall(text))
    if not cyrillic and not latin:
        return None
    return "uk" if cyrillic * 2 > latin else "en"


@cache
def _pattern(language: str, key: str) -> Pattern | None:
    if (packed := _packed(language).get(key)) is None:
        return None
    bundle = _bundle(language)
    bundle.add_resource(FluentResource(_sentences(packed)[key]))
    return bundle.get_message(key).value


@cache
def _packed(language: str) -> dict[str, bytes]:
    """The file of each sentence, compressed. A host says a few hundred of eight thousand sentences: parsing
    them all takes longer than most commands, and would cost 1 MiB of memory.
    """
    found: dict[str, bytes] = {}
    for path in (_FOLDER / language).glob("*.ftl") if language in LANGUAGES else ():
        source = path.read_text("utf-8")
        found |= dict.fromkeys(map(sys.intern, _KEY.findall(source)), zlib.compress(source.encode(), 1))
    return found


@lru_cache(maxsize=1)
def _sentences(packed: bytes) -> dict[str, str]:
    """The sentences of one file: what is said together is often written together."""
    source = zlib.decompress(packed).decode()
    starts = list(_KEY.finditer(source))
    return {
        start[1]: source[start.start() : following.start() if following else None]
        for start, following in zip_longest(starts, starts[1:])
    }


@cache
def _bundle(language: str) -> FluentBundle:
    """The bundle of sentences said so far."""
    # Isolation marks around values would be seen in terminals; names are tidied where they come in.
    return _Bundle([language], use_isolating=False)


class _NoLocale:
    """Stands in for what a language needs to count."""

    plural_form = PluralRule({})


class _Bundle(FluentBundle):
    """Learns how its language counts when it says its first number: that takes 4 MiB, and most sentences have
    none.
    """

    def __init__(self, locales: list[str], **options: Any) -> None:
        super().__init__(locales, **options)
        del self._babel_locale, self._plural_form

    def _get_babel_locale(self) -> Any:
        return _NoLocale()

    @cached_property
    def _babel_locale(self) -> Any:  # type: ignore[override]
        return super()._get_babel_locale()

    @cached_property
    def _plural_form(self) -> Any:  # type: ignore[override]
        return to_python(self._babel_locale.plural_form)
