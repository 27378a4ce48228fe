"""The context files of companies as they are now. A person may edit any of them while the host runs."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from errno import ELOOP, ENOTDIR
from pathlib import Path
from stat import S_ISREG

import structlog

from nanoclaw.domain.context_files import RHYTHMS

# The files of a company's context, area by area, in reading order.
CONTEXT_FILES = tuple(RHYTHMS)

log = structlog.get_logger("context")

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
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
                else _text(str(self._home), f"companies/{company}/context/{name}.md")
                for number, (name, stamp) in enumerate(zip(CONTEXT_FILES, stamps, strict=True))
            }
            known = self._known[company] = CompanyContext(texts, stamps)
        return known


def _stamp(path: str) -> Stamp:
    try:
        stat = os.lstat(path)
    except OSError:
        return _GONE
    return stat.st_mtime_ns, stat.st_size


def _text(home: str, path: str) -> str:
    """Links are not followed, on no part of the path: they could bring along any file of the machine."""
    here = -1
    try:
        here = os.open(home, _FOLDER)
        *folders, name = path.split("/")
        for part in folders:
            above, here = here, os.open(part, _FOLDER, dir_fd=here)
            os.close(above)
        with os.fdopen(os.open(name, _FILE, dir_fd=here), "rb") as file:
            if not S_ISREG(os.fstat(file.fileno()).st_mode):
                return ""
            return file.read().decode("utf-8", "replace").strip()
    except OSError as error:
        if error.errno in (ELOOP, ENOTDIR):
            log.warning("context file not read", file=path, reason=error)
        return ""
    finally:
        if here >= 0:
            os.close(here)
