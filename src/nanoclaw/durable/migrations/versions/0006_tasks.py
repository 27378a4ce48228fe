"""Work that starts itself, and work that takes hours: tasks, their runs, and who goes first."""

import sqlalchemy as sa
from alembic import op

from nanoclaw.durable.tables import UtcTime

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("sessions", sa.Column("task_id", sa.Integer(), nullable=True))
    op.add_column("sessions", sa.Column("says_in", sa.Text(), nullable=True))
    op.add_column("work", sa.Column("priority", sa.Integer(), nullable=False, server_default="0"))
    unread = sa.text("\"end\" = 'kept' AND turn_id IS NULL")
    op.create_index(
        "inbox_kept",
        "inbox",
        ["session_id", "message_id"],
        unique=False,
        sqlite_where=unread,
        postgresql_where=unread,
    )
    taken = sa.text("host IS NOT NULL")
    op.create_index("work_taken", "work", ["host"], unique=False, sqlite_where=taken, postgresql_where=taken)
    op.create_index("costs_of_group", "costs", ["agent_group", "id"], unique=False)
    op.create_table(
        "scheduled_tasks",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("group_id", sa.Text(), nullable=False),
        sa.Column("schedule_type", sa.Text(), nullable=False),
        sa.Column("schedule_value", sa.Text(), nullable=False),
        sa.Column("skill", sa.Text(), nullable=False),
        sa.Column("prompt", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("notify", sa.Boolean(), nullable=False),
        sa.Column("next_run_at", UtcTime(), nullable=True),
        sa.Column("last_run_at", UtcTime(), nullable=True),
        sa.Column("run_count", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("timezone", sa.Text(), nullable=False),
        sa.Column("zone_of", sa.Text(), nullable=False),
        sa.Column("anchor_at", UtcTime(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("chat_id", sa.Text(), nullable=False),
        sa.Column("thread", sa.Text(), nullable=False),
        sa.Column("policy", sa.JSON(), nullable=False),
        sa.Column("priority", sa.Text(), nullable=False),
        sa.Column("check_script", sa.Text(), nullable=True),
        sa.Column("estimated_minutes", sa.Integer(), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("why", sa.Text(), nullable=True),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("asked_by", sa.Text(), nullable=True),
        sa.Column("card", sa.Text(), nullable=True),
        sa.Column("told", sa.Text(), nullable=True),
        sa.Column("origin", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["owner"], ["people.id"]),
        sa.ForeignKeyConstraint(["chat_id"], ["chats.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("origin"),
    )
    active = sa.text("status = 'active'")
    op.create_index(
        "tasks_due",
        "scheduled_tasks",
        ["next_run_at"],
        unique=False,
        sqlite_where=active,
        postgresql_where=active,
    )
    alive = sa.text("status IN ('active', 'paused')")
    op.create_index(
        "tasks_alive",
        "scheduled_tasks",
        ["group_id", "id"],
        unique=False,
        sqlite_where=alive,
        postgresql_where=alive,
    )
    op.create_table(
        "task_run_logs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("task_id", sa.Integer(), nullable=False),
        sa.Column("run_at", UtcTime(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("started_at", UtcTime(), nullable=True),
        sa.Column("finished_at", UtcTime(), nullable=True),
        sa.Column("duration_ms", sa.Integer(), nullable=True),
        sa.Column("micros", sa.BigInteger(), nullable=False),
        sa.Column("doing", sa.Text(), nullable=True),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("error", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("turn_id", sa.Text(), nullable=True),
        sa.Column("parcel_id", sa.Text(), nullable=True),
        sa.Column("deliver_by", UtcTime(), nullable=True),
        sa.Column("alarmed_at", UtcTime(), nullable=True),
        sa.Column("filed_at", UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["task_id"], ["scheduled_tasks.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("task_id", "run_at", name="runs_once"),
    )
    op.create_index("runs_by_time", "task_run_logs", ["run_at"], unique=False)
    op.create_index("runs_of_task", "task_run_logs", ["task_id", "id"], unique=False)
    is_open = sa.text("finished_at IS NULL")
    op.create_index(
        "runs_open",
        "task_run_logs",
        ["task_id", "run_at"],
        unique=False,
        sqlite_where=is_open,
        postgresql_where=is_open,
    )
    awaited = sa.text("deliver_by IS NOT NULL AND alarmed_at IS NULL")
    op.create_index(
        "runs_awaited",
        "task_run_logs",
        ["task_id", "deliver_by"],
        unique=False,
        sqlite_where=awaited,
        postgresql_where=awaited,
    )
