"""The JSON objects in what a model wrote: alone, in a code fence, or in the middle of a sentence."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MOST_JSON = 64 * 1024  # characters

_BEGINNING = re.compile(r'\{\s*["}]')
_MOST_TRIED = 64  # each may be read to its end in vain
_DECODER = json.JSONDecoder(strict=False)  # models break lines within strings


@dataclass(frozen=True, kw_only=True, slots=True)
class JsonObject:
    start: int
    end: int
    value: dict[str, Any]


def objects_in(text: str) -> Iterator[JsonObject]:
    """Those that are whole, from left to right; not what is inside another. Never raises."""
    at = 0
    for _ in range(_MOST_TRIED):
        if (beginning := _BEGINNING.search(text, at)) is None:
            return
        start = beginning.start()
        try:
            value, length = _DECODER.raw_decode(text[start : start + MOST_JSON])
        except (ValueError, RecursionError):
            at = start + 1
            continue
        at = start + length
        yield JsonObject(start=start, end=at, value=value)
