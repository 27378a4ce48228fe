"""Whether a new decision contradicts one that binds: agents follow what is decided, and people are asked before it
changes."""

from nanoclaw.domain.memory import Entry, EntryState
from nanoclaw.durable import memory_entries
from nanoclaw.durable.memory_changes import Change
from nanoclaw.durable.store import Tx


def contradicted(tx: Tx, change: Change) -> Entry | None:
    """The newest binding decision of the same domain that affects the same, or the one that whoever wrote this named.

    One that says what it replaces, or about which people have decided, contradicts nothing.
    """
    body = change.body or {}
    if body.get("supersedes") or (change.reason or {}).get("decided"):
        return None
    if (named := body.get("contradicts")) and (old := _binding(tx, change.company, str(named))):
        return old
    domain, affects = str(body.get("domain") or ""), _plain(body.get("affects") or ())
    if not domain or not affects:
        return None
    words = _words(str(body.get("decision", "")))
    for old in memory_entries.binding(tx, change.company, domain):
        if _plain(old.related) & affects and _words(old.text) != words:
            return old
    return None


def _binding(tx: Tx, company: str, entry_id: str) -> Entry | None:
    old = memory_entries.get(tx, company, entry_id)
    return old if old and old.is_binding and old.state is EntryState.LIVE else None


def _plain(words: object) -> set[str]:
    found = words if isinstance(words, list | tuple) else ()
    return {" ".join(str(each).casefold().replace("_", " ").split()) for each in found}


def _words(text: str) -> list[str]:
    return text.casefold().split()
