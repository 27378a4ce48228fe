"""Makes text from outside safe to store, to show and to put into XML, without losing a letter."""

import re
import unicodedata

from nanoclaw.domain.thoughts import without_internal as without_internal

# XML and PostgreSQL refuse these, or a terminal obeys them; a lone surrogate cannot be encoded as UTF-8 at all.
_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
# Every line end that some reader of text knows; ours is the line feed.
_LINE_END = re.compile("\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
# In a name they would reverse the text after it: terminal lines, log lines, other people's words.
_DIRECTION = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# Invisible, but a model reads them: words could be hidden in a question that a person confirms.
_HIDDEN = re.compile("[\u00ad\u200b\u2060-\u2064\ufeff\ufe00-\ufe0d\U000e0000-\U000e0fff]")
# Letters that look like nothing: a name made of them, or containing them, looks like another name or none.
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180e\u2800\u3164\uffa0]")
# Combining marks; a tower of them would cover the lines around a name.
_TOWER = re.compile(
    "([\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]{3})"
    "[\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff]+"
)
# Not `(`, `)` and `[`: after a backslash they would begin or end a formula; without `](` there is no link.
_MARKUP = re.compile(r"[!-'*-/:-@\\-`{-~]")
_ESCAPED = re.compile(rf"\\({_MARKUP.pattern})")
# Two names that look the same would be two files; the emoji joiner stays.
_UNSEEN_IN_FILES = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u2060\u2061\u2062\u2063\u2064\ufeff\ufffd"))
_NAME_LENGTH = 80
_FILE_NAME_BYTES = 120
_LONGEST_SUFFIX = 10
# Letters that this Python does not know yet count as visible.
_INVISIBLE = {"Zs", "Zl", "Zp", "Cc", "Cf"}


def storable(text: str) -> str:
    """Line ends become line feeds, control characters visible replacement marks; everything else stays."""
    return _UNSTORABLE.sub("\ufffd", _LINE_END.sub("\n", text))


def visible(text: str) -> str:
    """The text without what hides words, or shows them in another order than they are read."""
    return _HIDDEN.sub("", _DIRECTION.sub("", text))


def tidy_name(name: str) -> str:
    """A name on one line, without what hides words in it, looks like nothing, or reorders and covers what is
    around it; empty if nothing is visible.
    """
    plain = _TOWER.sub(r"\1", unicodedata.normalize("NFC", _BLANK.sub("", visible(storable(name)))))
    return "" if is_empty(plain) else " ".join(plain.split())[:_NAME_LENGTH]


def tidy_file_name(name: str, otherwise: str) -> str:
    """A name for a file on this machine: no folder, not hidden, nothing special to a shell or a screen."""
    last = _BLANK.sub("", visible(storable(re.split(r"[/\\]", name)[-1]))).translate(_UNSEEN_IN_FILES)
    plain = " ".join(re.sub(r'[<>:"|?*]', "_", unicodedata.normalize("NFC", last)).split()).strip(" .-")
    if is_empty(plain):
        return otherwise
    stem, dot, suffix = plain.rpartition(".")
    if not dot or len(suffix) > _LONGEST_SUFFIX:
        stem, suffix = plain, ""
    # File systems count bytes, and the extension tells what it is.
    kept = stem.encode()[: _FILE_NAME_BYTES - len(suffix.encode())].decode("utf-8", "ignore")
    return f"{kept}.{suffix}" if suffix else kept


def as_written(text: str) -> str:
    """Someone's words within our text: shown literally, whatever they would mean as Markdown."""
    return _MARKUP.sub(r"\\\g<0>", text)


def as_meant(text: str) -> str:
    """The reverse of `as_written`, for places where nobody reads Markdown."""
    return _ESCAPED.sub(r"\1", text)


def gist(text: str) -> str:
    """The first paragraph of a question on one line, for lists where nobody reads Markdown."""
    return " ".join(as_meant(text.strip().split("\n\n")[0]).replace("**", "").split())


def is_empty(text: str) -> bool:
    """Also true for text of only spaces and invisible characters."""
    return all(unicodedata.category(letter) in _INVISIBLE for letter in text)


def estimated_tokens(text: str) -> int:
    """About what a model counts: four Latin letters, or two of other alphabets, are a token."""
    plain = sum(map(str.isascii, text)) if not text.isascii() else len(text)
    return (plain + 3) // 4 + (len(text) - plain + 1) // 2
