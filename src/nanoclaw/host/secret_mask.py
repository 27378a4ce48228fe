"""The second net under the logs: secrets that this process knows, or that look like one, leave it as `***`.

The first is not to write them. This one catches the line that nobody thought of.
"""

import re
from collections.abc import Iterable

_SHORTEST = 8  # a shorter word would blacken half of every log
_LONGEST = 500  # characters of one value
_known: set[str] = set()
_LOOKS_SECRET = re.compile(
    r"(?<!\d)\d{5,20}:[A-Za-z0-9_-]{30,}"  # the token of a bot. Bounded: a long number is not tried from each digit
    r"|\bsk-[A-Za-z0-9_-]{16,}"
    r"|(?i:\bbearer\s+)[A-Za-z0-9._~+/=-]{8,}"
    r"|(?i:\b(?:access_)?token=)[A-Za-z0-9._~%-]{8,}"
    r"|(?<=://)[^/\s:@\"]*:[^/\s@\"]+(?=@)"  # the name and password of an address
)


def hide(secrets: Iterable[str]) -> None:
    """From now on these are masked in every line."""
    _known.update(secret for secret in map(str.strip, secrets) if len(secret) >= _SHORTEST)


def masked(text: str) -> str:
    for secret in sorted(_known, key=len, reverse=True):
        text = text.replace(secret, "***")
    return _LOOKS_SECRET.sub("***", text)


def shortened(text: str) -> str:
    """Whoever chose it may have chosen a very long one. Masked first: half a secret is not known as one."""
    return text if len(text) <= _LONGEST else masked(text)[:_LONGEST] + "…"
