"""The second safeguard of the logs: secrets that this process knows, or that look like one, become `***`.

The first is not to log them. This one catches the line that nobody thought of.
"""

import re
from collections.abc import Iterable

_SHORTEST = 8  # a shorter word would black out half of every log
_LONGEST = 500  # characters of one value
_known: set[str] = set()
_LOOKS_SECRET = re.compile(
    r"(?<!\d)\d{5,20}:[A-Za-z0-9_-]{30,}"  # a bot token. Bounded: a long number is not tried from each digit
    r"|\bsk-[A-Za-z0-9_-]{16,}"
    r"|(?i:\bbearer\s+)[A-Za-z0-9._~+/=-]{8,}"
    r"|(?i:\b(?:access_)?token=)[A-Za-z0-9._~%-]{8,}"
    r"|(?<=://)[^/\s:@\"]*:[^/\s@\"]+(?=@)"  # user and password in a URL
)


def hide(secrets: Iterable[str]) -> None:
    """Mask these in every line from now on."""
    _known.update(secret for secret in map(str.strip, secrets) if len(secret) >= _SHORTEST)


def masked(text: str) -> str:
    for secret in sorted(_known, key=len, reverse=True):
        text = text.replace(secret, "***")
    return _LOOKS_SECRET.sub("***", text)


def is_in(content: bytes) -> bool:
    """Whether one of the secrets that this process knows occurs in a file of any kind, in the usual encodings."""
    return any(secret.encode(code) in content for secret in _known for code in ("utf-8", "utf-16-le"))


def shortened(text: str) -> str:
    """Shorten long values, which users can choose. Masked first: half a secret would not be recognised."""
    return text if len(text) <= _LONGEST else masked(text)[:_LONGEST] + "…"
