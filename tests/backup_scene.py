"""What the tests of backups look at: what is in the file, in the database and in the workspace."""

import asyncio
import tarfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import sqlalchemy as sa

from nanoclaw.durable.store import open_store
from nanoclaw.durable.tables import metadata, session_queue
from nanoclaw.host.host import Host


def unpacked(file: Path) -> dict[str, bytes]:
    with tarfile.open(file) as tar:
        files = [member for member in tar if member.isreg()]
        return {member.name: (tar.extractfile(member) or BytesIO()).read() for member in files}


def packed_anew(file: Path, change: Callable[[str, bytes], bytes | None]) -> None:
    """The same backup with other content; None leaves a member out."""
    fresh = BytesIO()
    with tarfile.open(fileobj=fresh, mode="w:gz") as tar:
        for name, content in unpacked(file).items():
            if (body := change(name, content)) is not None:
                info = tarfile.TarInfo(name)
                info.size = len(body)
                tar.addfile(info, BytesIO(body))
    file.write_bytes(fresh.getvalue())


def rows_in(url: str) -> dict[str, set[str]]:
    """Every row of every table that a restore leaves as it was."""
    changed = {"hosts", "work", "parcels", "notes", "timeline"}
    store = open_store(url)
    try:
        with store.engine.connect() as tx:
            return {
                table.name: {repr(tuple(row)) for row in tx.execute(sa.select(table, *_absences(table)))}
                for table in metadata.sorted_tables
                if table.name not in changed
            }
    finally:
        store.close()


def _absences(table: sa.Table) -> list[sa.ColumnElement[bool]]:
    """For a JSON column: SQL NULL and JSON null differ, but look the same when read."""
    return [column.is_(sa.null()) for column in table.columns if isinstance(column.type, sa.JSON)]


def contents_of(home: Path) -> dict[str, bytes]:
    """What people and agents wrote; not what is remembered, which grows after each turn."""
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in sorted(home.rglob("*"))
        if path.is_file()
        and not path.is_symlink()
        and path.relative_to(home).parts[0] not in ("data", ".git")
        and path.parent.name != "memory"
    }


async def ended(host: Host, count: int) -> None:
    async def look() -> int:
        done = sa.select(sa.func.count()).select_from(session_queue).where(session_queue.c.end.is_not(None))
        return int(await host.store.read(lambda tx: tx.execute(done).scalar_one()))

    async with asyncio.timeout(60):
        while await look() < count:
            await asyncio.sleep(0.01)
