"""The real analyser, index and ranking over lines of your own, to measure what a question finds."""

from collections.abc import Callable, Hashable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Generic, TypeVar
from weakref import finalize

from nanoclaw.domain.memory import Entry, EntryFilter, EntryKind
from nanoclaw.durable.store import Store, open_store
from nanoclaw.memory import index, search
from nanoclaw.memory.dates import moment_of
from nanoclaw.memory.expansion import query_terms
from nanoclaw.testing.database import made_database

Id = TypeVar("Id", bound=Hashable)
_COMPANY = "measured"
_UNKNOWN = datetime(2000, 1, 1, tzinfo=UTC)


class MemoryIndex(Generic[Id]):
    """Called with a question: the ids of the lines that fit it, the best first."""

    def __init__(self, facts: Sequence[tuple[Id, str, str]]) -> None:
        folder = TemporaryDirectory(prefix="nanoclaw-memory-")
        store = open_store(made_database(Path(folder.name) / "store.db"))
        entries = _entries(facts)
        with store.engine.begin() as tx:
            index.put(tx, entries)
        self._ids = [each[0] for each in facts]
        self._at = max((entry.at for entry in entries), default=_UNKNOWN)
        self._tx = store.engine.connect()
        self.close: Callable[[], object] = finalize(self, _close, self._tx.close, store, folder)

    def __call__(self, question: str, limit: int = 20) -> list[Id]:
        terms = query_terms(question)
        hits = search.find(self._tx, _COMPANY, question, terms, EntryFilter(), self._at, limit=limit)
        return [self._ids[int(hit.entry.id)] for hit in hits]


def memory_index(facts: Sequence[tuple[Id, str, str]]) -> MemoryIndex[Id]:
    """Index lines (id, text, when) in the order in which they were said; `when` is free text, such as `1:56
    pm on 8 May, 2023`. The result is called with a question and a limit. The database is temporary: it
    goes when the index does, or with the process.
    """
    return MemoryIndex(facts)


def _entries(facts: Sequence[tuple[Id, str, str]]) -> list[Entry]:
    found: list[Entry] = []
    at, said = _UNKNOWN, None
    for number, (_, text, when) in enumerate(facts):
        if when != said:  # another conversation, even where nobody can tell when it was
            at, said = moment_of(when or "") or at + timedelta(hours=2), when
        spoken = str(at)
        found.append(
            Entry(company=_COMPANY, id=str(number), kind=EntryKind.FACT, text=text, at=at, chat_id=spoken)
        )
    return found


def _close(disconnect: Callable[[], None], store: Store, folder: TemporaryDirectory[str]) -> None:
    disconnect()
    store.close()
    folder.cleanup()
