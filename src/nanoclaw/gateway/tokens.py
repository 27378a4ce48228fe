"""How many tokens a request may have, before the vendor counts them: enough to reserve money, never for a bill."""

from typing import Any

_BYTES_PER_TOKEN = 3  # fewer than any written language needs, so that the reservation errs on the high side
_IMAGE = 1_600  # about what a picture of any size costs
_DOCUMENT_BYTES_PER_TOKEN = 20
_LONGEST = 1_000_000  # no vendor reads more
_SHORT = 200_000  # bytes; below it a picture in the request changes little, and searching for one costs time


def at_most(body: dict[str, Any], size: int) -> int:
    """An upper bound for the tokens of a request of this many bytes. Pictures are many bytes and few tokens."""
    if size < _SHORT:
        return size // _BYTES_PER_TOKEN + 1
    bulky, tokens = _bulk(body.get("messages"))
    return min((size - bulky) // _BYTES_PER_TOKEN + tokens + 1, _LONGEST)


def _bulk(content: Any) -> tuple[int, int]:
    """The bytes of pictures and documents, and the tokens they stand for."""
    size, tokens = 0, 0
    waiting = [content]
    while waiting:
        found = waiting.pop()
        if isinstance(found, list):
            waiting.extend(found)
        elif isinstance(found, dict):
            source = found.get("source")
            # Text in a document costs what any text does; only encoded data is many bytes and few tokens.
            data = None
            if isinstance(source, dict) and source.get("type") == "base64":
                data = source.get("data")
            if isinstance(data, str) and found.get("type") in ("image", "document"):
                size += len(data)
                tokens += _IMAGE if found["type"] == "image" else len(data) // _DOCUMENT_BYTES_PER_TOKEN
            else:
                waiting.append(found.get("content"))
    return size, tokens
