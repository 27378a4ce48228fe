"""The index of memory finds the same in both databases."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests import memory_sets

from nanoclaw.domain.memory import Entry, EntryFilter, EntryKind, EntryState, RecallWish, Trust
from nanoclaw.durable import memory_words
from nanoclaw.durable.knowledge_tables import memory_entries
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.memory import index
from nanoclaw.memory.embeddings import Embeddings
from nanoclaw.memory.passages import ContextIndex, passages_of
from nanoclaw.memory.search import MemorySearch, tokens
from nanoclaw.testing import EmbeddingsServer, Fail, Garbage, made_database

AT = datetime.now(UTC) - timedelta(days=30)
FACTS = (
    "The home plan costs 490 hryvnias a month",
    "Ціна офісного тарифу: 1 240 грн на місяць",
    "Oksana went to the pottery class on Saturday",
    "Знижка постійним клієнтам не перевищує 10 %",
    "Delivery to Lviv takes two days by courier",
    "The staging server runs on node_modules of gpt-4",
    "Write to hello@example.com about invoices",
)


def fact(number: int, text: str, **more: object) -> Entry:
    known = Entry(
        company="acme",
        id=f"fact_{number}",
        kind=EntryKind.FACT,
        text=text,
        at=AT + timedelta(hours=5 * number),
    )
    return replace(known, **more)  # type: ignore[arg-type]


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    store = open_store(database_url)
    await store.write(lambda tx: index.put(tx, [fact(number, text) for number, text in enumerate(FACTS)]))
    yield store
    store.close()


async def found(store: Store, text: str, **more: object) -> list[str]:
    hits = await MemorySearch(store).find("acme", text, **more)  # type: ignore[arg-type]
    return [hit.entry.id for hit in hits]


@pytest.mark.capability("G3")
@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What is the price for homes?", 0),
        ("скільки коштує домашній план?", 0),
        ("ціною офісних тарифів", 1),
        ("1,240", 1),
        ("$490", 0),
        ("Did Oksana go to pottery classes?", 2),
        ("What discount do regular customers get?", 3),
        ("доставка до Львова", 4),
        ("GPT4", 5),
        ("node modules", 5),
        ("hello@example.com", 6),
    ],
)
async def test_word_forms_numbers_and_both_languages_meet(store: Store, question: str, first: int) -> None:
    assert (await found(store, question))[:1] == [f"fact_{first}"]


async def test_a_replaced_entry_is_found_by_its_new_words_alone(store: Store) -> None:
    await store.write(lambda tx: index.put(tx, [fact(4, "Shipping to Lviv takes a week")]))
    assert "fact_4" not in await found(store, "two days")
    assert (await found(store, "week"))[0] == "fact_4"
    assert await store.read(lambda tx: index.size(tx, "acme")) == len(FACTS)


async def test_what_is_past_is_not_found(store: Store) -> None:
    yesterday = datetime.now(UTC) - timedelta(days=1)
    await store.write(lambda tx: index.put(tx, [fact(0, FACTS[0], expires=yesterday)]))
    states = {"fact_2": (EntryState.SUPERSEDED, "fact_9"), "fact_4": (EntryState.FORGOTTEN, None)}
    await store.write(lambda tx: index.set_states(tx, "acme", states))
    assert await found(store, "hryvnias; pottery; courier; Lviv") == []
    everything = EntryFilter(with_past=True)
    assert set(await found(store, "hryvnias, pottery, Lviv", filter=everything)) == {
        "fact_0",
        "fact_2",
        "fact_4",
    }
    superseded = await store.read(lambda tx: index.get(tx, "acme", "fact_2"))
    assert superseded is not None
    assert superseded.superseded_by == "fact_9"


async def test_another_companys_entries_neither_show_nor_hide(store: Store) -> None:
    crowd = [
        replace(fact(number, "the pottery class"), company="other", id=f"o{number}") for number in range(700)
    ]
    await store.write(lambda tx: index.put(tx, crowd))
    assert await found(store, "pottery class") == ["fact_2"]
    await store.write(lambda tx: index.drop(tx, "other"))
    assert await store.read(lambda tx: memory_words.numbers(tx, "other", ["class"])) == []


async def test_filters_narrow_a_search_and_pages_follow_each_other(store: Store) -> None:
    more = [
        fact(
            20, "Price rumour: 700 a month", trust=Trust.HEARSAY, source="web", person="anna", topic="Pricing"
        ),
        fact(21, "Prices rise in May, a public price list", is_public=True, kind=EntryKind.PREFERENCE),
    ]
    await store.write(lambda tx: index.put(tx, more))
    for wanted, expected in (
        (EntryFilter(trusted=False), {"fact_20"}),
        (EntryFilter(person="anna"), {"fact_20"}),
        (EntryFilter(topic="pricing"), {"fact_20"}),
        (EntryFilter(is_public_only=True), {"fact_21"}),
        (EntryFilter(kinds=(EntryKind.PREFERENCE,)), {"fact_21"}),
        (EntryFilter(since=AT + timedelta(hours=101)), {"fact_21"}),
        (EntryFilter(until=AT + timedelta(hours=1)), {"fact_0"}),
    ):
        assert set(await found(store, "price cost", filter=wanted)) == expected, wanted
    whole = await found(store, "price a month")
    assert len(whole) > 3
    assert [
        *await found(store, "price a month", limit=2),
        *await found(store, "price a month", offset=2),
    ] == whole
    assert (await found(store, ""))[0] == "fact_21"


async def test_what_is_said_twice_is_shown_once(store: Store) -> None:
    await store.write(lambda tx: index.put(tx, [fact(30, f"{FACTS[4]}!"), fact(31, FACTS[4])]))
    assert len(await found(store, "courier to Lviv")) == 1


async def test_what_denies_or_has_other_numbers_is_no_repeat(store: Store) -> None:
    said = (
        "We ship fragile parcels to Poland by road",
        "We don't ship fragile parcels to Poland by road",
        "The green plan costs 490 in the north region",
        "The green plan costs 590 in the north region",
    )
    at = AT + timedelta(days=2)
    far = [fact(50 + number, text, at=at + timedelta(days=number)) for number, text in enumerate(said)]
    await store.write(lambda tx: index.put(tx, far))
    assert set(await found(store, "fragile parcels Poland")) == {"fact_50", "fact_51"}
    assert {"fact_52", "fact_53"} <= set(await found(store, "green plan of the north region"))


async def test_an_answer_is_found_by_the_question_before_it(store: Store) -> None:
    at = AT + timedelta(days=5)
    talk = [
        fact(40, "Anna: Which roaster shall we order, the small one?", at=at, chat_id="k1"),
        fact(41, "Bohdan: Yes, the Probat.", at=at + timedelta(minutes=1), chat_id="k1"),
        fact(42, "Bohdan: Good night.", at=at + timedelta(hours=9), chat_id="k1"),
    ]
    await store.write(lambda tx: index.put(tx, talk))
    assert await found(store, "small roaster") == ["fact_40", "fact_41"]


async def test_what_the_conversation_spoke_of_helps(store: Store) -> None:
    assert "fact_4" not in await found(store, "how much time does it need?")
    assert (await found(store, "how many days?", near=("We spoke of the courier to Lviv",)))[0] == "fact_4"


@pytest.mark.capability("G7")
async def test_a_turn_gets_facts_and_the_last_ten_decisions_within_their_limits(store: Store) -> None:
    decided = [
        fact(
            100 + number,
            f"Decision {number}: price {number}",
            kind=EntryKind.DECISION,
            is_binding=number != 7,
        )
        for number in range(15)
    ]
    long = [fact(200 + number, f"price {number} " + "lorem ipsum " * 60) for number in range(40)]
    await store.write(lambda tx: index.put(tx, [*decided, *long]))
    wish = RecallWish(company="acme", text="price")
    recalled = await MemorySearch(store).recall(wish)
    assert [entry.id for entry in recalled.decisions] == [
        f"fact_{100 + number}" for number in range(14, 3, -1) if number != 7
    ]
    assert 0 < len(recalled.facts) <= 20
    assert sum(tokens(entry.text) for entry in recalled.facts) <= 1500
    assert not {entry.id for entry in recalled.facts} & {entry.id for entry in recalled.decisions}
    nothing = await MemorySearch(store).recall(replace(wish, wants_memory=False))
    assert nothing.ids == ()
    public = await MemorySearch(store).recall(replace(wish, is_public_only=True))
    assert public.ids == ()


@pytest.mark.capability("G3")
async def test_a_turn_sees_every_change_of_a_memory_that_the_host_keeps(store: Store) -> None:
    search = MemorySearch(store)

    async def told(text: str, **wanted: object) -> list[str]:
        recalled = await search.recall(replace(RecallWish(company="acme", text=text), **wanted))  # type: ignore[arg-type]
        return [entry.text for entry in (*recalled.decisions, *recalled.facts)]

    async def put(*entries: Entry) -> None:
        await store.write(lambda tx: index.put(tx, entries))

    assert await told("how long does the courier take to Lviv?") == [FACTS[4]]
    await put(
        fact(4, "The courier to Lviv takes three days", is_public=True), fact(8, "A kiln for the courier")
    )
    assert set(await told("courier")) == {"The courier to Lviv takes three days", "A kiln for the courier"}
    assert await told("courier", is_public_only=True) == ["The courier to Lviv takes three days"]
    await store.write(lambda tx: index.set_states(tx, "acme", {"fact_4": (EntryState.FORGOTTEN, None)}))
    assert await told("courier") == ["A kiln for the courier"]
    await store.write(lambda tx: index.drop(tx, "acme", ids=["fact_8"]))
    await put(
        fact(9, "The courier is late", expires=AT), fact(10, "Couriers are paid weekly")
    )  # has its number again
    assert await told("courier") == ["Couriers are paid weekly"]
    await put(fact(11, "We decided for trains", kind=EntryKind.DECISION, is_binding=True))
    await put(fact(12, "Worked on the courier", kind=EntryKind.ACTIVITY))
    assert await told("courier") == [
        "We decided for trains",
        "Couriers are paid weekly",
        "Worked on the courier",
    ]
    await put(
        *(fact(20 + number, f"parcel {number} of a courier") for number in range(2500))
    )  # too many to keep
    await store.write(lambda tx: index.drop(tx, "acme", ids=["fact_10"]))
    assert "Couriers are paid weekly" not in await told("courier paid weekly")


async def test_a_kept_memory_answers_like_the_database(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(database_url)
    lines = memory_sets.facts(("company",))
    entries = [fact(number, text) for number, (_, text, _) in enumerate(lines)]
    await store.write(lambda tx: index.put(tx, entries))
    wishes = [
        RecallWish(company="acme", text=each.text) for each in memory_sets.questions(("company.questions",))
    ]
    kept = [await MemorySearch(store).recall(wish) for wish in wishes]
    monkeypatch.setattr("nanoclaw.memory.kept.MOST", 0)
    assert kept == [await MemorySearch(store).recall(wish) for wish in wishes]
    assert sum(bool(each.facts) for each in kept) > 0.9 * len(kept)
    store.close()


async def test_passages_of_the_context_are_found_whatever_else_is_known(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "companies/acme/context/product/pricing.md"
    file.parent.mkdir(parents=True)
    file.write_text(
        "# Pricing\n\nIntro.\n\n## Refunds\n\nMoney back within 14 days.\n\n## Shipping\n\nEUR 2.50.\n"
    )
    await store.write(
        lambda tx: index.put(tx, [fact(number, f"refund {number}") for number in range(300, 900)])
    )
    context = ContextIndex(tmp_path, store)
    await context.refresh("acme")
    wish = RecallWish(company="acme", text="how do refunds work?", passages_of=("product/pricing",))
    [passage] = (await MemorySearch(store).recall(wish)).passages
    assert (passage.id, passage.topic) == ("product/pricing#2", "Pricing > Refunds")
    file.write_text("# Pricing\n\nNothing is refunded.\n")
    await context.refresh("acme")
    [passage] = (await MemorySearch(store).recall(wish)).passages
    assert passage.text == "Nothing is refunded."
    file.unlink()
    await context.refresh("acme")
    assert (await MemorySearch(store).recall(wish)).passages == ()


def test_a_long_context_file_becomes_passages_of_bearable_length() -> None:
    text = "# One\n\n" + "A sentence that is repeated. " * 200 + "\n\n```\n# no heading\n```\n\n" + "x" * 5000
    passages = passages_of("acme", "company/team", text, AT)
    assert all(len(each.text) <= 1200 for each in passages)
    assert {each.topic for each in passages} == {"One"}


async def test_words_are_filled_anew_after_a_copy(store: Store) -> None:
    def wipe_and_fill(tx: Tx) -> None:
        memory_words.clear(tx)
        memory_words.fill(tx)

    before = await found(store, "price of a month")
    await store.write(memory_words.clear)
    assert await found(store, "price of a month") == []
    await store.write(wipe_and_fill)
    assert await found(store, "price of a month") == before
    await store.write(lambda tx: index.drop(tx, "acme"))
    assert await store.read(lambda tx: tx.execute(memory_entries.select()).all()) == []
    assert await store.read(lambda tx: index.size(tx, "acme")) == 0


async def test_a_fact_of_fifty_thousand_characters_is_found(store: Store) -> None:
    long = " ".join(f"word{number}" for number in range(6000))
    await store.write(lambda tx: index.put(tx, [fact(50, long)]))
    assert await found(store, "word4000") == ["fact_50"]


async def test_meaning_reorders_what_words_have_found(store: Store) -> None:
    talk = [
        fact(60, "Our hound needs a new kennel", at=AT + timedelta(days=9)),
        fact(61, "A new office printer is needed", at=AT + timedelta(days=10)),
        fact(62, "New: hounds may come along", at=AT + timedelta(days=8)),
    ]
    await store.write(lambda tx: index.put(tx, talk))
    async with EmbeddingsServer(["dog", "hound"], ["printer"]) as server:
        embed = Embeddings(store, server.url, server.model)
        search = MemorySearch(store, embed)

        async def first(question: str) -> str:
            return (await search.find("acme", question))[0].entry.id

        assert await first("Is something new needed for the dog?") == "fact_61"  # no vectors yet: by words
        await embed.settled()
        assert await first("Is something new needed for the dog?") in {"fact_60", "fact_62"}
        before = server.requests
        assert await first("Is something new needed for the dog?") != "fact_61"
        assert server.requests == before  # everything is known

        await store.write(
            lambda tx: index.put(tx, [fact(60, "A new cat is needed", at=AT + timedelta(days=9))])
        )
        await search.find("acme", "something new for the dog")
        await embed.settled()
        assert "A new cat is needed" in server.texts
        await embed.close()


@pytest.mark.parametrize("trouble", [Fail(500, "down"), Garbage()])
async def test_words_alone_do_where_embeddings_fail(store: Store, trouble: Fail | Garbage) -> None:
    async with EmbeddingsServer(["dog"]) as server:
        server.answers.append(trouble)
        search = MemorySearch(store, Embeddings(store, server.url, server.model))
        assert [hit.entry.id for hit in await search.find("acme", "pottery")] == ["fact_2"]
        assert [hit.entry.id for hit in await search.find("acme", "courier")][:1] == ["fact_4"]
        assert server.requests == 1  # it is left alone for a while


async def test_both_databases_give_the_same_order(postgres_url: str, tmp_path: Path) -> None:
    lines = memory_sets.facts(("company", "uk_talk"))
    entries = [
        fact(number, text, id=entry_id, at=AT + timedelta(minutes=7 * number))
        for number, (entry_id, text, _) in enumerate(lines)
    ]
    orders: list[list[list[str]]] = []
    for url in (made_database(tmp_path / "store.db"), postgres_url):
        store = open_store(url)
        await store.write(lambda tx: index.put(tx, entries))
        asked = memory_sets.questions(("company.questions", "company.cross", "uk_talk.questions"))
        orders.append([await found(store, question.text) for question in asked])
        store.close()
    assert orders[0] == orders[1]
