"""memory_snapshot.jsonl: the newest valid facts and decisions of a company, as they are in its files."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from nanoclaw.domain.memory import Entry
from nanoclaw.memory.entries import BadLine, body_of, read_line
from nanoclaw.memory.files import MemoryFiles
from nanoclaw.memory.masking import mask_body

_ID = re.compile(rb'"id"\s*:\s*"([^"]{1,100})"')
_OF_PROVENANCE = ("trust", "via")  # who said it and where is nobody's business elsewhere
_MOST_LINE = 8000  # bytes of a line that is taken along


def snapshot(files: MemoryFiles, company: str, entries: Sequence[Entry], scrub: Callable[[str], str]) -> str:
    """One line per entry, in the order of `entries`. Blocks: use a thread."""
    bodies = _bodies(files, company, {entry.id: entry.file for entry in entries})
    lines = []
    for entry in entries:
        if entry.id not in bodies:
            continue  # forgotten since the index was written
        body, _ = mask_body(bodies[entry.id], lambda text: (scrub(text), ()))
        if "provenance" in body:
            body["provenance"] = {
                name: str(body["provenance"][name]) for name in _OF_PROVENANCE if body["provenance"].get(name)
            }
        line = json.dumps(body, ensure_ascii=False, default=str)
        if len(line.encode()) <= _MOST_LINE:
            lines.append(line)
    return "".join(f"{line}\n" for line in lines)


def _bodies(files: MemoryFiles, company: str, wanted: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Lines by id. Only those that name one of these ids are parsed: a file may have a hundred thousand."""
    found: dict[str, dict[str, Any]] = {}
    for file in sorted(set(wanted.values())):
        for raw, _start, _end in files.raw_lines(company, file):
            if isinstance(raw, BadLine):
                continue
            named = _ID.search(raw)
            if named is None or named[1].decode("utf-8", "replace") not in wanted:
                continue
            line = read_line(raw)
            if not isinstance(line, BadLine) and line.id in wanted:
                found.setdefault(line.id, body_of(line))
    return found
