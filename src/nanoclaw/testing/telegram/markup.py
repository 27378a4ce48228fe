"""The two parse modes, MarkdownV2 and HTML: markup in, text with entities out, or Telegram's error."""

import re
from html import unescape
from typing import Any, NoReturn

from nanoclaw.testing.telegram.refusals import Refusal

Marked = tuple[str, list[dict[str, Any]]]

_RESERVED = set("_*[]()~`>#+-=|{}.!")
_PAIRS = [("||", "spoiler"), ("__", "underline"), ("_", "italic"), ("*", "bold"), ("~", "strikethrough")]
_NAMES = {"text_link": "TextUrl", "blockquote": "BlockQuote"}

_TAGS = {
    "b": "bold", "strong": "bold", "i": "italic", "em": "italic", "u": "underline", "ins": "underline",
    "s": "strikethrough", "strike": "strikethrough", "del": "strikethrough", "tg-spoiler": "spoiler",
    "span": "spoiler", "code": "code", "pre": "pre", "a": "text_link", "blockquote": "blockquote",
    "tg-emoji": "custom_emoji",
}  # fmt: skip
_ATTRIBUTE = re.compile(r"""\s*([\w-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?\s*""")
_REFERENCE = re.compile(r"&(?:lt|gt|amp|quot|#\d+|#x[0-9a-fA-F]+);")


def _fail(reason: str) -> NoReturn:
    raise Refusal(f"can't parse entities: {reason}")


class _Marks:
    """The text so far, the open entities and the closed ones."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.size = 0  # UTF-16 units
        self.open: list[tuple[str, int, int, dict[str, Any]]] = []  # kind, where, byte in the source, more
        self.closed: list[dict[str, Any]] = []

    def write(self, text: str) -> None:
        self.text.append(text)
        self.size += len(text.encode("utf-16-le")) // 2

    def begin(self, kind: str, byte: int, **more: Any) -> None:
        self.open.append((kind, self.size, byte, more))

    def end(self, **more: Any) -> None:
        kind, where, _, known = self.open.pop()
        if kind and self.size > where:
            self.closed.append({"type": kind, "offset": where, "length": self.size - where} | known | more)

    @property
    def top(self) -> str:
        return self.open[-1][0] if self.open else ""

    @property
    def marked(self) -> Marked:
        return "".join(self.text), self.closed


def parse_markdown(source: str) -> Marked:
    marks = _Marks()
    at = 0
    while at < len(source):
        if _at_line_start(source, at):
            at = _quote(source, at, marks)
            if at >= len(source):
                break
        char = source[at]
        if char == "\\" and at + 1 < len(source) and source[at + 1].isascii():
            marks.write(source[at + 1])
            at += 2
        elif char not in _RESERVED:
            marks.write(char)
            at += 1
        else:
            at = _mark(source, at, marks)
    if marks.top == "blockquote":
        marks.end()
    if marks.open:
        kind, _, byte, _ = marks.open[-1]
        _fail(f"Can't find end of {_NAMES.get(kind, kind.capitalize())} entity at byte offset {byte}")
    return marks.marked


def _at_line_start(source: str, at: int) -> bool:
    return at == 0 or source[at - 1] == "\n"


def _quote(source: str, at: int, marks: _Marks) -> int:
    """A line that begins with > is quoted; the quote ends with the first line that does not."""
    quoting = any(kind == "blockquote" for kind, *_ in marks.open)
    if source.startswith(">", at) or source.startswith("**>", at):
        if not quoting or source[at] == "*":
            if quoting:
                _end_quote(marks)
            marks.begin("blockquote", _byte(source, at))
        return source.index(">", at) + 1
    if quoting:
        _end_quote(marks)
    return at


def _end_quote(marks: _Marks) -> None:
    if marks.top != "blockquote":
        kind, _, byte, _ = marks.open[-1]
        _fail(f"Can't find end of {kind.capitalize()} entity at byte offset {byte}")
    marks.end()
    if marks.closed and marks.text[-1] == "\n":  # the end of the line is not quoted
        marks.closed[-1]["length"] -= 1


def _mark(source: str, at: int, marks: _Marks) -> int:
    if source[at] == "`":
        return _code(source, at, marks)
    if source.startswith("||", at) and marks.top == "blockquote" and source[at + 2 : at + 3] in ("", "\n"):
        kind, where, byte, _ = marks.open.pop()
        marks.open.append((kind, where, byte, {"type": "expandable_blockquote"}))
        marks.end()
        return at + 2
    for token, kind in _PAIRS:
        if source.startswith(token, at):
            if marks.top == kind:
                marks.end()
            else:
                marks.begin(kind, _byte(source, at))
            return at + len(token)
    if source.startswith(("[", "![")[source[at] == "!"], at):
        marks.begin("text_link" if source[at] == "[" else "custom_emoji", _byte(source, at))
        return at + 1 + (source[at] == "!")
    if source[at] == "]" and marks.top in ("text_link", "custom_emoji"):
        return _link(source, at, marks)
    _fail(f"Character '{source[at]}' is reserved and must be escaped with the preceding '\\'")


def _code(source: str, at: int, marks: _Marks) -> int:
    token, kind = ("```", "pre") if source.startswith("```", at) else ("`", "code")
    start = at + len(token)
    closing = re.compile(rf"((?:\\.|(?!{token})[^\\]|\\)*?){token}", re.S).match(source, start)
    if closing is None:
        _fail(f"Can't find end of {kind.capitalize()} entity at byte offset {_byte(source, at)}")
    inside = closing[1]
    more = {}
    if kind == "pre":
        language, newline, rest = inside.partition("\n")
        if newline and re.fullmatch(r"[^\s`]+", language):
            more["language"], inside = language, rest
        elif newline and not language:
            inside = rest
    marks.begin(kind, _byte(source, at), **more)
    marks.write(re.sub(r"\\([\x01-\x7e])", r"\1", inside))
    marks.end()
    return closing.end()


def _link(source: str, at: int, marks: _Marks) -> int:
    url = re.compile(r"\(((?:\\.|[^\\)])*)(\)?)").match(source, at + 1)
    if url is None:
        _fail("Character ']' is reserved and must be escaped with the preceding '\\'")
    if not url[2]:
        _fail(f"Can't find end of a URL at byte offset {_byte(source, at + 2)}")
    target = re.sub(r"\\(.)", r"\1", url[1])
    if marks.top == "text_link":
        marks.end(url=target)
    elif found := re.fullmatch(r"tg://emoji\?id=(\d+)", target):
        marks.end(custom_emoji_id=found[1])
    else:
        _fail("Custom emoji entity must contain a tg://emoji URL")
    return url.end()


def _byte(source: str, at: int) -> int:
    return len(source[:at].encode())


def parse_html(source: str) -> Marked:
    marks = _Marks()
    names: list[str] = []
    at = 0
    while at < len(source):
        if source[at] == "<":
            at = _tag(source, at, marks, names)
        else:
            stop = source.find("<", at)
            stop = len(source) if stop < 0 else stop
            marks.write(_REFERENCE.sub(lambda found: unescape(found[0]), source[at:stop]))
            at = stop
    if names:
        _fail(f'Can\'t find end tag corresponding to start tag "{names[-1]}"')
    return marks.marked


def _tag(source: str, at: int, marks: _Marks, names: list[str]) -> int:
    byte = _byte(source, at)
    stop = source.find(">", at)
    if stop < 0:
        _fail(f"Unclosed start tag at byte offset {byte}")
    inside = source[at + 1 : stop]
    if inside.startswith("/"):
        name = inside[1:].strip().lower()
        if not names:
            _fail(f"Unexpected end tag at byte offset {byte}")
        if name and name != names[-1]:
            _fail(f'Unmatched end tag at byte offset {byte}, expected "</{names[-1]}>", found "</{name}>"')
        names.pop()
        marks.end()
        return stop + 1
    name = re.split(r"[\s/]", inside, maxsplit=1)[0].lower()
    if name not in _TAGS:
        _fail(f'Unsupported start tag "{name}" at byte offset {byte}')
    given = {
        found[1].lower(): unescape(found[2] or found[3] or found[4] or "")
        for found in _ATTRIBUTE.finditer(inside[len(name) :])
    }
    names.append(name)
    marks.begin(*_opened(name, given, byte, marks))
    if name == "a":
        marks.open[-1][3]["url"] = given.get("href", "")
    elif name == "tg-emoji":
        marks.open[-1][3]["custom_emoji_id"] = given.get("emoji-id", "")
    return stop + 1


def _opened(name: str, given: dict[str, str], byte: int, marks: _Marks) -> tuple[str, int]:
    if name == "span" and given.get("class") != "tg-spoiler":
        _fail(f'Tag "span" must have class "tg-spoiler" at byte offset {byte}')
    if name == "blockquote" and "expandable" in given:
        return "expandable_blockquote", byte
    if name == "code" and marks.top == "pre":  # one block, perhaps with a language
        if (language := given.get("class", "")).startswith("language-"):
            marks.open[-1][3]["language"] = language.removeprefix("language-")
        return "", byte
    return _TAGS[name], byte
