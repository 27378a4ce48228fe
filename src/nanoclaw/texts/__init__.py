"""Every sentence that a person reads, in Ukrainian and English, from one catalogue."""

from nanoclaw.texts.catalogue import LANGUAGES, entries, language_of, say, tell

__all__ = ["LANGUAGES", "entries", "language_of", "say", "tell"]
