"""The tables of what people steer before and while an agent works: plans, and live sessions."""

import sqlalchemy as sa

from nanoclaw.durable.columns import UtcTime, partial_index
from nanoclaw.durable.columns import table as _table

# Questions with buttons before the work begins: for one person, in one chat and thread.
plans = _table(
    "plans",
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("company", sa.Text, nullable=False),
    sa.Column("agent_group", sa.Text, nullable=False),
    sa.Column("chat_id", sa.Text, sa.ForeignKey("chats.id"), nullable=False),
    sa.Column("thread", sa.Text),
    sa.Column("person_id", sa.Text, sa.ForeignKey("people.id"), nullable=False),
    # offered, generating, collecting, confirming, executing, done, cancelled
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("task", sa.Text, nullable=False),
    sa.Column("goal", sa.Text, nullable=False),
    sa.Column("description", sa.Text, nullable=False),
    # Of all rounds, in order, each with its round; answers have the same positions, null if there is none yet.
    sa.Column("questions", sa.JSON, nullable=False),
    sa.Column("answers", sa.JSON, nullable=False),
    sa.Column("current", sa.Integer, nullable=False),
    sa.Column("round", sa.Integer, nullable=False),
    # person (`/plan`) or agent (its answer was the questions)
    sa.Column("source", sa.Text, nullable=False),
    # The message that started it, and the one that gave the agent the answers.
    sa.Column("message_id", sa.Text),
    sa.Column("started_id", sa.Text),
    # The card that can be pressed now.
    sa.Column("parcel_id", sa.Text),
    # Path of the plan's file, below the files of the group.
    sa.Column("path", sa.Text),
    # For the model: what was wrong with the last round.
    sa.Column("note", sa.Text),
    sa.Column("language", sa.Text, nullable=False),
    sa.Column("created_at", UtcTime, nullable=False),
    sa.Column("updated_at", UtcTime, nullable=False),
    # It was left alone for a day; it can be taken up again.
    sa.Column("rested_at", UtcTime),
    sa.Column("ended_at", UtcTime),
    # Why it ended without an agent, or why there are no questions.
    sa.Column("reason", sa.Text),
)
_OPEN_PLAN = plans.c.ended_at.is_(None)
partial_index("plans_open", plans.c.chat_id, plans.c.person_id, where=_OPEN_PLAN)

# The working part of an interactive session: the conversation in which a person works with an agent.
live_sessions = _table(
    "live_sessions",
    sa.Column("question_id", sa.Text, sa.ForeignKey("human_interactions.id"), primary_key=True),
    # Once someone opened it: its conversation, and its room.
    sa.Column("session_id", sa.Text),
    sa.Column("chat_id", sa.Text),
    # The terminal's runtime, once there was one.
    sa.Column("runtime", sa.Text),
    sa.Column("opened_at", UtcTime),
    # The handle of the person who opened it first.
    sa.Column("opened_by", sa.Text),
    # The host on which its terminal runs, and who may type there.
    sa.Column("host", sa.Text),
    sa.Column("typist", sa.Text),
    # What people said in passing; it fills in the form of the conclusion, and decides nothing.
    sa.Column("prefill", sa.JSON(none_as_null=True)),
    # Conclusions that did not fit the schema.
    sa.Column("attempts", sa.Integer, nullable=False),
    # Since then time is up: a minute is left to conclude.
    sa.Column("warned_at", UtcTime),
    sa.Column("ended_at", UtcTime),
    sa.Index("live_sessions_of_chat", "chat_id"),
)
