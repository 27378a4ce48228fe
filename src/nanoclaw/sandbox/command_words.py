"""The words of a command as a shell reads them: which may be file names, and which cannot be known
beforehand.

A safety net, not a shell: where a script may be named, whatever it cannot follow is reported as unknown.
"""

import os
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from nanoclaw.sandbox.shell_text import OPERATORS, Word, inner_commands, is_live, shown, simple_commands

_LONGEST = 50_000  # characters; far more than anyone is asked about
_DEEPEST = 5  # commands in commands: sh -c "sh -c '...'"
_MOST_INNER = (
    10 * _LONGEST
)  # characters in total: a variable can hold a command that contains itself many times
_MOST_VALUES = 32  # of a variable, or of a word with variables in it
_LONGEST_VALUE = 16_384  # characters; a=$b$b doubles with each step
_LONGEST_NAME = 255  # bytes
_LONGEST_PATH = 4096

_BETWEEN = re.compile(r"""[\s;|&<>()`"'=,:@{}]+""")
# An output redirection names no script: it overwrites what was there.
_REDIRECTED = re.compile(r"(?<!<)\d?>>?\s*[^\s;|&<>()]+")
_VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
_ASSIGNED = re.compile(r"([A-Za-z_]\w*)(\+?)=(.*)", re.DOTALL)
_HERE = re.compile(r"^(?:~\+|\$PWD|\$\{PWD\})(?=/|$)")
_NUMBER = re.compile(r"[\d.]+[smhd]?")

_KEYWORDS = (
    *("if", "then", "else", "elif", "while", "until", "do", "done", "fi", "esac", "!", "time", "coproc"),
)
_SHELLS = ("sh", "bash", "dash", "ash", "zsh", "ksh", "mksh")
_INTERPRETER = re.compile(
    rf"(?:{'|'.join(_SHELLS)}|source|\.|python[\d.]*|pypy[\d.]*|perl|ruby|node|nodejs|deno|bun|tsx|ts-node|php|lua"
    r"|Rscript|tclsh|expect)"
)
_PYTHON = re.compile(r"python[\d.]*|pypy[\d.]*")
_WRAPPERS = (
    *("sudo", "doas", "env", "nohup", "exec", "command", "builtin", "nice", "ionice", "timeout", "setsid"),
    *("stdbuf", "xargs", "parallel", "watch", "strace", "busybox", "eval", "trap"),
)
_RUNS_TEXTS = (*_SHELLS, "watch", "trap", "xargs", "parallel", "env")
_STARTS_ANOTHER = ("-exec", "-execdir", "-ok", "-okdir")
_WRAPPED_WITH_VALUE = ("-u", "-g", "-n", "-k", "-s", "-I", "-p")
_WITH_VALUE = (
    "-o",
    "+o",
    "-O",
    "+O",
    "--rcfile",
    "--init-file",
    "-W",
    "-X",
    "-r",
    "--require",
    "--import",
    "-I",
)
_BY_OPTION = ("make", "gmake", "just", "awk", "gawk", "mawk", "sed", "npm", "yarn", "pnpm", "ninja")
_SCRIPT_OPTION = re.compile(r"-f|-C|--(?:file|makefile|directory|justfile|working-directory|prefix|cwd)\b")
_SETS_VARIABLES = ("read", "mapfile", "readarray", "getopts", "unset")

# What these programs run without being given its name.
UNSAID = {
    "make": ("GNUmakefile", "makefile", "Makefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    **dict.fromkeys(("npm", "npx", "yarn", "pnpm"), ("package.json",)),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class CommandWords:
    """`entered`: the names that it enters with `cd`. `unknown`: a word where a script may be named, known
    only when the command runs.
    """

    names: tuple[str, ...]
    entered: frozenset[str] = frozenset()
    unknown: str | None = None


def words_of(command: str) -> CommandWords:
    if len(command) > _LONGEST:
        return CommandWords(names=(), unknown=f"{command[:_LONGEST_NAME]}…")
    reader = _CommandReader()
    reader.read(command)
    names = tuple(name for name in reader.names if _can_be_a_name(name))
    return CommandWords(names=names, entered=frozenset(reader.entered), unknown=reader.unknown)


class _WordPosition(Enum):
    """What the next word of a simple command would be."""

    PROGRAM = auto()
    WRAPPED = auto()  # a program, after the options of one that starts it
    SCRIPT = auto()
    REST = auto()


@dataclass
class _CommandReader:
    names: dict[str, None] = field(default_factory=dict)
    entered: set[str] = field(default_factory=set)
    unknown: str | None = None
    # None: it gets a value that is not written here.
    variables: dict[str, list[str] | None] = field(default_factory=dict)
    strayed: str | None = None  # the word that led to an unknown folder
    depth: int = 0
    read_so_far: int = 0

    def read(self, text: str) -> None:
        self.read_so_far += 100 + len(text)
        if self.depth >= _DEEPEST or self.read_so_far > _MOST_INNER:
            self.doubt(text)
            return
        self.depth += 1
        for words in simple_commands(text):
            self._take_names(words)
            _Simple(reader=self).follow(words)
        self.depth -= 1

    def doubt(self, text: str) -> None:
        self.unknown = self.unknown or shown(text).strip()[:_LONGEST_NAME]

    def values(self, text: str) -> list[str]:
        """Its possible values, as far as the command spells them out; unresolved variables are left in."""
        found = [_HERE.sub(".", text) if "PWD" not in self.variables else text]
        for name in dict.fromkeys(braced or plain for braced, plain in _VARIABLE.findall(found[0])):
            if known := self.variables.get(name):
                longest = text.count("$") * max(map(len, known))
                if len(found) * len(known) > _MOST_VALUES or longest > _LONGEST_VALUE:
                    return [text]
                written = re.compile(rf"\$(?:\{{{name}\}}|{name}(?!\w))")
                found = [_put(written, each, value) for each in found for value in known]
        return found

    def assign(self, name: str, texts: Sequence[str], *, adds: bool = False) -> None:
        before = self.variables.get(name, [])
        values = dict.fromkeys([*(before or ()), *(value for text in texts for value in self.values(text))])
        is_known = before is not None and not adds and len(values) <= _MOST_VALUES
        self.variables[name] = list(values) if is_known and not any(map(is_live, values)) else None

    def _take_names(self, words: Sequence[Word]) -> None:
        for word in words:
            for value in self.values(word.text):
                whole = shown(value)
                pieces = _BETWEEN.split(_REDIRECTED.sub(" ", whole))
                # Treated as a variable would be: it may be part of a quoted command.
                found = (whole, *(each for piece in pieces for each in self.values(piece)))
                self.names.update(dict.fromkeys(filter(None, found)))
            for inner in inner_commands(word.text):
                self.read(inner)


@dataclass
class _Simple:
    """One program with its arguments, followed word by word."""

    reader: _CommandReader
    place: _WordPosition = _WordPosition.PROGRAM
    program: str = ""
    previous: str = ""
    takes_value: bool = False
    arguments: int = 0
    evaluated: list[str] | None = None

    def follow(self, words: Sequence[Word]) -> None:
        match [word.text for word in words]:
            case ["for" | "select", name, "in", *values]:
                self.reader.assign(name, values)
                return
            case ["case" | "function" | "for" | "select", *_]:
                return
        for word in words:
            values = self.reader.values(word.text)
            if word.is_input:
                self._at_input(values)
            else:
                self._step(word.text, values)
                self.previous = word.text
        self._end()

    def _step(self, text: str, values: Sequence[str]) -> None:
        if self.evaluated is not None:
            self.evaluated.append(values[0])
        elif self.program in _RUNS_TEXTS:
            for value in values:
                if _is_text(value) and not is_live(value):
                    self.reader.read(shown(value))
        match self.place:
            case _WordPosition.PROGRAM | _WordPosition.WRAPPED:
                self._at_program(text, values)
            case _WordPosition.SCRIPT:
                self._at_script(text, values)
            case _WordPosition.REST:
                self._at_rest(text, values)

    def _at_input(self, values: Sequence[str]) -> None:
        """A file or a text as input; if the program is a shell, it runs it."""
        if not _is_runner(self.program):
            return
        for value in values:
            if self.program in _RUNS_TEXTS and _is_text(value):
                self.reader.read(shown(value))
            else:
                self._check([value])

    def _at_program(self, text: str, values: Sequence[str]) -> None:
        if self.place is _WordPosition.PROGRAM and text in _KEYWORDS:
            return
        if assigned := _ASSIGNED.fullmatch(text):
            self.reader.assign(assigned[1], [assigned[3]], adds=bool(assigned[2]))
            return
        if self.place is _WordPosition.WRAPPED and (
            text.startswith("-") or _NUMBER.fullmatch(text) or self.previous in _WRAPPED_WITH_VALUE
        ):
            self._check(values)
            return
        if self._check(values):
            self.place = _WordPosition.REST
            return
        if "/" in values[0]:
            self._check_place(values[0])
        self.program = posixpath.basename(values[0])
        self.evaluated = [] if self.program == "eval" else self.evaluated
        self.arguments = 0
        if self.program in _WRAPPERS:
            self.place = _WordPosition.WRAPPED
        else:
            self.place = _WordPosition.SCRIPT if _INTERPRETER.fullmatch(self.program) else _WordPosition.REST

    def _at_script(self, text: str, values: Sequence[str]) -> None:
        if _PYTHON.fullmatch(self.program) and (module := _module(self.previous, text)):
            self.reader.names.update(dict.fromkeys(_files_of_module(module)))
        if self._check(values) or text.startswith(("-", "+")):
            self.takes_value = text in _WITH_VALUE
        elif self.takes_value:
            self.takes_value = False
        else:
            self._check_place(values[0])
            self.place = _WordPosition.REST

    def _at_rest(self, text: str, values: Sequence[str]) -> None:
        self.arguments += 1
        if text in _STARTS_ANOTHER:
            self.place = _WordPosition.WRAPPED
        elif self.program in ("cd", "pushd"):
            self.reader.entered.update(map(shown, values))
            self.reader.strayed = text if any(map(is_live, values)) else self.reader.strayed
        elif self.program in ("export", "declare", "local", "readonly", "typeset"):
            if assigned := _ASSIGNED.fullmatch(text):
                self.reader.assign(assigned[1], [assigned[3]], adds=bool(assigned[2]))
        elif self.program in _SETS_VARIABLES or self.previous == "-v":
            self.reader.variables[text] = None
        elif self.program in _BY_OPTION and (
            _SCRIPT_OPTION.fullmatch(self.previous) or _SCRIPT_OPTION.match(text)
        ):
            self._check(values)

    def _end(self) -> None:
        if self.program == "cd" and not self.arguments:
            self.reader.strayed = "cd"  # home
        elif self.program in UNSAID:
            self._check_place(".")
        if self.evaluated:
            self.reader.read(shown(" ".join(self.evaluated)))

    def _check(self, values: Sequence[str]) -> bool:
        live = next(filter(is_live, values), None)
        if live is not None:
            self.reader.doubt(live)
        return live is not None

    def _check_place(self, name: str) -> None:
        if self.reader.strayed is not None and not name.startswith("/"):
            self.reader.doubt(self.reader.strayed)


def _put(written: re.Pattern[str], text: str, value: str) -> str:
    return written.sub(lambda _: value, text)


def _is_text(value: str) -> bool:
    """Whether it may be a command rather than a name."""
    return any(letter in shown(value) for letter in f" \t{OPERATORS}")


def _is_runner(program: str) -> bool:
    return program in _WRAPPERS or _INTERPRETER.fullmatch(program) is not None


def _module(previous: str, text: str) -> str | None:
    """For `-m module`, `-um module` and `-mmodule`."""
    if re.fullmatch(r"-[A-Za-z]*m", previous):
        return text
    joined = re.fullmatch(r"-[A-Za-ln-z]*m(.+)", text)
    return joined[1] if joined else None


def _files_of_module(module: str) -> Iterator[str]:
    parts = module.split(".")
    yield from ("/".join(parts[:count]) + "/__init__.py" for count in range(1, len(parts) + 1))
    yield from ("/".join(parts) + ending for ending in (".py", "/__main__.py"))


def _can_be_a_name(word: str) -> bool:
    try:
        path = os.fsencode(word)
    except UnicodeEncodeError:
        return False
    return (
        b"\0" not in path
        and len(path) < _LONGEST_PATH
        and all(len(part) <= _LONGEST_NAME for part in path.split(b"/"))
    )
