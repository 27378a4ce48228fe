"""Keeps the compiled methods of dataclasses from one start to the next, as Python keeps compiled modules.

A dataclass writes its methods as text and compiles them whenever its module is loaded: a fifth of a host's
start. The text is the key, so nothing can be out of date, and the file is where Python puts its own.
"""

import dataclasses
import marshal
import mmap
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from hashlib import blake2b
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from types import CodeType
from typing import Any

_MOST = 10_000  # methods; beyond that there are too many of older versions
_HEAD = len(MAGIC_NUMBER) + 8  # the version of the code, and the length of the list of methods

_NOT_WHOLE = (EOFError, ValueError, TypeError)  # the machine went down before the file was on disk

Methods = Mapping[bytes, bytes | memoryview]  # marshalled, by the hash of their text


class CodeCache:
    """Dataclasses made in its context get what was compiled before."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: Methods | None = None
        self._new: dict[bytes, bytes] = {}

    def __enter__(self) -> None:
        # The module calls what it finds under this name; the builtin is used only if there is none.
        vars(dataclasses)["exec"] = self._run

    def __exit__(self, *_: object) -> None:
        """Nothing stays in memory. If two threads load at once, the slower one compiles the rest."""
        vars(dataclasses).pop("exec", None)
        kept, new = self._kept or {}, self._new
        self._kept, self._new = None, {}
        if new and not sys.dont_write_bytecode:
            _write(self._path, new if len(kept) + len(new) > _MOST else {**kept, **new})

    def _run(self, text: str, names: dict[str, Any] | None, made: dict[str, Any]) -> None:
        exec(self._compiled(text), vars(dataclasses) if names is None else names, made)  # noqa: S102

    def _compiled(self, text: str) -> CodeType:
        if (kept := self._kept) is None:
            kept = self._kept = _read(self._path)
        key = blake2b(text.encode(), digest_size=16).digest()
        if (found := kept.get(key)) is not None:
            with suppress(*_NOT_WHOLE):
                code: CodeType = marshal.loads(found)  # noqa: S302 - as private as the compiled modules beside it
                return code
        code = compile(text, "<string>", "exec")
        self._new[key] = marshal.dumps(code)
        return code


def _read(path: Path) -> Methods:
    """Read from the file's own pages: copies would fragment the memory."""
    with suppress(OSError, *_NOT_WHOLE), path.open("rb") as file:
        whole = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        if whole[: len(MAGIC_NUMBER)] == MAGIC_NUMBER:
            start = _HEAD + int.from_bytes(whole[len(MAGIC_NUMBER) : _HEAD])
            places: dict[bytes, tuple[int, int]] = marshal.loads(whole[_HEAD:start])  # noqa: S302
            code = whole[start:]
            return {key: code[first:last] for key, (first, last) in places.items()}
    return {}


def _write(path: Path, methods: Methods) -> None:
    """Write atomically: other programs may be starting."""
    places, end = {}, 0
    for key, code in methods.items():
        places[key] = (end, end := end + len(code))
    listed = marshal.dumps(places)
    made = path.with_suffix(f".{os.getpid()}")
    with suppress(OSError):  # installed by somebody else: compiled every time
        path.parent.mkdir(exist_ok=True)
        try:
            made.write_bytes(b"".join((MAGIC_NUMBER, len(listed).to_bytes(8), listed, *methods.values())))
            made.replace(path)
        finally:
            made.unlink(missing_ok=True)


OF_THE_PROGRAM = CodeCache(
    Path(cache_from_source(__file__)).with_name(f"dataclasses.{sys.implementation.cache_tag}")
)
