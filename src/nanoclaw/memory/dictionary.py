"""Ukrainian words and the words they are forms of: pymorphy3's dictionary without its grammar and its
guesses.

Only words are needed here, and few of them, so they stay in their files. The library itself would read 24
MiB.
"""

import json
import mmap
import sys
from array import array
from importlib import import_module
from itertools import accumulate
from pathlib import Path
from typing import Any

_NUMBER = 4  # bytes
_PLACE = ">HH"  # which paradigm a form belongs to, and which form of it that is


class Dictionary:
    """Loading takes a hundredth of a second."""

    def __init__(self) -> None:
        folder = Path(import_module("pymorphy3_dicts_uk").get_path())
        meta = dict(json.loads((folder / "meta.json").read_text("utf-8")))
        self._files = tuple(_mapped(folder / name) for name in ("words.dawg", "paradigms.array"))
        words, paradigms = self._files
        self._words = _words_in(memoryview(words))
        self._substitutes = self._words.compile_replaces({"г": "ґ"})  # people write the first for the second
        self._beginnings: list[str] = meta["compile_options"]["paradigm_prefixes"]
        self._endings = _Texts(json.loads((folder / "suffixes.json").read_text("utf-8")))
        self._paradigms = memoryview(paradigms).cast("H")
        self._starts = array("I", [1])  # of each paradigm's length; the first number says how many there are
        for _ in range(1, self._paradigms[0]):
            self._starts.append(self._starts[-1] + 1 + self._paradigms[self._starts[-1]])

    def forms(self, word: str) -> tuple[str, ...]:
        """The dictionary forms it may belong to; empty for an unknown word."""
        found = self._words.similar_items(word, self._substitutes)
        return tuple(
            dict.fromkeys(self._normal(known, *place) for known, places in found for place in places)
        )

    def give_back(self) -> None:
        """Release pages of the files until they are needed again: the system keeps many around each one that
        is read.
        """
        for each in self._files:
            each.madvise(mmap.MADV_DONTNEED)

    def _normal(self, word: str, paradigm: int, form: int) -> str:
        """A paradigm has the endings of all its forms, then their grammar, then their beginnings."""
        if form == 0:
            return word
        start = self._starts[paradigm]
        numbers = self._paradigms[start + 1 : start + 1 + self._paradigms[start]]
        beginnings = numbers[len(numbers) // 3 * 2 :]
        stem = word[len(self._beginnings[beginnings[form]]) :].removesuffix(self._endings[numbers[form]])
        return f"{self._beginnings[beginnings[0]]}{stem}{self._endings[numbers[0]]}"


class _Texts:
    """Many short strings as one: separately they would take ten times the memory."""

    def __init__(self, texts: list[str]) -> None:
        self._whole = "".join(texts)
        self._ends = array("I", accumulate(map(len, texts), initial=0))

    def __getitem__(self, number: int) -> str:
        return self._whole[self._ends[number] : self._ends[number + 1]]


def _mapped(path: Path) -> mmap.mmap:
    with path.open("rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _words_in(read: memoryview) -> Any:
    """The format as the library reads it: a number of nodes and the nodes, then the same for what follows
    each of them.
    """
    library: Any = import_module("dawg_python")
    parts: Any = import_module("dawg_python.wrapper")
    words = library.RecordDAWG(_PLACE)
    end = _NUMBER + _NUMBER * int.from_bytes(read[:_NUMBER], sys.byteorder)
    words.dct, words.guide = parts.Dictionary(), parts.Guide()
    words.dct._units, words.guide._units = read[_NUMBER:end].cast("I"), read[end + _NUMBER :]
    return words
