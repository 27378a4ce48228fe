"""Masks secrets and personal data before anything is kept: `[phone]`, `[e-mail]`, `[card]`, `[iban]`,
`[secret]`.

The detectors are loaded on first use, and are pure functions of the text: nothing is looked up anywhere. Use
a thread.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import import_module
from itertools import pairwise
from typing import Any

from nanoclaw.memory import personal_numbers

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

# Detectors whose pattern is a form that nothing else has. Not those of entropy (they want quotes) and of
# keywords (they take the rest of the sentence): see `_random_words` and `_PASSWORD`. Not Azure's: it needs 20
# s for some texts.
_DETECTORS = (
    ("aws", "AWSKeyDetector"),
    ("basic_auth", "BasicAuthDetector"),
    ("discord", "DiscordBotTokenDetector"),
    ("github_token", "GitHubTokenDetector"),
    ("gitlab_token", "GitLabTokenDetector"),
    ("jwt", "JwtTokenDetector"),
    ("mailchimp", "MailchimpDetector"),
    ("openai", "OpenAIDetector"),
    ("pypi_token", "PypiTokenDetector"),
    ("sendgrid", "SendGridDetector"),
    ("slack", "SlackDetector"),
    ("square_oauth", "SquareOAuthDetector"),
    ("stripe", "StripeDetector"),
    ("telegram_token", "TelegramBotTokenDetector"),
    ("twilio", "TwilioKeyDetector"),
)
# In everything that one of them could find. Most texts have none of it, and a host that never meets such a
# text never loads the detectors, which take some MiB.
MAY_HOLD_KEY = re.compile(r"\S{20}|://|(?i:xox)|eyJ")
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [^-]{1,60}-----|\Z)", re.S
)
_VENDOR_KEY = re.compile(
    r"\b(?:sk|pk|rk|ghp|gho|xai|gsk|hf|npm)[-_][A-Za-z0-9_-]{16,}|\bAIza[A-Za-z0-9_-]{30,}"
)
_BEARER = re.compile(r"(?i:\bbearer\s+)([A-Za-z0-9._~+/=-]{12,})")
_PARAMETER = re.compile(
    r"(?i:[?&](?:access_)?(?:token|key|api_key|apikey|sig|signature|secret|password)=)(?!\[)([^\s&#\"'`<>]{6,})"
)
_PASSWORD = re.compile(
    r"(?:(?P<password>\b(?i:password|passphrase|passwd|pwd|парол[ьяюеі]\w{0,3}))(?P<gap>(?:[^\S\n]+[\w-]{1,20}){0,4}?)"
    r"|\b(?i:(?:api|account)[ _-]?key|secret([ _-]key)?|(?:access[ _-])?token|токен[ауі]?|ключ[аіу]?|pin|пін(-?код)?))"
    r"[^\S\n]{0,3}(?P<sign>[:=—–]|(?i:is|це)\b)[^\S\n]{0,3}[\"'`«]?(?P<value>[^\s\"'`«»,;|]{4,128})(?P<more>[^\S\n]+\w)?"
)
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-])")
_LONG_WORD = re.compile(r"[A-Za-z0-9_+=-]{24,}")
_LINK = re.compile(r"https?://[^\s<>\"')\]]+")
_TOKEN_LETTER = re.compile(r"[A-Za-z0-9_.~+/=-]*")
_SHORT_SECRET = 6
_LEAST_ENTROPY = 4.2
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


def _all_spans(text: str, region: str, check: Callable[[], None] = lambda: None) -> Iterator[Span]:
    """Search piece by piece. Pieces overlap, and each span counts where it has more room, so that no edge
    cuts one.
    """
    if len(text) <= MOST_TEXT:
        yield from _spans(text, region)
        return
    yield from ((*found.span(), PrivateKind.SECRET) for found in _PRIVATE_KEY.finditer(text))
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
    yield from _secrets(text)
    links = [found.span() for found in _LINK.finditer(text)] if "://" in text else []
    yield from _random_words(text, links)
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


def _secrets(text: str) -> Iterator[Span]:
    for detector in _detectors() if MAY_HOLD_KEY.search(text) else ():
        for value in detector.analyze_string(text):
            yield from _places(text, value)
    for pattern in (_PRIVATE_KEY, _VENDOR_KEY):
        yield from ((*found.span(), PrivateKind.SECRET) for found in pattern.finditer(text))
    for pattern in (_BEARER, _PARAMETER):
        yield from ((*found.span(1), PrivateKind.SECRET) for found in pattern.finditer(text))
    for found in _PASSWORD.finditer(text):
        value = found["value"].rstrip(".!?)")
        if _is_password(found, value):
            yield found.start("value"), found.start("value") + len(value), PrivateKind.SECRET


def _is_password(found: re.Match[str], value: str) -> bool:
    """`password: hunter2` and `пароль: кавакава`; not `password: at least 12 letters` or `Token: is it needed?`."""
    if value.startswith("["):  # masked already
        return False
    is_mixed = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    is_odd = any(not letter.isalnum() and letter not in "-'’()/." for letter in value)
    if found["sign"] not in ":=" or found["gap"]:
        return is_mixed and len(value) >= _SHORT_SECRET
    if is_mixed or (is_odd and not value.startswith(("{", "<", "$", "http"))):
        return True
    return found["password"] is not None and found["more"] is None


def _places(text: str, value: str) -> Iterator[Span]:
    """Every occurrence, to the end of the word: some patterns stop earlier."""
    start = text.find(value) if value else -1
    while start >= 0:
        end = start + len(value)
        rest = _TOKEN_LETTER.match(text, end)
        yield (
            start,
            end + len(rest[0].rstrip(".") if rest and text[end : end + 1] != "@" else ""),
            PrivateKind.SECRET,
        )
        start = text.find(value, end)


def _random_words(text: str, links: list[tuple[int, int]]) -> Iterator[Span]:
    """Long words that nobody could remember. Names of documents in links are not secrets."""
    for found in _LONG_WORD.finditer(text):
        if _is_random(found[0]) and not any(start <= found.start() < end for start, end in links):
            yield (*found.span(), PrivateKind.SECRET)


def _is_random(word: str) -> bool:
    kinds = [
        "d" if each.isdigit() else "u" if each.isupper() else "l" if each.isalpha() else "-" for each in word
    ]
    if not {"d", "u", "l"} <= set(kinds) or kinds.count("d") < 2:
        return False
    turns = sum(one != other for one, other in pairwise(kinds))  # few of them in CamelCase
    return turns >= 0.45 * len(word) and bool(_entropy()(word) >= _LEAST_ENTROPY)


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


@cache
def _detectors() -> tuple[Any, ...]:
    return tuple(
        getattr(import_module(f"detect_secrets.plugins.{module}"), name)() for module, name in _DETECTORS
    )


@cache
def _entropy() -> Callable[[str], float]:
    plugins: Any = import_module("detect_secrets.plugins.high_entropy_strings")
    measure: Callable[[str], float] = plugins.Base64HighEntropyString().calculate_shannon_entropy
    return measure
