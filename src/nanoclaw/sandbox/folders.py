"""The folders of a group and a session, prepared for a box, and where each is seen inside (SPEC A9).

On a root host, what a box may write must belong to its tenant's user.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import structlog

from nanoclaw.domain.boxes import WORK, Mount
from nanoclaw.domain.errors import BoxRefused
from nanoclaw.domain.file_protocol import ANSWERS, RequestKind
from nanoclaw.sandbox import folder_walk
from nanoclaw.sandbox.inside import package_mount
from nanoclaw.sandbox.users import BoxUsers

log = structlog.get_logger("folders")

_OPEN = 0o755


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionFolders:
    """The folders on the host that a session's box uses."""

    foundation: Path
    context: Path
    memory: Path  # a view made for the session: the company's own files are never in a box
    files: Path
    session: Path
    ipc: Path

    @property
    def read_only(self) -> dict[str, Path]:
        """The existing folders that people own."""
        adaptors = self.foundation / "channel_adaptors"
        return {"/foundation": self.foundation, "/context": self.context, "/adaptors": adaptors}

    def mounts(self, *, extra: tuple[Mount, ...] = ()) -> tuple[Mount, ...]:
        """What a box can see in which the agent and its commands are together."""
        return (*self._common(), self._own(), *self._requests(), *extra)

    def agent_mounts(self, *, extra: tuple[Mount, ...] = ()) -> tuple[Mount, ...]:
        """What the agent's own box can see if its commands run in another: no requests by file."""
        return (*self._common(), self._own(), *extra)

    def command_mounts(self, *, extra: tuple[Mount, ...] = ()) -> tuple[Mount, ...]:
        """What that other box can see: no transcript, which is what the agent believes was said."""
        return (*self._common(), *self._requests(), *extra)

    def _common(self) -> Iterator[Mount]:
        for target, path in self.read_only.items():
            if path.is_dir():
                yield Mount(source=path, target=target)
        yield package_mount()
        yield Mount(source=self.memory, target="/memory", writable=True)
        yield Mount(source=self.files, target=WORK, writable=True)

    def _own(self) -> Mount:
        return Mount(source=self.session, target="/session", writable=True)

    def _requests(self) -> Iterator[Mount]:
        yield Mount(source=self.ipc, target="/ipc")
        for kind in RequestKind:
            yield Mount(source=self.ipc / kind, target=f"/ipc/{kind}", writable=True)


def session_folders(
    home: Path, company: str, group: str, session_id: str, *, is_stranger: bool = False
) -> SessionFolders:
    tenant, own = home / "companies" / company, home / "groups" / group
    return SessionFolders(
        foundation=home / "foundation",
        context=tenant / "context",
        memory=view_of(home, session_id),
        files=own / "files",
        session=own_folder(home, group, session_id, is_stranger=is_stranger),
        ipc=own / "ipc" / session_id,
    )


def own_folder(home: Path, group: str, session_id: str, *, is_stranger: bool) -> Path:
    """What its agent keeps between turns. Strangers have a separate one: the other contains what members'
    turns were told.
    """
    return home / "groups" / group / "session" / (f"{session_id}-strangers" if is_stranger else session_id)


def view_of(home: Path, session_id: str) -> Path:
    """What a session's boxes see as `/memory`. Next to it, out of their reach, is what the host wrote there."""
    return home / "data" / "memory_views" / session_id / "view"


class Folders:
    """The folders of one workspace."""

    def __init__(self, home: Path, users: BoxUsers) -> None:
        self._home = home
        self._users = users
        self._given: set[Path] = set()

    def prepare(
        self, company: str, group: str, session_id: str, *, is_stranger: bool = False
    ) -> SessionFolders:
        """Create what is missing, and give the tenant what its boxes may write."""
        folders = session_folders(self._home, company, group, session_id, is_stranger=is_stranger)
        try:
            for folder in (folders.memory, folders.files, folders.session):
                folder.mkdir(parents=True, exist_ok=True)
                self._give_once(folder, company)
            folders.ipc.mkdir(parents=True, exist_ok=True)
            folders.ipc.chmod(_OPEN)
            for kind in (*RequestKind, *ANSWERS):
                (folders.ipc / kind).mkdir(exist_ok=True)
            for kind in RequestKind:
                self._give_once(folders.ipc / kind, company)
            for kind in ANSWERS:
                (folders.ipc / kind).chmod(_OPEN)
        except OSError as error:
            raise BoxRefused(
                "box-folders", folder=str(error.filename), said=error.strerror or str(error)
            ) from error
        return folders

    def give(self, path: Path, company: str) -> None:
        """Give the company's boxes a folder that the host wrote, with everything in it."""
        uid = self._users.of(company) if self._users.separate else None
        if uid is not None and path.lstat().st_uid != uid:
            os.chown(path, uid, uid, follow_symlinks=False)
        found = folder_walk.mend(path, uid)
        if found.deep or found.many:
            log.warning(
                "folder not gone through to its end", folder=path, deep=bool(found.deep), many=found.many
            )
        if found.unsafe:
            log.warning("took away rights that a box must not leave", folder=path, files=len(found.unsafe))

    def _give_once(self, folder: Path, company: str) -> None:
        """Walk a whole tree once in the life of a host; after that, code that writes there calls `give`."""
        if folder in self._given:
            folder_walk.open_again(folder)
        else:
            self.give(folder, company)
            self._given.add(folder)


def of_boxes(home: Path) -> Iterator[Path]:
    """Every permanent folder of a workspace that boxes can write."""
    for pattern in ("data/memory_views/*/view", "groups/*/files", "groups/*/session", "data/mcp/*"):
        yield from sorted(home.glob(pattern))
