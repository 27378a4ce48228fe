"""Markdown as a terminal shows it: bold text, code in colours, tables with lines."""

from io import StringIO

from markdown_it import MarkdownIt
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Heading, Markdown
from rich.text import Text
from rich.theme import Theme

_NARROWEST = 10
_THEME = Theme(
    {"markdown.code": "cyan"}
)  # without a background, which would be wrong on half of all terminals
_PARSER = MarkdownIt("commonmark", {"html": False}).enable("strikethrough").enable("table")


class _Heading(Heading):
    """Left-aligned, like the text below it."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        yield self.text


class _Markdown(Markdown):
    """HTML stays text, and line breaks are kept."""

    elements = {**Markdown.elements, "heading_open": _Heading}  # noqa: RUF012 - as its own class has it

    def __init__(self, text: str) -> None:
        super().__init__("", code_theme="ansi_dark", hyperlinks=False)
        self.parsed = _PARSER.parse(text)
        for token in self.parsed:
            for child in token.children or ():
                if child.type == "softbreak":
                    child.type = "hardbreak"


def render(text: str, width: int) -> str:
    """Render without empty lines around it."""
    console = Console(
        file=StringIO(),
        width=max(width, _NARROWEST),
        force_terminal=True,
        color_system="standard",
        theme=_THEME,
    )
    with console.capture() as captured:
        console.print(_Markdown(text))
    lines = [line.rstrip() for line in captured.get().splitlines()]
    while lines and not Text.from_ansi(lines[0]).plain.strip():
        lines.pop(0)
    while lines and not Text.from_ansi(lines[-1]).plain.strip():
        lines.pop()
    return "\n".join(lines)


def wrap(text: str, width: int) -> list[str]:
    """Plain text, wrapped."""
    width = max(width, _NARROWEST)
    return [line.plain.rstrip() for line in Text(text).wrap(Console(file=StringIO()), width)]
