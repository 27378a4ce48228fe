"""The model's Markdown to text with styles. No character of code is lost, and no text raises."""

import re
from collections.abc import Sequence

from markdown_it.token import Token

from nanoclaw.delivery.inline_markdown import InlineMarkdown
from nanoclaw.delivery.markdown_tokens import parse
from nanoclaw.delivery.styled_builder import Look, Solid
from nanoclaw.delivery.text_tables import grid
from nanoclaw.delivery.unfinished_markdown import mend
from nanoclaw.domain.styled import Style, Styled
from nanoclaw.domain.text import is_empty, storable

_BULLETS = "•◦▪"
_RULE = "───"
_INDENT = "   "
_TASK = re.compile(r"\[([ xX])\][ \u00a0]")
_LANGUAGE = re.compile(r"[a-zA-Z0-9_+#./-]{1,40}(?=\s|$)")

Cell = Sequence[Token]


def render(markdown: str, *, is_unfinished: bool = False) -> Styled:
    """Text and spans for a chat. Of an answer that is still being written, the last line may be half of something."""
    source = storable(markdown)
    tokens = parse(mend(source) if is_unfinished else source)
    if tokens is None:
        return Styled(text=source)
    page = _Page()
    page.write(tokens)
    styled = page.letters.sheet.styled()
    # What is nothing but marks ("```", "**") is shown as it is rather than not at all.
    return Styled(text=source) if is_empty(styled.text) and not is_empty(source) else styled


class _Page:
    """Goes through the blocks once, and knows where on the page it is."""

    def __init__(self) -> None:
        self.letters = InlineMarkdown()
        self._quotes = 0  # begun so far
        self._depth = 0  # of quotes; only the outermost is one for the chat
        self._lists: list[str] = []  # the bullet of each list that is open
        self._bullet = ""  # that the next line begins with
        self._last_line = -1  # in the source, of what was written last
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
                self.letters.wear("bold", 1)
            case "heading_close":
                self.letters.wear("bold", -1)
            case "inline":
                self.letters.inline(token.children or [])
            case "fence" | "code_block":
                self._code(token)
            case "hr":
                self._begin(token)
                self.letters.write(_RULE)
            case "maths":
                self._begin(token)
                self.letters.lines(token.content)
            case "blockquote_open" | "blockquote_close":
                self._turn_quote(token.nesting)
            case "bullet_list_open" | "ordered_list_open":
                self._lists.append(_BULLETS[min(len(self._lists), len(_BULLETS) - 1)])
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "list_item_close":
                self._end_item(token)

    def _begin(self, token: Token, *, at_margin: bool = False) -> None:
        """A new line, after a blank one where the author left one, and then what the line begins with."""
        quote = self.letters.quote
        first, last = token.map or (self._last_line, self._last_line)
        if self._last_line >= 0:
            gap = "\n" if first <= self._last_line else "\n\n"
            self.letters.sheet.write(gap, Look(quote=quote if quote == self._last_quote else 0))
        prefix = self._bullet or "".join(self.letters.indents)
        if at_margin:  # what it began with stands on the line above
            prefix = self._bullet.rstrip() + "\n" if self._bullet else ""
        self._bullet = ""
        self._last_line, self._last_quote = last, quote
        self.letters.write(prefix)

    def _code(self, token: Token) -> None:
        code = token.content.removesuffix("\n")
        language = _LANGUAGE.match(token.info.strip())
        if token.info.strip() and not language:  # someone began the code on the line of the fence
            code = f"{token.info.strip()}\n{code}"
        self._pre(token, code, language[0] if language else None)

    def _pre(self, token: Token, text: str, language: str | None = None) -> None:
        if text:
            self._begin(token, at_margin=True)
            solid = Solid(Style.PRE, language=language, number=self._last_line)
            self.letters.sheet.write(text, Look(quote=self.letters.quote, solid=solid))

    def _turn_quote(self, by: int) -> None:
        """A quote in a quote is shown by a mark: a chat does not nest them."""
        self._depth += by
        if by > 0 and self._depth == 1:
            self._quotes += 1
            self.letters.quote = self._quotes
        elif by > 0:
            self.letters.indents.append("> ")
        elif self._depth == 0:
            self.letters.quote = 0
        else:
            self.letters.indents.pop()

    def _begin_item(self, token: Token, content: Token) -> None:
        bullet = token.info + token.markup if token.info else self._lists[-1]
        first = content.children[0] if content.type == "inline" and content.children else None
        if first and first.type == "text" and (task := _TASK.match(first.content)):
            first.content = first.content[task.end() :]
            box = "☐" if task[1] == " " else "☑"
            bullet = f"{bullet} {box}" if token.info else box
        self._bullet = (self._bullet or "".join(self.letters.indents)) + bullet + " "
        self.letters.indents.append(_INDENT)

    def _end_item(self, token: Token) -> None:
        if self._bullet:  # an item without text, or whose text is still to come
            self._begin(token)
        self.letters.indents.pop()

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
        """The rows in words: the first cell of each, then every other one after the name of its column."""
        lines: list[tuple[str, Cell, Cell]] = [("italic", (), cell) for cell in (head[:1] if rows else head)]
        for row in rows:
            lines += [("", (), ()), ("bold", (), row[0])]
            lines += [("", name, cell) for name, cell in zip(head[1:], row[1:], strict=True) if cell]
        for number, (style, name, cell) in enumerate(lines):
            if number:
                self.letters.line_break()
            self.letters.inline(name)
            self.letters.write(": " if name else "")
            self.letters.wear(style, 1)
            self.letters.inline(cell)
            self.letters.wear(style, -1)


def _grid(rows: Sequence[Sequence[Cell]], aligned: Sequence[str]) -> str | None:
    texts: list[list[str]] = []
    for row in rows:
        texts.append([])
        for cell in row:
            letters = InlineMarkdown()
            letters.inline(cell)
            if letters.sheet.is_linked:  # in a block of code nothing can be followed
                return None
            texts[-1].append(letters.sheet.text)
    return grid(texts, aligned)
