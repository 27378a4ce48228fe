"""The JSON objects in what a model wrote: alone, in a code fence, or in the middle of a sentence."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MOST_JSON = 64 * 1024  # characters

_BEGINNING = re.compile(r'\{\s*["}]')
MOST_BROKEN = 64  # each may be read to its end in vain
DECODER = json.JSONDecoder(strict=False)  # models break lines within strings


@dataclass(frozen=True, kw_only=True, slots=True)
class JsonObject:
    start: int
    end: int
    value: dict[str, Any]


def objects_in(text: str) -> Iterator[JsonObject]:
    """The complete objects from left to right, not those inside another. Never raises."""
    at = broken = 0
    while broken < MOST_BROKEN and (beginning := _BEGINNING.search(text, at)):
        start = beginning.start()
        try:
            value, at = DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            at, broken = start + 1, broken + 1
            continue
        if at - start <= MOST_JSON:
            yield JsonObject(start=start, end=at, value=value)
