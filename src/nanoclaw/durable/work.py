"""Work as rows: what is to be done, who does it, and when it is due. All within a transaction.

One row stands for one kind of work on one key (the turn of a session, the deliveries of a chat). A single row
means one at a time; its lease fences off a host that was thought dead.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.errors import LeaseLost
from nanoclaw.domain.ids import HostId, new_id
from nanoclaw.durable.after_commit import add_due, forget_due
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import UtcTime, hosts, work
from nanoclaw.durable.upsert import insert_of

TURN = "turn"
DELIVERY = "delivery"
FILES = "files"
WAKE = "wake"
QUESTION = "question"
TASK = "task"
RUN = "run"
BACKGROUND = "background"
STEP = "step"
"""The turns of a session are work of its lane: TURN, RUN, BACKGROUND or STEP. Tasks and pipelines have separate places,
so no person's message waits behind one."""
RUN_STEP = "run-step"
MEMORY = "memory"
"""Its key is the company: one writer each."""
EXTRACTION = "extraction"
CONTEXT = "context"
INTERVIEW = "interview"
PIPELINE = "pipeline"
"""Its key is the run."""
HANDOFF = "handoff"
BATCH = "batch"
BATCH_OUTPUT = "batch-output"
"""What becomes of its texts. The key of both is the batch."""
COMMAND = "command"
"""A command whose answer takes long to read. Its key is the message."""
PLAN = "plan"
LIVE_SESSION = "live-session"
"""Its key is the question of the session."""
TRANSFER = "transfer"
ANALYSIS = "analysis"
"""A document that came back; its key is the analysis."""
VERSIONS = "versions"
"""Commits of the workspace, and syncing with its remote. Each workspace has its own kind: if several hosts
share a database, only the one with the files can commit them.
"""
LEASE = "lease"
"""The right to do what only one host may do at a time; no story has this kind, so the engine ignores these rows."""


def versions_of(workspace: str) -> str:
    return f"{VERSIONS} {workspace}"


# Statements are built once: building one costs more than running it.
_THIS = sa.and_(work.c.kind == sa.bindparam("of_kind"), work.c.key == sa.bindparam("of_key"))
_FREE_ONE = sa.and_(_THIS, work.c.host.is_(None))
_MINE = sa.and_(_THIS, work.c.lease == sa.bindparam("of_lease"))
_FREE = {"host": None, "lease": None, "again_at": None, "error": None}

_CLAIM = (
    sa.update(work)
    .where(_FREE_ONE, work.c.due_at <= sa.bindparam("by", type_=UtcTime))
    .values(
        host=sa.bindparam("host"),
        lease=sa.bindparam("lease"),
        again_at=sa.bindparam("again_at"),
        attempts=work.c.attempts + 1,
    )
    .returning(work.c.attempts)
)
_HELD = sa.select(work.c.key).where(_MINE)
_DUE_AT = sa.select(work.c.due_at).where(_FREE_ONE)
_MOVE = sa.update(work).where(_THIS)
_SHIFT = sa.update(work).where(_FREE_ONE).values(due_at=sa.bindparam("due_at", type_=UtcTime))
_FINISH = sa.delete(work).where(_MINE, work.c.again_at.is_(None))
_RELEASE = sa.update(work).where(_MINE).returning(work.c.due_at)
_RELEASE_AGAIN = _RELEASE.values(
    due_at=work.c.again_at, **{name: sa.bindparam(name) for name in ("attempts", "deaths", *_FREE)}
)
MOST_DEATHS = 10  # after which work is suspected, and rests
_LONGEST_REST = timedelta(hours=1)


@cache
def _due(dialect: str, *, hasten: bool) -> Any:
    insert = insert_of(dialect, work)
    waits = work.c.host.is_(None)
    sooner = sa.and_(waits, insert.excluded.due_at < work.c.due_at) if hasten else sa.false()
    return insert.on_conflict_do_update(
        index_elements=["kind", "key"],
        set_={
            "due_at": sa.case((sooner, insert.excluded.due_at), else_=work.c.due_at),
            "again_at": sa.case(
                (waits, work.c.again_at),
                (work.c.again_at < insert.excluded.due_at, work.c.again_at),
                else_=insert.excluded.due_at,
            ),
        },
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Claim:
    """The right to do a piece of work, until it is finished, put back or lost."""

    kind: str
    key: str
    lease: str
    attempt: int


def due(tx: Tx, kind: str, key: str, at: datetime, *, hasten: bool = True, priority: int = 0) -> None:
    """There is something to do, and it starts after the commit. Running work will be due again; waiting work
    is brought forward if `hasten`. `priority` decides who goes first among those that wait for a place,
    lowest first; existing work keeps its own.
    """
    values = {"kind": kind, "key": key, "due_at": at, "attempts": 0, "priority": priority}
    tx.execute(_due(tx.dialect.name, hasten=hasten), values)
    add_due(tx, kind, key, at, priority)


def due_many(tx: Tx, kind: str, moments: Sequence[tuple[str, datetime]]) -> None:
    """The same for several keys, each at its own time."""
    rows = [{"kind": kind, "key": key, "due_at": at, "attempts": 0, "priority": 0} for key, at in moments]
    tx.execute(_due(tx.dialect.name, hasten=True), rows)
    for key, at in moments:
        add_due(tx, kind, key, at, 0)


def claim(tx: Tx, kind: str, key: str, host: HostId, at: datetime) -> Claim | None:
    """Claim the work, unless it is claimed or not due yet."""
    lease = new_id("l")
    wanted = {"of_kind": kind, "of_key": key, "by": at}
    attempt = tx.execute(_CLAIM, {**wanted, "host": host, "lease": lease, "again_at": None}).scalar()
    if attempt is None:
        return None
    forget_due(tx, kind, key)
    return Claim(kind=kind, key=key, lease=lease, attempt=attempt)


def due_at(tx: Tx, kind: str, key: str) -> datetime | None:
    """When unclaimed work is due; None if there is none, or it is claimed."""
    return tx.execute(_DUE_AT, {"of_kind": kind, "of_key": key}).scalar()


def finish(tx: Tx, claim: Claim, *, again_at: datetime | None = None) -> datetime | None:
    """The work is done. Returns when it is due again: as `again_at` asks, or because more of it arrived."""
    mine = {"of_kind": claim.kind, "of_key": claim.key, "of_lease": claim.lease}
    if again_at is not None:
        done = {"due_at": again_at, "attempts": 0, "deaths": 0, **_FREE}
        return _released(tx.execute(_RELEASE, {**mine, **done}))
    if tx.execute(_FINISH, mine).rowcount:
        return None
    return _released(tx.execute(_RELEASE_AGAIN, {**mine, "attempts": 0, "deaths": 0, **_FREE}))


def put_back(tx: Tx, claim: Claim, at: datetime, error: str | None) -> datetime:
    """The work is not done and will be retried. Only an attempt that ended in an error counts."""
    mine = {"of_kind": claim.kind, "of_key": claim.key, "of_lease": claim.lease}
    attempts = claim.attempt if error else claim.attempt - 1
    return _released(
        tx.execute(_RELEASE, {**mine, **_FREE, "due_at": at, "attempts": attempts, "error": error})
    )


def expect_mine(tx: Tx, claim: Claim) -> None:
    """Raises LeaseLost if another host has it by now."""
    mine = {"of_kind": claim.kind, "of_key": claim.key, "of_lease": claim.lease}
    if tx.execute(_HELD, mine).first() is None:
        raise LeaseLost


def _released(result: sa.CursorResult[Any]) -> datetime:
    released: datetime | None = result.scalar()
    if released is None:
        raise LeaseLost
    return released


def waiting(tx: Tx, until: datetime) -> list[tuple[str, str, datetime, int]]:
    """Unclaimed work due by then, with its priority, longest waiting first."""
    rows = tx.execute(
        sa.select(work.c.kind, work.c.key, work.c.due_at, work.c.priority)
        .where(work.c.host.is_(None), work.c.due_at <= until)
        .order_by(work.c.due_at)
    )
    return [(row.kind, row.key, row.due_at, row.priority) for row in rows]


def place_of(tx: Tx, kind: str, key: str) -> int | None:
    """Its position among the due work of this kind; None if it does not wait."""
    mine = due_at(tx, kind, key)
    if mine is None:
        return None
    earlier = sa.select(sa.func.count()).where(
        work.c.kind == kind, work.c.host.is_(None), work.c.due_at < mine
    )
    return int(tx.execute(earlier).scalar_one()) + 1


def shift(tx: Tx, kind: str, keys: list[str], by: timedelta) -> None:
    """The clock was set: what was due in ten minutes still is."""
    free = sa.select(work.c.key, work.c.due_at).where(work.c.kind == kind, work.c.host.is_(None))
    wanted = set(keys)
    moved = [
        {"of_kind": kind, "of_key": row.key, "due_at": row.due_at + by}
        for row in tx.execute(free)
        if row.key in wanted
    ]
    if moved:
        tx.execute(_SHIFT, moved)


# Hosts: who is alive


def enlist(tx: Tx, host: HostId, workspace: str, at: datetime, expires_at: datetime) -> None:
    """Add a starting host. Earlier hosts of the same workspace are dead: its lock file proves it."""
    tx.execute(sa.delete(hosts).where(hosts.c.workspace == workspace))
    tx.execute(sa.insert(hosts).values(id=host, workspace=workspace, started_at=at, expires_at=expires_at))


def beat(tx: Tx, host: HostId, expires_at: datetime) -> bool:
    """Extend this host's life. False if the others have already given it up."""
    return bool(tx.execute(sa.update(hosts).where(hosts.c.id == host).values(expires_at=expires_at)).rowcount)


def discharge(tx: Tx, host: HostId) -> None:
    tx.execute(sa.delete(hosts).where(hosts.c.id == host))


def count_hosts(tx: Tx, at: datetime) -> int:
    """How many hosts are alive."""
    alive = sa.select(sa.func.count()).select_from(hosts).where(hosts.c.expires_at > at)
    return int(tx.execute(alive).scalar_one())


@dataclass(frozen=True, kw_only=True, slots=True)
class Suspect:
    """Work during which so many hosts died that it may be the cause. It pauses, longer each time."""

    kind: str
    key: str
    deaths: int
    rests: timedelta


def recover(tx: Tx, at: datetime) -> tuple[int, list[Suspect]]:
    """Put back what dead hosts were doing; returns how much that was, and which of it may have killed them. A
    host's death does not count as a failed attempt.
    """
    tx.execute(sa.delete(hosts).where(hosts.c.expires_at <= at))
    return _put_back_all(tx, work.c.host.not_in(sa.select(hosts.c.id)), at)


def put_back_all_of(tx: Tx, host: HostId, at: datetime) -> None:
    """The host is alive after all, and has stopped everything it did."""
    tx.execute(
        sa.update(work)
        .where(work.c.host == host)
        .values(host=None, lease=None, due_at=at, attempts=work.c.attempts - 1)
    )


def claimed_by(tx: Tx, host: HostId) -> list[Claim]:
    """What a host does, according to the rows."""
    rows = tx.execute(sa.select(work).where(work.c.host == host, work.c.kind != LEASE))
    return [Claim(kind=row.kind, key=row.key, lease=row.lease, attempt=row.attempts) for row in rows]


def _put_back_all(tx: Tx, whose: sa.ColumnElement[bool], at: datetime) -> tuple[int, list[Suspect]]:
    orphaned = sa.and_(work.c.host.is_not(None), whose)
    found = tx.execute(sa.select(work.c.kind, work.c.key, work.c.deaths).where(orphaned)).all()
    if not found:
        return 0, []
    due = sa.case(
        (work.c.due_at > at, sa.literal(at, UtcTime)), else_=work.c.due_at
    )  # a clock set back may be behind what was due
    tx.execute(
        sa.update(work)
        .where(orphaned)
        .values(host=None, lease=None, due_at=due, attempts=work.c.attempts - 1, deaths=work.c.deaths + 1)
    )
    suspects = [
        Suspect(kind=row.kind, key=row.key, deaths=row.deaths + 1, rests=_rest(row.deaths + 1))
        for row in found
        if row.kind != LEASE and row.deaths + 1 >= MOST_DEATHS
    ]
    for each in suspects:
        tx.execute(_SHIFT, {"of_kind": each.kind, "of_key": each.key, "due_at": at + each.rests})
    return len(found), suspects


def _rest(deaths: int) -> timedelta:
    return min(timedelta(minutes=2 ** min(deaths - MOST_DEATHS, 10)), _LONGEST_REST)


def heed_clock(tx: Tx, by: timedelta) -> None:
    """The clock was set: what waits for its time, or for a retry, waits as long as before. When a task, a
    question or a pipeline run is due depends on its own row, so that is adjusted there.
    """
    by_own_rows = (TASK, QUESTION, PIPELINE)
    pauses = work.c.kind.not_in(by_own_rows)
    rows = tx.execute(sa.select(work.c.kind, work.c.key, work.c.due_at, work.c.again_at).where(pauses)).all()
    moved = [
        {
            "of_kind": row.kind,
            "of_key": row.key,
            "due_at": row.due_at + by,
            "again_at": row.again_at and row.again_at + by,
        }
        for row in rows
    ]
    if moved:
        tx.execute(_MOVE, moved)
    for host in tx.execute(sa.select(hosts)).all():  # no host's lifetime changes
        alive = sa.update(hosts).where(hosts.c.id == host.id)
        tx.execute(alive.values(expires_at=host.expires_at + by))
