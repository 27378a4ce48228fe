"""Masks secrets and personal data before anything is kept: `[phone]`, `[e-mail]`, `[card]`, `[iban]`,
`[secret]`.

What a secret is, `domain/secret_search/` knows. All of it is a pure function of the text: nothing is looked up
anywhere. Use a thread.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from nanoclaw.domain.secret_search.masker import mask_secrets
from nanoclaw.domain.secret_search.search import secret_spans, wide_spans
from nanoclaw.memory import personal_numbers
from nanoclaw.memory.entries import BadLine, Line, body_of, line_of

MOST_TEXT = 20_000  # characters; third-party patterns are not tried on more at once
_OVERLAP, _LONGEST_WORD = 1_000, 20_000  # between two such pieces; how much longer one may be


class PrivateKind(StrEnum):
    PHONE = "phone"
    EMAIL = "e-mail"
    CARD = "card"
    IBAN = "iban"
    SECRET = "secret"  # noqa: S105


@dataclass(frozen=True, slots=True)
class Masked:
    text: str
    found: tuple[str, ...] = ()  # kinds, one per place; never the words


Span = tuple[int, int, PrivateKind]

_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-])")
_LINK = re.compile(r"https?://[^\s<>\"')\]]+")
_TOKEN_LETTER = re.compile(r"[A-Za-z0-9_.~+/=-]*")
_KEPT_FIELDS = {
    "id",
    "timestamp",
    "provenance",
    "forgets",
    "restores",
    "supersedes",
    "superseded_by",
    "purged",
    "expires",
}


def mask(
    text: str,
    own: Sequence[str] = (),
    known: Callable[[str], str] | None = None,
    region: str = personal_numbers.HOME,
    check: Callable[[], None] = lambda: None,
) -> Masked:
    """`own` are the company's public addresses and numbers, or its domain as `@example.com`. `known` replaces
    the keys that this host knows. `region` says which numbers are local. `check` is called now and then
    during a long search, and may raise.
    """
    hidden = "".join(map(known, _chunks(text))) if known else text
    found = [PrivateKind.SECRET] if hidden != text else []
    spans = _merged(
        [span for span in _all_spans(hidden, region, check) if not _is_own(hidden[span[0] : span[1]], own)]
    )
    made, place = [], 0
    for start, end, kind in spans:
        made += [hidden[place:start], f"[{kind}]"]
        place = end
    made.append(hidden[place:])
    return Masked("".join(made), (*map(str, found), *(str(kind) for _, _, kind in spans)))


def _chunks(text: str) -> Iterator[str]:
    """Chunks of whole lines: one search through megabytes would let nobody else run meanwhile."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + MOST_TEXT) + 1 or len(text)
        yield text[start:end]
        start = end


def addresses_in(text: str, region: str = personal_numbers.HOME) -> list[str]:
    """The email addresses and numbers in a public text, which `mask` may be told to leave."""
    spans = _merged(list(_all_spans(text, region)))
    return [text[start:end] for start, end, kind in spans if kind is not PrivateKind.SECRET]


def mask_body(
    body: Mapping[str, Any], mask_text: Callable[[str], tuple[str, Sequence[str]]]
) -> tuple[dict[str, Any], list[str]]:
    """A line with all its texts masked, even in unknown fields, and the kinds that were found."""
    found: list[str] = []

    def walk(value: Any) -> Any:
        if isinstance(value, str):
            text, kinds = mask_text(value)
            found.extend(kinds)
            return text
        if isinstance(value, list):
            return [walk(each) for each in value]
        if isinstance(value, dict):
            return {key: walk(each) for key, each in value.items()}
        return value

    return {key: value if key in _KEPT_FIELDS else walk(value) for key, value in body.items()}, found


def masked_line(line: Line) -> tuple[Line, bool]:
    """A line as index and boxes get it, and whether a secret was in it. People and git write lines too; those stay
    in the file as they are.
    """
    found: list[bool] = []

    def clean(text: str) -> tuple[str, Sequence[str]]:
        made = mask_secrets(text)
        found.append(made != text)
        return made, ()

    body, _ = mask_body(body_of(line), clean)
    made = line_of(body) if any(found) else line
    return (line if isinstance(made, BadLine) else made), any(found)


def _all_spans(text: str, region: str, check: Callable[[], None] = lambda: None) -> Iterator[Span]:
    """Search piece by piece. Pieces overlap, and each span counts where it has more room, so that no edge
    cuts one.
    """
    if len(text) <= MOST_TEXT:
        yield from _spans(text, region)
        return
    yield from ((start, end, PrivateKind.SECRET) for start, end in wide_spans(text))
    for first in range(0, len(text), MOST_TEXT - _OVERLAP):
        check()
        last = first + MOST_TEXT
        is_last = last >= len(text)
        # To the end of a word: half a token is not valid, and would not be found.
        word = _TOKEN_LETTER.match(text, last, last + _LONGEST_WORD)
        piece = text[first : word.end() if word else last]
        least = _OVERLAP // 2 if first else 0
        most = len(piece) if is_last else MOST_TEXT - _OVERLAP // 2
        for start, end, kind in _spans(piece, region):
            if least <= start < most:
                yield first + start, first + end, kind
        if is_last:
            return


def _spans(text: str, region: str) -> Iterator[Span]:
    yield from ((start, end, PrivateKind.SECRET) for start, end in secret_spans(text))
    links = [found.span() for found in _LINK.finditer(text)] if "://" in text else []
    if "@" in text:
        yield from ((*found.span(), PrivateKind.EMAIL) for found in _EMAIL.finditer(text))
    if not personal_numbers.has_long_number(text):
        return
    yield from ((start, end, PrivateKind.CARD) for start, end in personal_numbers.cards(text))
    yield from ((start, end, PrivateKind.IBAN) for start, end in personal_numbers.ibans(text))
    for start, end in personal_numbers.phones(text, region):
        # Numbers in links identify pages and documents.
        if not any(first <= start < last for first, last in links):
            yield start, end, PrivateKind.PHONE


def _is_own(words: str, own: Sequence[str]) -> bool:
    plain, digits = words.casefold(), re.sub(r"\D", "", words)
    for each in own:
        address = each.strip().casefold()
        if not address:
            continue
        if plain == address or (address.startswith("@") and plain.endswith(address)):
            return True
        ours = re.sub(r"\D", "", address)
        if len(ours) >= 7 and len(digits) >= 7 and (ours.endswith(digits) or digits.endswith(ours)):
            return True
        if plain.replace(" ", "") == address.replace(" ", ""):
            return True
    return False


def _merged(spans: Sequence[Span]) -> list[Span]:
    """Spans in order; overlapping ones become one, of the kind that began first or is longer."""
    made: list[Span] = []
    for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        if made and start < made[-1][1]:
            first, last, before = made[-1]
            made[-1] = (first, max(last, end), before)
        else:
            made.append((start, end, kind))
    return made
