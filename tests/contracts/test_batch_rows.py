"""What is looked up about batches, on both databases: their numbers, the lengths of their texts, and the money left."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from nanoclaw.domain.batches import Batch, BatchItem, BatchStatus, ItemState
from nanoclaw.domain.budgets import Budget, BudgetLimits
from nanoclaw.domain.ids import HostId, PersonId
from nanoclaw.domain.money import MICROS, Spender
from nanoclaw.durable import batch_history, batch_numbers, batches, budgets, costs, money_left, people
from nanoclaw.durable.clock import now
from nanoclaw.durable.costs import NO_HOST, Cost
from nanoclaw.durable.store import Store, Tx, open_store

pytestmark = pytest.mark.capability("I1")


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    store = open_store(database_url, timeout=60)  # however busy the machine is
    yield store
    store.close()


def _batch(tx: Tx, batch_id: str, **values: object) -> Batch:
    chat = people.chat_at(tx, "web", "x") or people.add_chat(
        tx, channel="web", address="x", title="x", at=now()
    )
    batch = Batch(
        id=batch_id,
        status=BatchStatus.DONE,
        company="acme",
        group="main",
        chat_id=chat.id,
        started_by=PersonId("p"),
        language="en",
        subject="posts",
        skill="poster",
        model="m",
        channel="",
        items=3,
        max_tokens=100,
        created_at=now(),
        ended_at=now(),
    )
    batches.add(tx, replace(batch, **values))  # type: ignore[arg-type]
    return replace(batch, **values)  # type: ignore[arg-type]


async def test_a_batch_keeps_its_number_in_its_group(store: Store) -> None:
    def story(tx: Tx) -> list[object]:
        first, other = _batch(tx, "b_1"), _batch(tx, "b_2", group="sales")
        third = _batch(tx, "b_3")
        found = [batch_numbers.number_of(tx, each) for each in (first, other, third)]
        named = [batch_numbers.numbered(tx, "main", number) for number in (1, 2, 3, 0)]
        return [*found, *(each and each.id for each in named)]

    assert await store.write(story) == [1, 1, 2, "b_1", "b_3", None, None]


async def test_lengths_are_those_of_written_texts_of_the_same_skill_and_language(store: Store) -> None:
    def story(tx: Tx) -> tuple[list[int], int, int]:
        batch = _batch(tx, "b_1")
        item = BatchItem(batch_id="b_1", number=1, topic="t", state=ItemState.SUCCEEDED, text="їжа")
        items = [item, replace(item, number=2, text="x" * 10), replace(item, number=3, text="x" * 7)]
        batches.add_items(tx, batch.id, [*items, replace(item, number=4, state=ItemState.ERRORED, text="")])
        batches.add_items(tx, batch.id, items)  # again: nothing changes
        _batch(tx, "b_2", language="uk")
        batches.add_items(tx, "b_2", [replace(item, batch_id="b_2", text="x" * 50)])
        found = batch_history.lengths(tx, "acme", "poster", "en")
        return found, batch_history.usual_length(tx, "b_1"), batch_history.usual_length(tx, "none")

    assert await store.write(story) == ([3, 7, 10], 7, 0)


async def test_any_number_of_texts_is_looked_up_and_sent_again(store: Store) -> None:
    numbers = list(range(70_000, 0, -1))

    def story(tx: Tx) -> list[tuple[int, str, int]]:
        batch = _batch(tx, "b_1")
        failed = BatchItem(batch_id="b_1", number=1, topic="t", state=ItemState.ERRORED)
        batches.add_items(tx, batch.id, [replace(failed, number=number) for number in (1, 2, 69_999)])
        batches.send_again(tx, batch.id, numbers)
        found = batches.items_numbered(tx, batch.id, numbers)
        return [(item.number, item.state.value, item.attempt) for item in found]

    assert await store.write(story) == [(number, "waiting", 2) for number in (1, 2, 69_999)]


async def test_the_worse_of_day_and_month_is_what_is_left(store: Store) -> None:
    at = now()
    spender = Spender(company="acme", group="main", session_id="", turn_id="", runtime="x")
    old = at - timedelta(days=40)

    def story(tx: Tx) -> list[int | None]:
        for name, when, micros in (("u_1", at, 2 * MICROS), ("u_2", old, 50 * MICROS)):
            costs.reserve(
                tx, Cost(id=name, at=when, spender=spender, model="m", host=HostId("h"), micros=micros)
            )
        batch = Cost(id="u_3", at=old, spender=spender, model="m", host=NO_HOST, micros=MICROS, batch=True)
        costs.reserve(tx, batch)  # it is still on its way, and is paid for when its results come
        limits = BudgetLimits(day=6 * MICROS, month=5 * MICROS)
        before = money_left.left(tx, "acme", Budget(limits=limits), at)
        budgets.add_override(tx, "acme", budgets.Addition(MICROS), "owner", at)
        budget = Budget(limits=limits)
        return [before, money_left.left(tx, "acme", budget, at), money_left.left(tx, "acme", Budget(), at)]

    assert await store.write(story) == [2 * MICROS, 3 * MICROS, None]
