"""Reads topics that a person gives in a file: each line of `.txt`, the first column of `.csv`, the list items
of `.md`."""

import csv
import io
import os
import re
from pathlib import Path

from nanoclaw.domain.batches import LONGEST_TOPIC, MOST_ITEMS
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.text import is_empty, storable
from nanoclaw.sandbox.untrusted_files import Reject, read_bytes

KINDS = (".txt", ".csv", ".md")
_UNREADABLE, _FEW = "\ufffd", 50  # one wrong letter in fifty is still a text
_MOST_BYTES = 16 << 20
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,6}[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>.+)")
_HEADS = frozenset(["topic", "topics", "title", "name", "subject", "тема", "теми", "назва", "заголовок"])


def read_file(files: Path, name: str) -> tuple[str, ...]:
    """The topics in a file of the group. Raises Refused if the file is missing or unusable."""
    if Path(name).suffix.casefold() not in KINDS:
        raise Refused("batch-file-kind", name=name[:80], kinds=", ".join(KINDS))
    try:
        folder = os.open(files, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise Refused("batch-no-file", name=name[:80]) from error
    try:
        content = read_bytes(folder, name, _MOST_BYTES)
    except (OSError, Reject) as error:
        raise Refused("batch-no-file", name=name[:80]) from error
    finally:
        os.close(folder)
    return topics_in(name, content)


def topics_in(name: str, content: bytes) -> tuple[str, ...]:
    """Topics without empty lines and exact repeats. Raises Refused if there are none or too many, one is too
    long, or the file is not text."""
    text = storable(content.decode("utf-8-sig", "replace"))
    if text.count(_UNREADABLE) > len(text) // _FEW:
        raise Refused("batch-file-not-text", name=name[:80])
    suffix = Path(name).suffix.casefold()
    found = _rows(text) if suffix == ".csv" else _items(text) if suffix == ".md" else text.splitlines()
    topics = tuple(dict.fromkeys(" ".join(each.split()) for each in found if not is_empty(each)))
    if not topics:
        raise Refused("batch-no-topics", name=name[:80])
    if len(topics) > MOST_ITEMS:
        raise Refused("batch-count", count=len(topics), most=MOST_ITEMS)
    if long := next((place for place, each in enumerate(topics, 1) if len(each) > LONGEST_TOPIC), None):
        raise Refused("batch-long-topic", number=long, most=LONGEST_TOPIC)
    return topics


def _rows(text: str) -> list[str]:
    """The first column, without its header."""
    first_line = text.partition("\n")[0]
    delimiter = max(",;\t", key=first_line.count)
    try:
        column = [row[0] for row in csv.reader(io.StringIO(text), delimiter=delimiter) if row]
    except csv.Error:  # a field larger than the csv module accepts
        return text.splitlines()
    return column[1:] if column and column[0].strip().casefold() in _HEADS else column


def _items(text: str) -> list[str]:
    """List items, or without a list every line that is not a heading."""
    lines = text.splitlines()
    listed = [match["text"] for line in lines if (match := _ITEM.match(line))]
    return listed or [line for line in lines if not line.lstrip().startswith("#")]
