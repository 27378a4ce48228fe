"""Tells at once when a file has arrived in a folder. One inotify instance for the whole host.

Instances are scarce (128 for each user by default) and a box of the same user could use them up, so this one is made
once and kept. A folder that cannot be watched is looked at twice a second instead.
"""

import asyncio
import ctypes
import os
import struct
from collections.abc import Callable
from itertools import count

import structlog

log = structlog.get_logger("watching")

Told = Callable[[str | None], None]
"""Called with the name of the file that has arrived, or with None: something may have, look for yourself."""

LOOK_EVERY = 0.5

_MOVED_TO, _CLOSE_WRITE, _Q_OVERFLOW, _IGNORED = 0x80, 0x08, 0x4000, 0x8000
_EVENT = struct.Struct("iIII")  # watch, mask, cookie, length of the name
_BUFFER = 64 * 1024
_libc = ctypes.CDLL(None, use_errno=True)


class Watcher:
    """Watches folders, on the loop that runs when the first one is given to it.

    `inotify=False` where the system tells nothing: a file system that is shared with a virtual machine, or over a net.
    """

    def __init__(self, *, inotify: bool = True) -> None:
        self._tickets = count(1)
        self._watched: dict[int, Told] = {}  # by inotify's number
        self._number_of: dict[int, int] = {}  # ticket -> inotify's number
        self._polled: dict[int, Told] = {}  # by ticket
        self._timer: asyncio.TimerHandle | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._inotify = _libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC) if inotify else -1
        if inotify and self._inotify < 0:
            self._cannot("no inotify instance")

    def watch(self, folder: int, told: Told) -> int:
        """Tell of every file that arrives in the folder of this descriptor from now on; a ticket for `unwatch`."""
        ticket = next(self._tickets)
        if (number := self._add(folder)) >= 0:
            self._watched[number] = told
            self._number_of[ticket] = number
        else:
            self._polled[ticket] = told
            if self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(LOOK_EVERY, self._look)
        return ticket

    def unwatch(self, ticket: int) -> None:
        if (number := self._number_of.pop(ticket, None)) is not None:
            if self._watched.pop(number, None) is not None:
                _libc.inotify_rm_watch(self._inotify, number)
        else:
            self._polled.pop(ticket, None)

    def close(self) -> None:
        self._watched.clear()
        self._number_of.clear()
        self._polled.clear()
        if self._timer is not None:
            self._timer.cancel()
        if self._loop is not None and not self._loop.is_closed():
            self._loop.remove_reader(self._inotify)
        if self._inotify >= 0:
            os.close(self._inotify)
            self._inotify = -1

    def _add(self, folder: int) -> int:
        if self._inotify < 0:
            return -1
        # By descriptor, so that it is the folder that was opened and not whatever has its name now.
        place = os.fsencode(f"/proc/self/fd/{folder}")
        number = int(_libc.inotify_add_watch(self._inotify, place, _MOVED_TO | _CLOSE_WRITE))
        if number < 0:
            self._cannot("no inotify watch")
        elif self._loop is None:
            self._loop = asyncio.get_running_loop()
            self._loop.add_reader(self._inotify, self._read)
        return number

    def _read(self) -> None:
        try:
            content = os.read(self._inotify, _BUFFER)
        except BlockingIOError:
            return
        at = 0
        while at < len(content):
            number, mask, _cookie, length = _EVENT.unpack_from(content, at)
            at += _EVENT.size
            name = content[at : at + length].rstrip(b"\0")
            at += length
            if mask & _Q_OVERFLOW:  # events were lost, nobody knows whose
                log.warning("file events lost, looking everywhere")
                for told in list(self._watched.values()):
                    told(None)
            elif mask & _IGNORED:  # the folder is gone, or its watch was taken off
                self._watched.pop(number, None)
            elif told_of := self._watched.get(number):
                told_of(os.fsdecode(name))

    def _look(self) -> None:
        self._timer = None
        for told in list(self._polled.values()):
            told(None)
        if self._polled:
            self._timer = asyncio.get_running_loop().call_later(LOOK_EVERY, self._look)

    def _cannot(self, what: str) -> None:
        log.warning(what, reason=os.strerror(ctypes.get_errno()), looking_every=LOOK_EVERY)
