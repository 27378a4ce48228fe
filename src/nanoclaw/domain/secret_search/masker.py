"""Replaces secrets: those that this process knows, and all that look like one. Texts, and bytes of any kind."""

import re
from collections.abc import Iterable

from nanoclaw.domain.secret_search.search import near_spans, secret_spans, wide_spans

MARK = "[secret]"
_SHORTEST = 8  # characters of a known secret: a shorter one would black out half of every text
_PIECE = 20_000  # characters searched at once, in whole lines
_LONGEST_LINE = 200_000
_known: set[str] = set()
_WIDE = re.compile(rb"(?:[\x09\x0a\x0d\x20-\x7e]\x00){8,}|(?:\x00[\x09\x0a\x0d\x20-\x7e]){8,}")


def hide(secrets: Iterable[str]) -> None:
    """Replace these wherever they occur, from now on."""
    _known.update(secret for secret in map(str.strip, secrets) if len(secret) >= _SHORTEST)


def without_known(text: str, mark: str = "***") -> str:
    for secret in sorted(_known, key=len, reverse=True):
        text = text.replace(secret, mark)
    return text


def mask_secrets(text: str, mark: str = MARK) -> str:
    """Masked already, it stays as it is."""
    text = without_known(text, mark)
    text = _replaced(text, wide_spans(text), mark)
    return "".join(_replaced(piece, near_spans(piece), mark) for piece in _pieces(text))


def holds_secret(content: bytes) -> bool:
    """Whether there is one in a file of any kind, in the usual encodings. For what cannot be masked in place."""
    if any(
        secret.encode(code) in content for secret in _known for code in ("utf-8", "utf-16-le", "utf-16-be")
    ):
        return True
    text = content.decode("utf-8", "surrogateescape")
    wide = "\n".join(found[0].replace(b"\0", b"").decode("ascii") for found in _WIDE.finditer(content))
    return any(secret_spans(piece) for each in (text, wide) for piece in _pieces(each))


def _pieces(text: str) -> Iterable[str]:
    start = 0
    while start < len(text):
        end = text.find("\n", start + _PIECE, start + _LONGEST_LINE) + 1
        end = end or min(len(text), start + _LONGEST_LINE)
        yield text[start:end]
        start = end


def _replaced(text: str, spans: list[tuple[int, int]], mark: str) -> str:
    made, place = [], 0
    for start, end in spans:
        made += [text[place:start], mark]
        place = end
    return "".join([*made, text[place:]]) if spans else text
