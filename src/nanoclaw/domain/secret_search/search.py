"""Finds every secret in a text, by its form, by the name beside it, or by its place in an address.

The one search for memory, packages, logs, extraction and git. Pure functions of the text; in megabytes use a thread.
"""

# ruff: noqa: E501 (tables of patterns)

import re
from collections.abc import Iterator

from nanoclaw.domain.secret_search.columns import column_spans
from nanoclaw.domain.secret_search.named_values import named_spans
from nanoclaw.domain.secret_search.values import entropy, is_hex, is_id, is_jumbled, is_placeholder, is_random
from nanoclaw.domain.secret_search.vendor_keys import private_keys, vendor_spans

Span = tuple[int, int]

_USER = re.compile(  # also of a share, //me:password@server
    r"(?<=//)[^\s/:@\"'<>?#]{0,100}:(?P<password>[^\s/\"'<>?#]{1,200})@(?=[\w\[$.-])|(?<=://)(?P<token>[^\s/:@\"'<>?#]{20,200})@(?=[\w-])"
)
_USER_WORDS = {"password", "pass", "passwd", "pwd", "port", "p", "pw", "passw0rd"}
_BEARER = re.compile(
    r"(?i:(?P<head>authorization[\"']?[ :=]{1,4}[\"']?)?\b(?:bearer|basic)[ \t]+)(?P<value>[A-Za-z0-9._~+/=-]{12,4200})"
)
_COOKIES = re.compile(
    r"(?im)(?:^|[\"'\s])(?:set-)?cookie[\"']?[ \t]*[:=][ \t]*[\"']?(?P<all>[^\r\n\"']{8,4200})"
)
_COOKIE = re.compile(r"(?P<name>[\w.!$%-]{1,80})=(?P<value>[^;\s\"',]{12,4100})")
_CURL = re.compile(
    r"(?:\bcurl\b[^\n]{0,300}?\s(?:-u|--user)[ =]?[\"']?|\B-u\s+[\"']?)[\w.@+-]{1,80}:(?P<value>[^\s\"':]{4,200})"
)
_CLIENT = re.compile(
    r"\b(?:mysql|mysqldump|mariadb|sshpass|mysqladmin|(?:docker|podman|helm|buildah|skopeo|oc)\s[^\n]{0,40}?login)\b[^\n]{0,200}?\s-p[ ]?[\"']?(?P<value>[^\s\"'-][^\s\"']{4,200})"
)
_SQL = re.compile(r"(?i:\bidentified(?:\s+with\s+\w{1,40})?\s+by\s+)'(?P<value>[^'\n]{4,200})'")
_ELSEWHERE = re.compile(  # ~/.pgpass, Oracle's addresses, clients of redis and MQTT
    r"(?m)^[\w.*-]{1,80}:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w*-]{1,60}:(?P<pgpass>[^\s:]{4,200})$"
    r"|:thin:\w{1,60}/(?P<oracle>[^\s/@\"']{4,200})@"
    r"|\bredis-cli\b[^\n]{0,100}? -a (?P<redis>[^\s\"'$]{6,200})"
    r"|\bmosquitto_(?:pub|sub)\b[^\n]{0,100}? -P (?P<mqtt>[^\s\"'$]{6,200})"
)
_PIPED = re.compile(
    r"\becho +(?:-n +)?[\"']?(?P<piped>[^\s\"'$]{6,200})[\"']? *\| *(?:sudo +-S|passwd|[\w ]{1,80}--password-stdin)"
)
_LOGIN = re.compile(
    r"(?i:\b(?:credentials|creds|login|логін|доступи?))[ \t]{0,3}[:=—–-][ \t]{0,3}[\w.@+-]{2,60}[ \t]{0,2}[/:|;,][ \t]{0,2}(?P<login>[^\s\"'<>]{6,100})"
)
_JWK = re.compile(r"\"(?:d|p|q|dp|dq|qi|k)\"\s{0,4}:\s{0,4}\"(?P<value>[\w-]{20,1400})\"")
_LONG_WORD = re.compile(r"(?<![A-Za-z0-9_+/.%-])[A-Za-z0-9_-]{24,200}={0,2}(?![A-Za-z0-9_+=/%])")
_PREFIX = re.compile(r"(?:[a-z]{2,12}[0-9]?[_-]){1,3}(?=\w)")  # `nvapi-`, `xnd_production_`
_ENCODED = re.compile(r"[A-Za-z0-9+/]{60}\r?\n[ \t]{0,16}\Z")  # the last line of a certificate or picture
_LONGEST_WORD = 56  # lines of public keys and pictures have 60 letters and more
_LINK = re.compile(r"https?://[^\s<>\"')\]]+")
_LEAST_ENTROPY = 4.2


def secret_spans(text: str) -> list[Span]:
    """In order, and none overlapping another."""
    return merged([*wide_spans(text), *near_spans(text)])


def near_spans(text: str) -> list[Span]:
    """What is known by its own line, or the one above."""
    return merged([*vendor_spans(text), *named_spans(text), *_placed(text), *_random_words(text)])


def wide_spans(text: str) -> list[Span]:
    """What is known by lines far above it. Whoever searches piece by piece looks for these in the whole text."""
    return merged([*private_keys(text), *column_spans(text)])


def merged(spans: list[Span]) -> list[Span]:
    made: list[Span] = []
    for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
        if made and start < made[-1][1]:
            made[-1] = made[-1][0], max(made[-1][1], end)
        else:
            made.append((start, end))
    return made


def _placed(text: str) -> Iterator[Span]:  # noqa: PLR0912 (one branch for each place)
    if "//" in text:
        for found in _USER.finditer(text):
            if (value := found["password"]) is not None:
                if value.casefold() not in _USER_WORDS and not is_placeholder(value):
                    yield found.span("password")
            elif is_random(found["token"]):
                yield found.span("token")
    lower = text.casefold() if len(text) < 50_000 else text
    if "bearer" in lower or "basic" in lower:
        for found in _BEARER.finditer(text):
            value = found["value"]
            if _is_credential(value) or (found["head"] and len(value) >= 16 and value.isalnum()):
                yield found.span("value")
    if "cookie" in lower:
        for line in _COOKIES.finditer(text):
            for each in _COOKIE.finditer(text, *line.span("all")):
                if is_random(each["value"], 0.2) or (
                    len(each["value"]) >= 24 and entropy(each["value"]) >= 3.6
                ):
                    yield each.span("value")
    if "curl" in text or " -u " in text:
        yield from (
            found.span("value")
            for found in _CURL.finditer(text)
            if not is_placeholder(found["value"]) and found["value"].casefold() not in _USER_WORDS
        )
    if " -p" in text:
        yield from (
            found.span("value") for found in _CLIENT.finditer(text) if not is_placeholder(found["value"])
        )
    if "identified" in lower:
        yield from (
            found.span("value") for found in _SQL.finditer(text) if not is_placeholder(found["value"])
        )
    if "login" in lower or "cred" in lower or "логін" in lower or "доступ" in lower:
        yield from (found.span("login") for found in _LOGIN.finditer(text) if is_jumbled(found["login"]))
    if "echo " in text:
        yield from (
            found.span("piped") for found in _PIPED.finditer(text) if not is_placeholder(found["piped"])
        )
    if ":" in text or " -" in text:
        for found in _ELSEWHERE.finditer(text):
            if not is_placeholder(found[found.lastgroup or 0]):
                yield found.span(found.lastgroup or 0)
    if '"kty"' in text:
        yield from (found.span("value") for found in _JWK.finditer(text))


def _is_credential(value: str) -> bool:
    has = {"d" if each.isdigit() else "u" if each.isupper() else "l" for each in value if each.isalnum()}
    return (
        not is_placeholder(value)
        and ("d" in has or value.endswith("="))
        and len(has) >= 2
        and entropy(value) >= 2.8
    )


def _random_words(text: str) -> Iterator[Span]:
    """Long words that nobody could remember. Names of documents in links are not secrets, nor are digests and pictures."""
    links: list[Span] | None = None
    for found in _LONG_WORD.finditer(text):
        word = found[0]
        prefix = _PREFIX.match(word)
        if not (_is_key(word, prefix.end()) if prefix else _is_random_word(word)):
            continue
        if _ENCODED.search(text, max(0, found.start() - 80), found.start()):
            continue
        lead = text[max(0, found.start() - 24) : found.start()].casefold()
        if re.search(
            r"(?:base64,|sha\d{1,3}[-:= ]|integrity|digest|hash|checksum|md5|nonce-|etag|public|ssh-\w+ )[\"':= ]{0,4}\Z",
            lead,
        ):
            continue
        if links is None:
            links = [each.span() for each in _LINK.finditer(text)] if "://" in text else []
        if not any(start <= found.start() < end for start, end in links):
            yield found.span()


def _is_key(word: str, prefix: int) -> bool:
    """Behind a vendor's prefix it may be longer, or without capitals."""
    if is_id(word):
        return False
    rest = word[prefix:]
    is_small = len(rest) >= 40 and rest.isalnum() and rest.islower() and not is_hex(rest) and is_random(rest)
    return is_small or (len(rest) >= 24 and _is_random_word(rest, 200)) or _is_random_word(word)


def _is_random_word(word: str, longest: int = _LONGEST_WORD) -> bool:
    if len(word) > longest:
        return False
    if word.startswith(("sha1-", "sha256-", "sha384-", "sha512-", "AAAA")):
        return False
    if sum(map(word.count, "_-")) > 3:
        return False
    kinds = {"d" if each.isdigit() else "u" if each.isupper() else "l" for each in word if each.isalnum()}
    return (
        len(kinds) == 3
        and sum(map(str.isdigit, word)) >= 2
        and is_random(word, 0.45)
        and entropy(word) >= _LEAST_ENTROPY
    )
