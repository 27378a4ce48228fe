"""Unpacks a backup into a separate folder, from which everything is moved into place at once."""

import os
import sqlite3
import tarfile
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from nanoclaw.domain.errors import Refused
from nanoclaw.durable import restore_hold, schema
from nanoclaw.durable.clock import now
from nanoclaw.durable.restore_hold import WaitingWork
from nanoclaw.durable.store import open_store
from nanoclaw.host.backup import contents, database, manifest, verification
from nanoclaw.host.backup.archive_writer import forget_members
from nanoclaw.host.backup.manifest import spelled
from nanoclaw.host.settings import FILE

_ROOTS = (manifest.WORKSPACE, manifest.DATA)


@dataclass(frozen=True, kw_only=True)
class Unpacked:
    folder: Path
    skipped: list[str] = field(default_factory=list)  # links that lead out of the workspace

    @property
    def workspace(self) -> Path:
        return self.folder / manifest.WORKSPACE

    @property
    def data(self) -> Path:
        return self.folder / manifest.DATA

    @property
    def database(self) -> Path:
        return self.folder / manifest.DATABASE


def unpack(file: Path, folder: Path) -> Unpacked:
    if not hasattr(tarfile, "data_filter"):  # Python 3.11.3 and older
        raise Refused("restore-python")
    unpacked = Unpacked(folder=folder)
    for root in _ROOTS:
        (folder / root).mkdir(parents=True)
    with verification.reading(file) as tar:
        while (member := tar.next()) is not None:
            root, _, rest = member.name.partition("/")
            if root in _ROOTS and rest:
                _extract(tar, member, rest, folder / root, unpacked.skipped)
            elif member.name == manifest.DATABASE:
                _extract(tar, member, member.name, folder, unpacked.skipped)
            forget_members(tar)
    return unpacked


def sealed_in(file: Path) -> bytes:
    """The keys in a backup, still sealed with their passphrase."""
    with verification.reading(file) as tar:
        while (member := tar.next()) is not None:
            if member.name == manifest.KEYS:
                return verification.content_of(tar, member).read()
            forget_members(tar)
    raise Refused("backup-incomplete", member=manifest.KEYS)


def put_secrets(unpacked: Unpacked, secrets: dict[str, bytes]) -> None:
    for name, content in secrets.items():
        parts = PurePosixPath(name).parts
        if name != FILE and (parts[0] != "data" or ".." in parts):
            raise Refused("backup-altered", member=manifest.KEYS)
        path = unpacked.workspace / FILE if name == FILE else unpacked.data.joinpath(*parts[1:])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)


def fill_settings(unpacked: Unpacked, present: str) -> None:
    """Secrets that were removed from the settings are replaced by those of this workspace, if any."""
    path = unpacked.workspace / FILE
    if path.exists():
        path.write_text(contents.with_secrets(path.read_text("utf-8"), present), "utf-8")


def hold_everything(unpacked: Unpacked, made_at: str) -> WaitingWork:
    """Migrate the copy to this program's schema, and let nothing in it start by itself."""
    store = open_store(f"sqlite:///{unpacked.database}")
    try:
        schema.upgrade(store)
        with schema.told(store.engine.begin) as tx:
            restore_hold.hold(tx, made_at=made_at, at=now())
            waits = restore_hold.count(tx)
    finally:
        store.close()
    with closing(sqlite3.connect(unpacked.database)) as copy:
        database.make_plain(copy)
    return waits


def _extract(
    tar: tarfile.TarFile, member: tarfile.TarInfo, name: str, folder: Path, skipped: list[str]
) -> None:
    """By the rules of tarfile's data filter: no file is written, and no link leads, outside the folder."""
    try:
        tar.extract(
            member, folder, filter=lambda each, path: tarfile.data_filter(each.replace(name=name), path)
        )
    except tarfile.FilterError:
        skipped.append(spelled(member.name))
