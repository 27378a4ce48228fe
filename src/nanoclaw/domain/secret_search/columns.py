"""Secrets in tables whose head names them, as browsers and password managers write them: `name,url,password`."""

import re
from collections.abc import Iterator

from nanoclaw.domain.secret_search.key_names import Strength, strength
from nanoclaw.domain.secret_search.values import is_placeholder, is_secret

Span = tuple[int, int]

_HEAD = re.compile(
    r"^(?=[^\n,;|\t]{0,80}(?:[,;](?! )|[|\t]))"
    r"(?=[^\n]{0,400}?(?:pass|pwd|secret|token|key|pin|парол|токен|ключ|код))(?![^\n]{0,600}?[,;] )"
    r"[\w .\"/|,;\t-]{3,600}(?=\r?$)",
    re.M | re.I,
)
_SEPARATORS = ("\t", ";", ",", "|")
_CELL = {each: re.compile(rf'"(?:[^"\n]|""){{0,4000}}"|[^"\n{each}]{{0,4000}}') for each in _SEPARATORS}
_RULE = re.compile(r"[\s|:-]+")
_MOST_CELLS, _MOST_WORDS = 60, 3
_SHORTEST = 4


def column_spans(text: str) -> Iterator[Span]:
    done = 0
    for head in _HEAD.finditer(text):
        if head.start() < done:
            continue
        separator = next((each for each in _SEPARATORS if each in head[0]), "")
        cells = [text[slice(*each)] for each in _cells(text, head.start(), head.end(), separator)]
        if separator != "|" and not all(cells):
            continue
        ranks = [strength(each) if len(each.split()) <= _MOST_WORDS else Strength.NONE for each in cells]
        if not 2 <= len(cells) <= _MOST_CELLS or max(ranks) < Strength.SECRET:
            continue
        done = text.find("\n", head.end()) + 1 or len(text)
        while done < len(text):
            newline = text.find("\n", done)
            end = newline if newline >= 0 else len(text)
            row = _cells(text, done, end - (text[end - 1] == "\r"), separator)
            if len(row) != len(ranks):
                break
            if not _RULE.fullmatch(text, done, end):
                yield from (
                    span
                    for span, rank in zip(row, ranks, strict=True)
                    if _is_one(text[slice(*span)], rank, is_page=separator == "|")
                )
            done = end + 1


def _is_one(value: str, rank: Strength, *, is_page: bool) -> bool:
    if rank < Strength.SECRET or len(value) < _SHORTEST or is_placeholder(value) or " " in value:
        return False
    if rank is Strength.PASSWORD and not is_page:
        return True
    return is_secret(value, rank, quoted=False, prose=is_page, ends=True, assigned=True)


def _cells(text: str, start: int, end: int, separator: str) -> list[Span]:
    """Without their quotes and the spaces around them; none if it is no row."""
    found: list[Span] = []
    while separator and len(found) <= _MOST_CELLS:
        cell = _CELL[separator].match(text, start, end)
        if cell is None:
            return []
        first, last = cell.span()
        while first < last and text[first] in ' "':
            first += 1
        while last > first and text[last - 1] in ' "':
            last -= 1
        found.append((first, last))
        if cell.end() == end:
            return found
        if text[cell.end()] != separator:
            return []
        start = cell.end() + 1
    return []
