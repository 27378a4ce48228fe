"""Looks sentences up in the Fluent files of a language; what a language lacks is said in English."""

import os
import re
from functools import cache
from pathlib import Path

from fluent.runtime import FluentBundle, FluentResource, resolver
from fluent.syntax.ast import Message

from nanoclaw.domain.errors import NanoClawError

LANGUAGES = ("en", "uk")
# As the person called the program, so that a command in a sentence can be typed as it stands (./nanoclaw in a clone).
COMMAND = os.environ.get("NANOCLAW_COMMAND", "nanoclaw")
_FOLDER = Path(__file__).parent
# It guards against sentences of strangers; in ours people's words would become "{???}" beyond 2500 letters.
resolver.MAX_PART_LENGTH = 1_000_000
# Letters that only Ukrainian has, or that any Cyrillic text has; enough to answer in the language spoken to.
_CYRILLIC = re.compile("[а-щьюяєіїґА-ЩЬЮЯЄІЇҐ]")
_LATIN = re.compile("[a-zA-Z]")


def say(language: str, key: str, /, **values: object) -> str:
    """The sentence for a key. The value of a missing key is the key itself; a test keeps that from happening."""
    for bundle in (_bundle(language if language in LANGUAGES else "en"), _bundle("en")):
        if bundle.has_message(key) and (pattern := bundle.get_message(key).value) is not None:
            text, _errors = bundle.format_pattern(pattern, {"command": COMMAND, **values})
            return str(text)
    return key


def tell(language: str, error: NanoClawError, /) -> str:
    """An error as a sentence for the person who met it."""
    return say(language, f"error-{error.key}", **error.values)


def keys(language: str) -> dict[str, Path]:
    """Every key of a language with the file that holds it."""
    found = {}
    for path in sorted((_FOLDER / language).glob("*.ftl")):
        for entry in FluentResource(path.read_text("utf-8")).body:
            if isinstance(entry, Message):
                found[entry.id.name] = path
    return found


def language_of(text: str) -> str | None:
    """Ukrainian or English, by the letters; None when the text has none."""
    cyrillic, latin = len(_CYRILLIC.findall(text)), len(_LATIN.findall(text))
    if not cyrillic and not latin:
        return None
    return "uk" if cyrillic * 2 > latin else "en"


@cache
def _bundle(language: str) -> FluentBundle:
    # Isolation marks around values would be seen in terminals; names are tidied where they come in.
    bundle = FluentBundle([language], use_isolating=False)
    for path in sorted((_FOLDER / language).glob("*.ftl")):
        bundle.add_resource(FluentResource(path.read_text("utf-8")))
    return bundle
