"""What others wrote, line by line on a terminal: it could otherwise move the cursor or overwrite other lines."""

_LONGEST_LINE = 200


def clean(text: str, longest: int | None = _LONGEST_LINE) -> list[str]:
    lines = ["".join(map(_seen, line)) for line in text.expandtabs().splitlines()]
    if longest is None:
        return lines
    return [f"{line[:longest]}…" if len(line) > longest else line for line in lines]


def _seen(letter: str) -> str:
    """Spaces of other widths are spaces."""
    return letter if letter.isprintable() else " " if letter.isspace() else ""


def one_line(text: str) -> str:
    return " ".join(clean(text))


def in_bytes(count: int) -> str:
    for size, unit in ((1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "kB")):
        if count >= size:
            return f"{count / size:.{0 if count >= 10 * size else 1}f} {unit}"
    return f"{count} B"
