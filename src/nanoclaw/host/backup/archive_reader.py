"""Unpacks a backup into a separate folder, from which everything is moved into place at once."""

import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from nanoclaw.domain.errors import Refused
from nanoclaw.durable import restore_hold, schema
from nanoclaw.durable.clock import now
from nanoclaw.durable.restore_hold import WaitingWork
from nanoclaw.durable.store import open_store
from nanoclaw.host.backup import contents, database, git_restore, manifest
from nanoclaw.host.backup.entry_rules import GIT_CONFIG, EntryRules, Verdict
from nanoclaw.host.backup.folder_writer import FolderWriter
from nanoclaw.host.backup.git_restore import GitRemote
from nanoclaw.host.backup.manifest import Listed, Manifest, spelled
from nanoclaw.host.backup.tar_stream import CutArchive, Entry, EntryKind, TarStream, reading
from nanoclaw.host.settings import FILE

_MOST_CONFIG = 1 << 16
_MOST_SEALED = 128 << 20


@dataclass(frozen=True, kw_only=True)
class Unpacked:
    folder: Path
    skipped: list[str] = field(
        default_factory=list
    )  # what does not come over: links, settings of other programs
    remotes: list[GitRemote] = field(default_factory=list)  # of its git, not yet written anywhere

    @property
    def workspace(self) -> Path:
        return self.folder / manifest.WORKSPACE

    @property
    def data(self) -> Path:
        return self.folder / manifest.DATA

    @property
    def database(self) -> Path:
        return self.folder / manifest.DATABASE


def unpack(file: Path, folder: Path, listed: Manifest) -> Unpacked:
    """`listed` is the list of the backup when it was checked: the file may be another one by now."""
    unpacked = Unpacked(folder=folder)
    rules, links, config = EntryRules(), list[Entry](), b""
    try:
        with FolderWriter(folder) as writer, reading(file) as stream:
            for root in (manifest.WORKSPACE, manifest.DATA):
                writer.folder([root], 0o700)
            while (entry := stream.next()) is not None:
                verdict = rules.judge(entry)
                if entry.name == GIT_CONFIG and entry.kind is EntryKind.FILE:
                    config = stream.whole(_MOST_CONFIG)
                elif verdict is Verdict.LEFT_OUT:
                    unpacked.skipped.append(spelled(entry.name))
                elif verdict is Verdict.TAKEN and entry.kind is EntryKind.LINK:
                    links.append(entry)
                elif verdict is Verdict.TAKEN:
                    _write(writer, entry, stream, listed)
            # Last: no path above may lead through one.
            for link in links:
                writer.link(link.name.split("/"), link.target)
    except CutArchive as error:
        raise Refused("backup-cut", file=str(file)) from error
    with suppress(FileNotFoundError):
        contents.expect_no_secrets((unpacked.workspace / FILE).read_bytes())
    unpacked.remotes.extend(git_restore.renew(unpacked.workspace, config))
    return unpacked


def sealed_in(file: Path) -> bytes:
    """The keys in a backup, still sealed with their passphrase."""
    try:
        with reading(file) as stream:
            while (entry := stream.next()) is not None:
                if entry.name == manifest.KEYS and entry.kind is EntryKind.FILE:
                    return stream.whole(_MOST_SEALED)
    except CutArchive as error:
        raise Refused("backup-cut", file=str(file)) from error
    raise Refused("backup-incomplete", member=manifest.KEYS)


def put_secrets(unpacked: Unpacked, secrets: dict[str, bytes]) -> None:
    for name, content in secrets.items():
        parts = PurePosixPath(name).parts
        is_secret = len(parts) > 1 and (
            parts[1:] in [(each,) for each in contents.SECRET] or parts[1] == contents.SECRET_FOLDER
        )
        if name != FILE and (parts[0] != "data" or ".." in parts or not is_secret):
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


def _write(writer: FolderWriter, entry: Entry, stream: TarStream, listed: Manifest) -> None:
    parts = entry.name.split("/")
    if entry.kind is EntryKind.FOLDER:
        writer.folder(parts, entry.mode)
        return
    if entry.name in (manifest.HEAD, manifest.LIST, manifest.KEYS):
        return
    digest = hashlib.sha256()

    def hashed() -> Iterator[bytes]:
        for piece in stream.pieces():
            digest.update(piece)
            yield piece

    writer.file(parts, hashed(), mode=entry.mode, mtime=entry.mtime)
    if listed.members.get(spelled(entry.name)) != Listed(size=entry.size, sha256=digest.hexdigest()):
        raise Refused("backup-altered", member=spelled(entry.name))
