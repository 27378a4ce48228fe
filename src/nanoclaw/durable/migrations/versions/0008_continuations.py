"""Who waits for a turn or a question, and in which lane the turns of a session wait, in columns of their own."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

_WAITED_FOR = sa.text("then_kind IS NOT NULL")


def upgrade() -> None:
    op.add_column("sessions", sa.Column("lane", sa.Text(), nullable=False, server_default="turn"))
    op.add_column("sessions", sa.Column("priority", sa.Integer(), nullable=False, server_default="0"))
    for table in ("sessions", "turns", "human_interactions"):
        op.add_column(table, sa.Column("then_kind", sa.Text(), nullable=True))
        op.add_column(table, sa.Column("then_key", sa.Text(), nullable=True))
    op.add_column("turns", sa.Column("result", sa.JSON(none_as_null=True), nullable=True))
    op.create_index(
        "turns_waited_for",
        "turns",
        ["then_kind", "then_key", "id"],
        sqlite_where=_WAITED_FOR,
        postgresql_where=_WAITED_FOR,
    )
    _name_lanes()
    _let_runs_wait()
    _rename_queue()


def _name_lanes() -> None:
    """They were told by how the ids of sessions began, and the sessions of tasks by the names of their threads."""
    op.execute("UPDATE sessions SET lane = 'run' WHERE substr(id, 1, 3) = 'sr_'")
    op.execute("UPDATE sessions SET lane = 'background' WHERE substr(id, 1, 3) = 'sb_'")
    op.execute("UPDATE sessions SET thread = id WHERE task_id IS NOT NULL")


def _let_runs_wait() -> None:
    """A run that is under way waits for its turn, and goes on when that ends."""
    under_way = (
        "SELECT runs.id FROM task_run_logs AS runs JOIN scheduled_tasks AS tasks ON tasks.id = runs.task_id "
        "WHERE runs.finished_at IS NULL AND runs.message_id IS NOT NULL AND tasks.session_id = {session}"
    )
    for table, session, open_ones in (
        ("sessions", "sessions.id", "task_id IS NOT NULL"),
        ("turns", "turns.session_id", "finished_at IS NULL"),
    ):
        run = under_way.format(session=session)
        op.execute(
            f"UPDATE {table} SET then_kind = 'run-step', then_key = ({run} LIMIT 1) "  # noqa: S608 - words of ours
            f"WHERE {open_ones} AND EXISTS ({run})"
        )


def _rename_queue() -> None:
    """An inbox is what waits for a person. SQLite cannot rename indexes, so they are made anew."""
    waiting, kept = sa.text('"end" IS NULL'), sa.text("\"end\" = 'kept' AND turn_id IS NULL")
    for name in ("of_message", "of_turn", "waiting", "kept"):
        op.drop_index(f"inbox_{name}", "inbox")
    op.rename_table("inbox", "session_queue")
    op.create_index("session_queue_of_message", "session_queue", ["message_id"])
    op.create_index("session_queue_of_turn", "session_queue", ["turn_id"])
    for name, where in (("waiting", waiting), ("kept", kept)):
        op.create_index(
            f"session_queue_{name}",
            "session_queue",
            ["session_id", "message_id"],
            sqlite_where=where,
            postgresql_where=where,
        )
