"""Migrations that have landed stay as they are, and a database is what its version says."""

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext

from nanoclaw.domain.errors import BadWorkspace
from nanoclaw.durable import cost_sums, schema
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.durable.tables import UtcTime, metadata

# Databases were made with these. One that was changed afterwards makes others than the code expects, on machines that
# nobody sees. When a migration has landed on the main branch: add its line here (sha256sum of the file), and change
# the file no more.
LANDED = {
    "0001_first.py": "159f31250ceebdfc35376ce861283d2a76b20deda32c8db4e5bdda4c0b063751",
    "0002_agents.py": "c5a1d51a2764fb189eae4b51ac5ee2f8d89726be1381f2f683a775a8c8e20799",
    "0003_channels.py": "127277ad8b9c1f9496ca2438feb15e1ed557e7b8a8b269c3bc84c40cb2fd5220",
    "0004_admission.py": "e21b27b8105c75ec191ffc2e738b38d20877eddf9d3a5a46af97de63b5e3d2cb",
    "0005_questions.py": "befec046d69d8a72eb54b05d3c43172115c5c38f4176d24f910c3a859300c3b1",
    "0006_tasks.py": "94fb425cc6985e0a3608767e4e511a43e65fc707e29f13605e02d06a2a2ae0e1",
    "0007_nothing_lost.py": "130384daa242755f24ea1c952d755e6d90a67674c1f34e8ad923f657ab4974b3",
    "0008_continuations.py": "3a9d3c925bc013921b13bbe960e064ed7764bfcf4a8acc0777619cfeb9a5016c",
    "0009_memory.py": "54baf4f9d2c6154b8b83e9c828febe6bf3540d49f4285802a94b30f09a5d829e",
    "0010_pipelines.py": "250594a3de793d2944ac089c0583938a6efc4a226bf111e1b1b78c47b0ba12b3",
    "0011_money.py": "6bbf39e8a1e4f69478626972527d56fb32398be31b0690820a26f813be68a150",
    "0012_steering.py": "3a82f36a7d5d7064b3ab7f79594bd807ee5309d3d72bf77c6fb43910c06c5c1f",
    "0013_transfers.py": "342aa5186e47e0e02e9470a6e82db109b080f1c2ea7e474fb5afb927cddb7c94",
    "0014_fewer_indexes.py": "6c63154b02370fc7454d883d626d6d6eedab8761df4a8bdfcc5ed5334710b3ed",
    "0015_context_records.py": "8658e735bc1102db5e8fabd66bfa613f22b4686f9628cc84bc8c30cd0dcbfb2e",
}

# What the first versions of some migrations did not make.
MISSING_COLUMNS = ("task_run_logs.doing", "scheduled_tasks.told")
MISSING_INDEXES = (
    *("costs_of_company", "costs_of_group", "questions_open_of", "work_taken", "tasks_due", "tasks_alive"),
    *("runs_of_task", "runs_open", "inbox_kept"),
)


@pytest.fixture
def store(empty_database_url: str) -> Iterator[Store]:
    store = open_store(empty_database_url)
    yield store
    store.close()


def test_migrations_that_have_landed_are_not_changed() -> None:
    folder = schema.MIGRATIONS / "versions"
    found = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in LANDED}
    assert found == LANDED


def test_a_database_of_an_edited_migration_is_mended(store: Store) -> None:
    config = Config()
    config.set_main_option("script_location", str(schema.MIGRATIONS))
    with store.engine.begin() as tx:
        config.attributes["connection"] = tx
        command.upgrade(config, "0006")
        known = {
            index["name"]
            for table in sa.inspect(tx).get_table_names()
            for index in sa.inspect(tx).get_indexes(table)
        }
        for index in known & set(MISSING_INDEXES):
            tx.exec_driver_sql(f"DROP INDEX {index}")
        for name in MISSING_COLUMNS:
            table, column = name.split(".")
            tx.exec_driver_sql(f"ALTER TABLE {table} DROP COLUMN {column}")
        tx.exec_driver_sql("CREATE INDEX tasks_of_group ON scheduled_tasks (group_id)")
    schema.upgrade(store)
    assert _differences(store) == []


def test_lanes_and_runs_under_way_are_told_by_columns_after_an_upgrade(store: Store) -> None:
    config = Config()
    config.set_main_option("script_location", str(schema.MIGRATIONS))
    with store.engine.begin() as tx:
        config.attributes["connection"] = tx
        command.upgrade(config, "0007")
        _talk_and_run_tasks(tx)
    schema.upgrade(store)
    with store.engine.connect() as tx:
        rows = tx.exec_driver_sql(
            "SELECT id, lane, thread, then_kind, then_key FROM sessions ORDER BY id"
        ).all()
        waits = tx.exec_driver_sql("SELECT id, then_kind, then_key FROM turns ORDER BY id").all()
    assert [tuple(row) for row in rows] == [
        ("s_1", "turn", "", None, None),
        ("sb_3", "background", "sb_3", None, None),
        ("sr_2", "run", "sr_2", "run-step", "r_2"),
    ]
    assert [tuple(row) for row in waits] == [
        ("t_1", None, None),
        ("t_2", None, None),
        ("t_3", "run-step", "r_2"),
    ]


def test_records_of_changed_context_bind_nobody_after_an_upgrade(store: Store) -> None:
    config = Config()
    config.set_main_option("script_location", str(schema.MIGRATIONS))
    known = [
        ("product/pricing: 139 instead of 128", "context"),
        ("No discount: ever", "context"),
        ("a/b: c", ""),
    ]
    with store.engine.begin() as tx:
        config.attributes["connection"] = tx
        command.upgrade(config, "0014")
        table = metadata.tables["memory_entries"]
        for number, (text, domain) in enumerate(known):
            tx.execute(
                sa.insert(table).values(
                    **dict.fromkeys(("source", "topic", "person", "file", "terms"), ""),
                    company="acme",
                    id=f"dec_{number}",
                    kind="decision",
                    text=text,
                    domain=domain,
                    at=datetime.now(UTC),
                    related=[],
                    confidence=1.0,
                    trust="owner",
                    is_public=False,
                    is_binding=True,
                    state="live",
                )
            )
    schema.upgrade(store)
    with store.engine.connect() as tx:
        assert list(tx.execute(sa.select(table.c.is_binding).order_by(table.c.id)).scalars()) == [
            False,
            True,
            True,
        ]


def test_what_was_paid_before_the_upgrade_counts_against_the_limits_after_it(store: Store) -> None:
    config = Config()
    config.set_main_option("script_location", str(schema.MIGRATIONS))
    at = datetime.now(UTC) - timedelta(days=1)
    written = dict.fromkeys(("session_id", "turn_id", "runtime", "skill", "flow", "model", "host"), "")
    counted = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "thinking_tokens")
    row = {**written, **dict.fromkeys((*counted, "duration_ms"), 0), "batch": False, "agent_group": "main"}
    names = [*row, "id", "at", "company", "state", "micros"]
    costs = sa.table("costs", *(sa.column(name, UtcTime if name == "at" else None) for name in names))
    calls = [("u_1", "settled", 700), ("u_2", "estimated", 30), ("u_3", "reserved", 9000)]
    with store.engine.begin() as tx:
        config.attributes["connection"] = tx
        command.upgrade(config, "0010")
        for call, state, micros in calls:
            told = {"id": call, "at": at, "company": "acme", "state": state, "micros": micros}
            tx.execute(sa.insert(costs).values(**row, **told))
    schema.upgrade(store)
    with store.engine.connect() as tx:
        for kind, name in (("company", ""), ("group", "main")):
            sums = cost_sums.since(
                tx,
                "acme",
                kind,
                name,
                day=at + timedelta(hours=1),
                month=at.replace(minute=0, second=0, microsecond=0),
            )
            assert sums == (0, 730)


def test_a_start_names_what_the_database_lacks(store: Store) -> None:
    schema.upgrade(store)
    with store.engine.begin() as tx:
        tx.exec_driver_sql("ALTER TABLE scheduled_tasks DROP COLUMN told")
        tx.exec_driver_sql("DROP TABLE set_aside")
    for look in (schema.upgrade, schema.expect):
        with pytest.raises(BadWorkspace) as refused:
            look(store)
        assert refused.value.key == "schema-lacks"
        assert "scheduled_tasks.told" in str(refused.value.values["missing"])
        assert "set_aside.update_id" in str(refused.value.values["missing"])


async def test_a_database_of_a_newer_version_is_left_as_it_is(store: Store) -> None:
    schema.upgrade(store)
    with store.engine.begin() as tx:
        tx.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(BadWorkspace, match="schema-newer"):
        schema.upgrade(store)
    assert await store.read(schema.version_of) == "9999"


def _talk_and_run_tasks(tx: Tx) -> None:
    """A person talks; of a scheduled task one run is over and one is under way; a background task is done."""
    old, at = sa.MetaData(), datetime(2026, 1, 1, tzinfo=UTC)
    old.reflect(tx)

    def add(table: str, *rows: dict[str, object]) -> None:
        named = old.tables[table].c
        for row in rows:
            needed = {
                each.name for each in named if not each.nullable and each.server_default is None
            } - row.keys()
            filled = {name: at if isinstance(named[name].type, sa.DateTime) else 1 for name in needed}
            texts = {name: "" for name in needed if isinstance(named[name].type, sa.Text)}
            tx.execute(sa.insert(old.tables[table]).values({**filled, **texts, **row}))

    add("people", {"id": "p"})
    add("chats", {"id": "c"})
    for session, thread, task in (("s_1", "", None), ("sr_2", "task 2", 2), ("sb_3", "task 3", 3)):
        add("sessions", {"id": session, "chat_id": "c", "thread": thread, "task_id": task})
        if task:
            fixed = {"owner": "p", "chat_id": "c", "notify": True, "policy": {}}
            add("scheduled_tasks", {"id": task, "session_id": session, **fixed})
    for run, task, ended in (("r_1", 2, at), ("r_2", 2, None), ("r_3", 3, at)):
        moment = at + timedelta(days=int(run[-1]))
        add(
            "task_run_logs",
            {"id": run, "task_id": task, "run_at": moment, "message_id": f"m{run}", "finished_at": ended},
        )
    add(
        "turns",
        {"id": "t_1", "session_id": "s_1"},
        {"id": "t_2", "session_id": "sr_2", "finished_at": at},
        {"id": "t_3", "session_id": "sr_2"},
    )


def _differences(store: Store) -> object:
    with store.engine.connect() as tx:
        return compare_metadata(MigrationContext.configure(tx, opts=schema.COMPARED), metadata)
