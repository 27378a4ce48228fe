"""Merges two versions of a company's JSONL files: the lines of both, each id once, in the order of time.

What was purged on one side is removed from the other too. A line that one side moved to its archive is there.
No other line disappears: forgetting adds a line.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

_MOST_PARSED = 1 << 20  # bytes of a line; a longer one is not an entry, and stays as it is
_LONG_AGO = datetime(1, 1, 1, tzinfo=UTC)
_BOM = b"\xef\xbb\xbf"

Files = Mapping[str, bytes]
"""Content by path."""


@dataclass(frozen=True, slots=True)
class _JsonLine:
    raw: bytes
    id: str | None
    order: tuple[datetime, str]

    @property
    def key(self) -> str | bytes:
        """Lines that cannot be read are identified by their whole text."""
        return self.raw if self.id is None else self.id


_Lines = dict[str | bytes, list[_JsonLine]]


def merge_lines(base: Files, ours: Files, theirs: Files) -> dict[str, bytes]:
    """Every file that either side has. Both sides get the same result, except where both edited one line by hand."""
    purged = {each for side in (ours, theirs) for content in side.values() for each in _purged(content)}
    before, own, other = (
        {path: _read(content) for path, content in side.items()} for side in (base, ours, theirs)
    )
    merged = {}
    for path in sorted(ours.keys() | theirs.keys()):
        is_cut = bool(own.get(path, {}).keys() - other.get(path, {}).keys())
        untouched = _untouched(base.get(path), ours.get(path), theirs.get(path), is_cut=is_cut)
        if untouched is not None:
            merged[path] = _without(untouched, purged)
            continue
        kept = _union(
            before.get(path, {}),
            own.get(path, {}),
            other.get(path, {}),
            # A line taken out of this file that is in another one was moved.
            _elsewhere(own, path),
            _elsewhere(other, path),
        )
        lines = sorted((line for line in kept if line.id not in purged), key=lambda line: line.order)
        merged[path] = b"".join(line.raw + b"\n" for line in lines)
    return merged


def _untouched(base: bytes | None, ours: bytes | None, theirs: bytes | None, *, is_cut: bool) -> bytes | None:
    """The only version, if one side left the file as it was: every byte of it stays. `is_cut`: theirs lacks
    lines of ours. Forgetting adds a line; it does not remove any.
    """
    if theirs is None or ours == theirs or theirs == base:
        return ours
    if ours is None:
        return theirs
    return theirs if ours == base and not is_cut else None


def _without(content: bytes, purged: set[str]) -> bytes:
    if not any(each.encode() in content for each in purged):
        return content
    lines = (line for same in _read(content).values() for line in same)
    return b"".join(line.raw + b"\n" for line in lines if line.id not in purged)


def _union(
    base: _Lines, ours: _Lines, theirs: _Lines, our_others: set[str], their_others: set[str]
) -> Iterator[_JsonLine]:
    for key in [*ours, *(each for each in theirs if each not in ours)]:
        own, other, before = ours.get(key), theirs.get(key), base.get(key)
        if own is not None and other is not None:
            yield from _both(before or [], own, other)
        elif own is not None:
            if not (before is not None and key in their_others):
                yield from own
        elif other is not None and not (before is not None and key in our_others):
            yield from other


def _both(base: list[_JsonLine], ours: list[_JsonLine], theirs: list[_JsonLine]) -> list[_JsonLine]:
    was, own, other = ([line.raw for line in each] for each in (base, ours, theirs))
    if own == was:
        return theirs
    if other in (was, own):
        return ours
    return ours + [line for line in theirs if line.raw not in own]  # the first one counts


def _elsewhere(side: Mapping[str, _Lines], path: str) -> set[str]:
    return {key for name, lines in side.items() if name != path for key in lines if isinstance(key, str)}


def _read(content: bytes) -> _Lines:
    found: _Lines = {}
    order = (_LONG_AGO, "")
    for raw in content.removeprefix(_BOM).split(b"\n"):
        if not raw.strip():
            continue
        parsed = _parsed(raw)
        entry_id = _word(parsed.get("id"))
        # A line without a time stays after the one it followed.
        order = (_moment(parsed.get("timestamp")) or order[0], str(entry_id or order[1]))
        line = _JsonLine(raw, entry_id, order)
        same = found.setdefault(line.key, [])
        if all(each.raw != raw for each in same):
            same.append(line)
    return found


def _purged(content: bytes) -> Iterator[str]:
    if b'"purged"' not in content:
        return
    for raw in content.split(b"\n"):
        if b'"purged"' in raw:
            parsed = _parsed(raw)
            if parsed.get("purged") and (entry_id := _word(parsed.get("forgets"))):
                yield entry_id


def _parsed(raw: bytes) -> dict[str, object]:
    if len(raw) > _MOST_PARSED:
        return {}
    try:
        parsed = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}


def _word(written: object) -> str | None:
    return written if isinstance(written, str) else None


def _moment(written: object) -> datetime | None:
    try:
        moment = datetime.fromisoformat(str(written))
    except ValueError:
        return None
    try:
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except OverflowError:
        return None
