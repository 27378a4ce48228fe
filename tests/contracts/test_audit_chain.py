"""The audit is one chain on every database: it grows from its end, and shows what was changed behind its back."""

import asyncio
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from nanoclaw.domain.people import Actor, Rights, Role
from nanoclaw.durable import audit, audit_chain, schema
from nanoclaw.durable.audit_chain import ChainFault, ChainFlaw, Verified
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.durable.tables import audit as rows
from nanoclaw.durable.tables import audit_head as head
from nanoclaw.durable.tables import metadata

pytestmark = pytest.mark.capability("E9")

AT = datetime(2026, 7, 1, 9, 30, 15, 123456, timezone(timedelta(hours=3)))
OWNER = Actor(
    handle="local:owner", name="Олена", rights=Rights(everywhere=Role.OWNER), via="web", language="uk"
)


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    store = open_store(database_url)
    schema.upgrade(store)
    yield store
    store.close()


def write(store: Store, count: int) -> None:
    with store.engine.begin() as tx:
        for number in range(count):
            audit.record(tx, OWNER, AT, "blocked", f"p_{number}", person=f"Person {number}")


def verified(store: Store) -> Verified:
    with store.engine.begin() as tx:
        return audit_chain.verify(tx)


def test_a_chain_grows_from_its_end(store: Store) -> None:
    assert verified(store) == Verified(rows=0, end="", fault=None)
    write(store, 2)
    before = verified(store)
    assert (before.rows, before.fault) == (2, None)
    write(store, 1)
    after = verified(store)
    assert (after.rows, after.fault) == (3, None)
    assert after.end != before.end
    with store.engine.begin() as tx:
        assert tx.execute(sa.select(head)).all() == [(1, 3, after.end)]
        assert [each.subject for each in audit.newest(tx, 9)] == ["p_0", "p_1", "p_0"]


def test_what_is_undone_leaves_no_gap(store: Store) -> None:
    write(store, 1)
    with store.engine.connect() as tx:
        audit.record(tx, OWNER, AT, "blocked", "p_undone")
        tx.rollback()
    write(store, 1)
    assert (verified(store).rows, verified(store).fault) == (2, None)


@pytest.mark.parametrize(
    "at",
    [AT, AT.replace(microsecond=0), now(), datetime(2026, 10, 25, 3, 30, tzinfo=AT.tzinfo)],
    ids=["zone", "whole second", "now", "night"],
)
def test_details_and_moments_are_hashed_as_they_are_read_back(store: Store, at: datetime) -> None:
    odd: dict[str, Any] = {
        "pair": ("a", 2),
        "keys": {7: "seven", None: 1, True: [(), {}]},
        "numbers": [0.1, 1e300, 2**70, -0.0],
        "words": 'Ґанок "\u2028" \x00 😀 \udcff',
        "none": None,
    }
    with store.engine.begin() as tx:
        audit.record(tx, OWNER, at, "blocked", "p_1", **odd)
    assert (verified(store).rows, verified(store).fault) == (1, None)
    with store.engine.begin() as tx:
        (entry,) = audit.newest(tx, 1)
    assert entry.at == at
    assert entry.detail["pair"] == ["a", 2]


def test_a_moment_without_a_zone_is_refused(store: Store) -> None:
    with pytest.raises(sa.exc.StatementError), store.engine.begin() as tx:
        audit.record(tx, OWNER, AT.replace(tzinfo=None), "blocked", "p_1")
    assert verified(store) == Verified(rows=0, end="", fault=None)


@pytest.mark.parametrize("first", [True, False], ids=["without a head", "with a head"])
async def test_many_at_once_make_one_chain(store: Store, first: bool) -> None:
    if first:
        with store.engine.begin() as tx:
            tx.execute(sa.delete(head))
    await asyncio.gather(
        *(
            store.write(lambda tx, number=number: audit.record(tx, OWNER, AT, "blocked", f"p_{number}"))  # type: ignore[misc]
            for number in range(40)
        )
    )
    assert (verified(store).rows, verified(store).fault) == (40, None)


async def test_the_check_beside_those_who_write_finds_nothing(store: Store) -> None:
    write(store, 3)

    async def writes() -> None:
        for number in range(40):
            await store.write(lambda tx, number=number: audit.record(tx, OWNER, AT, "blocked", f"p_{number}"))  # type: ignore[misc]

    async def checks() -> None:
        rows = 0
        while rows < 43:
            found = await store.read(audit_chain.verify)
            assert found.fault is None
            rows = found.rows

    await asyncio.gather(writes(), checks())


def test_a_database_that_was_made_without_migrations_has_no_head_and_gets_one(database_url: str) -> None:
    store = open_store(database_url)
    metadata.create_all(store.engine)
    assert verified(store) == Verified(rows=0, end="", fault=None)
    write(store, 2)
    assert (verified(store).rows, verified(store).fault) == (2, None)
    store.close()


def at_row(seq: int) -> Any:
    return sa.update(rows).where(rows.c.seq == seq)


def swap(tx: Tx) -> None:
    for old, new in ((3, 99), (5, 3), (99, 5)):
        tx.execute(at_row(old).values(seq=new))


def forge(tx: Tx) -> None:
    """The row and its hash, but not what follows."""
    last = tx.execute(sa.select(rows.c.hash).where(rows.c.seq == 2)).scalar_one()
    entry = audit.read_entry(tx.execute(sa.select(rows).where(rows.c.seq == 3)).one())
    forged = audit.AuditEntry(
        id=entry.id,
        at=entry.at,
        handle="telegram:666",
        name=entry.name,
        via=entry.via,
        action=entry.action,
        subject=entry.subject,
        detail=entry.detail,
    )
    link = audit.link_of(last, 3, forged)
    tx.execute(at_row(3).values(handle=forged.handle, hash=link))


def run(statement: Any) -> Callable[[Tx], None]:
    def change(tx: Tx) -> None:
        tx.execute(statement)

    return change


CHANGES: dict[str, tuple[Callable[[Tx], None], ChainFlaw, int, int]] = {
    "handle": (run(at_row(3).values(handle="telegram:666")), ChainFlaw.CHANGED, 3, 3),
    "moment": (run(at_row(1).values(at=AT - timedelta(microseconds=1))), ChainFlaw.CHANGED, 1, 1),
    "detail": (run(at_row(6).values(detail={"person": "Someone else"})), ChainFlaw.CHANGED, 6, 6),
    "id": (run(at_row(4).values(id="x_0")), ChainFlaw.CHANGED, 4, 4),
    "hash": (run(at_row(5).values(hash="0" * 64)), ChainFlaw.CHANGED, 5, 5),
    "with its hash": (forge, ChainFlaw.CHANGED, 4, 4),
    "exchanged": (swap, ChainFlaw.ORDER, 3, 3),
    "before the first": (run(at_row(2).values(seq=0)), ChainFlaw.ORDER, 0, 0),
    "removed": (run(sa.delete(rows).where(rows.c.seq == 3)), ChainFlaw.MISSING, 3, 3),
    "several removed": (run(sa.delete(rows).where(rows.c.seq.in_((1, 2)))), ChainFlaw.MISSING, 1, 2),
    "cut": (run(sa.delete(rows).where(rows.c.seq > 4)), ChainFlaw.CUT, 5, 6),
    "all removed": (run(sa.delete(rows)), ChainFlaw.CUT, 1, 6),
    "head hash": (run(sa.update(head).values(hash="0" * 64)), ChainFlaw.HEAD, 6, 6),
    "head back": (run(sa.update(head).values(seq=5)), ChainFlaw.HEAD, 5, 5),
    "head before all": (run(sa.update(head).values(seq=-1)), ChainFlaw.HEAD, 6, 6),
    "head on": (run(sa.update(head).values(seq=7)), ChainFlaw.CUT, 7, 7),
    "head gone": (run(sa.delete(head)), ChainFlaw.HEAD, 6, 6),
}


@pytest.mark.parametrize(("change", "what", "seq", "until"), CHANGES.values(), ids=CHANGES)
def test_what_was_changed_is_found_where_it_was(
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[Tx], None],
    what: ChainFlaw,
    seq: int,
    until: int,
) -> None:
    monkeypatch.setattr(audit_chain, "_BATCH", 4)
    write(store, 6)
    with store.engine.begin() as tx:
        change(tx)
    fault = verified(store).fault
    assert fault is not None
    assert (fault.what, fault.seq, fault.until) == (what, seq, until)


@pytest.mark.parametrize(
    ("column", "value"),
    [("detail", "{"), ("at", "yesterday"), ("at", 5), ("name", b"\xff"), ("seq", "three")],
    ids=str,
)
def test_a_row_that_cannot_be_read_any_more_is_a_changed_one(
    tmp_path: Path, column: str, value: object
) -> None:
    """PostgreSQL takes no such value."""
    store = open_store(f"sqlite:///{tmp_path / 'store.db'}")
    schema.upgrade(store)
    write(store, 3)
    with store.engine.begin() as tx:
        tx.exec_driver_sql(f"UPDATE audit SET {column} = ? WHERE seq = 3", (value,))  # noqa: S608
        changed = tx.exec_driver_sql("SELECT id FROM audit ORDER BY id DESC").scalar()
    assert verified(store).fault == ChainFault(what=ChainFlaw.CHANGED, seq=3, until=3, id=changed)
    store.close()


def test_work_goes_on_without_the_head_and_the_check_still_finds_it(store: Store) -> None:
    write(store, 3)
    with store.engine.begin() as tx:
        tx.execute(sa.delete(head))
    write(store, 2)
    found = verified(store)
    assert (found.rows, found.fault and (found.fault.what, found.fault.seq)) == (3, (ChainFlaw.CHANGED, 4))


def test_rows_of_an_older_version_become_the_beginning_of_the_chain(empty_database_url: str) -> None:
    store = open_store(empty_database_url)
    with store.engine.begin() as tx:
        config = import_module("alembic.config").Config()
        config.set_main_option("script_location", str(schema.MIGRATIONS))
        config.attributes["connection"] = tx
        import_module("alembic.command").upgrade(config, "0004")
        names = ("id", "at", "handle", "name", "via", "action", "subject", "detail")
        old = sa.table("audit", *(sa.column(name, rows.c[name].type) for name in names))
        for number in range(3):
            values = {"id": f"x_{number}", "at": AT, "handle": "telegram:1", "name": "Олена", "via": "web"}
            told = {"action": "wired", "subject": "c_1", "detail": {"б": [1, None], "а": {"z": 1, "b": 2.5}}}
            tx.execute(sa.insert(old).values(**values, **told))
    schema.upgrade(store)
    assert (verified(store).rows, verified(store).fault) == (3, None)
    write(store, 1)
    assert (verified(store).rows, verified(store).fault) == (4, None)
    with store.engine.begin() as tx:
        tx.execute(at_row(2).values(name="Ivan"))
    found = verified(store)
    assert found.fault == ChainFault(what=ChainFlaw.CHANGED, seq=2, until=2, id="x_1")
    store.close()
