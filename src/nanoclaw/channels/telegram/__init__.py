"""Telegram: updates are fetched and stored, answers grow in one message, and Telegram's limits are kept."""
