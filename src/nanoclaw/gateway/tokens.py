"""How many tokens a request has, before the vendor counts them.

Money is set aside for the most that it can have: a token is never less than a byte. For English that is about four
times too much, but any closer guess is too low for other alphabets, emoji, digits or encoded data, and many calls at
once would then cost more than a limit leaves. When so much does not fit, the vendor is asked to count.
"""

from typing import Any

_LIKELY_BYTES = 3  # per token
_IMAGE = 5_000  # the most that a picture of any size costs
_LONGEST = 1_000_000  # no vendor reads more
_ROLES = 50  # what marks who speaks
_TOOLS = 1_000  # what a vendor adds to explain that there are tools, and for each one that it knows itself


def likely(size: int) -> int:
    """For what nobody counted: rather too many than too few, but near the truth."""
    return size // _LIKELY_BYTES + 1


def of_text(size: int, *, with_tools: bool = True) -> int:
    """The most that a request of this many bytes can have, if it holds nothing but text and tools."""
    return min(size + (_TOOLS if with_tools else _ROLES), _LONGEST)


def at_most(body: dict[str, Any], size: int) -> int:
    """The same for any request. Pictures are many bytes and few tokens; a small document can have many pages."""
    bulky, tokens = _bulk(body.get("messages"))
    tools = body.get("tools")
    known = sum("type" in tool for tool in tools) if isinstance(tools, list) else 0
    return min(of_text(size - bulky + tokens, with_tools=bool(tools)) + known * _TOOLS, _LONGEST)


def _bulk(content: Any) -> tuple[int, int]:
    """The bytes of pictures and documents, and the tokens they stand for at most."""
    size, tokens = 0, 0
    waiting = [content]
    while waiting:
        found = waiting.pop()
        if isinstance(found, list):
            waiting.extend(found)
        elif isinstance(found, dict):
            source = found.get("source")
            # Text in a document costs what any text does; only encoded data is something else.
            data = None
            if isinstance(source, dict) and source.get("type") == "base64":
                data = source.get("data")
            if isinstance(data, str) and found.get("type") in ("image", "document"):
                size += len(data)
                tokens += _IMAGE if found["type"] == "image" else _LONGEST
            else:
                waiting += (found.get("content"), source)
    return size, tokens
