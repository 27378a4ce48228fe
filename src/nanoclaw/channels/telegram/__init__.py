"""Telegram: updates are fetched and stored, answers grow in one message, and Telegram's limits are kept."""

import os

# Durations as timedelta, as in the library's next version; without this each one is a warning.
os.environ.setdefault("PTB_TIMEDELTA", "1")
