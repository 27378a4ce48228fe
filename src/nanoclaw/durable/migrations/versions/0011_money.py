"""Money: budgets with overrides and alerts, calls that wait for it, whom each call was for; and batches."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from alembic import op

from nanoclaw.durable.tables import UtcTime

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    for name in ("person", "chat_id", "batch_id"):
        op.add_column("costs", sa.Column(name, sa.Text(), nullable=True))
    op.add_column("costs", sa.Column("task_id", sa.Integer(), nullable=True))
    for name in ("saved_by_cache", "saved_by_batch"):
        op.add_column("costs", sa.Column(name, sa.BigInteger(), nullable=True))
    _index_of_costs()
    for name in ("stored_text", "batch_id"):
        op.add_column("scheduled_tasks", sa.Column(name, sa.Text(), nullable=True))
    _open_calls()
    _tasks_of_batches()
    _budget_overrides()
    _budget_alerts()
    _waiting_calls()
    _budget_holds()
    _cost_sums()
    _batches()
    _batch_parts()
    _batch_items()


def _index_of_costs() -> None:
    """With all that a report by day adds up."""
    op.drop_index("costs_of_company", "costs")
    tokens = ["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"]
    added_up = ["micros", *tokens, "saved_by_cache", "saved_by_batch"]
    op.create_index("costs_of_company", "costs", ["company", "at", *added_up])


def _open_calls() -> None:
    """Each limit asks for those of one company."""
    reserved = sa.text("state = 'reserved'")
    op.drop_index("costs_open", "costs")
    op.create_index(
        "costs_on_their_way",
        "costs",
        ["company", "host"],
        sqlite_where=reserved,
        postgresql_where=reserved,
    )


def _tasks_of_batches() -> None:
    alive = "status IN ('active', 'paused') AND batch_id IS"
    listed, of_batch = sa.text(f"{alive} NULL"), sa.text(f"{alive} NOT NULL")
    op.drop_index("tasks_alive", table_name="scheduled_tasks")
    for name, columns, where in (
        ("tasks_alive", ["group_id", "id"], listed),
        ("tasks_of_batch", ["batch_id", "next_run_at"], of_batch),
    ):
        op.create_index(name, "scheduled_tasks", columns, sqlite_where=where, postgresql_where=where)


def _budget_overrides() -> None:
    op.create_table(
        "budget_overrides",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("at", UtcTime, nullable=False),
        sa.Column("company", sa.Text, nullable=False),
        sa.Column("micros", sa.BigInteger, nullable=False),
        sa.Column("said_by", sa.Text, nullable=False),
    )
    op.create_index("budget_overrides_of_company", "budget_overrides", ["company", "at"])


def _budget_alerts() -> None:
    op.create_table(
        "budget_alerts",
        sa.Column("company", sa.Text, primary_key=True),
        sa.Column("period", sa.Text, primary_key=True),
        sa.Column("began_at", UtcTime, primary_key=True),
        sa.Column("level", sa.Integer, primary_key=True),
        sa.Column("told_at", UtcTime, nullable=False),
    )


def _waiting_calls() -> None:
    op.create_table(
        "waiting_calls",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("company", sa.Text, nullable=False),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("turn_id", sa.Text, nullable=False),
        sa.Column("at", UtcTime, nullable=False),
        sa.Column("limits", sa.JSON, nullable=False),
    )
    op.create_index("waiting_calls_of_company", "waiting_calls", ["company", "id"])


def _budget_holds() -> None:
    op.create_table(
        "budget_holds",
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("company", sa.Text, nullable=False),
        sa.Column("at", UtcTime, nullable=False),
    )
    op.create_index("budget_holds_of_company", "budget_holds", ["company"])


def _cost_sums() -> None:
    made = op.create_table(
        "cost_sums",
        sa.Column("company", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("at", UtcTime, primary_key=True),
        sa.Column("micros", sa.BigInteger, nullable=False),
        sqlite_with_rowid=False,
    )
    costs = sa.table(
        "costs",
        sa.column("company", sa.Text),
        sa.column("agent_group", sa.Text),
        sa.column("at", UtcTime),
        sa.column("micros", sa.BigInteger),
        sa.column("state", sa.Text),
    )
    # No limit is longer than a month, and this one may have begun in another zone.
    since = datetime.now(UTC) - timedelta(days=33)
    paid = sa.select(costs.c.company, costs.c.agent_group, costs.c.at, costs.c.micros).where(
        costs.c.at >= since, costs.c.state != "reserved"
    )
    sums: Counter[tuple[str, str, str, datetime]] = Counter()
    for company, group, at, micros in op.get_bind().execute(paid):
        quarter = at.replace(minute=at.minute // 15 * 15, second=0, microsecond=0)
        sums[company, "company", "", quarter] += micros
        sums[company, "group", group, quarter] += micros
    names = ("company", "kind", "name", "at", "micros")
    if sums:
        op.bulk_insert(made, [dict(zip(names, (*key, micros), strict=True)) for key, micros in sums.items()])


def _batches() -> None:
    op.create_table(
        "batches",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("company", sa.Text, nullable=False),
        sa.Column("agent_group", sa.Text, nullable=False),
        sa.Column("chat_id", sa.Text, sa.ForeignKey("chats.id"), nullable=False),
        sa.Column("thread", sa.Text),
        sa.Column("started_by", sa.Text, nullable=False),
        sa.Column("message_id", sa.Text),
        sa.Column("language", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("skill", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("channel", sa.Text, nullable=False),
        sa.Column("items", sa.Integer, nullable=False),
        sa.Column("least_grade", sa.Integer),
        sa.Column("estimate", sa.JSON(none_as_null=True)),
        sa.Column("max_tokens", sa.Integer, nullable=False),
        sa.Column("cost_id", sa.Text),
        sa.Column("question_id", sa.Text),
        sa.Column("parcel_id", sa.Text),
        sa.Column("why", sa.JSON(none_as_null=True)),
        sa.Column("cancelled_by", sa.Text),
        sa.Column("plan", sa.JSON(none_as_null=True)),
        sa.Column("created_at", UtcTime, nullable=False),
        sa.Column("started_at", UtcTime),
        sa.Column("ended_at", UtcTime),
        sa.Column("origin", sa.Text, unique=True),
    )
    op.create_index("batches_of_company", "batches", ["company", "id"])
    op.create_index("batches_of_chat", "batches", ["chat_id", "id"])
    op.create_index("batches_open", "batches", ["status", "id"])


def _batch_parts() -> None:
    op.create_table(
        "batch_parts",
        sa.Column("batch_id", sa.Text, sa.ForeignKey("batches.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("vendor_id", sa.Text),
        sa.Column("first_item", sa.Integer, nullable=False),
        sa.Column("last_item", sa.Integer, nullable=False),
        sa.Column("done", sa.Integer, nullable=False),
        sa.Column("why", sa.JSON(none_as_null=True)),
        sa.Column("sent_at", UtcTime),
        sa.Column("expires_at", UtcTime),
        sa.Column("ended_at", UtcTime),
    )


def _batch_items() -> None:
    op.create_table(
        "batch_items",
        sa.Column("batch_id", sa.Text, sa.ForeignKey("batches.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("topic", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("error", sa.Text),
        sa.Column("faults", sa.JSON, nullable=False),
        sa.Column("grade", sa.Integer),
        sa.Column("verdict", sa.Text, nullable=False),
        sa.Column("decided_by", sa.Text),
        sa.Column("task_id", sa.Integer),
        sa.Column("micros", sa.BigInteger, nullable=False),
        sa.Column("note", sa.Text),
        sa.Column("part", sa.Integer),
        sa.Column("reserved_micros", sa.BigInteger, nullable=False),
    )
    op.create_index("batch_items_in_state", "batch_items", ["batch_id", "state", "number"])
