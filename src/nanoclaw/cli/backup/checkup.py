"""What the doctor says about backups: whether there is one, how old it is, and whether a hold is on."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa

from nanoclaw.cli.database import with_store
from nanoclaw.durable import notes, restore_hold
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import people
from nanoclaw.host.backup import database, names, verification
from nanoclaw.host.backup.hold_text import waits_if_held
from nanoclaw.host.host_lock import workspace_id
from nanoclaw.host.settings import Settings, database_file

T = TypeVar("T")
_YOUNG = timedelta(days=2)  # a workspace that needs no backup yet


def look(home: Path, settings: Settings, found: Callable[..., T]) -> Iterator[T]:
    def read(tx: Tx) -> tuple[Any, datetime | None, Any]:
        since = tx.execute(sa.select(sa.func.min(people.c.created_at))).scalar()
        return notes.read(tx, restore_hold.BACKUP), since, waits_if_held(tx)

    url = settings.database_url(home)
    is_new = database.is_sqlite(url) and not Path(database_file(url)).exists()
    noted, since, waits = (None, None, None) if is_new else with_store(home, settings, read)
    if waits is not None:
        yield found("held", "held", ok=False, **waits)
    if not settings.backup.every:
        yield found("backup", "backup-off", ok=None)
        return
    folder = names.folder_of(home, settings)
    kept = names.kept_in(folder)
    late = timedelta(hours=settings.backup.every) * 2
    if not kept and noted and noted["workspace"] != workspace_id(home):
        made = datetime.fromisoformat(noted["at"])
        yield _aged(found, made, late, file=noted["file"], key="backup-elsewhere")
    elif not kept:
        young = since is None or now() - since < _YOUNG
        yield found("backup", "backup-none-yet" if young else "backup-none", ok=None if young else False)
    elif verification.head_of(kept[0]) is None or _is_cut(kept[0], noted):
        yield found("backup", "backup-broken", ok=False, file=str(kept[0]))
    else:
        yield _aged(found, names.made_at(kept[0]), late, file=str(kept[0]), key="backup")


def _aged(found: Callable[..., T], made: datetime, late: timedelta, *, file: str, key: str) -> T:
    age = now().astimezone(UTC) - made
    hours = round(age.total_seconds() / 3600)
    if age > late:
        return found("backup", "backup-old", ok=False, file=file, hours=hours)
    return found("backup", key, file=file, hours=hours)


def _is_cut(path: Path, noted: Any) -> bool:
    """Reading all of a big backup takes minutes; whether it still has its original size is quick to see."""
    return bool(noted and noted["file"] == str(path) and noted["bytes"] != path.stat().st_size)
