"""A company's context, condensed: context_bundle.md, and the few sentences about the company in transfer.md."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from nanoclaw.domain.context_files import RHYTHMS
from nanoclaw.domain.transfers import MOST_BUNDLE, MOST_COMPANY
from nanoclaw.flows.transfers.quotes import cut
from nanoclaw.sandbox.untrusted_files import read_text
from nanoclaw.texts import say

_FIRST = ("company/identity", "product/", "audience/")
_ABOUT = ("company/identity", "product/positioning", "product/spec", "audience/icp")
_LEAST = 200  # bytes; a smaller part of a file says nothing
_HEADS = 100  # bytes for the title of each file, and the note that it was shortened
IDENTITY = _ABOUT[0]


@dataclass(frozen=True, kw_only=True, slots=True)
class BundledFile:
    """`kept` of `size` bytes; 0 if it was left out or is empty."""

    name: str
    size: int
    kept: int

    @property
    def is_whole(self) -> bool:
        return 0 < self.size == self.kept


@dataclass(frozen=True, kw_only=True, slots=True)
class Bundle:
    text: str
    files: tuple[BundledFile, ...]


def read_context(home: Path, company: str) -> dict[str, str]:
    """The existing files. Links are not followed: they could bring along a file of the machine."""
    folder = home / "companies" / company / "context"
    found = {name: read_text(folder, f"{name}.md") for name in RHYTHMS}
    return {name: text for name, text in found.items() if text}


def bundled(texts: Mapping[str, str], language: str, transfer_id: str) -> Bundle:
    """The important files first, each with its fair share of the room; shortened ones say so."""
    names = sorted(texts, key=_rank)
    head = say(language, "package-bundle-title", id=transfer_id)
    kept = shared(texts, names, MOST_BUNDLE - len(head.encode()) - _HEADS * len(names))
    parts = [head]
    for name in names:
        if name not in kept:
            continue
        is_whole = kept[name] == texts[name]
        note = "" if is_whole else f"\n\n*{say(language, 'package-bundle-shortened')}*"
        parts.append(f"## {name}.md\n\n{kept[name]}{note}")
    left_out = [name for name in names if name not in kept]
    if left_out:
        parts.append(f"*{say(language, 'package-bundle-left-out', files=', '.join(left_out))}*")
    files = tuple(
        BundledFile(
            name=name, size=len(texts[name].encode()), kept=len(kept[name].encode()) if name in kept else 0
        )
        for name in names
    )
    return Bundle(text="\n\n".join(parts) + "\n", files=files)


def about_company(texts: Mapping[str, str]) -> str:
    """Who they are, what they sell and to whom, in about 500 tokens."""
    kept = shared(texts, [name for name in _ABOUT if name in texts], MOST_COMPANY)
    return "\n\n".join(kept.values())


def shared(texts: Mapping[str, str], names: Sequence[str], most: int) -> dict[str, str]:
    """Divide so many bytes among these files: what a short one does not need goes to the others. The first
    ones get twice as much. A file whose share would be too small is left out, the last one first.
    """
    chosen = list(names)
    while chosen:
        parts = _parts(texts, chosen, most)
        small = [name for name in chosen if parts[name] < min(_LEAST, len(texts[name].encode()))]
        if not small:
            return {name: cut(texts[name], parts[name]) for name in chosen}
        chosen.remove(small[-1])
    return {}


def _parts(texts: Mapping[str, str], names: Sequence[str], most: int) -> dict[str, int]:
    parts: dict[str, int] = {}
    left, weights = most, {name: 2 if name.startswith(_FIRST) else 1 for name in names}
    # The file that needs least, relative to its share, is served first; so the rest is known for the others.
    for name in sorted(names, key=lambda each: len(texts[each].encode()) / weights[each]):
        part = max(0, left) * weights[name] // sum(weights[each] for each in names if each not in parts)
        parts[name] = min(len(texts[name].encode()), part)
        left -= parts[name]
    return parts


def _rank(name: str) -> tuple[int, int]:
    order = list(RHYTHMS)
    first = next((place for place, each in enumerate(_FIRST) if name.startswith(each)), len(_FIRST))
    return first, order.index(name)
