"""Inline Markdown: emphasis, code, links, pictures and the few HTML tags that models write."""

import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from markdown_it.token import Token

from nanoclaw.delivery.styled_builder import Solid, StyledBuilder, TextStyle
from nanoclaw.domain.styled import Style

_HREF = re.compile(r"""\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
# Telegram drops links with any other scheme, and links to a host without a dot.
_SCHEMES = {"http", "https", "tg"}
_STYLES = {
    **dict.fromkeys(("strong_open", "strong_close", "b", "strong"), "bold"),
    **dict.fromkeys(("em_open", "em_close", "i", "em"), "italic"),
    **dict.fromkeys(("u", "ins"), "underline"),
    **dict.fromkeys(("s_open", "s_close", "s", "strike", "del"), "strikethrough"),
    **dict.fromkeys(("spoiler_open", "spoiler_close"), "spoiler"),
}


class InlineMarkdown:
    """Writes lines into a builder, in the current style."""

    def __init__(self) -> None:
        self.builder = StyledBuilder()
        self.quote = 0  # the number of the open quote
        self.indents: list[str] = []  # what every new line begins with
        self._active: dict[str, int] = {}  # how often each style is on: tags and marks may overlap
        self._link: Solid | None = None
        self._breaks = 0  # in a row, just written

    def turn_style(self, style: str, by: int) -> None:
        if style:
            self._active[style] = self._active.get(style, 0) + by

    def write(self, text: str) -> None:
        if text:
            self.builder.write(text, self._look())
            self._breaks = 0

    def line_break(self) -> None:
        if self._breaks < 2:
            self.builder.write("\n" + "".join(self.indents), self._look())
            self._breaks += 1

    def lines(self, text: str) -> None:
        for number, line in enumerate(text.split("\n")):
            if number:
                self.line_break()
            self.write(line)

    def inline(self, tokens: Sequence[Token]) -> None:
        paired = _paired(tokens)
        unfollowed: tuple[str, int] | None = None  # the address of an open link, and where its text begins
        for at, token in enumerate(tokens):
            match token.type:
                case "softbreak" | "hardbreak":
                    self.line_break()
                case "code_inline":
                    self._code(token.content)
                case "link_open":
                    address = str(token.attrs.get("href", ""))
                    followed = token.info == "auto" or self._follow(address)
                    unfollowed = None if followed else (address, self.builder.length)
                case "link_close":
                    self._link = None
                    if unfollowed:
                        self._say_address(unfollowed[0], self.builder.since(unfollowed[1]))
                case "image":
                    self._image(token)
                case "tag":
                    self._tag(token, is_paired=at in paired)
                case kind if kind in _STYLES:
                    self.turn_style(_STYLES[kind], token.nesting)
                case _:
                    self.lines(token.content)

    def _code(self, code: str) -> None:
        """Bold and the like stop before code and resume after it: chats do not allow them inside."""
        solid = self._link or Solid(Style.CODE)
        self.builder.write(code.replace("\n", " "), TextStyle(quote=self.quote, solid=solid))
        self._breaks = 0

    def _image(self, token: Token) -> None:
        address = str(token.attrs.get("src", ""))
        around = self._link
        followed = around is not None or self._follow(address)  # a picture in a link is a badge
        self.write(token.content or address)
        self._link = around
        if not followed:
            self._say_address(address, token.content or address)

    def _tag(self, token: Token, *, is_paired: bool) -> None:
        is_end = token.meta["is_end"]
        if token.tag == "br":
            self.line_break()
        elif not is_paired:
            self.write(token.content)
        elif token.tag != "a":
            self.turn_style(_STYLES[token.tag], -1 if is_end else 1)
        elif is_end:
            self._link = None
        elif not self._follow(_tag_address(token)):
            self.write(_tag_address(token) + " ")

    def _follow(self, address: str) -> bool:
        """Link the text from here on to the address, if the chat can follow it."""
        if self._link is None and _can_be_followed(address):
            self._link = Solid(Style.TEXT_LINK, url=address)
            return True
        return False

    def _say_address(self, address: str, shown: str) -> None:
        """Show the address of a link that the chat cannot follow."""
        if address and address.removeprefix("mailto:") != shown:
            self.write(f" ({address})")

    def _look(self) -> TextStyle:
        active = (self._active.get(style, 0) > 0 for style in TextStyle._fields[2:])
        return TextStyle(self.quote, self._link, *active)


def _paired(tokens: Sequence[Token]) -> set[int]:
    """Which tags are paired; the others are text."""
    opened: list[int] = []
    paired: set[int] = set()
    for at, token in enumerate(tokens):
        if token.type != "tag" or token.tag == "br":
            continue
        if not token.meta["is_end"]:
            if token.tag != "a" or _can_be_followed(_tag_address(token)):
                opened.append(at)
        elif opened and tokens[opened[-1]].tag == token.tag:
            paired |= {opened.pop(), at}
    return paired


def _tag_address(token: Token) -> str:
    found = _HREF.search(token.content)
    return next(filter(None, found.groups()), "") if found else ""


def _can_be_followed(address: str) -> bool:
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:  # such as a malformed IPv6 address
        return False
    return parts.scheme in _SCHEMES and (parts.scheme == "tg" or "." in host or ":" in host)
