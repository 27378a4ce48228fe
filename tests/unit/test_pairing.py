"""Pairing codes: how they look, how they are typed, how long and how often they work."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from nanoclaw.admission.pairing import Guessing, new_code, tidy_code
from nanoclaw.durable import pairings
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, open_store

pytestmark = pytest.mark.capability("P5")


def test_a_code_has_no_letter_that_looks_like_another() -> None:
    codes = {new_code() for _ in range(500)}
    assert len(codes) == 500
    assert not set("".join(codes)) & set("01OILoil")
    assert {len(code) for code in codes} == {8}


@pytest.mark.parametrize("typed", ["abcd2345", " ABCD 2345 ", "abcd-2345", "AB CD\n23 45", "ABCD2345 please"])
def test_a_code_is_understood_however_it_is_typed(typed: str) -> None:
    assert tidy_code(typed) == "ABCD2345"


def test_after_five_wrong_codes_an_hour_must_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = 1000.0
    monkeypatch.setattr("nanoclaw.admission.pairing.time.monotonic", lambda: clock)
    guessing = Guessing()
    for _ in range(5):
        assert guessing.may_try("telegram:1")
        guessing.was_wrong("telegram:1")
    assert not guessing.may_try("telegram:1")
    assert guessing.may_try("telegram:2")
    clock += 3601
    assert guessing.may_try("telegram:1")


class TestRows:
    @pytest.fixture
    async def store(self, database_url: str) -> AsyncIterator[Store]:
        store = open_store(database_url)
        yield store
        store.close()

    async def test_a_code_works_once_and_for_the_first_who_sends_it(self, store: Store) -> None:
        await store.write(lambda tx: pairings.issue(tx, "ABCD2345", now() + timedelta(hours=1)))
        assert not await store.write(lambda tx: pairings.redeem(tx, "WRONG234", "telegram:1", now()))
        assert await store.write(lambda tx: pairings.redeem(tx, "ABCD2345", "telegram:1", now()))
        assert not await store.write(lambda tx: pairings.redeem(tx, "ABCD2345", "telegram:2", now()))

    async def test_a_code_ends_with_its_time(self, store: Store) -> None:
        await store.write(lambda tx: pairings.issue(tx, "ABCD2345", now() + timedelta(hours=1)))
        later = now() + timedelta(hours=1, seconds=1)
        assert not await store.write(lambda tx: pairings.redeem(tx, "ABCD2345", "telegram:1", later))

    async def test_a_new_code_takes_the_worth_of_the_old_one(self, store: Store) -> None:
        await store.write(lambda tx: pairings.issue(tx, "ABCD2345", now() + timedelta(hours=1)))
        await store.write(lambda tx: pairings.issue(tx, "EFGH6789", now() + timedelta(hours=1)))
        assert not await store.write(lambda tx: pairings.redeem(tx, "ABCD2345", "telegram:1", now()))
        assert await store.write(lambda tx: pairings.redeem(tx, "EFGH6789", "telegram:1", now()))

    async def test_the_code_itself_is_not_in_the_database(self, store: Store) -> None:
        await store.write(lambda tx: pairings.issue(tx, "ABCD2345", now() + timedelta(hours=1)))
        kept = await store.read(lambda tx: str(tx.exec_driver_sql("SELECT * FROM pairings").all()))
        assert "ABCD2345" not in kept
