"""Closes what the last line of an unfinished answer has opened, so that a preview shows bold and not asterisks."""

import re

_FENCE = re.compile(r"^[ \t>]*(?:```|~~~)", re.MULTILINE)
_ROW = re.compile(r"\s*\|(?!\|)")
_MARK = re.compile(r"`+|\*\*|~~|\|\|(?=\S|$)")


def mend(markdown: str) -> str:
    """The answer so far, as if it ended here. Code blocks are left alone."""
    head, newline, line = markdown.rpartition("\n")
    if len(_FENCE.findall(markdown)) % 2 or _ROW.match(line):
        return markdown
    opened: list[re.Match[str]] = []
    for mark in _MARK.finditer(line):
        if opened and opened[-1][0] == mark[0]:
            opened.pop()
        elif not opened or opened[-1][0][0] != "`":  # inside code there are no marks
            opened.append(mark)
    while opened and not line[opened[-1].end() :].strip():  # nothing to be bold yet
        line = line[: opened.pop().start()]
    if opened and opened[-1][0][0] != "`":
        line = line.rstrip()
    return head + newline + line + "".join(mark[0] for mark in reversed(opened))
