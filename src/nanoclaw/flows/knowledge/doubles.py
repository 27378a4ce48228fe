"""Entries that say the same: one is never stored twice, and forgetting one forgets them all."""

from collections.abc import Iterator
from itertools import chain

from nanoclaw.domain.memory import Entry, EntryKind, EntryState, Trust
from nanoclaw.durable import memory_changes
from nanoclaw.durable.memory_changes import Action, ChangeState
from nanoclaw.durable.memory_words import scope_of
from nanoclaw.durable.store import Tx
from nanoclaw.flows.knowledge.lines import SaidEntry, pending_entry
from nanoclaw.memory import index
from nanoclaw.memory.analyser import analyse
from nanoclaw.memory.sections import LEAST_WORDS, plain
from nanoclaw.memory.sources import StoredEntries

_LOOKED_AT = 2000  # the newest entries that have the rarest of the words
_TRUST = (Trust.HEARSAY, Trust.MEMBER, Trust.OWNER)  # the least first


def known_already(tx: Tx, company: str, said: SaidEntry, trust: Trust) -> str | None:
    """The id of an entry that says this already and counts for as much, from somebody who is believed as much."""
    if said.replaces or said.contradicts:
        return None
    kind = said.kind if trust.is_trusted or said.kind is not EntryKind.DECISION else EntryKind.FACT
    like = (kind, said.is_public, said.expires, kind is EntryKind.DECISION and said.is_binding)
    waiting = (
        pending_entry(change)
        for change in memory_changes.unwritten(tx, company)
        if change.action is Action.ADD and change.state is ChangeState.WAITING
    )
    words = plain(said.text)
    for entry in chain(waiting, _with_words_of(tx, company, kind, said.text)):
        is_like = (entry.kind, entry.is_public, entry.expires, entry.is_binding) == like
        is_believed = _TRUST.index(entry.trust) >= _TRUST.index(trust)
        if is_like and is_believed and plain(entry.text) == words:
            return entry.id
    return None


def forgotten_with(tx: Tx, entry: Entry) -> list[str]:
    """The entries that go with this one: those that say exactly the same, and lines of activity that quote it."""
    words = plain(entry.text)
    found = [
        each.id
        for each in _with_words_of(tx, entry.company, entry.kind, entry.text)
        if each.id != entry.id and plain(each.text) == words
    ]
    if entry.kind is not EntryKind.ACTIVITY and len(words) >= LEAST_WORDS:
        quoting = _with_words_of(tx, entry.company, EntryKind.ACTIVITY, entry.text)
        found += [each.id for each in quoting if words in plain(each.text)]
    return found


def _with_words_of(tx: Tx, company: str, kind: EntryKind, text: str) -> Iterator[Entry]:
    """Live entries of this kind that may say the same."""
    entries = StoredEntries(tx, scope_of(company, kind))
    terms = analyse(text)
    counts = entries.counts(terms)
    if not terms or any(term not in counts for term in terms):
        return
    rarest = min(terms, key=counts.__getitem__)
    numbers = entries.numbers([rarest], most=_LOOKED_AT)
    for entry in index.by_number(tx, numbers).values():
        if entry.company == company and entry.kind is kind and entry.state is EntryState.LIVE:
            yield entry
