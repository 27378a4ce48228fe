"""Imports a part of the program without garbage collection, and without what nobody here needs."""

import gc
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from threading import RLock
from types import ModuleType
from typing import Any

from nanoclaw.host.code_cache import OF_THE_PROGRAM

# Libraries cope without these, and we never use what they are for: passports, coloured tracebacks, the
# library's own command line. They would take 12 MiB of a host, and a tenth of its start.
_SPARED = {
    "telegram._bot": "cryptography",
    "telegram._passport.credentials": "cryptography",
    "structlog.dev": "rich",
    "structlog.tracebacks": "rich",
    "httpx._main": "click",
}


class _Sparing(MetaPathFinder):
    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if wanted := _LOADERS.get(fullname):
            spec = PathFinder.find_spec(fullname, path, target)
            if spec is not None and spec.loader is not None:
                spec.loader = wanted(spec.loader)
            return spec
        if fullname in _SPARED.values():
            frame = sys._getframe(1)
            while frame.f_back is not None and frame.f_globals["__name__"].startswith("importlib."):
                frame = frame.f_back
            if _SPARED.get(frame.f_globals["__name__"]) == fullname:
                raise ModuleNotFoundError(fullname, name=fullname)
        return None


class _LateLoader(Loader):
    """Runs a module when something is looked up in it. `importlib.util.LazyLoader` does so at its second import."""

    def __init__(self, real: Loader) -> None:
        self._real = real
        self._loading = RLock()

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._real.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        def find(name: str) -> Any:
            with self._loading:
                if vars(module).pop("__getattr__", None) is not None:
                    self._real.exec_module(module)
            return getattr(module, name)

        vars(module)["__getattr__"] = find


class _TrustingLoader(Loader):
    """For a module that reads every certificate when it is loaded."""

    def __init__(self, real: Loader) -> None:
        self._real = real

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._real.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        with import_module("nanoclaw.gateway.late_trust").trusting_later():
            self._real.exec_module(module)


class _ServerLoader(Loader):
    """For the module of uvicorn's command line, from which the package takes its server: without click, and
    without what restarts processes.
    """

    def __init__(self, _real: Loader) -> None:
        pass

    def exec_module(self, module: ModuleType) -> None:
        vars(module).update(Server=import_module("uvicorn.server").Server, main=None, run=None)


_LOADERS: dict[str, Callable[[Loader], Loader]] = {
    # Libraries use these to ask the network for what we never ask: whether a secret works, or prices changed.
    "requests": _LateLoader,
    "httpx2": _LateLoader,
    "snowballstemmer": _LateLoader,  # it loads every language; we name the module of ours
    "wcwidth": _LateLoader,  # for tables, and for answers longer than a message may be
    "aiohttp.connector": _TrustingLoader,
    "uvicorn.main": _ServerLoader,
}
sys.meta_path.insert(0, _Sparing())


def load(name: str) -> Any:
    gc.disable()  # there is no garbage, and looking for it takes a fifth of the time
    try:
        with OF_THE_PROGRAM:
            return import_module(name)
    finally:
        gc.freeze()  # it is permanent, so no later collection needs to look at it
        gc.enable()
