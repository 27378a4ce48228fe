"""Real agents: what model calls cost, who connected where, files in parcels, sessions that were cleared."""

import sqlalchemy as sa
from alembic import op

from nanoclaw.durable.tables import UtcTime

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("sessions", sa.Column("cleared_at", UtcTime(), nullable=True))
    op.add_column("sessions", sa.Column("stopped_at", UtcTime(), nullable=True))
    op.add_column("parcels", sa.Column("attachment", sa.JSON(), nullable=True))
    op.add_column("parcels", sa.Column("origin", sa.Text(), nullable=True))
    op.create_index("parcels_once", "parcels", ["origin"], unique=True)
    op.create_table(
        "costs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("company", sa.Text(), nullable=False),
        sa.Column("agent_group", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=False),
        sa.Column("runtime", sa.Text(), nullable=False),
        sa.Column("skill", sa.Text(), nullable=False),
        sa.Column("flow", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("micros", sa.BigInteger(), nullable=False),
        sa.Column("input_tokens", sa.Integer(), nullable=False),
        sa.Column("output_tokens", sa.Integer(), nullable=False),
        sa.Column("cache_read_tokens", sa.Integer(), nullable=False),
        sa.Column("cache_write_tokens", sa.Integer(), nullable=False),
        sa.Column("thinking_tokens", sa.Integer(), nullable=False),
        sa.Column("batch", sa.Boolean(), nullable=False),
        sa.Column("duration_ms", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("costs_of_company", "costs", ["company", "at", "micros"], unique=False)
    op.create_index("costs_of_turn", "costs", ["turn_id"], unique=False)
    op.create_index(
        "costs_open",
        "costs",
        ["host"],
        unique=False,
        sqlite_where=sa.text("state = 'reserved'"),
        postgresql_where=sa.text("state = 'reserved'"),
    )
    op.create_table(
        "connections",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("agent_group", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("turn_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("port", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("sent_bytes", sa.BigInteger(), nullable=False),
        sa.Column("received_bytes", sa.BigInteger(), nullable=False),
        sa.Column("duration_ms", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("connections_of_group", "connections", ["agent_group", "id"], unique=False)
    op.create_index("connections_of_turn", "connections", ["turn_id"], unique=False)
