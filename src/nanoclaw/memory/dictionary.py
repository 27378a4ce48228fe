"""Ukrainian words and the words they are forms of: pymorphy3's dictionary without its grammar and its guesses.

Only the words are needed here, and few of them: they stay in their file, and the rest would be 20 MiB.
"""

import mmap
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

_NUMBER = 4  # bytes


class Dictionary:
    """Loading takes a few hundredths of a second."""

    def __init__(self) -> None:
        storage: Any = import_module("pymorphy3.opencorpora_dict.storage")
        wrapper: Any = import_module("pymorphy3.opencorpora_dict.wrapper")
        folder = Path(import_module("pymorphy3_dicts_uk").get_path())
        whole = self._whole = wrapper.Dictionary.__new__(wrapper.Dictionary)
        whole.words = _words_in(folder / "words.dawg")
        whole.suffixes = storage.json_read(str(folder / "suffixes.json"))
        whole.paradigms = storage._load_paradigms(str(folder / "paradigms.array"))
        meta = storage.load_meta(str(folder / "meta.json"))
        whole.paradigm_prefixes = meta["compile_options"]["paradigm_prefixes"]
        self._substitutes = whole.words.compile_replaces({"г": "ґ"})  # people write the first for the second

    def forms(self, word: str) -> tuple[str, ...]:
        """The dictionary forms that it may belong to; empty for a word that is not known."""
        found = self._whole.words.similar_items(word, self._substitutes)
        normal = self._whole.build_normal_form
        return tuple(
            dict.fromkeys(
                normal(paradigm, place, known) for known, parses in found for paradigm, place in parses
            )
        )


def _words_in(path: Path) -> Any:
    """As the library reads them: a number of nodes and the nodes, then the same for what follows each of them."""
    library: Any = import_module("dawg_python")
    parts: Any = import_module("dawg_python.wrapper")
    words = library.RecordDAWG(import_module("pymorphy3.dawg").WordsDawg.DATA_FORMAT)
    with path.open("rb") as file:
        read = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    end = _NUMBER + _NUMBER * int.from_bytes(read[:_NUMBER], sys.byteorder)
    words.dct, words.guide = parts.Dictionary(), parts.Guide()
    words.dct._units, words.guide._units = read[_NUMBER:end].cast("I"), read[end + _NUMBER :]
    return words
