"""How commands print what they found: as JSON, as a table, or one line each."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from nanoclaw.console.shape import Shape, as_shown
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.shown_text import shown_line
from nanoclaw.texts import say

S = TypeVar("S", bound=Shape)


def print_json(value: object) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def print_table(names: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    table = Table(box=None)
    for name in names:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(Text(shown_line(cell)) for cell in row))  # as text: brackets are not Rich's markup
    Console().print(table)


def as_dict(shape: Shape) -> dict[str, Any]:
    """The shape as the API shows it, without what only a page can use."""
    return as_shown(shape).model_dump(exclude={"html"})  # type: ignore[no-any-return]


def print_list(
    found: Sequence[S], locale: Locale, line: Callable[[Locale, S], str], none: str, *, as_json: bool
) -> None:
    if as_json:
        print_json([as_dict(row) for row in found])
    elif not found:
        typer.echo(say(locale.speaks, none))
    else:
        typer.echo("\n".join(line(locale, as_shown(row)) for row in found))


def print_one(row: S, locale: Locale, line: Callable[[Locale, S], str], *, as_json: bool) -> None:
    if as_json:
        print_json(as_dict(row))
    else:
        typer.echo(line(locale, as_shown(row)))
