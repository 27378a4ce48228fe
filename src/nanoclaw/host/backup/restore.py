"""Restores a backup: to an empty place, another machine, or a workspace, whose content is moved aside.

Nothing changes before the whole backup has been read and unpacked. From the first change to the last a mark says that a
restore is in progress, so that no host starts on half of it, and another restore starts over.
"""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path

from nanoclaw.domain.errors import AlreadyRunning, BadWorkspace, Refused
from nanoclaw.durable import schema
from nanoclaw.durable.clock import now
from nanoclaw.durable.restore_hold import WaitingWork
from nanoclaw.durable.store import open_store
from nanoclaw.host import outgoing, workspace_origin
from nanoclaw.host.backup import (
    archive_reader,
    contents,
    creation,
    database,
    git_restore,
    marker,
    names,
    placement,
)
from nanoclaw.host.backup.archive_reader import Unpacked
from nanoclaw.host.backup.manifest import Manifest
from nanoclaw.host.backup.sealed_secrets import unseal
from nanoclaw.host.host_lock import HostLock
from nanoclaw.host.outgoing import Destination
from nanoclaw.host.settings import FILE, Settings, database_file, read_settings


@dataclass(frozen=True, kw_only=True)
class Restored:
    home: str
    made_at: str
    database: str
    aside: list[str]  # where the old content is now
    backup: str | None  # of what was in PostgreSQL
    skipped: list[str]  # what did not come over: links that lead out, settings of other programs
    taken_out: list[str]  # settings whose secret is missing now
    with_keys: bool
    moved_database: bool  # it is where the environment says, not the settings
    waits: WaitingWork


def _nobody_accepts(_found: Sequence[Destination]) -> bool:
    return False


def restore(
    home: Path,
    file: Path,
    listed: Manifest,
    *,
    passphrase: str | None,
    is_sure: Callable[[], bool],
    accepts: Callable[[Sequence[Destination]], bool] = _nobody_accepts,
) -> Restored:
    """`listed` is the list of a backup that was found sound. `is_sure` is asked if something would be replaced, and
    `accepts` if the workspace would send to somebody it does not send to now.
    """
    secrets = unseal(archive_reader.sealed_in(file), passphrase) if passphrase is not None else {}
    if (home / "src" / "nanoclaw").is_dir() and not (home / FILE).exists():
        raise BadWorkspace("workspace-is-clone", folder=str(home))
    try:
        home.parent.mkdir(parents=True, exist_ok=True)
        for folder in (home, home / "data"):  # closed from the first byte
            folder.mkdir(exist_ok=True, mode=0o700)
        lock = HostLock(home).acquire()
    except AlreadyRunning as error:
        raise AlreadyRunning("restore-running") from error
    except OSError as error:
        raise BadWorkspace(
            "workspace-unwritable", folder=str(home), said=error.strerror or str(error)
        ) from error
    folder = home / "data" / placement.UNPACKING
    try:
        shutil.rmtree(folder, ignore_errors=True)
        _expect_room(home, listed)
        unpacked = archive_reader.unpack(file, folder, listed)
        archive_reader.put_secrets(unpacked, secrets)
        return _Restore(home, listed, unpacked).carry_out(is_sure, accepts, with_keys=bool(secrets))
    except OSError as error:
        raise Refused("restore-cut", said=error.strerror or str(error)) from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.release()


class _Restore:
    def __init__(self, home: Path, listed: Manifest, unpacked: Unpacked) -> None:
        self._home = home
        self._listed = listed
        self._unpacked = unpacked
        self._is_brought = workspace_origin.is_brought(home)  # its secrets and programs are not ours
        archive_reader.fill_settings(unpacked, "" if self._is_brought else _present_settings(home))
        self._settings = read_settings(unpacked.workspace)
        self._url = self._settings.database_url(home)

    def _new_destinations(self) -> list[Destination]:
        """To whom it would send, or what it would run, that this workspace does not now."""
        unpacked = self._unpacked
        brought = outgoing.destinations(unpacked.workspace, unpacked.data, remotes=unpacked.remotes)
        brought += outgoing.people_in(unpacked.database)
        if self._is_brought:  # what is there was never agreed to
            return brought
        known = set(outgoing.destinations(self._home, self._home / "data"))
        for folder in marker.asides(self._home):  # an interrupted restore moved it there
            known.update(outgoing.destinations(folder, folder / "data"))
            known.update(outgoing.people_in(folder / "data" / "nanoclaw.db"))
        if database.is_sqlite(self._url):
            known.update(outgoing.people_in(Path(database_file(self._url))))
        elif all(each in known for each in brought if each.name == "database.url"):
            # Not one whose address is new: it would get the kept password before anybody agreed.
            known.update(outgoing.commanding(database.people_in(self._url)))
        return [each for each in brought if each not in known]

    def carry_out(
        self,
        is_sure: Callable[[], bool],
        accepts: Callable[[Sequence[Destination]], bool],
        *,
        with_keys: bool,
    ) -> Restored:
        home, unpacked, made_at = self._home, self._unpacked, self._listed.head.created_at.isoformat()
        file = Path(database_file(self._url)) if database.is_sqlite(self._url) else None
        if (found := self._new_destinations()) and not accepts(found):
            raise Refused("restore-not-accepted")
        is_full = file is None and self._look_at_postgres()
        if (is_full or placement.is_occupied(home, file)) and not is_sure():
            raise Refused("restore-not-sure")
        waits = archive_reader.hold_everything(unpacked, made_at)
        backup = self._keep_postgres() if is_full else None
        places = placement.places_for(
            home,
            now(),
            database=file,
            new=[path.name for path in unpacked.data.iterdir()],
            is_brought=self._is_brought,
        )
        git_restore.add_remotes(unpacked.workspace, unpacked.remotes)
        placement.flush(home)  # only moves follow, and the disk keeps their order
        unfinished = bool(marker.asides(home))
        marker.write(home, places.aside)
        if file is None:
            self._fill_postgres(unfinished=unfinished)
        aside = placement.move_aside(places)
        placement.put_in_place(unpacked, home)
        if file is not None:
            placement.put_database(unpacked, file)
        marker.remove(home)
        workspace_origin.mark(home)
        present = contents.settings_text(home)
        missing = [name for name in self._listed.taken_out if name not in contents.secrets_in(present)]
        return Restored(
            home=str(home),
            made_at=made_at,
            database=self._settings.shown_database_url(home),
            aside=[str(path) for path in aside],
            backup=backup,
            skipped=unpacked.skipped,
            taken_out=missing,
            with_keys=with_keys,
            moved_database=read_settings(home, {}).database_url(home) != self._url,
            waits=waits,
        )

    def _look_at_postgres(self) -> bool:
        database.expect_no_hosts(self._url)
        return database.has_rows(self._url)

    def _keep_postgres(self) -> str:
        """Rows cannot be moved aside, so they are backed up before they are replaced."""
        store = open_store(self._url)
        try:
            schema.upgrade(store)
        finally:
            store.close()
        settings: Settings = self._settings
        target = names.free_name(names.folder_of(self._home, settings), now().astimezone(UTC))
        return creation.make(self._home, settings, target).file

    def _fill_postgres(self, *, unfinished: bool) -> None:
        """All or nothing, before any file is moved: if it fails, nothing has changed."""
        try:
            database.copy_in(self._unpacked.database, self._url)
        except BaseException:
            if not unfinished:
                marker.remove(self._home)
            raise


def _present_settings(home: Path) -> str:
    """The settings, including those that an interrupted restore moved aside."""
    for folder in (home, *reversed(marker.asides(home))):
        if text := contents.settings_text(folder):
            return text
    return ""


def _expect_room(home: Path, listed: Manifest) -> None:
    needed = sum(member.size for member in listed.members.values())
    free = shutil.disk_usage(home).free
    if free < needed:
        raise Refused("restore-no-room", needed=needed >> 20, free=free >> 20)
