"""What the host says, as a terminal shows it: in Markdown a backslash only escapes the next character."""

import re
from typing import Any

_PART = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}(?P=fence)[`~]*[ \t]*$|\Z)"
    r"|\\(?P<sign>[!-/:-@\[-`{-~])"
    r"|(?P<ticks>`+)(?!`)(?:(?!\n\n).)+?(?<!`)(?P=ticks)(?!`)"
    r"|`+",
    re.DOTALL | re.MULTILINE,
)
_QUOTED = re.compile(r"^> ", re.MULTILINE)  # in a terminal that looks like a prompt


def shown(line: dict[str, Any]) -> str:
    """The text of a line of the chat. An agent's own text stays as it is: nobody knows how it is meant."""
    text = str(line["text"])
    return _QUOTED.sub("│ ", without_escapes(text)) if line["author"] == "host" else text


def without_escapes(text: str) -> str:
    """Inside code a backslash is a backslash."""
    return _PART.sub(lambda found: found["sign"] or found[0], text)
