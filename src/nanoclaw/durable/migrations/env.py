"""Alembic's entry point. The connection comes from `durable/schema.py`; there is no other way in."""

from alembic import context

from nanoclaw.durable.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
