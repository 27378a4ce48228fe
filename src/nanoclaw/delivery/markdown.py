"""The model's Markdown as styled text. No character of code is lost, and no text raises."""

import re
from collections.abc import Sequence

from markdown_it.token import Token

from nanoclaw.delivery.inline_markdown import InlineMarkdown
from nanoclaw.delivery.markdown_tokens import parse
from nanoclaw.delivery.styled_builder import Solid, TextStyle
from nanoclaw.delivery.text_tables import grid
from nanoclaw.delivery.unfinished_markdown import mend
from nanoclaw.domain.styled import Style, Styled
from nanoclaw.domain.text import is_empty, storable

_BULLETS = "•◦▪"
_RULE = "───"
_INDENT = "   "
_TASK = re.compile(r"\[([ xX])\][ \u00a0]")
_PLAIN = re.compile(r"[^\W\d_](?:[^\W_]|[,.!?:;'’()…–—-]| (?=\S))*")
"""A line of words and plain signs, like most short answers: nothing in it could be markup."""
_LANGUAGE = re.compile(r"[a-zA-Z0-9_+#./-]{1,40}(?=\s|$)")

Cell = Sequence[Token]


def render(markdown: str, *, is_unfinished: bool = False) -> Styled:
    """Text and spans for a chat. While an answer is still being written, its last line may be incomplete."""
    source = storable(markdown)
    if _PLAIN.fullmatch(source):
        return Styled(text=source)
    tokens = parse(mend(source) if is_unfinished else source)
    if tokens is None:
        return Styled(text=source)
    page = _Page()
    page.write(tokens)
    styled = page.writer.builder.styled()
    # Text of nothing but marks ("```", "**") is shown as it is rather than not at all.
    return Styled(text=source) if is_empty(styled.text) and not is_empty(source) else styled


class _Page:
    """Walks the blocks once, keeping track of where it is."""

    def __init__(self) -> None:
        self.writer = InlineMarkdown()
        self._quotes = 0  # opened so far
        self._depth = 0  # of nested quotes; a chat shows only the outermost as one
        self._lists: list[str] = []  # the bullet of each open list
        self._bullet = ""  # for the next line
        self._last_line = -1  # of the source, last written
        self._last_quote = 0

    def write(self, tokens: Sequence[Token]) -> None:
        at = 0
        while at < len(tokens):
            token = tokens[at]
            if token.type == "table_open":
                end = next(i for i in range(at, len(tokens)) if tokens[i].type == "table_close")
                self._table(token, tokens[at:end])
                at = end
            elif token.type == "list_item_open":
                self._begin_item(token, tokens[at + 2])
            else:
                self._block(token)
            at += 1

    def _block(self, token: Token) -> None:
        match token.type:
            case "paragraph_open":
                self._begin(token)
            case "heading_open":
                self._begin(token)
                self.writer.turn_style("bold", 1)
            case "heading_close":
                self.writer.turn_style("bold", -1)
            case "inline":
                self.writer.inline(token.children or [])
            case "fence" | "code_block":
                self._code(token)
            case "hr":
                self._begin(token)
                self.writer.write(_RULE)
            case "maths":
                self._begin(token)
                self.writer.lines(token.content)
            case "blockquote_open" | "blockquote_close":
                self._turn_quote(token.nesting)
            case "bullet_list_open" | "ordered_list_open":
                self._lists.append(_BULLETS[min(len(self._lists), len(_BULLETS) - 1)])
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "list_item_close":
                self._end_item(token)

    def _begin(self, token: Token, *, at_margin: bool = False) -> None:
        """Start a new line (after a blank one where the author left one) with its prefix."""
        quote = self.writer.quote
        first, last = token.map or (self._last_line, self._last_line)
        if self._last_line >= 0:
            gap = "\n" if first <= self._last_line else "\n\n"
            self.writer.builder.write(gap, TextStyle(quote=quote if quote == self._last_quote else 0))
        prefix = self._bullet or "".join(self.writer.indents)
        if at_margin:  # the prefix is on the line above
            prefix = self._bullet.rstrip() + "\n" if self._bullet else ""
        self._bullet = ""
        self._last_line, self._last_quote = last, quote
        self.writer.write(prefix)

    def _code(self, token: Token) -> None:
        code = token.content.removesuffix("\n")
        language = _LANGUAGE.match(token.info.strip())
        if token.info.strip() and not language:  # someone put code on the line of the fence
            code = f"{token.info.strip()}\n{code}"
        self._pre(token, code, language[0] if language else None)

    def _pre(self, token: Token, text: str, language: str | None = None) -> None:
        if text:
            self._begin(token, at_margin=True)
            solid = Solid(Style.PRE, language=language, number=self._last_line)
            self.writer.builder.write(text, TextStyle(quote=self.writer.quote, solid=solid))

    def _turn_quote(self, by: int) -> None:
        """A nested quote is shown by a mark: chats do not nest quotes."""
        self._depth += by
        if by > 0 and self._depth == 1:
            self._quotes += 1
            self.writer.quote = self._quotes
        elif by > 0:
            self.writer.indents.append("> ")
        elif self._depth == 0:
            self.writer.quote = 0
        else:
            self.writer.indents.pop()

    def _begin_item(self, token: Token, content: Token) -> None:
        bullet = token.info + token.markup if token.info else self._lists[-1]
        first = content.children[0] if content.type == "inline" and content.children else None
        if first and first.type == "text" and (task := _TASK.match(first.content)):
            first.content = first.content[task.end() :]
            box = "☐" if task[1] == " " else "☑"
            bullet = f"{bullet} {box}" if token.info else box
        self._bullet = (self._bullet or "".join(self.writer.indents)) + bullet + " "
        self.writer.indents.append(_INDENT)

    def _end_item(self, token: Token) -> None:
        if self._bullet:  # an item without text, or with its text still to come
            self._begin(token)
        self.writer.indents.pop()

    def _table(self, opening: Token, tokens: Sequence[Token]) -> None:
        rows: list[list[Cell]] = []
        aligned: list[str] = []
        for token in tokens:
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "th_open":
                aligned.append(str(token.attrs.get("style", "")).removeprefix("text-align:"))
            elif token.type == "inline":
                rows[-1].append(token.children or [])
        if (columns := _grid(rows, aligned)) is not None:
            self._pre(opening, columns)
        else:
            self._begin(opening)
            self._tell(rows[0], rows[1:])

    def _tell(self, head: Sequence[Cell], rows: Sequence[Sequence[Cell]]) -> None:
        """The rows as text: the first cell of each, then every other cell after its column's name."""
        lines: list[tuple[str, Cell, Cell]] = [("italic", (), cell) for cell in (head[:1] if rows else head)]
        for row in rows:
            lines += [("", (), ()), ("bold", (), row[0])]
            lines += [("", name, cell) for name, cell in zip(head[1:], row[1:], strict=True) if cell]
        for number, (style, name, cell) in enumerate(lines):
            if number:
                self.writer.line_break()
            self.writer.inline(name)
            self.writer.write(": " if name else "")
            self.writer.turn_style(style, 1)
            self.writer.inline(cell)
            self.writer.turn_style(style, -1)


def _grid(rows: Sequence[Sequence[Cell]], aligned: Sequence[str]) -> str | None:
    texts: list[list[str]] = []
    for row in rows:
        texts.append([])
        for cell in row:
            writer = InlineMarkdown()
            writer.inline(cell)
            if writer.builder.is_linked:  # links do not work inside a code block
                return None
            texts[-1].append(writer.builder.text)
    return grid(texts, aligned)
