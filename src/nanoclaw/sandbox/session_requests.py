"""The request folders of one session: each request that arrives is read, passed on, answered and deleted."""

import asyncio
import contextlib
import json
import os
from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import structlog

from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.file_protocol import ANSWERS, TASK_RESULT, RequestKind, answer_folder
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.tool_requests import BadToolRequest, ToolReply, ToolRequest, understand
from nanoclaw.sandbox.folder_watch import Watcher
from nanoclaw.sandbox.quarantine import set_aside
from nanoclaw.sandbox.untrusted_files import ENDING, Reject, UnreadReason, is_name, safe_read
from nanoclaw.texts import tell

log = structlog.get_logger("requests")

Answer = Callable[[ToolRequest], Awaitable[ToolReply]]

AT_ONCE = 16  # requests of one kind; people take long to answer, and must not keep messages waiting
LOOK_AT = 256  # files at a time: a box may have made millions
MOST_LOOK = 32 * 1024  # entries scanned to find them; a box that creates more hides its own requests
ORPHAN_AFTER = timedelta(hours=1)
_RESULTS_KEPT = timedelta(days=7)  # of tasks: the requester may come back for them much later

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST_STUCK = 1000
_REFUSED = (
    "The request file was refused ({}). Write a new one, as the host's page on its file protocol shows."
)
_HOST_FAILED = (
    "The host failed while it did this; it may be done or not. Tell the person, and do not repeat it unasked."
)
_Stamp = tuple[int, int, int] | None


class RequestFolders:
    """The folders of one session, held open: these are the ones, whatever their names come to mean."""

    def __init__(
        self,
        folder: Path,
        session_id: SessionId,
        owner_uid: int,
        tools: Collection[str],
        answer: Answer,
        watcher: Watcher,
    ) -> None:
        self.session_id = session_id
        self.owner_uid = owner_uid
        self.tools = tools
        self.answer = answer
        self.quarantine = folder.parent.parent / "quarantine" / folder.name
        self.reading = asyncio.Lock()  # one file at a time: a box must not take all threads of the host
        self._watcher = watcher
        with contextlib.ExitStack() as opened:
            self._answers = {name: self._opened(opened, folder / name) for name in ANSWERS}
            folders = {kind: self._opened(opened, folder / kind) for kind in RequestKind}
            self._closing = opened.pop_all()
        self._request_folders = [RequestFolder(self, kind, of) for kind, of in folders.items()]
        self._tickets = [watcher.watch(requests.folder, requests.told) for requests in self._request_folders]

    @staticmethod
    def _opened(stack: contextlib.ExitStack, folder: Path) -> int:
        descriptor = os.open(folder, _FOLDER)
        stack.callback(os.close, descriptor)
        return descriptor

    async def close(self, patience: float) -> None:
        for ticket in self._tickets:
            self._watcher.unwatch(ticket)
        await asyncio.gather(*(requests.close(patience) for requests in self._request_folders))
        self._closing.close()  # last: the number of a closed descriptor is soon reused for another file

    def put(self, kind: RequestKind, asked_id: str, reply: ToolReply) -> bool:
        """Write an answer where the box can read it; a reader sees all of it or nothing."""
        folder = self._answers[answer_folder(kind)]
        content = json.dumps(reply.as_json(asked_id, kind), ensure_ascii=False, allow_nan=False)
        half = f".{asked_id}.half"
        try:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(half, dir_fd=folder)  # left by a host that was killed
            with os.fdopen(os.open(half, _NEW_FILE, 0o600, dir_fd=folder), "wb") as made:
                os.fchmod(made.fileno(), 0o644)
                made.write(content.encode("utf-8", "replace"))
            os.rename(half, asked_id + ENDING, src_dir_fd=folder, dst_dir_fd=folder)
        except OSError as error:
            log.warning("answer not written", session=self.session_id, reason=error)
            return False
        return True

    def take_back(self, kind: RequestKind, asked_id: str) -> None:
        """Remove an answer that nobody should read any more."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(asked_id + ENDING, dir_fd=self._answers[answer_folder(kind)])

    def sweep(self, at: datetime) -> None:
        before = (at - ORPHAN_AFTER).timestamp()
        long_before = (at - _RESULTS_KEPT).timestamp()
        for folder in self._answers.values():
            with os.scandir(folder) as entries:
                for entry in entries:
                    limit = long_before if entry.name.startswith(TASK_RESULT) else before
                    if entry.stat(follow_symlinks=False).st_ctime < limit:
                        os.unlink(entry.name, dir_fd=folder)
        for requests in self._request_folders:
            requests.sweep(before)


class RequestFolder:
    """The requests of one kind: read one by one, answered concurrently."""

    def __init__(self, session_requests: RequestFolders, kind: RequestKind, folder: int) -> None:
        self.folder = folder
        self._session_requests, self._kind = session_requests, kind
        self._log = log.bind(session=session_requests.session_id, kind=kind.value)
        self._names: dict[str, None] = {}  # to be read, in order of arrival
        self._look = False  # there may be files that nobody reported
        self._open: dict[str, asyncio.Task[ToolReply]] = {}  # being answered
        self._stamps: dict[str, _Stamp] = {}  # the same, as they were when read
        self._unsettled: set[asyncio.Future[None]] = set()  # those of them neither answered nor recorded yet
        self._stuck: set[str] = set()  # cannot be removed; reported once
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._wake = asyncio.Event()
        self._last = False  # nothing more will come: read what is there
        self._closed = False
        self._reader = asyncio.create_task(
            self._read_all(), name=f"requests {session_requests.session_id} {kind}"
        )

    def told(self, name: str | None) -> None:
        if name is None or len(self._names) >= LOOK_AT:
            self._look = True
        elif self._wanted(name):
            self._names[name] = None
        self._wake.set()

    def sweep(self, before: float) -> None:
        with os.scandir(self.folder) as entries:
            for entry in islice(entries, LOOK_AT):
                if entry.name in self._open:  # somebody has been thinking about it for more than an hour
                    continue
                with contextlib.suppress(FileNotFoundError):
                    if entry.stat(follow_symlinks=False).st_ctime < before:
                        self._names.pop(entry.name, None)
                        self._set_aside(entry.name, UnreadReason.ORPHAN)
        self.told(None)

    async def close(self, patience: float) -> None:
        """Close without cancelling the reader: a thread may be reading, and its descriptor must outlive that."""
        if patience:
            self._last = True
            self.told(None)
            await asyncio.wait([self._reader], timeout=patience)
            if self._unsettled:
                await asyncio.wait(self._unsettled, timeout=patience)
        self._closed = True
        self._wake.set()
        tasks = list(self._open.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(self._reader, *tasks, return_exceptions=True)

    async def _read_all(self) -> None:
        while not self._closed:
            await self._wake.wait()
            self._wake.clear()
            while (name := await self._next()) is not None:
                await self._slots.acquire()
                if not await self._read(name):
                    self._slots.release()
            if self._last:
                return

    async def _next(self) -> str | None:
        if self._look and not self._names and not self._closed:
            self._look = False
            try:
                found = await asyncio.to_thread(self._look_around)
            except OSError as error:  # no descriptors left; the sweep comes again
                self._log.warning("requests not looked for", reason=error)
                return None
            self._names.update(dict.fromkeys(found))
            self._look = self._look or len(found) == LOOK_AT
        name = next(iter(self._names), None)
        if name is None or self._closed:
            return None
        del self._names[name]
        return name

    def _look_around(self) -> list[str]:
        """Runs in a thread, with its own descriptor: two scans of one descriptor lose their position."""
        folder = os.open(".", _FOLDER, dir_fd=self.folder)
        try:
            with os.scandir(folder) as entries:
                names = (entry.name for entry in islice(entries, MOST_LOOK))
                return list(islice(filter(self._wanted, names), LOOK_AT))
        finally:
            os.close(folder)

    def _wanted(self, name: str) -> bool:
        """Whether it should be read: not a file still being written, nor one already known."""
        return name.endswith(ENDING) and name not in self._open and name not in self._stuck

    async def _read(self, name: str) -> bool:
        """Returns whether an answer was begun."""
        asked_id, session_requests = name.removesuffix(ENDING), self._session_requests
        try:
            async with session_requests.reading:
                if self._closed or not self._wanted(name):  # reported twice, and being answered meanwhile
                    return False
                stamp, body = await asyncio.to_thread(self._read_stamped, name)
            asking = understand(
                self._kind, asked_id, session_requests.session_id, body, session_requests.tools
            )
        except OSError as error:  # it is gone, or the host is short of something; the sweep comes again
            self._log.info("request not read", reason=error)
            return False
        except Reject as reject:
            if is_name(asked_id):
                refusal = ToolReply(
                    ok=False, text=_REFUSED.format(reject.reason), data={"refused": reject.reason.value}
                )
                session_requests.put(self._kind, asked_id, refusal)
            self._set_aside(name, reject.reason)
            return False
        except BadToolRequest as error:
            self._finish(name, ToolReply(ok=False, text=str(error), data={"refused": "arguments"}))
            return False
        if self._closed:
            return False
        self._stamps[name] = stamp
        self._begin(name, asking)
        return True

    def _read_stamped(self, name: str) -> tuple[_Stamp, dict[str, Any]]:
        """Runs in a thread. The stamp distinguishes the file from another that takes its place."""
        return _stamp(self.folder, name), safe_read(self.folder, name, self._session_requests.owner_uid)

    def _begin(self, name: str, asking: ToolRequest) -> None:
        settled = asyncio.get_running_loop().create_future()
        settled.add_done_callback(self._unsettled.discard)
        self._unsettled.add(settled)

        def settle() -> None:
            if not settled.done():
                settled.set_result(None)

        def answered(task: asyncio.Task[ToolReply]) -> None:
            settle()
            self._answered(name, task)

        if asking.content:  # to an earlier request of this name: it must not pass for the answer to this one
            self._session_requests.take_back(self._kind, asking.id)
        self._open[name] = asyncio.create_task(self._ask(replace(asking, noted=settle)))
        self._open[name].add_done_callback(answered)

    async def _ask(self, asking: ToolRequest) -> ToolReply:
        try:
            return await self._session_requests.answer(asking)
        except NanoClawError as error:
            self._log.info("request refused", tool=asking.tool, reason=error)
            return ToolReply(ok=False, text=tell("en", error), data={"refused": error.key})

    def _answered(self, name: str, task: asyncio.Task[ToolReply]) -> None:
        """Called even if answering failed: the agent must not wait for ever."""
        self._open.pop(name, None)
        self._slots.release()
        if task.cancelled():
            return  # the session closes; the request stays
        if error := task.exception():
            self._log.error("answering failed", exc_info=error)
            self._finish(name, ToolReply(ok=False, text=_HOST_FAILED, data={"refused": "host-failed"}))
        else:
            self._finish(name, task.result())

    def _finish(self, name: str, reply: ToolReply) -> None:
        stamp = self._stamps.pop(name, None)
        if not self._session_requests.put(self._kind, name.removesuffix(ENDING), reply):
            return
        if stamp is not None and _stamp(self.folder, name) not in (None, stamp):
            self.told(name)  # another request took its place meanwhile
            return
        self._take_away(name, lambda: os.unlink(name, dir_fd=self.folder))

    def _set_aside(self, name: str, reason: UnreadReason) -> None:
        self._log.warning("request file refused", reason=reason.value)
        self._take_away(name, lambda: set_aside(self.folder, name, self._session_requests.quarantine, reason))

    def _take_away(self, name: str, take: Callable[[], None]) -> None:
        try:
            take()
        except FileNotFoundError:
            pass
        except OSError as error:  # a non-empty folder in place of the file, a full disk
            self._log.warning("request file left where it is", reason=error)
            if len(self._stuck) < _MOST_STUCK:
                self._stuck.add(name)


def _stamp(folder: int, name: str) -> _Stamp:
    try:
        seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return None
    return seen.st_ino, seen.st_mtime_ns, seen.st_size
