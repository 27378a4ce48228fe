"""Reads a backup from beginning to end and reports what is wrong. Nothing in it is trusted before that."""

import hashlib
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import ValidationError

from nanoclaw.domain.errors import Refused
from nanoclaw.durable.tables import SCHEMA_VERSION
from nanoclaw.host import outgoing
from nanoclaw.host.backup import contents, database, manifest
from nanoclaw.host.backup.entry_rules import EntryRules, Verdict
from nanoclaw.host.backup.manifest import BackupHeader, Listed, Manifest, spelled
from nanoclaw.host.backup.tar_stream import CutArchive, Entry, EntryKind, TarStream, reading
from nanoclaw.host.settings import FILE

_SETTINGS = f"{manifest.WORKSPACE}/{FILE}"
_MOST_HEAD = 1 << 20


@dataclass(frozen=True, kw_only=True)
class BackupFault:
    key: str
    values: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class VerifiedBackup:
    """The findings. Without faults, the manifest is there and everything matches it."""

    manifest: Manifest | None
    faults: list[BackupFault]
    left_out: list[str] = field(default_factory=list)  # what a restore would not take


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
        with reading(file) as stream:
            return _head(stream, stream.next())
    except (CutArchive, OSError, Refused):
        return None


def verify(file: Path) -> VerifiedBackup:
    """By the same reading and the same rules as a restore."""
    found: dict[str, Listed] = {}
    links: dict[str, str] = {}
    left_out: list[str] = []
    listed: Manifest | None = None
    head: BackupHeader | None = None
    rules = EntryRules()
    with TemporaryDirectory(prefix="nanoclaw-backup-") as scratch:
        copy, settings = Path(scratch) / manifest.DATABASE, Path(scratch) / FILE
        try:
            with reading(file) as stream:
                while (entry := stream.next()) is not None:
                    if head is None:
                        if (head := _head(stream, entry)) is None:
                            return _fault("not-one", file=str(file))
                        if head.format > manifest.FORMAT or head.schema_version > SCHEMA_VERSION:
                            return _fault("newer", file=str(file), program=head.program)
                    if rules.judge(entry) is Verdict.LEFT_OUT:
                        left_out.append(spelled(entry.name))
                    name = spelled(entry.name)
                    if name == manifest.LIST:
                        listed = _list(stream, rules.longest_list())
                    elif entry.kind is EntryKind.LINK:
                        links[name] = spelled(entry.target)
                    elif entry.kind is EntryKind.FILE and name != manifest.HEAD:
                        kept = {manifest.DATABASE: copy, _SETTINGS: settings}.get(name)
                        found[name] = _read(stream, entry, kept)
            with suppress(FileNotFoundError):
                contents.expect_no_secrets(settings.read_bytes())
        except Refused as error:
            return _fault(error.key.removeprefix("backup-"), **error.values)
        except CutArchive:
            return _fault("cut" if head else "not-one", file=str(file))
        if listed is None:
            return _fault("cut" if head else "not-one", file=str(file))
        if listed.head != head:
            return _fault("altered", member=manifest.HEAD)
        faults = [*_compared(listed, found, links)]
        return VerifiedBackup(
            manifest=listed, faults=faults or _database_faults(copy, listed), left_out=left_out
        )


def _head(stream: TarStream, first: Entry | None) -> BackupHeader | None:
    if first is None or first.name != manifest.HEAD or first.kind is not EntryKind.FILE:
        return None
    try:
        return BackupHeader.model_validate_json(stream.whole(_MOST_HEAD))
    except ValidationError:
        return None


def _list(stream: TarStream, most: int) -> Manifest:
    try:
        return Manifest.model_validate_json(stream.whole(most))
    except ValidationError as error:
        raise CutArchive from error


def _read(stream: TarStream, entry: Entry, copy: Path | None) -> Listed:
    digest = hashlib.sha256()
    if copy is None:
        for piece in stream.pieces():
            digest.update(piece)
    else:
        if entry.size > shutil.disk_usage(copy.parent).free:
            raise Refused("backup-too-big", member=entry.name, needed=entry.size >> 20)
        with copy.open("wb") as kept:
            for piece in stream.pieces():
                digest.update(piece)
                kept.write(piece)
    return Listed(size=entry.size, sha256=digest.hexdigest())


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
            # Ours has neither: they would act with every row that the host writes later.
            if opened.execute(outgoing.PROGRAMS).fetchone() is not None:
                return [BackupFault(key="database-program")]
            inside = database.look_at(opened)
    except sqlite3.Error as error:
        return [BackupFault(key="database-damaged", values={"said": str(error)})]
    if (inside.schema_version, inside.rows) != (listed.head.schema_version, listed.rows):
        return [BackupFault(key="altered", values={"member": manifest.DATABASE})]
    return []


def _fault(key: str, **values: object) -> VerifiedBackup:
    return VerifiedBackup(manifest=None, faults=[BackupFault(key=key, values=values)])
