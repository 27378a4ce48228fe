"""A table on a phone: columns in a code block if they fit its width, else None, and the rows become text."""

from collections.abc import Sequence

import wcwidth

_WIDEST = 38  # columns of a code block that a phone shows without wrapping
_BETWEEN = "  "


def grid(rows: Sequence[Sequence[str]], aligned: Sequence[str]) -> str | None:
    """The rows, head first, padded to their visible width: a CJK character takes two columns."""
    if any("\n" in cell or "\t" in cell for row in rows for cell in row):
        return None
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    if sum(widths) + len(_BETWEEN) * (len(widths) - 1) > _WIDEST:
        return None
    lines = [_line(row, widths, aligned) for row in rows]
    lines.insert(1, _BETWEEN.join("─" * width for width in widths))
    return "\n".join(lines)


def _line(row: Sequence[str], widths: Sequence[int], aligned: Sequence[str]) -> str:
    cells = []
    for cell, width, side in zip(row, widths, aligned, strict=True):
        room = " " * (width - _width(cell))
        cells.append(room + cell if side == "right" else cell + room)
    return _BETWEEN.join(cells).rstrip()


def _width(cell: str) -> int:
    seen = wcwidth.wcswidth(cell)
    return len(cell) if seen < 0 else seen
