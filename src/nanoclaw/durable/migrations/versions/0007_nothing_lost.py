"""Order that no clock can change, what is known of each message that left, and databases that lack something."""

from datetime import datetime

import sqlalchemy as sa
from alembic import op

from nanoclaw.durable.tables import UtcTime

revision = "0007"
down_revision = "0006"

_PENDING = "status = 'pending'"
_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"


def upgrade() -> None:
    _heal()
    op.add_column("chats", sa.Column("last_number", sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("parcels", sa.Column("number", sa.BigInteger(), nullable=False, server_default="0"))
    op.add_column("parcels", sa.Column("noted", sa.Text(), nullable=True))
    op.add_column("sent", sa.Column("draft", sa.Text(), nullable=True))
    op.add_column("sessions", sa.Column("cleared_by", sa.Text(), nullable=True))
    op.add_column("sessions", sa.Column("stopped_by", sa.Text(), nullable=True))
    op.add_column("work", sa.Column("deaths", sa.Integer(), nullable=False, server_default="0"))
    op.create_table(
        "notes",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    _number_parcels()
    _name_moments()


def _heal() -> None:
    """Some earlier migrations were changed after databases had been made with them: what those lack is added."""
    _add_missing("parcels", sa.Column("origin", sa.Text(), nullable=True))
    _add_missing("task_run_logs", sa.Column("doing", sa.Text(), nullable=True))
    _add_missing("scheduled_tasks", sa.Column("told", sa.Text(), nullable=True))
    _index("parcels_once", "parcels", ["origin"], unique=True)
    _index("costs_of_company", "costs", ["company", "at", "micros"])
    _index("costs_of_group", "costs", ["agent_group", "id"])
    _index("questions_open_of", "human_interactions", ["session_id", "id"], where=_PENDING)
    _index("work_taken", "work", ["host"], where="host IS NOT NULL")
    _index("tasks_due", "scheduled_tasks", ["next_run_at"], where="status = 'active'")
    _index("tasks_alive", "scheduled_tasks", ["group_id", "id"], where="status IN ('active', 'paused')")
    _index("runs_of_task", "task_run_logs", ["task_id", "id"])
    _index("runs_open", "task_run_logs", ["task_id", "run_at"], where="finished_at IS NULL")
    _index("inbox_kept", "inbox", ["session_id", "message_id"], where="\"end\" = 'kept' AND turn_id IS NULL")
    if "tasks_of_group" in _indexes("scheduled_tasks"):
        op.drop_index("tasks_of_group", "scheduled_tasks")


def _add_missing(table: str, column: sa.Column[str]) -> None:
    if column.name not in {known["name"] for known in sa.inspect(op.get_bind()).get_columns(table)}:
        op.add_column(table, column)


def _index(
    name: str, table: str, columns: list[str], *, unique: bool = False, where: str | None = None
) -> None:
    known = _indexes(table).get(name)
    if known == columns:
        return
    if known is not None:
        op.drop_index(name, table)
    only = None if where is None else sa.text(where)
    op.create_index(name, table, columns, unique=unique, sqlite_where=only, postgresql_where=only)


def _indexes(table: str) -> dict[str | None, list[str | None]]:
    return {each["name"]: each["column_names"] for each in sa.inspect(op.get_bind()).get_indexes(table)}


def _number_parcels() -> None:
    op.execute(
        "UPDATE parcels SET number = counted.number FROM (SELECT id, row_number() OVER "
        "(PARTITION BY chat_id ORDER BY id) AS number FROM parcels) AS counted WHERE counted.id = parcels.id"
    )
    op.execute(
        "UPDATE chats SET last_number = counted.number FROM (SELECT chat_id, count(*) AS number "
        "FROM parcels GROUP BY chat_id) AS counted WHERE counted.chat_id = chats.id"
    )
    op.drop_index("parcels_open", "parcels")
    not_delivered = sa.text("state != 'delivered'")
    op.create_index(
        "parcels_open",
        "parcels",
        ["chat_id", "number"],
        unique=False,
        sqlite_where=not_delivered,
        postgresql_where=not_delivered,
    )


def _name_moments() -> None:
    """When a session was cleared or stopped, as an id of a turn that would have begun then."""
    sessions = sa.table(
        "sessions",
        sa.column("id", sa.Text()),
        *(sa.column(name, UtcTime()) for name in ("cleared_at", "stopped_at")),
        *(sa.column(name, sa.Text()) for name in ("cleared_by", "stopped_by")),
    )
    connection = op.get_bind()
    for row in connection.execute(sa.select(sessions)).all():
        named = {"cleared_by": _id_at(row.cleared_at), "stopped_by": _id_at(row.stopped_at)}
        connection.execute(sa.update(sessions).where(sessions.c.id == row.id).values(**named))


def _id_at(moment: datetime | None) -> str | None:
    if moment is None:
        return None
    number = int(moment.timestamp() * 1000) << 80
    return "t_" + "".join(_LETTERS[(number >> shift) & 31] for shift in range(125, -1, -5))
