"""What follows a transaction is carried out once it is committed: once, in order, and not at all when it is not."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.staging import until

from nanoclaw.domain.errors import Refused
from nanoclaw.domain.ids import HostId
from nanoclaw.domain.news import EVERY_CHAT, ChatChanged, News
from nanoclaw.durable import work
from nanoclaw.durable.after_commit import announce, get_ready
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.durable.tables import work as rows

pytestmark = pytest.mark.capability("X2")

SOON, LATER = timedelta(minutes=1), timedelta(minutes=2)


class Heard:
    """Everything that the store had carried out."""

    def __init__(self, store: Store) -> None:
        self.due: list[tuple[str, str, datetime, int]] = []
        self.news: list[tuple[str, News]] = []
        store.after_commit.kicks(lambda *due: self.due.append(due))
        store.after_commit.tells(lambda *told: self.news.append(told))

    @property
    def keys(self) -> list[str]:
        return [key for _kind, key, *_ in self.due]


def say(tx: Tx, key: str) -> None:
    work.due(tx, work.DELIVERY, key, now())
    announce(tx, EVERY_CHAT, ChatChanged(key))


class TestAfterCommit:
    @pytest.fixture
    async def store(self, database_url: str) -> AsyncIterator[Store]:
        store = open_store(database_url)
        yield store
        store.close()

    async def test_work_is_kicked_and_news_are_told_when_the_rows_are_there(self, store: Store) -> None:
        heard = Heard(store)
        seen: list[list[str]] = []

        def story(tx: Tx) -> None:
            say(tx, "a")
            say(tx, "b")
            seen.append(heard.keys)

        await store.write(story)
        assert seen == [[]]
        assert heard.keys == ["a", "b"]
        assert heard.news == [(EVERY_CHAT, ChatChanged("a")), (EVERY_CHAT, ChatChanged("b"))]

    async def test_the_same_is_kicked_and_told_once_at_the_soonest_moment(self, store: Store) -> None:
        heard, at = Heard(store), now()

        def story(tx: Tx) -> None:
            for moment in (at + LATER, at + SOON, at + LATER):
                work.due(tx, work.RUN, "a", moment, priority=2)
                announce(tx, "chat", ChatChanged("a"))

        await store.write(story)
        assert heard.due == [(work.RUN, "a", at + SOON, 2)]
        assert heard.news == [("chat", ChatChanged("a"))]

    async def test_what_the_transaction_takes_up_itself_is_not_kicked(self, store: Store) -> None:
        heard = Heard(store)

        def story(tx: Tx) -> None:
            say(tx, "a")
            say(tx, "b")
            assert work.claim(tx, work.DELIVERY, "a", HostId("h_1"), now())

        await store.write(story)
        assert heard.keys == ["b"]

    async def test_nothing_follows_a_story_that_failed_beside_others(self, store: Store) -> None:
        heard = Heard(store)

        def fails(tx: Tx) -> None:
            say(tx, "failed")
            raise Refused("task-over")

        tried = [store.write(fails) if n % 3 == 0 else store.write(lambda tx: say(tx, "a")) for n in range(9)]
        ended = await asyncio.gather(*tried, return_exceptions=True)
        assert [isinstance(each, Refused) for each in ended] == [n % 3 == 0 for n in range(9)]
        assert heard.keys == ["a"] * 6
        assert {news for _, news in heard.news} == {ChatChanged("a")}

    async def test_what_follows_a_transaction_that_was_tried_again_follows_once(self, store: Store) -> None:
        """Another host wrote the same row first; where others write, the loser tries again."""
        heard, tries = Heard(store), 0
        await store.write(lambda tx: say(tx, "known"))

        def story(tx: Tx) -> None:
            nonlocal tries
            tries += 1
            say(tx, f"try {tries}")
            if tries == 1:
                tx.execute(sa.insert(rows).values(kind=work.DELIVERY, key="known", due_at=now(), attempts=0))

        if store.shared:
            await store.write(story)
        else:
            with pytest.raises(sa.exc.IntegrityError):
                await store.write(story)
        assert heard.keys == ["known", *(["try 2"] if store.shared else [])]

    async def test_it_follows_also_when_nobody_waits_for_the_transaction_any_more(self, store: Store) -> None:
        heard = Heard(store)
        writing = asyncio.create_task(store.write(lambda tx: say(tx, "a")))
        await asyncio.sleep(0)  # it is on its way
        writing.cancel()
        await until(lambda: heard.keys == ["a"])


async def test_on_sqlite_what_gets_ready_begins_before_the_commit_and_only_if_there_will_be_one(
    tmp_path: Path,
) -> None:
    store = open_store(f"sqlite:///{tmp_path / 'a.db'}")
    order: list[str] = []
    store.after_commit.tells(lambda *_: order.append("told"))

    def story(tx: Tx, *, fails: bool = False) -> None:
        announce(tx, EVERY_CHAT, ChatChanged("a"))
        get_ready(tx, lambda: order.append("ready"))
        if fails:
            raise Refused("disk-full")

    await store.write(story)  # in the thread, where nobody could get ready
    assert order == ["told"]
    order.clear()
    while "ready" not in order:  # the thread may not be at rest yet
        order.clear()
        await store.write(story, at_once=True)
    assert order == ["ready", "told"]
    order.clear()
    with pytest.raises(Refused):
        await store.write(partial(story, fails=True), at_once=True)
    assert order == []
    store.close()
