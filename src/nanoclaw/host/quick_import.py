"""Loads a part of the program, without looking for garbage meanwhile, and without what nobody here needs."""

import gc
import sys
from importlib import import_module
from importlib.abc import MetaPathFinder
from typing import Any

# Libraries do without these where they are not installed, and we never use what they are for: passports, traces in
# colours, the library's own command line. They would be 12 MiB of a host, and a tenth of its start.
_SPARED = {
    "telegram._bot": "cryptography",
    "telegram._passport.credentials": "cryptography",
    "structlog.dev": "rich",
    "structlog.tracebacks": "rich",
    "httpx._main": "click",
}


class _Sparing(MetaPathFinder):
    def find_spec(self, fullname: str, *_: Any) -> None:
        if fullname not in _SPARED.values():
            return
        frame = sys._getframe(1)
        while frame.f_back is not None and frame.f_globals["__name__"].startswith("importlib."):
            frame = frame.f_back
        if _SPARED.get(frame.f_globals["__name__"]) == fullname:
            raise ModuleNotFoundError(fullname, name=fullname)


sys.meta_path.insert(0, _Sparing())


def load(name: str) -> Any:
    gc.disable()  # there is none, and the search would be a fifth of it
    try:
        return import_module(name)
    finally:
        gc.freeze()  # it stays for good, and no later search need look at it
        gc.enable()
