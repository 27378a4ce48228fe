"""Reads and changes the stream of `git fast-export --no-data`: commits that name their files by content."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

_FILE = re.compile(rb"M (\d+) ([0-9a-f]{40,64}) (.+)\Z", re.DOTALL)
_ESCAPE = re.compile(rb"\\([0-7]{3}|.)", re.DOTALL)


@dataclass(slots=True)
class ExportedCommit:
    id: str = ""
    mark: bytes = b""
    parents: list[bytes] = field(default_factory=list)
    files: list[tuple[str, bytes]] = field(default_factory=list)


def commits(stream: bytes) -> Iterator[ExportedCommit]:
    """The commits, parents first."""
    commit: ExportedCommit | None = None
    for line in _commands(stream):
        word, _, rest = line.rstrip(b"\n").partition(b" ")
        if word in (b"commit", b"reset", b"tag", b"done"):
            if commit:
                yield commit
            commit = ExportedCommit() if word == b"commit" else None
        elif commit is None:
            continue
        elif word == b"mark":
            commit.mark = rest
        elif word == b"original-oid":
            commit.id = rest.decode()
        elif word in (b"from", b"merge"):
            commit.parents.append(rest)
        elif found := _FILE.match(line.rstrip(b"\n")):
            commit.files.append((found[2].decode(), _unquoted(found[3])))
    if commit:
        yield commit


def files(stream: bytes) -> Iterator[tuple[str, str, bytes]]:
    for line in _commands(stream):
        if found := _FILE.match(line.rstrip(b"\n")):
            yield found[1].decode(), found[2].decode(), _unquoted(found[3])


def renamed(stream: bytes, changed: Mapping[str, str], is_meant: Callable[[bytes], bool]) -> Iterator[bytes]:
    for line in _commands(stream):
        found = _FILE.match(line.rstrip(b"\n")) if line.startswith(b"M ") else None
        new = changed.get(found[2].decode()) if found and is_meant(_unquoted(found[3])) else None
        if found and new:
            yield b"M %s %s %s\n" % (found[1], new.encode(), found[3])
        else:
            yield line


def _commands(stream: bytes) -> Iterator[bytes]:
    """The lines; a text (`data 12`) comes as one piece, whatever it contains."""
    place = 0
    while place < len(stream):
        end = stream.find(b"\n", place)
        end = len(stream) if end < 0 else end + 1
        if stream.startswith(b"data ", place):
            end += int(stream[place + 5 : end])
        yield stream[place:end]
        place = end


def _unquoted(path: bytes) -> bytes:
    """Unquote a path: those with unusual characters are quoted."""
    if not path.startswith(b'"'):
        return path
    plain = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
    return _ESCAPE.sub(
        lambda found: bytes([int(found[1], 8)]) if found[1].isdigit() else plain.get(found[1], found[1]),
        path[1:-1],
    )
