"""Imports a part of the program without garbage collection, and without what nobody here needs."""

import gc
import sys
from importlib import import_module
from importlib.abc import MetaPathFinder
from typing import Any

# Libraries cope without these, and we never use what they are for: passports, coloured tracebacks, the library's own
# command line. They would take 12 MiB of a host, and a tenth of its start.
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
    gc.disable()  # there is no garbage, and looking for it takes a fifth of the time
    try:
        return import_module(name)
    finally:
        gc.freeze()  # it is permanent, so no later collection need look at it
        gc.enable()
