"""The tables of batches: a batch, the parts in which it goes to a vendor, and its items, one per text."""

import sqlalchemy as sa

from nanoclaw.durable.columns import UtcTime
from nanoclaw.durable.columns import table as _table

batches = _table(
    "batches",
    sa.Column("id", sa.Text, primary_key=True),
    # asked, preparing, waiting, running, checking, ready, done, failed, cancelled
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("company", sa.Text, nullable=False),
    sa.Column("agent_group", sa.Text, nullable=False),
    sa.Column("chat_id", sa.Text, sa.ForeignKey("chats.id"), nullable=False),
    sa.Column("thread", sa.Text),
    sa.Column("started_by", sa.Text, nullable=False),
    sa.Column("message_id", sa.Text),
    sa.Column("language", sa.Text, nullable=False),
    # What is wanted, in the person's words: "posts for Telegram".
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("skill", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    # The channel whose rules its texts keep.
    sa.Column("channel", sa.Text, nullable=False),
    sa.Column("items", sa.Integer, nullable=False),
    # The lowest grade of a model that is good enough, 1 to 10; null: no grading.
    sa.Column("least_grade", sa.Integer),
    sa.Column("estimate", sa.JSON(none_as_null=True)),
    # The longest answer of an item, in tokens.
    sa.Column("max_tokens", sa.Integer, nullable=False),
    # The row of `costs` that holds the money for items without a result.
    sa.Column("cost_id", sa.Text),
    sa.Column("question_id", sa.Text),
    # The message that shows how far it is.
    sa.Column("parcel_id", sa.Text),
    sa.Column("why", sa.JSON(none_as_null=True)),
    # Who cancelled it: what is done stays, and the rest is called back.
    sa.Column("cancelled_by", sa.Text),
    # When its texts are delivered, and how many have their task already.
    sa.Column("plan", sa.JSON(none_as_null=True)),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("started_at", UtcTime),
    sa.Column("ended_at", UtcTime),
    # Where it came from: a repeat after a crash, or a second press, finds its row.
    sa.Column("origin", sa.Text, unique=True),
    sa.Index("batches_of_company", "company", "id"),
    sa.Index("batches_of_chat", "chat_id", "id"),
    sa.Index("batches_open", "status", "id"),
)

batch_parts = _table(
    "batch_parts",
    sa.Column("batch_id", sa.Text, sa.ForeignKey("batches.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    # new, ready (its money is set aside), sending (the request may have arrived), unclear (a person decides), sent,
    # ended, cancelled
    sa.Column("state", sa.Text, nullable=False),
    # The vendor's own id for it.
    sa.Column("vendor_id", sa.Text),
    sa.Column("first_item", sa.Integer, nullable=False),
    sa.Column("last_item", sa.Integer, nullable=False),
    # How many results were taken in. An interrupted read continues from the rows, not from here.
    sa.Column("done", sa.Integer, nullable=False),
    sa.Column("why", sa.JSON(none_as_null=True)),
    sa.Column("sent_at", UtcTime),
    sa.Column("expires_at", UtcTime),
    sa.Column("ended_at", UtcTime),
)

batch_items = _table(
    "batch_items",
    sa.Column("batch_id", sa.Text, sa.ForeignKey("batches.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    # waiting, sent, succeeded, errored, expired, canceled
    sa.Column("state", sa.Text, nullable=False),
    # How often it was sent; part of its custom id, so that an older answer is not taken for a newer one.
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("topic", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("error", sa.Text),
    # What the check found, as keys and values.
    sa.Column("faults", sa.JSON, nullable=False),
    sa.Column("grade", sa.Integer),
    # open, approved, rejected
    sa.Column("verdict", sa.Text, nullable=False),
    sa.Column("decided_by", sa.Text),
    # The task that delivers it.
    sa.Column("task_id", sa.Integer),
    sa.Column("micros", sa.BigInteger, nullable=False),
    # A person's wish for a text that is rewritten.
    sa.Column("note", sa.Text),
    # The part in which it was last sent.
    sa.Column("part", sa.Integer),
    # What is set aside for it: the reserved row of the batch is the sum of these.
    sa.Column("reserved_micros", sa.BigInteger, nullable=False),
    sa.Index("batch_items_in_state", "batch_id", "state", "number"),
)
