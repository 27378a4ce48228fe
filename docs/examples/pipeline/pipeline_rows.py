"""The rows of the example: a pipeline, how far it is, and what it waits for."""

from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.ids import ChatId, PersonId, SessionId, new_id
from nanoclaw.durable.store import Tx

pipelines = sa.Table(
    "example_pipelines",
    sa.MetaData(),
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("chat_id", sa.Text, nullable=False),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("session_id", sa.Text),
    sa.Column("step", sa.Integer, nullable=False),  # the one that is done now
    sa.Column("text", sa.Text, nullable=False),  # what the last step made
    sa.Column("seen", sa.Text, nullable=False),  # the newest turn whose answer it has
    sa.Column("status", sa.Text, nullable=False),  # running, done, failed, refused
)


def add(tx: Tx, *, chat_id: ChatId, owner: PersonId, subject: str) -> str:
    new = {"id": new_id("pl"), "chat_id": chat_id, "owner": owner, "text": subject}
    tx.execute(sa.insert(pipelines).values(**new, step=0, seen="", status="running"))
    return new["id"]


def get(tx: Tx, pipeline_id: str) -> Any:
    return tx.execute(sa.select(pipelines).where(pipelines.c.id == pipeline_id)).one()


def mark(tx: Tx, pipeline_id: str, **values: str | int | SessionId) -> Any:
    tx.execute(sa.update(pipelines).where(pipelines.c.id == pipeline_id).values(**values))
    return get(tx, pipeline_id)
