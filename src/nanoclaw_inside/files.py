"""The tools that work on files: read, write, edit, search, list. Bounded, and clear about what cannot be done."""

import contextlib
import errno
import fnmatch
import itertools
import os
import re
import signal
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

LINES = 2_000
_LINE = 2_000  # characters shown of a line
_TEXT = 100_000  # characters shown of a file
_WHOLE = 32 << 20  # bytes of a file that is edited or searched
_SNIFFED = 8_192
_MATCHES, _MATCH = 200, 400
_ENTRIES = 1_000
_SEARCH_SECONDS = 30
_SKIPPED = {".git", "node_modules", "__pycache__", ".venv"}

_SENTENCES = {
    errno.ENOENT: "{path}: there is no such file or folder.",
    errno.EISDIR: "{path} is a folder, not a file.",
    errno.ENOTDIR: "{path}: a part of this path is a file, not a folder.",
    errno.EACCES: "{path}: permission denied.",
    errno.EPERM: "{path}: permission denied.",
    errno.EROFS: "{path} is read-only here. Writable are /work, /memory, /session and /tmp.",
    errno.ENOSPC: "{path}: the disk is full; nothing was changed. Delete what is not needed and try again.",
    errno.EDQUOT: "{path}: the disk quota is used up; nothing was changed.",
    errno.EFBIG: "{path}: the file would be bigger than a box may write; nothing was changed.",
    errno.ENAMETOOLONG: "{path}: the name is too long.",
    errno.ELOOP: "{path}: its links go round in a circle.",
}


class CannotDo(Exception):
    """The message says why."""


def sentence(error: OSError, path: str) -> str:
    text = _SENTENCES.get(error.errno or 0, "{path}: {said}.")
    return text.format(path=path, said=error.strerror or error)


def read(path: str, offset: int, limit: int) -> str:
    """Lines with their numbers, from line `offset` on."""
    with _opened(path) as file:
        if _binary(file):
            return f"{path} is a binary file of {os.fstat(file.fileno()).st_size:,} bytes."
        shown: list[str] = []
        size, number, more = 0, 0, False
        for number, line in enumerate(_lines(file), 1):
            if number < offset:
                continue
            if len(shown) == limit or size > _TEXT:
                more = True
                break
            shown.append(f"{number:6}\t{line}")
            size += len(line)
    if not number:
        return f"{path} is empty."
    if not shown:
        return f"{path} has only {number:,} lines."
    if more:
        shown.append(f"[the file goes on; read it further with offset {number}]")
    return "\n".join(shown)


def write(path: str, content: str) -> str:
    """Atomic: a concurrent reader sees the old file or the new one."""
    data = content.encode("utf-8", "surrogateescape")
    new = not os.path.lexists(path)
    _replace(path, data)
    return f"{'Made' if new else 'Wrote'} {path}, {len(data):,} bytes."


def edit(path: str, old: str, new: str, *, everywhere: bool) -> str:
    if not old:
        raise CannotDo("`old` is empty. To make a file use write.")
    if old == new:
        raise CannotDo("`old` and `new` are the same.")
    with _opened(path) as file:
        if os.fstat(file.fileno()).st_size > _WHOLE:
            raise CannotDo(f"{path} is too big to be edited; use bash.")
        text = file.read().decode("utf-8", "surrogateescape")
    count = text.count(old)
    if not count:
        raise CannotDo(f"`old` is not in {path}. It must match exactly, spaces and line ends included.")
    if count > 1 and not everywhere:
        raise CannotDo(f"`old` is {count} times in {path}. Give more of what is around it, or set `all`.")
    _replace(path, text.replace(old, new).encode("utf-8", "surrogateescape"))
    return f"Changed {path} in {count} place{'s' if count > 1 else ''}."


def search(pattern: str, path: str, glob: str) -> str:
    """Like grep -n: every line that matches, with its file and number."""
    try:
        wanted = re.compile(pattern)
    except re.error as error:
        raise CannotDo(f"The pattern is not a regular expression: {error}.") from error
    if not os.path.lexists(path):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    with _at_most(_SEARCH_SECONDS):
        found = list(itertools.islice(_matches(wanted, path, glob), _MATCHES + 1))
    if not found:
        return "Nothing matches."
    if len(found) > _MATCHES:
        found[_MATCHES] = f"[more than {_MATCHES} lines match; narrow the pattern, the path or the glob]"
    return "\n".join(found)


def list_folder(path: str) -> str:
    lines: list[str] = []
    for entry in sorted(os.scandir(path), key=lambda entry: entry.name):
        if len(lines) == _ENTRIES:
            lines.append(f"[more than {_ENTRIES} entries; use bash to see them]")
            break
        if entry.is_symlink():
            lines.append(f"{_plain(entry.name)} -> {_plain(str(Path(entry.path).readlink()))}")
        elif entry.is_dir(follow_symlinks=False):
            lines.append(f"{_plain(entry.name)}/")
        else:
            lines.append(f"{_plain(entry.name)}  {entry.stat(follow_symlinks=False).st_size:,} bytes")
    return "\n".join(lines) or f"{path} is empty."


def _opened(path: str) -> BinaryIO:
    """Only plain files: a pipe would make the agent wait for ever."""
    file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    mode = os.fstat(file).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(file, "rb")
    os.close(file)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    raise CannotDo(f"{path} is not a plain file.")


def _binary(file: BinaryIO) -> bool:
    start = file.read(_SNIFFED)
    file.seek(0)
    return b"\0" in start


def _lines(file: BinaryIO) -> Iterator[str]:
    """Lines without line ends; a line that never ends costs no memory."""
    while piece := file.readline(4 * _LINE):
        whole = piece.endswith(b"\n") or len(piece) < 4 * _LINE
        while not whole and (rest := file.readline(1 << 20)):
            whole = rest.endswith(b"\n")
        text = piece.decode("utf-8", "replace").rstrip("\r\n")
        yield text if len(text) <= _LINE else text[:_LINE] + " [line cut]"


def _replace(path: str, data: bytes) -> None:
    target = Path(path).resolve()  # a link stays a link: its target is written
    mode = target.stat().st_mode if target.exists() else None
    if mode is not None and stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if mode is not None and not stat.S_ISREG(mode):
        raise CannotDo(f"{path} is not a plain file.")  # a device would be replaced by a file of that name
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(f".{target.name[:200]}.{os.getpid()}.new")
    try:
        unfinished.write_bytes(data)
        if mode is not None:
            unfinished.chmod(stat.S_IMODE(mode))
        unfinished.replace(target)
    except OSError:
        with contextlib.suppress(OSError):
            unfinished.unlink()
        raise


def _matches(wanted: re.Pattern[str], path: str, glob: str) -> Iterator[str]:
    for file in _files(path):
        shown = _plain(file)
        if glob and not (
            fnmatch.fnmatch(Path(file).name, glob) or fnmatch.fnmatch(os.path.relpath(file, path), glob)
        ):
            continue
        try:
            with _opened(file) as opened:
                if os.fstat(opened.fileno()).st_size > _WHOLE or _binary(opened):
                    continue
                for number, line in enumerate(_lines(opened), 1):
                    if wanted.search(line):
                        yield f"{shown}:{number}:{line[:_MATCH]}"
        except (OSError, CannotDo):
            continue  # it is gone, or cannot be read; the others can


def _files(path: str) -> Iterator[str]:
    if not Path(path).is_dir():
        yield path
        return
    waiting = [path]  # a list, not recursion: folders may be nested too deeply for that
    while waiting:
        folder, inner = waiting.pop(), []
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue  # closed, gone, or too deep for a path
        for entry in entries:
            if not entry.is_dir(follow_symlinks=False):
                yield str(Path(entry.path))
            elif entry.name not in _SKIPPED:
                inner.append(entry.path)
        waiting += reversed(inner)


@contextlib.contextmanager
def _at_most(seconds: int) -> Iterator[None]:
    """Limit the time: some patterns take years on some lines."""

    def stop(_number: int, _frame: object) -> None:
        raise CannotDo(
            f"The search took more than {seconds} seconds. Narrow the path, or use a simpler pattern."
        )

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _plain(name: str) -> str:
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
