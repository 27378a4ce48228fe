"""What a person allowed: used once where it is for once, in one session, or until it expires or is taken back."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from nanoclaw.domain.ids import new_id
from nanoclaw.durable import permits
from nanoclaw.durable.clock import now
from nanoclaw.durable.permits import Permit, Scope
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.durable.tables import metadata

pytestmark = pytest.mark.capability("E12")

AT = now().replace(microsecond=0)


@pytest.fixture
def stores(database_url: str) -> Iterator[list[Store]]:
    """Two hosts on one database."""
    opened = [open_store(database_url) for _ in range(2)]
    metadata.create_all(opened[0].engine)
    yield opened
    for store in opened:
        store.close()


def a_permit(scope: Scope, **changes: Any) -> Permit:
    made = Permit(
        id=new_id("u"),
        scope=scope,
        agent_group="main",
        session_id="s_1",
        tool="bash",
        arguments_hash="1" * 64,
        rule="bash /git push/",
        shown="command: git push",
        granted_by="telegram:7",
        granted_name="Olena",
        question_id="i_1",
        created_at=AT,
        expires_at=AT + timedelta(days=30) if scope is Scope.ALWAYS else None,
    )
    return replace(made, **changes)


def covering(tx: Tx, **changes: Any) -> str | None:
    call: dict[str, Any] = {
        "group": "main",
        "session_id": "s_1",
        "tool": "bash",
        "arguments_hash": "1" * 64,
        "rule": "bash /git push/",
        "at": AT + timedelta(minutes=1),
    }
    found = permits.covering(tx, **{**call, **changes})
    return found.id if found else None


async def covers(store: Store, *granted: Permit, **call: Any) -> str | None:
    def story(tx: Tx) -> str | None:
        for permit in granted:
            permits.grant(tx, permit)
        return covering(tx, **call)

    return await store.write(story)


async def test_one_for_once_is_used_by_one_of_two_calls_that_race(stores: list[Store]) -> None:
    once = a_permit(Scope.ONCE)
    assert await covers(stores[0], once) == once.id

    def use(tx: Tx) -> bool:
        found = covering(tx)
        return found is not None and permits.use_up(tx, found, AT)

    used = await asyncio.gather(*(store.write(use) for store in stores * 4))
    assert sorted(used) == [*[False] * 7, True]
    assert await stores[0].read(lambda tx: permits.valid(tx, AT)) == []


async def test_it_covers_the_very_same_call_and_no_other(stores: list[Store]) -> None:
    store = stores[0]
    once, always = a_permit(Scope.ONCE), a_permit(Scope.ALWAYS)
    for permit in (once, always):
        assert await covers(store, permit) == permit.id
        for other in (
            {"arguments_hash": "2" * 64},
            {"tool": "write"},
            {"group": "sales"},
            {"rule": "bash /git push/ destructive"},
        ):
            assert await covers(store, **other) is None, other


async def test_one_for_the_session_is_for_no_other_session_and_one_for_always_is(stores: list[Store]) -> None:
    store = stores[0]
    session = a_permit(Scope.SESSION)
    assert await covers(store, session) == session.id
    assert await covers(store) == session.id  # and not used up
    assert await covers(store, session_id="s_2") is None
    always = a_permit(Scope.ALWAYS)
    assert await covers(store, always, session_id="s_2") == always.id


async def test_one_for_a_rule_covers_whatever_the_rule_catches(stores: list[Store]) -> None:
    rule = a_permit(Scope.SESSION, arguments_hash=None)
    assert await covers(stores[0], rule, arguments_hash="2" * 64) == rule.id
    assert await covers(stores[0], arguments_hash="2" * 64, rule="bash /rm/") is None


async def test_the_widest_is_taken_so_that_one_for_once_is_left(stores: list[Store]) -> None:
    once, session, always = (a_permit(scope) for scope in Scope)
    assert await covers(stores[0], once) == once.id
    assert await covers(stores[0], session) == session.id
    assert await covers(stores[0], always) == always.id


async def test_a_fresh_start_takes_back_what_was_for_the_session_and_leaves_the_rest(
    stores: list[Store],
) -> None:
    once, session, always = (a_permit(scope) for scope in Scope)
    other = a_permit(Scope.SESSION, session_id="s_2")
    await covers(stores[0], once, session, always, other)
    await stores[0].write(lambda tx: permits.revoke_session(tx, "s_1", AT))
    left = await stores[0].read(lambda tx: permits.valid(tx, AT))
    assert {each.id for each in left} == {always.id, other.id}


async def test_one_for_always_ends_when_it_expires(stores: list[Store]) -> None:
    always = a_permit(Scope.ALWAYS)
    assert always.expires_at is not None
    just_before, then = always.expires_at - timedelta(seconds=1), always.expires_at
    assert await covers(stores[0], always, at=just_before) == always.id
    assert await covers(stores[0], at=then) is None
    assert await stores[0].read(lambda tx: permits.valid(tx, then)) == []


async def test_what_is_taken_back_covers_nothing_and_is_taken_back_once(stores: list[Store]) -> None:
    kept, gone = a_permit(Scope.SESSION, session_id="s_2"), a_permit(Scope.ALWAYS)
    assert await covers(stores[0], kept, gone) == gone.id
    taken = await asyncio.gather(
        *(store.write(lambda tx: permits.revoke(tx, gone.id, AT)) for store in stores)
    )
    assert sorted(taken) == [False, True]
    assert await covers(stores[0]) is None
    assert await stores[0].read(lambda tx: permits.valid(tx, AT)) == [kept]


async def test_one_that_is_used_while_it_is_taken_back_is_one_or_the_other(stores: list[Store]) -> None:
    """Nothing runs on a permit after its owner was told that it is gone."""
    for _ in range(5):
        once = a_permit(Scope.ONCE)
        await covers(stores[0], once)

        def use(tx: Tx) -> bool:
            found = covering(tx)
            return found is not None and permits.use_up(tx, found, AT)

        used, revoked = await asyncio.gather(
            stores[0].write(use),
            stores[1].write(lambda tx, once=once: permits.revoke(tx, once.id, AT)),  # type: ignore[misc]
        )
        assert used != revoked
        assert await covers(stores[0]) is None
