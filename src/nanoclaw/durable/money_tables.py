"""The tables of money: what was paid, what was allowed beyond a budget, what people were told, and calls that
wait for it.
"""

import sqlalchemy as sa

from nanoclaw.durable.columns import UtcTime
from nanoclaw.durable.columns import table as _table

# What an owner added to a budget; it counts for the day and month in which it was added.
budget_overrides = _table(
    "budget_overrides",
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("at", UtcTime, nullable=False),
    sa.Column("company", sa.Text, nullable=False),
    sa.Column("micros", sa.BigInteger, nullable=False),
    # The person's handle.
    sa.Column("said_by", sa.Text, nullable=False),
    # Whose limits: group, person or task, and its name. NULL for the company's own.
    sa.Column("kind", sa.Text),
    sa.Column("name", sa.Text),
    sa.Index("budget_overrides_of_company", "company", "at"),
)

# Each level of a period is reported once, whichever host notices it.
budget_alerts = _table(
    "budget_alerts",
    sa.Column("company", sa.Text, primary_key=True),
    # day, month
    sa.Column("period", sa.Text, primary_key=True),
    sa.Column("began_at", UtcTime, primary_key=True),
    # Percent of the limit: 80, 95, 100, or what the budget names.
    sa.Column("level", sa.Integer, primary_key=True),
    sa.Column("told_at", UtcTime, nullable=False),
)

# What was paid in each quarter of an hour, so that a busy month is added up quickly, in any zone: for the
# company, and for each of its groups, people and tasks. Reservations are not included.
cost_sums = _table(
    "cost_sums",
    sa.Column("company", sa.Text, primary_key=True),
    # company, group, person, task
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("at", UtcTime, primary_key=True),
    sa.Column("micros", sa.BigInteger, nullable=False),
    sqlite_with_rowid=False,  # stored in key order: adding up reads one stretch of the file
)

# Calls that wait for money reserved by other calls under way, in order of arrival, across all hosts.
waiting_calls = _table(
    "waiting_calls",
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("company", sa.Text, nullable=False),
    sa.Column("host", sa.Text, nullable=False),
    sa.Column("turn_id", sa.Text, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
    # The limits it waits at: others wait behind it only at these.
    sa.Column("limits", sa.JSON, nullable=False),
    sa.Index("waiting_calls_of_company", "company", "id"),
)

# Work that nobody waits for, put back because the budget is used up. It is due at once when there is money.
budget_holds = _table(
    "budget_holds",
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("company", sa.Text, nullable=False),
    sa.Column("at", UtcTime, nullable=False),
    sa.Index("budget_holds_of_company", "company"),
)
