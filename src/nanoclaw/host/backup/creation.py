"""Makes a backup, even while a host runs: the database first, so that every file it mentions exists."""

import threading
from datetime import UTC
from importlib.metadata import version
from pathlib import Path

from nanoclaw.domain.errors import Refused
from nanoclaw.durable.clock import now
from nanoclaw.host.backup import contents, database, manifest, sealed_secrets
from nanoclaw.host.backup.archive_writer import ArchiveWriter, packed, told
from nanoclaw.host.backup.folder_walk import Walk
from nanoclaw.host.backup.manifest import BackupHeader, Made, Manifest, spelled
from nanoclaw.host.settings import FILE, Settings


def make(
    home: Path,
    settings: Settings,
    target: Path,
    *,
    passphrase: str | None = None,
    stop: threading.Event | None = None,
) -> Made:
    """With a passphrase, includes the keys. Blocks; `stop` ends it early and leaves nothing behind."""
    if target.exists():
        raise Refused("backup-exists", file=str(target))
    if passphrase is not None:
        sealed_secrets.need_cipher()
    at, url = now().astimezone(UTC), settings.database_url(home)
    copy = target.with_name(target.name + ".db")
    try:
        with told(target):
            target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            copied = database.copy_out(url, copy)
        head = BackupHeader(
            format=manifest.FORMAT,
            program=version("nanoclaw-os"),
            schema_version=copied.schema_version,
            database="sqlite" if database.is_sqlite(url) else "postgresql",
            created_at=at,
            with_keys=passphrase is not None,
        )
        with packed(target, stop or threading.Event()) as packing:
            packing.add_bytes(manifest.HEAD, head.model_dump_json().encode(), listed=False)
            packing.add_file(manifest.DATABASE, copy)
            skipped, taken_out = _pack_files(home, settings, target, packing)
            if passphrase is not None:
                packing.add_bytes(manifest.KEYS, sealed_secrets.seal(contents.secrets(home), passphrase))
            listed = Manifest(
                head=head,
                rows=copied.rows,
                newest_message=copied.newest_message,
                members=packing.list.members,
                links=packing.list.links,
                skipped=skipped,
                changed=packing.list.changed,
                taken_out=taken_out,
            )
            packing.add_bytes(manifest.LIST, listed.model_dump_json().encode(), listed=False)
    finally:
        copy.unlink(missing_ok=True)
        copy.with_name(copy.name + "-journal").unlink(missing_ok=True)
    return Made(
        file=str(target),
        bytes=target.stat().st_size,
        created_at=at,
        files=len(listed.members) - 1,
        rows=sum(copied.rows.values()),
        with_keys=head.with_keys,
        skipped=listed.skipped,
        changed=listed.changed,
        taken_out=listed.taken_out,
    )


def _pack_files(
    home: Path, settings: Settings, target: Path, packing: ArchiveWriter
) -> tuple[dict[str, str], list[str]]:
    """Returns what was not copied, and which secrets were removed from the settings."""
    skipped: dict[str, str] = {}
    plain, taken_out = contents.without_secrets(contents.settings_text(home))
    if plain is None:
        skipped[FILE] = "secret"
    elif plain:
        packing.add_bytes(f"{manifest.WORKSPACE}/{FILE}", plain.encode())
    walk = Walk(skipped=skipped)
    for found in contents.workspace_files(home, walk, contents.outside_of(home, settings, target)):
        if not packing.add(manifest.WORKSPACE, found):
            skipped[found.path] = "name"
    for found in contents.data_files(home, walk):
        if not packing.add(manifest.DATA, found):
            skipped[f"data/{found.path}"] = "name"
    return {spelled(path): why for path, why in skipped.items()}, taken_out
