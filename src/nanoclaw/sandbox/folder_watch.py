"""Reports at once when a file arrives in a folder. One inotify instance for the whole host.

Instances are scarce (128 per user by default) and a box of the same user could use them up, so this one is created once
and kept; watchfiles would take one, and a thread, per folder. A folder that cannot be watched is polled twice a second.
"""

import asyncio
import contextlib
from collections.abc import Callable
from itertools import count

import structlog
from asyncinotify import Event, Inotify, Mask, Watch

log = structlog.get_logger("watching")

Told = Callable[[str | None], None]
"""Called with the name of the file that arrived, or with None: look for yourself."""

LOOK_EVERY = 0.5


class Watcher:
    """Watches folders, on the loop that runs when the first one is added. `inotify=False` if the system
    reports nothing: a file system shared with a virtual machine or over a network.
    """

    def __init__(self, *, inotify: bool = True) -> None:
        self._tickets = count(1)
        self._watches: dict[int, Watch] = {}  # by ticket
        self._told: dict[int, Told] = {}  # by inotify's number
        self._polled: dict[int, Told] = {}  # by ticket
        self._timer: asyncio.TimerHandle | None = None
        self._listening: asyncio.Task[None] | None = None
        self._inotify: Inotify | None = None
        if inotify:
            try:
                self._inotify = Inotify()
            except OSError as error:
                _cannot("no inotify instance", error)

    def watch(self, folder: int, told: Told) -> int:
        """Report every file that arrives in the folder of this descriptor from now on; returns a ticket for
        `unwatch`."""
        ticket = next(self._tickets)
        if watch := self._add(folder):
            self._told[watch.wd] = told
            self._watches[ticket] = watch
        else:
            self._polled[ticket] = told
            if self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(LOOK_EVERY, self._look)
        return ticket

    def unwatch(self, ticket: int) -> None:
        self._polled.pop(ticket, None)
        watch = self._watches.pop(ticket, None)
        if watch and self._told.pop(watch.wd, None) and self._inotify:
            with contextlib.suppress(OSError):  # the folder is gone, and with it the watch
                self._inotify.rm_watch(watch)

    async def close(self) -> None:
        self._watches.clear()
        self._told.clear()
        self._polled.clear()
        if self._timer is not None:
            self._timer.cancel()
        if self._listening is not None:
            self._listening.cancel()
            await asyncio.gather(self._listening, return_exceptions=True)
        if self._inotify is not None:
            self._inotify.close()
            self._inotify = None

    def _add(self, folder: int) -> Watch | None:
        if self._inotify is None:
            return None
        try:
            # By descriptor: the folder that was opened, not whatever has its name now.
            watch = self._inotify.add_watch(f"/proc/self/fd/{folder}", Mask.MOVED_TO | Mask.CLOSE_WRITE)
        except OSError as error:
            _cannot("no inotify watch", error)
            return None
        if self._listening is None:
            self._listening = asyncio.create_task(self._listen(self._inotify))
        return watch

    async def _listen(self, inotify: Inotify) -> None:
        """Handles a few events at a time, then yields: a box may create them without end."""
        async for event in inotify:
            self._tell(event)

    def _tell(self, event: Event) -> None:
        if Mask.Q_OVERFLOW in event:  # events were lost, nobody knows whose
            log.warning("file events lost, looking everywhere")
            for told in list(self._told.values()):
                told(None)
        elif (watch := event.watch) is None:
            return
        elif Mask.IGNORED in event:  # the folder is gone, or its watch was removed
            self._told.pop(watch.wd, None)
        elif told_of := self._told.get(watch.wd):
            told_of(str(event.name))

    def _look(self) -> None:
        self._timer = None
        for told in list(self._polled.values()):
            told(None)
        if self._polled:
            self._timer = asyncio.get_running_loop().call_later(LOOK_EVERY, self._look)


def _cannot(what: str, error: OSError) -> None:
    log.warning(what, reason=error.strerror, looking_every=LOOK_EVERY)
