"""The Markdown that models write, as tokens: with what the standard lacks (spoilers, maths) or would lose.

Left out on purpose: reference definitions (they vanish from the text, footnotes included), underlined headings (models
mean a rule), and HTML blocks (Markdown inside them would not be parsed).
"""

import re
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.table import escapedSplit, getLine, table
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

# Longer texts, or paragraphs, stay plain: nobody reads them, and parsing them would block everyone.
_LONGEST = 40_000
_LONGEST_PARAGRAPH = 10_000
_MOST_BRACKETS = 500
_MOST_OPEN_BRACKETS = 20
_MOST_NESTED = 40
_DEEP = re.compile(r"^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])(?=[ \t]))){16,}", re.MULTILINE)

_DOLLARS = re.compile(r"\$(?![\s$])[^$\n]{0,999}(?<![\s\\])\$(?!\d)")
_VERBATIM_TAG = re.compile(r"<(code|kbd|tt|samp)>", re.IGNORECASE)
_TAG = re.compile(r"<(/?)(b|strong|i|em|u|ins|s|strike|del|a|br)(?:\s[^<>]{0,2000})?/?>", re.IGNORECASE)
_FARTHEST = 4000  # characters to the end of a formula, or of code between tags
_MOST_LINES = 80  # of a formula


def parse(markdown: str) -> list[Token] | None:
    """The tokens; None if the text should be shown as it is."""
    if len(markdown) > _LONGEST or _DEEP.search(markdown):
        return None
    tokens = _parser().parse(markdown)
    # The parser drops anything nested deeper than this.
    return None if any(token.level >= _MOST_NESTED - 2 for token in tokens) else tokens


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("js-default", {"maxNesting": _MOST_NESTED})
    parser.disable(["reference", "lheading", "html_block", "html_inline"])
    parser.core.ruler.at("inline", _inline)
    parser.block.ruler.at("table", _whole_table, {"alt": ["paragraph"]})
    parser.block.ruler.before("fence", "maths", _maths_block, {"alt": ["paragraph", "blockquote", "list"]})
    for name, rule in (("maths", _maths), ("times", _times), ("tag", _tag), ("spoiler", _spoiler)):
        parser.inline.ruler.before("escape", name, rule)
    parser.inline.add_terminator_char("|")
    return parser


def _inline(state: StateCore) -> None:
    for token in state.tokens:
        if token.type != "inline":
            continue
        token.children = []
        if _is_unreadable(token.content):
            token.children.append(Token("text", "", 0, content=token.content))
        else:
            state.md.inline.parse(token.content, state.md, state.env, token.children)


def _is_unreadable(paragraph: str) -> bool:
    if len(paragraph) > _LONGEST_PARAGRAPH:
        return True
    opened = paragraph.count("[")
    return opened > _MOST_BRACKETS or opened - paragraph.count("]") > _MOST_OPEN_BRACKETS


def _whole_table(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:  # noqa: FBT001
    """A row with more cells than the head (mostly a `|` in code) keeps them in its last cell."""
    before = len(state.tokens)
    if not table(state, start_line, end_line, silent) or silent:
        return silent
    cells: list[Token] = []
    for token in state.tokens[before:]:
        if token.type == "tr_open":
            cells = []
        elif token.type == "inline":
            cells.append(token)
        elif token.type == "tr_close" and cells[-1].map:
            written = escapedSplit(getLine(state, cells[-1].map[0]).strip())
            written = written[1 if written[0] == "" else 0 :]
            written = written[: -1 if written and written[-1] == "" else None]
            if len(written) > len(cells):
                cells[-1].content = "|".join(written[len(cells) - 1 :]).strip()
    return True


def _maths_block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:  # noqa: FBT001
    """`$$` or `\\[` on several lines: lists and rules inside it are not Markdown."""
    first = getLine(state, start_line)
    closing = {"$$": "$$", "\\[": "\\]"}.get(first[:2])
    if closing is None or closing in first[2:] or state.is_code_block(start_line):
        return False
    last = min(end_line, start_line + _MOST_LINES)
    if closing not in state.src[state.eMarks[start_line] : state.eMarks[last - 1]]:
        return False
    for line in range(start_line + 1, last):
        text = getLine(state, line)
        if text and state.sCount[line] < state.blkIndent:
            return False
        if text.rstrip().endswith(closing):
            break
    else:
        return False
    if not silent:
        token = state.push("maths", "", 0)
        token.content = state.getLines(start_line, line + 1, state.sCount[start_line], keepLastLF=False)
        token.map = [start_line, line + 1]
        state.line = line + 1
    return True


def _maths(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
    source, start = state.src, state.pos
    end = -1
    opening = source[start : start + 2]
    if opening in {"$$", "\\(", "\\["}:
        closing = {"$$": "$$", "\\(": "\\)", "\\[": "\\]"}[opening]
        found = source.find(closing, start + 3, min(state.posMax, start + _FARTHEST))
        end = found + 2 if found >= 0 else -1
    elif opening[0] == "$" and (dollars := _DOLLARS.match(source, start, state.posMax)):
        end = dollars.end()
    return end > 0 and _push_text(state, source[start:end], silent=silent)


def _times(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
    """2*3*4 is arithmetic, not an italic 3."""
    source, at = state.src, state.pos
    around = source[max(at - 1, 0) : at] + source[at + 1 : at + 2]
    if source[at] != "*" or len(around) != 2 or not (around.isascii() and around.isalnum()):
        return False
    return _push_text(state, "*", silent=silent)


def _tag(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
    source, start = state.src, state.pos
    if source[start] != "<":
        return False
    if verbatim := _VERBATIM_TAG.match(source, start, state.posMax):
        closing = f"</{verbatim[1]}>"
        end = source.find(closing, verbatim.end() + 1, min(state.posMax, start + _FARTHEST))
        if end < 0:
            return False
        if not silent:
            state.push("code_inline", "code", 0).content = source[verbatim.end() : end]
        state.pos = end + len(closing)
        return True
    tag = _TAG.match(source, start, state.posMax)
    if tag is None:
        return False
    if not silent:
        token = state.push("tag", tag[2].lower(), 0)
        token.content = tag[0]
        token.meta = {"is_end": bool(tag[1])}
    state.pos = tag.end()
    return True


def _spoiler(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
    source, start, most = state.src, state.pos, state.posMax
    if not source.startswith("||", start):
        return False
    end = source.find("||", start + 2, most)
    hidden = source[start + 2 : end]
    if end < 0 or not hidden or hidden[0].isspace() or hidden[-1].isspace():
        return _push_text(state, "||", silent=silent)
    if not silent:
        state.push("spoiler_open", "", 1)
        state.pos, state.posMax = start + 2, end
        state.md.inline.tokenize(state)
        state.posMax = most
        state.push("spoiler_close", "", -1)
    state.pos = end + 2
    return True


def _push_text(state: StateInline, text: str, *, silent: bool) -> bool:
    if not silent:
        state.push("text", "", 0).content = text
    state.pos += len(text)
    return True
