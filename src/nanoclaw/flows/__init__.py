"""Becomes a turn: one story per file, each durable. A story starts another by writing it down."""
