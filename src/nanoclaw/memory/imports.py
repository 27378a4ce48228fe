"""Reads facts from a person's file: JSON lines, Markdown, or plain text with one fact per line."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import pydantic_core
from markdown_it import MarkdownIt

from nanoclaw.memory.entries import (
    BadLine,
    Decision,
    Fact,
    Provenance,
    Reason,
    bad,
    line_of,
    tidy,
)

MOST_BYTES = 10 * 1024 * 1024
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_MARKDOWN = (".md", ".markdown")


@dataclass(frozen=True, kw_only=True, slots=True)
class Imported:
    lines: tuple[Fact | Decision, ...] = ()
    bad_lines: tuple[BadLine, ...] = ()  # with the line number as their offset


def read_import(name: str, content: bytes, at: datetime, provenance: Provenance) -> Imported:
    """The entries of a file. The same text gets the same id each time, so importing twice adds nothing. The
    host says where they came from, whatever the file claims.
    """
    if len(content) > MOST_BYTES:
        return Imported(bad_lines=(replace(bad(Reason.LONG, content), offset=1, file=name),))
    said = provenance.model_dump(exclude_none=True)
    lines: dict[str, Fact | Decision] = {}
    bad_lines: list[BadLine] = []
    for number, found in _found(name.casefold(), content, at):
        if isinstance(found, BadLine):
            bad_lines.append(replace(found, offset=number, file=name))
            continue
        body = {**found, "source": found.get("source") or name, "provenance": said}
        line = line_of(body)
        if isinstance(line, (Fact, Decision)):
            lines.setdefault(line.id, line)
        else:  # marks are not imported: forgetting is decided here
            fault = line if isinstance(line, BadLine) else bad(Reason.SHAPE)
            bad_lines.append(replace(fault, offset=number, file=name))
    return Imported(lines=tuple(lines.values()), bad_lines=tuple(bad_lines))


def _found(name: str, content: bytes, at: datetime) -> Iterator[tuple[int, dict[str, Any] | BadLine]]:
    if name.endswith((".jsonl", ".ndjson", ".json")):
        yield from _from_json(content, at)
        return
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        yield 1, bad(Reason.ENCODING, content)
        return
    found = _from_markdown(text) if name.endswith(_MARKDOWN) else _from_text(text)
    for number, words, topic in found:
        yield number, {"id": _id_of(words), "timestamp": at, "fact": words, "topic": topic}


def _from_json(content: bytes, at: datetime) -> Iterator[tuple[int, dict[str, Any] | BadLine]]:
    """Our own lines as they are; those of others need at least `fact` or `text`."""
    for number, raw in enumerate(content.split(b"\n"), 1):
        if not tidy(raw):
            continue
        try:
            body = pydantic_core.from_json(tidy(raw), allow_inf_nan=False)
        except ValueError:
            yield number, bad(Reason.JSON, raw)
            continue
        if isinstance(body, str):
            body = {"fact": body}
        if not isinstance(body, dict):
            yield number, bad(Reason.SHAPE, raw)
            continue
        if "fact" not in body and "decision" not in body and isinstance(body.get("text"), str):
            body["fact"] = body.pop("text")
        for name in ("fact", "decision"):
            if isinstance(body.get(name), str):
                body[name] = body[name].strip()
        words = body.get("fact") or body.get("decision")
        if not body.get("id"):  # even if the words are missing: then that is reported for the line
            body["id"] = _id_of(str(words), "fact" if body.get("fact") else "dec")
        yield number, {**body, "timestamp": body.get("timestamp") or at}


def _from_text(text: str) -> Iterator[tuple[int, str, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        words = line.strip().lstrip("-*•–— ").strip()
        if words:
            yield number, words, ""


def _from_markdown(text: str) -> Iterator[tuple[int, str, str]]:
    """Each item, paragraph and table row; the heading above it is its topic. Code is not a fact."""
    topic, row = "", list[str]()
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for place, token in enumerate(tokens):
        number = (token.map[0] if token.map else 0) + 1
        before = tokens[place - 1].type if place else ""
        if token.type == "inline" and before == "heading_open":
            topic = _plain(token.content)[:200]
        elif token.type == "inline" and before in ("td_open", "th_open"):
            row.append(_plain(token.content))
        elif token.type == "tr_close":
            if before == "td_close" and any(row):
                yield _row_number(tokens, place), ", ".join(filter(None, row)), topic
            row = []
        elif token.type == "inline" and (words := _plain(token.content)):
            yield number, words, topic


def _row_number(tokens: Any, place: int) -> int:
    while tokens[place].type != "tr_open":
        place -= 1
    return (tokens[place].map[0] if tokens[place].map else 0) + 1


def _plain(content: str) -> str:
    return " ".join(content.replace("**", "").replace("__", "").replace("`", "").split())


def _id_of(words: str, kind: str = "fact") -> str:
    number = int.from_bytes(hashlib.sha256(words.encode("utf-8", "replace")).digest()[:8], "big")
    return f"{kind}_import_" + "".join(_ALPHABET[number >> shift & 31] for shift in range(0, 60, 5))
