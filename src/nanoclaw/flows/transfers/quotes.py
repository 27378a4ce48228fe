"""Other people's words inside our documents: quoted, so that nothing in them passes for ours, and cut to size."""

import re

from nanoclaw.domain.text import storable, visible

_OPENING = re.compile(r"^[\s#>*+\-=`|~_]+")


def quoted(text: str) -> str:
    """A block quote of every line, so that nothing in it can act as a heading, a fence or a line of ours."""
    lines = visible(storable(text)).strip().splitlines()
    return "\n".join(f"> {line}".rstrip() for line in lines) or "> …"


def in_line(text: str, most: int) -> str:
    """The text on one line, without leading marks, for a list."""
    line = _OPENING.sub("", " ".join(visible(storable(text)).split()))
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def in_code(name: str, most: int = 160) -> str:
    """A name shown as code."""
    return f"`{in_line(name, most).replace('`', chr(0x2019))}`"


def cut(text: str, most_bytes: int) -> str:
    """The beginning, up to the end of a paragraph or a line if one is near. Only for scrubbed text: half a
    secret would not be recognised.
    """
    if len(text.encode()) <= most_bytes:
        return text
    begun = text.encode()[: max(most_bytes, 0)].decode("utf-8", "ignore")
    for mark in ("\n\n", "\n", " "):
        whole = begun.rpartition(mark)[0].rstrip()
        if len(whole) >= len(begun) * 2 // 3:
            return whole
    return begun
