"""Reads a backup from beginning to end and reports what is wrong. Nothing in it is trusted before that."""

import gzip
import hashlib
import sqlite3
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from pydantic import ValidationError

from nanoclaw.domain.errors import NotFound, Refused
from nanoclaw.durable.tables import SCHEMA_VERSION
from nanoclaw.host.backup import database, manifest
from nanoclaw.host.backup.archive_writer import forget_members
from nanoclaw.host.backup.manifest import BackupHeader, Listed, Manifest, spelled

_PIECE = 1 << 20
_BUFFER = 1 << 16
_MOST_JSON = 1 << 30
_NOT_READABLE = (tarfile.TarError, gzip.BadGzipFile, EOFError, zlib.error)


@dataclass(frozen=True, kw_only=True)
class BackupFault:
    key: str
    values: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class VerifiedBackup:
    """The findings. Without faults, the manifest is there and everything matches it."""

    manifest: Manifest | None
    faults: list[BackupFault]


def sound(file: Path) -> Manifest:
    """The list of a restorable backup; otherwise raises the first fault."""
    checked = verify(file)
    if checked.faults:
        fault = checked.faults[0]
        raise Refused(f"backup-{fault.key}", **fault.values)
    if checked.manifest is None:
        raise AssertionError("a backup without faults has a list")
    return checked.manifest


def head_of(file: Path) -> BackupHeader | None:
    """What it says about itself in its first bytes; None if it is not a backup."""
    try:
        with reading(file) as tar:
            return _head(tar, tar.next())
    except (*_NOT_READABLE, OSError, Refused):
        return None


def verify(file: Path) -> VerifiedBackup:
    found: dict[str, Listed] = {}
    links: dict[str, str] = {}
    listed: Manifest | None = None
    with TemporaryDirectory(prefix="nanoclaw-backup-") as scratch:
        copy = Path(scratch) / manifest.DATABASE
        try:
            with reading(file) as tar:
                if (head := _head(tar, tar.next())) is None:
                    return _fault("not-one", file=str(file))
                if head.format > manifest.FORMAT or head.schema_version > SCHEMA_VERSION:
                    return _fault("newer", file=str(file), program=head.program)
                while (member := tar.next()) is not None:
                    name = spelled(member.name)
                    if name == manifest.LIST:
                        listed = _list(tar, member)
                    elif member.issym():
                        links[name] = spelled(member.linkname)
                    elif member.isreg():
                        found[name] = _read(tar, member, copy if name == manifest.DATABASE else None)
                    forget_members(tar)
                drain(tar)
        except Refused as error:
            return _fault(error.key.removeprefix("backup-"), **error.values)
        except _NOT_READABLE:
            return _fault("cut", file=str(file))
        if listed is None:
            return _fault("cut", file=str(file))
        if listed.head != head:
            return _fault("altered", member=manifest.HEAD)
        faults = [*_compared(listed, found, links)]
        return VerifiedBackup(manifest=listed, faults=faults or _database_faults(copy, listed))


@contextmanager
def reading(file: Path) -> Iterator[tarfile.TarFile]:
    """Open it as a stream: however big it is, little of it is in memory."""
    try:
        opened = file.open("rb")
    except FileNotFoundError as error:
        raise NotFound("backup-missing", file=str(file)) from error
    except OSError as error:
        raise Refused("backup-unreadable", file=str(file), said=error.strerror or str(error)) from error
    with opened:
        try:
            tar = tarfile.open(  # noqa: SIM115 - closed below; only to open it is tried
                fileobj=gzip.GzipFile(fileobj=opened), mode="r|", bufsize=_BUFFER
            )
        except (*_NOT_READABLE, OSError) as error:
            raise Refused("backup-not-one", file=str(file)) from error
        with tar:
            yield tar


def drain(tar: tarfile.TarFile) -> None:
    """Read to the last byte: only there is the checksum of the whole compared."""
    stream = tar.fileobj
    while stream is not None and stream.read(_PIECE):
        pass


def content_of(tar: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    opened = tar.extractfile(member)
    if opened is None:
        raise tarfile.ReadError(member.name)
    return opened


def _head(tar: tarfile.TarFile, first: tarfile.TarInfo | None) -> BackupHeader | None:
    if first is None or first.name != manifest.HEAD or first.size > _PIECE:
        return None
    try:
        return BackupHeader.model_validate_json(content_of(tar, first).read())
    except ValidationError:
        return None


def _list(tar: tarfile.TarFile, member: tarfile.TarInfo) -> Manifest:
    if member.size > _MOST_JSON:
        raise tarfile.ReadError(member.name)
    try:
        return Manifest.model_validate_json(content_of(tar, member).read())
    except ValidationError as error:
        raise tarfile.ReadError(member.name) from error


def _read(tar: tarfile.TarFile, member: tarfile.TarInfo, copy: Path | None) -> Listed:
    digest, content = hashlib.sha256(), content_of(tar, member)
    kept = copy.open("wb") if copy else None
    try:
        while piece := content.read(_PIECE):
            digest.update(piece)
            if kept:
                kept.write(piece)
    finally:
        if kept:
            kept.close()
    return Listed(size=member.size, sha256=digest.hexdigest())


def _compared(listed: Manifest, found: dict[str, Listed], links: dict[str, str]) -> Iterator[BackupFault]:
    for name in sorted(listed.members.keys() | found.keys() | {manifest.DATABASE}):
        if name not in found:
            yield BackupFault(key="incomplete", values={"member": name})
        elif found[name] != listed.members.get(name):
            yield BackupFault(key="altered", values={"member": name})
    for name in sorted(listed.links.keys() | links.keys()):
        if links.get(name) != listed.links.get(name):
            yield BackupFault(key="altered", values={"member": name})


def _database_faults(copy: Path, listed: Manifest) -> list[BackupFault]:
    """Its hash is right, but it may be a copy of a database that was already damaged."""
    try:
        with closing(sqlite3.connect(copy)) as opened:
            said = opened.execute("PRAGMA integrity_check").fetchone()[0]
            if said != "ok":
                return [BackupFault(key="database-damaged", values={"said": said})]
            inside = database.look_at(opened)
    except sqlite3.Error as error:
        return [BackupFault(key="database-damaged", values={"said": str(error)})]
    if (inside.schema_version, inside.rows) != (listed.head.schema_version, listed.rows):
        return [BackupFault(key="altered", values={"member": manifest.DATABASE})]
    return []


def _fault(key: str, **values: object) -> VerifiedBackup:
    return VerifiedBackup(manifest=None, faults=[BackupFault(key=key, values=values)])
