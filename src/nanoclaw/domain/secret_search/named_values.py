"""Secrets that a name announces, in whatever notation: code, JSON, YAML, INI, URLs, headers, XML, prose.

The name is found first, then judged; only then a short stretch behind it is read. So the work for each name is
bounded, and no text makes this slow.
"""

# ruff: noqa: E501 (tables of patterns)

import re
from collections.abc import Iterator

from nanoclaw.domain.secret_search.key_names import ANCHOR, Strength, names_number, names_phrase, strength
from nanoclaw.domain.secret_search.values import (
    ODD,
    is_jumbled,
    is_passphrase,
    is_placeholder,
    is_random,
    is_secret,
)

Span = tuple[int, int]

_LONGEST_NAME = 80
_PARAMETER = re.compile(
    r"=(?P<value>[A-Za-z0-9]{12,4000})(?![\w.$({%])"
)  # in an address, where no variable stands
_NAME_END = re.compile(r"[\w-]{0,60}")
_LONG = 256
# Behind the name: what closes it, the sign, and what opens the value.
_ASSIGNED = re.compile(
    r"(?P<close>\\?[\"'`”»]|\*\*|%5D)?[ \t]{0,8}\]?\)?(?:\*\*)?"
    r"(?:[ \t]{0,20}(?:\??:[ \t]{0,3}[A-Za-z][\w.\[\]| ]{0,40}?[ \t]=|=>|:=|={1,3}|!==?|\?=|\+=|::(?=[ \t])|:(?!:)|->)(?:\*\*)?[ \t]{0,20}|%3D)"
    r"(?:[|>]-?[ \t]{0,4}\r?\n[ \t]{1,20})?"
)
_TAGGED = re.compile(r"(?:[ \t][^<>\n]{0,80})?>\s{0,20}(?:<!\[CDATA\[)?")  # <password>...
_VALUE_ATTRIBUTE = re.compile(  # key="ApiKey" value="...", name: DB_PASSWORD, value: ...
    r"[\"']?[ \t]{0,4},?(?:[ \t]{1,8}|\r?\n[ \t]{1,20}|,[ \t]{0,4})[\"']?(?:value|Value|VALUE)[\"']?[ \t]{0,4}[=:][ \t]{0,4}"
    r"|[\"'][ \t]{0,4}\{\s{1,20}default[ \t]{0,20}=[ \t]{0,4}"  # variable "db_password" {
    r"|\"\r?\n\r?\n(?=\S)"  # of a form: name="password"
)
_PAIR = re.compile(r"\\?[\"'][ \t]{0,4},[ \t]{0,4}(?=\\?[bru]?[\"'])")  # ("password", "...")
_CALL = re.compile(r"\((?=[\"'`])")
_CELL = re.compile(r"[ \t]{0,20}\|[ \t]{0,8}")  # of a table
_SPACED = re.compile(r"[ \t]{1,8}(?![-=:])")
_GAP = re.compile(
    r"(?P<gap>(?:[ \t]{1,3}[^\W\d_][\w’'-]{0,19}){0,5}?)[ \t]{0,3}"
    r"(?:(?P<sign>[:=—–]|-(?=[ \t]))|(?P<word>(?i:is|was|are|lautet|ist|est|es|jest|це|є|has been set to|set to|changed to|is now|now|тепер|такий|ось))(?![\w]))[ \t]{0,3}:?[ \t]{0,3}"
)
_OPEN = re.compile(
    r"(?:(?:!!?|&)\w{1,20}[ \t]{1,4})?(?:[bBrRuU@]{0,2}(?P<quote>\\?[\"'`]|[«“”]|&quot;|%22)|\*\*)?"
)
_SCHEME = re.compile(r"(?i)(?:basic|bearer|token|apikey|digest|bot|aws4-hmac-sha256|key)[ \t]+")
_BARE = re.compile(r"[^\s\"'`<>«»“”|]{1,4200}")
_NUMBER = r"(?:\d{1,2}[.):]?[ \t]?)?"
_WORDS_VALUE = re.compile(
    rf"{_NUMBER}[a-z]{{3,8}}(?:[ \t,\r\n]{{1,3}}{_NUMBER}[a-z]{{3,8}}){{11,23}}(?![a-z])"
)
_MORE = re.compile(r"[ \t]+[\w\"'(]")
_PRECEDED_BY_FLAG = re.compile(r"(?:^|[\s\"'\[])--?\Z")
_STOPS = re.compile(
    r"[,;&](?:[\w.% -]{0,40}=|\s|$|[\"'])|&amp;|[)\]}]+[;,.]*$|\\n|\\r|\\[\"']|,(?=\w+:)|;$|#$"
)
_IN_PROSE_END = ".,;:!?)"
_NETRC = {"login", "machine", "user", "account"}


def named_spans(text: str) -> Iterator[Span]:
    done = 0
    for anchor in ANCHOR.finditer(text):
        if anchor.start() < done:
            continue
        start, least = anchor.start(), max(done, anchor.start() - _LONGEST_NAME)
        while start > least and (text[start - 1].isalnum() or text[start - 1] in "_-"):
            start -= 1
        end = _NAME_END.match(text, anchor.end()).end()  # type: ignore[union-attr]
        name = text[start:end].strip("-")
        done = end
        rank = strength(name)
        if rank is Strength.NONE and text[end : end + 1] == " ":  # `seed phrase`, `api key`, `ключ доступу`
            if second := re.compile(r"[ ](?:key|phrase|words|token|code|secret|доступу|api|API)(?!\w)").match(
                text, end
            ):
                name, end = name + "_" + second[0].strip(), second.end()
                rank = strength(name)
        elif rank is Strength.WEAK and name.casefold() in ("key", "keys"):
            words = re.compile(r"(\w{1,20}) \Z").search(text, max(0, start - 24), start)
            if words:
                rank = (
                    max(rank, strength(f"{words[1]}_{name}"))
                    if strength(f"{words[1]}_{name}")
                    else Strength.NONE
                )
        if (names_phrase(name) or rank) and (found := _phrase(text, name, end)):
            yield found
            done = found[1]
            continue
        if rank is Strength.NONE:
            continue
        for first, last in _values(text, name, rank, start, end):
            if first < last:
                yield first, last
            done = max(done, last)


def _phrase(text: str, name: str, end: int) -> Span | None:
    """Twelve to twenty-four words, as wallets give them."""
    if not names_phrase(name):
        return None
    sign = re.compile(
        r"(?:[ \t]\w{1,12}){0,3}\\?[\"'`]?[ \t]{0,4}(?:[:=]|is|are|—|–)[ \t]{0,4}\\?[\"'`]?\n?[ \t]{0,4}"
    ).match(text, end)
    found = _WORDS_VALUE.match(text, sign.end()) if sign else None
    return found.span() if found else None


def _values(text: str, name: str, rank: Strength, start: int, end: int) -> Iterator[Span]:
    opened = text[start - 1] if start else ""
    is_flag = text[start : start + 1] == "-" or bool(_PRECEDED_BY_FLAG.search(text, max(0, start - 4), start))
    if opened == "<" and (sign := _TAGGED.match(text, end)):
        yield from _judged(text, sign.end(), rank, name)
        return
    if sign := _VALUE_ATTRIBUTE.match(text, end):
        yield from _judged(text, sign.end(), rank, name)
        return
    if opened and opened in "?&" and rank >= Strength.SECRET and (plain := _PARAMETER.match(text, end)):
        yield plain.span("value")
        return
    if sign := _ASSIGNED.match(text, end):
        line = text.rfind("\n", max(0, start - 200), start) + 1
        lead = text[max(line, start - 60) : start].strip(" \t-*>\"'{")
        is_spaced = text[sign.end() - 1] in " \t" and "=" in sign[0]
        is_own = lead in ("", "export", "set", "ENV", "env", "SET") or lead.endswith(
            (".", ":", ";", "&", "?", "#")
        )
        # Behind ` = ` stands a variable as often as a value; all capitals are settings.
        is_assigned = is_own and (not is_spaced or not name.islower() or ":" in sign[0])
        found = list(_judged(text, sign.end(), rank, name, is_assigned=is_assigned))
        yield from found
        if found or ":" not in sign[0]:  # else prose may follow the colon
            return
    for pattern in (_PAIR, _CALL):
        if (sign := pattern.match(text, end)) and rank >= Strength.SECRET:
            yield from _judged(text, sign.end(), rank, name, is_pair=True)
            return
    cell = _CELL.match(text, end)
    if cell and rank >= Strength.SECRET:
        yield from _judged(text, cell.end(), rank, name, is_prose=True)
        return
    spaced = _SPACED.match(text, end)
    if spaced and _is_command(text, start, end, is_flag=is_flag):
        yield from _judged(text, spaced.end(), rank, name, is_spaced=True)
        return
    if spaced and rank >= Strength.SECRET and (bare := _BARE.match(text, spaced.end())):
        value = bare[0].rstrip(_IN_PROSE_END)
        is_clear = is_jumbled(value) if rank is Strength.PASSWORD else is_random(value.removeprefix("0x"))
        if is_clear and not is_placeholder(value) and "(" not in value:
            yield spaced.end(), spaced.end() + len(value)
            return
    if (
        rank >= Strength.SECRET
        and (sign := _GAP.match(text, end))
        and (sign["gap"] or sign["word"] or sign["sign"] in "—–-")
    ):
        yield from _judged(text, sign.end(), rank, name, is_prose=True)


def _is_command(text: str, start: int, end: int, *, is_flag: bool) -> bool:
    """`--token x`, `machine h login u password x`, `requirepass x`, `IDENTIFIED BY 'x'`."""
    if is_flag or text[start:end] in ("requirepass", "masterauth"):
        return True
    if text[max(0, start - 1) : start].isspace() and _NETRC & set(
        text[max(0, start - 240) : start].split()[-2:-1]
    ):
        return True
    line = text.rfind("\n", max(0, start - 200), start) + 1
    newline = text.find("\n", end, end + 200)
    rest = text[end : newline if newline >= 0 else end + 200].split()
    # A line of nothing but name and value, or SQL.
    lead = text[line:start].strip()
    return (
        lead in ("", "ENV", "SetEnv", "setenv", "-e", "--env", "set -x", "set -gx", "setx") and len(rest) == 1
    ) or (bool(rest) and rest[0][:1] == "'" and rest[0].rstrip(";,)")[-1:] == "'")


def _judged(  # noqa: PLR0912 (one branch for each way of writing a value)
    text: str, at: int, rank: Strength, name: str, *, is_prose: bool = False, is_assigned: bool = False,
    is_spaced: bool = False, is_pair: bool = False,
) -> Iterator[Span]:  # fmt: skip
    opened = _OPEN.match(text, at)
    first = opened.end() if opened else at
    quote = opened["quote"] if opened else None
    if "auth" in name.casefold() and (scheme := _SCHEME.match(text, first)):
        first, rank = scheme.end(), Strength.SECRET
    if quote:
        last = _closed(text, first, quote)
        if last is None:
            bare = _BARE.match(text, first)
            last = bare.end() if bare else first
        value = text[first:last]
        if any(map(str.isspace, value)):
            if rank is Strength.PASSWORD and is_passphrase(value):
                yield first, last
            return
    else:
        bare = _BARE.match(text, first)
        if bare is None:
            return
        value = bare[0]
        if stop := _STOPS.search(value):
            value = value[: stop.start()]
        last = first + len(value)
    if not value or value.startswith(("[", "***")):
        return
    if not quote:
        value = value.rstrip(_IN_PROSE_END if is_prose or not is_assigned else ".,;:")
        last = first + len(value)
    is_number = value.isdigit() and names_number(name)
    if is_number and not (4 <= len(value) <= 12):
        return
    ends = _MORE.match(text, min(len(text), first + len(value) + bool(quote))) is None
    if is_spaced and not quote and not any(each.isdigit() or each in ODD for each in value):
        return
    if is_number or is_secret(
        value,
        rank,
        quoted=bool(quote) and not is_pair,
        prose=is_prose,
        ends=ends and not is_spaced,
        assigned=is_assigned,
        setting=is_assigned and name.isupper(),
    ):
        yield first, last
    elif (
        len(value) > _LONG
    ):  # an empty span: so far was read in vain, and need not be read for each name in it
        yield last, last


def _closed(text: str, first: int, quote: str) -> int | None:
    closing = {"«": "»", "“": "”", "”": "”"}.get(quote, quote)
    place = text.find(closing, first, first + 4200)
    while place > first and text[place - 1] == "\\" and not quote.startswith("\\"):
        place = text.find(closing, place + 1, first + 4200)
    newline = text.find("\n", first, place) if place >= 0 else -1
    return place if place >= 0 and newline < 0 else None
