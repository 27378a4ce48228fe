"""Ukrainian words and the words they are forms of: pymorphy3's dictionary without its grammar and its guesses.

Only the words are needed here, and the rest would make 24 MiB of 14.
"""

from importlib import import_module
from pathlib import Path
from typing import Any


class Dictionary:
    """Loading takes a tenth of a second."""

    def __init__(self) -> None:
        storage: Any = import_module("pymorphy3.opencorpora_dict.storage")
        wrapper: Any = import_module("pymorphy3.opencorpora_dict.wrapper")
        words: Any = import_module("pymorphy3.dawg").WordsDawg()
        folder = Path(import_module("pymorphy3_dicts_uk").get_path())
        whole = self._whole = wrapper.Dictionary.__new__(wrapper.Dictionary)
        whole.words = words.load(str(folder / "words.dawg"))
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
