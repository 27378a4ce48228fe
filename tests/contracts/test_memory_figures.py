"""How much a company remembers, and where an entry was used, is read the same from both databases."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from nanoclaw.domain.memory import Entry, EntryFilter, EntryKind, EntryState, Trust
from nanoclaw.durable import memory_figures, memory_uses
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.memory import index

pytestmark = pytest.mark.capability("G7")

AT = datetime(2026, 3, 1, tzinfo=UTC)
FACT = Entry(
    company="acme",
    id="fact_1",
    kind=EntryKind.FACT,
    text="We ship on Fridays",
    at=AT,
    file="memory/facts.jsonl",
)
ENTRIES = (
    FACT,
    replace(FACT, id="fact_2", text="They say it rains", trust=Trust.HEARSAY, at=AT + timedelta(days=1)),
    replace(FACT, id="fact_3", text="We open at nine", is_public=True, topic="Години роботи"),
    replace(FACT, id="dec_1", kind=EntryKind.DECISION, text="No capsules", source="telegram:7"),
    replace(FACT, id="act_1", kind=EntryKind.ACTIVITY, text="A run", file="memory/CLAUDE.md"),
    replace(FACT, id="product/pricing#1", kind=EntryKind.CONTEXT, text="Prices", file="context/pricing.md"),
    replace(FACT, company="other", id="fact_1", text="Not ours"),
)


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    store = open_store(database_url)

    def fill(tx: Tx) -> None:
        index.put(tx, ENTRIES)
        index.set_states(tx, "acme", {"fact_3": (EntryState.SUPERSEDED, "fact_1")})

    await store.write(fill)
    yield store
    store.close()


async def test_entries_are_counted_by_kind_and_state_without_passages_and_other_companies(
    store: Store,
) -> None:
    found = await store.read(lambda tx: memory_figures.totals(tx, "acme"))
    assert found.counts == {
        (EntryKind.FACT, EntryState.LIVE): 2,
        (EntryKind.FACT, EntryState.SUPERSEDED): 1,
        (EntryKind.DECISION, EntryState.LIVE): 1,
        (EntryKind.ACTIVITY, EntryState.LIVE): 1,
    }
    assert (found.hearsay, found.public, found.waiting, found.quarantined) == (1, 0, 0, 0)
    assert (found.oldest, found.newest) == (AT, AT + timedelta(days=1))
    live = await store.read(lambda tx: memory_figures.live_counts(tx, "acme", 100))
    assert live == {EntryKind.FACT: 2, EntryKind.DECISION: 1, EntryKind.ACTIVITY: 1}
    assert sum((await store.read(lambda tx: memory_figures.live_counts(tx, "acme", 2))).values()) == 2
    lines = await store.read(lambda tx: memory_figures.ids_in_lines(tx, "acme"))
    assert sorted(lines) == ["dec_1", "fact_1", "fact_2", "fact_3"]
    nothing = await store.read(lambda tx: memory_figures.totals(tx, "nowhere"))
    assert (nothing.counts, nothing.oldest) == ({}, None)


async def test_a_topic_is_found_by_a_part_and_a_source_with_all_its_bots(store: Store) -> None:
    async def ids(**wanted: object) -> list[str]:
        chosen = EntryFilter(with_past=True, **wanted)  # type: ignore[arg-type]
        found = await store.read(lambda tx: index.latest(tx, "acme", chosen, AT, limit=9))
        return sorted(each.id for each in found)

    assert await ids(topic="роботи") == ["fact_3"]
    assert await ids(topic="Години") == ["fact_3"]
    assert await ids(source="Telegram") == ["dec_1"]
    assert await ids(source="telegram:7") == ["dec_1"]
    assert await ids(source="tele") == []


async def test_where_an_entry_was_used_can_be_asked_of_both(store: Store) -> None:
    await store.write(lambda tx: memory_uses.put(tx, "t_of_nobody", "acme", ["fact_1"]))
    # A turn that is gone is counted, and not shown.
    assert await store.read(lambda tx: memory_figures.uses_of(tx, "acme", "fact_1", 5)) == []
    assert await store.read(lambda tx: memory_figures.times_used(tx, "acme", "fact_1")) == 1
