"""Telegram as bots and people meet it: a small server on loopback, strict where the real one is strict."""
