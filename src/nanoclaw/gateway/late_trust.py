"""TLS that loads trusted certificates when a connection is made: 140 of them take 50 ms and 3 MiB, for each
library.

Libraries make a context when they are loaded or a client is made; a host that is just starting has nobody to
call yet.
"""

import os
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

_make = ssl.create_default_context


class LateContext(ssl.SSLContext):
    """Like any other context, once it has wrapped something."""

    read_certificates: Callable[[], None]

    def wrap_bio(self, *given: Any, **more: Any) -> ssl.SSLObject:
        return self._ready().wrap_bio(*given, **more)

    def wrap_socket(self, *given: Any, **more: Any) -> ssl.SSLSocket:
        return self._ready().wrap_socket(*given, **more)

    def _ready(self) -> ssl.SSLContext:
        self.read_certificates()  # twice if two threads come at once, which does no harm
        self.__class__ = ssl.SSLContext  # type: ignore[assignment]
        return self


@contextmanager
def trusting_later() -> Iterator[None]:
    """Make contexts created meanwhile read their certificates late."""
    ssl.create_default_context = _late_context
    try:
        yield
    finally:
        ssl.create_default_context = _make


def _late_context(
    purpose: ssl.Purpose = ssl.Purpose.SERVER_AUTH,
    *,
    cafile: Any = None,
    capath: Any = None,
    cadata: Any = None,
) -> ssl.SSLContext:
    context: Any = _make(purpose, capath=os.devnull)  # where there can be no certificates
    context.__class__ = LateContext
    context.read_certificates = (
        partial(context.load_verify_locations, cafile, capath, cadata)
        if cafile or capath or cadata
        else partial(context.load_default_certs, purpose)
    )
    made: LateContext = context
    return made
