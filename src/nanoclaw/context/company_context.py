"""The context files of companies as they are now. A person may edit any of them while the host runs."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nanoclaw.domain.context_files import RHYTHMS

# The files of a company's context, area by area, in reading order.
CONTEXT_FILES = tuple(RHYTHMS)

Stamp = tuple[int, int]
_GONE: Stamp = (0, 0)


@dataclass(frozen=True, eq=False, slots=True)
class CompanyContext:
    """Texts by name, such as product/pricing; empty if there is no file. A new object after any of them has
    changed.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    stamps: tuple[Stamp, ...] = ()


class CompanyContexts:
    """Every message passes here: a file costs one `stat`, and its path is a string, which is quicker than an
    object.
    """

    def __init__(self, home: Path) -> None:
        self._home = home
        self._known: dict[str, CompanyContext] = {}

    def read(self, company: str) -> CompanyContext:
        folder = f"{self._home}/companies/{company}/context"
        stamps = tuple([_stamp(f"{folder}/{name}.md") for name in CONTEXT_FILES])
        known = self._known.get(company)
        if known is None or known.stamps != stamps:
            texts = {
                name: known.texts[name]
                if known and known.stamps[number] == stamp
                else _text(f"{folder}/{name}.md")
                for number, (name, stamp) in enumerate(zip(CONTEXT_FILES, stamps, strict=True))
            }
            known = self._known[company] = CompanyContext(texts, stamps)
        return known


def _stamp(path: str) -> Stamp:
    try:
        stat = os.stat(path)  # noqa: PTH116
    except OSError:
        return _GONE
    return stat.st_mtime_ns, stat.st_size


def _text(path: str) -> str:
    try:
        return Path(path).read_text("utf-8", errors="replace").strip()
    except OSError:
        return ""
