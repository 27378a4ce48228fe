"""A command as a shell parses it: simple commands, each a list of words without their quotes.

Quoted characters are literal, even a `$`: they stay hidden until `shown`.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

OPERATORS = "();<>|&\n"
_OPERATOR = re.compile(r"&>>?|>>|>\||>&|<>|<<<|<<|<&|[<>]|[^<>]")
_OUTPUT = ("&>", "&>>", ">", ">>", ">|", ">&")
_INPUT = ("<", "<>", "<<", "<<<", "<&")
# Quoted characters are literal: hidden behind letters that no file and no command can have.
_MEANING = f"$`{{{OPERATORS}'\"\\"
_HIDE = {ord(letter): 0xD800 + number for number, letter in enumerate(_MEANING)}
_SHOW = {hidden: letter for letter, hidden in _HIDE.items()}
_SHOW_DEAD = {hidden: letter for hidden, letter in _SHOW.items() if chr(letter) not in "$`"}
_QUOTED = re.compile(
    # A here-document: cat <<END
    r"""(?<!<)<<-?[ \t]*(?P<quote>['"\\]?)(?P<end>\w+)['"]?(?P<rest>[^\n]*)\n"""
    r"""(?P<body>(?:[^\n]*\n)*?)[\t]*(?P=end)(?=\n|$)|"""
    r"""\$'(?:[^'\\]|\\.)*+'|'[^']*'|"(?:[^"\\]|\\.)*+"|`(?:[^`\\]|\\.)*+`|\\.|(?<![^\s;|&()])\#[^\n]*""",
    re.DOTALL,
)
_MOST_TEXTS = 50  # here-documents; the end of each is searched for
_ARITHMETIC = re.compile(r"\$\(\([^()]*\)\)")
_BACKTICKS = re.compile(r"(?<!\\)`([^`]*)`")
_ESCAPED = re.compile(r"\\([$`])|(?<!\$)(\{)")
_INNER = re.compile(r"\$\(([^)]*+)")
_LOOSE = re.compile(r"""[();<>|&\n]+|[^\s();<>|&'"]+""")  # where quotes do not match
_LIVE = re.compile(r"[$`]|\{(?:[^{},.]|\.(?!\.))*+(?:,|\.\.)[^{}]*+\}")


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    is_input: bool = False  # of a redirection


def simple_commands(text: str) -> Iterator[list[Word]]:
    """Commands in brackets come before the command around them, which continues after them."""
    open_ones: list[list[Word]] = [[]]
    redirected = ""
    for token in _tokens(text):
        if token in ("{", "}"):
            yield open_ones.pop()
            open_ones.append([])
        elif not all(letter in OPERATORS for letter in token):
            if redirected not in _OUTPUT:
                open_ones[-1].append(Word(token, redirected in _INPUT))
            redirected = ""
        else:
            for operator in _OPERATOR.findall(token):
                redirected = operator if operator in _OUTPUT + _INPUT else ""
                if operator == "(":
                    open_ones.append([])
                elif not redirected:
                    yield open_ones.pop()
                    if operator != ")" or not open_ones:
                        open_ones.append([])
    yield from reversed(open_ones)


def _tokens(text: str) -> list[str]:
    if text.count("<<") > _MOST_TEXTS:
        text = text.replace("<<", "< ")
    said = _ARITHMETIC.sub("$0", _QUOTED.sub(_hidden, text))
    lexer = shlex.shlex(said, posix=True, punctuation_chars=OPERATORS)
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    try:
        return [token for token in lexer if token]
    except ValueError:
        return _LOOSE.findall(said)


def _hidden(found: re.Match[str]) -> str:
    text = found[0]
    match text[0]:
        case "$":  # $'...': its escapes are not decoded, so it stays unknown
            return "$'" + re.sub(r"\\.|['\\]", "", text[2:-1], flags=re.DOTALL) + "'"
        case "'":
            return f"'{text[1:-1].translate(_HIDE)}'"
        case "<":
            return _following(found)
        case '"':
            inner = _BACKTICKS.sub(r"$(\1)", _ARITHMETIC.sub("$0", text.replace("\\\n", "")))
            inner = _ESCAPED.sub(lambda each: (each[1] or each[2]).translate(_HIDE), inner)
            return "".join(letter.translate(_HIDE) if letter in OPERATORS else letter for letter in inner)
        case "`":
            return f"$({_QUOTED.sub(_hidden, text[1:-1])})"
        case "\\" if text[1] == "\n":
            return ""
        case "\\" if text[1] in _MEANING:
            return text[1].translate(_HIDE)
        case "#":
            return ""
        case _:
            return text


def inner_commands(word: str) -> list[str]:
    """The commands whose output the word takes: `"$(...)"`."""
    return _INNER.findall(word.translate(_SHOW_DEAD))


def is_live(word: str) -> bool:
    """Whether the shell changes it when it runs."""
    return _LIVE.search(word) is not None


def _following(found: re.Match[str]) -> str:
    """The here-document as if it stood in the line: `<<< "..."`."""
    body = found["body"].translate(_HIDE)
    if not found["quote"]:  # then variables and commands are expanded
        body = _ARITHMETIC.sub("$0", found["body"].replace("\\$", "$".translate(_HIDE)))
        body = _BACKTICKS.sub(r"$(\1)", body)
        body = "".join(letter if letter in "$`{" else letter.translate(_HIDE) for letter in body)
    return f"<<< '{body}' {_QUOTED.sub(_hidden, found['rest'])}\n"


def shown(text: str) -> str:
    return text.translate(_SHOW)
