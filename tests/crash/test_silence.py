"""A PostgreSQL that is there and says nothing: callers are told in time, and everything continues afterwards."""

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from structlog.testing import capture_logs
from tests.staging import until
from tests.telegram_scene import telegram_scene

from nanoclaw.domain.errors import StoreUnavailable
from nanoclaw.durable import people
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx, open_store
from nanoclaw.durable.tables import chats
from nanoclaw.host import store_watch
from nanoclaw.testing import ScriptedModel

pytestmark = pytest.mark.capability("A15", "O4")


@contextmanager
def frozen(postgres_url: str) -> Iterator[None]:
    """The server and everyone who serves a connection stand still; their sockets stay open."""
    folder = Path(str(sa.make_url(postgres_url).query["host"]))
    server = int((folder / "data" / "postmaster.pid").read_text().split()[0])
    os.kill(server, signal.SIGSTOP)  # first: then nobody new comes
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    for pid in map(int, children):
        _signal(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in (*map(int, children), server):
            _signal(pid, signal.SIGCONT)


def _signal(pid: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError):  # one of the server's own helpers, which come and go
        os.kill(pid, number)


async def test_whoever_waits_for_a_silent_database_is_told_and_no_thread_is_lost(postgres_url: str) -> None:
    store = open_store(postgres_url, timeout=1)

    def add(number: int) -> Callable[[Tx], object]:
        return lambda tx: people.add_chat(tx, channel="web", address=str(number), title="", at=now())

    await asyncio.gather(*(store.write(add(number)) for number in range(20)))
    with frozen(postgres_url):
        # More than there are connections, and some who do not wait to the end.
        waiting: list[asyncio.Task[object]] = [
            asyncio.create_task(store.write(add(number))) for number in range(100, 120)
        ]
        waiting[0].cancel()
        reading = asyncio.create_task(store.read(lambda tx: tx.execute(sa.select(chats)).all()))
        told = await asyncio.gather(*waiting[1:], reading, return_exceptions=True)
        assert {type(error) for error in told} == {StoreUnavailable}
        assert store.condition.trouble is not None
    for number in range(20, 40):  # each of the connections is used again
        await store.write(add(number))
    assert store.condition.trouble is None

    def kept(tx: Tx) -> list[int]:
        return sorted(int(address) for address in tx.execute(sa.select(chats.c.address)).scalars())

    assert await store.read(kept) == list(range(40))
    await asyncio.to_thread(store.close)


async def test_a_silent_database_stops_the_turns_and_loses_nothing(
    home: Path, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_watch, "LOOK_EVERY", 0.1)
    monkeypatch.setattr(store_watch, "REFRESH_EVERY", 0)
    monkeypatch.setattr(store_watch, "PATIENCE", 0)
    model = ScriptedModel()
    database = {"url": postgres_url, "host_lifetime": 9, "timeout": 3}
    async with telegram_scene(home, model=model, database=database) as scene:
        assert await scene.ask("hello") == ["ok"]
        await until(lambda: scene.host.alarm.knows_an_owner)  # who was paired a moment ago
        model.hold()
        await scene.owner.says(scene.chat, "a long one")
        await model.wait_for_calls(2)
        with capture_logs() as logged:
            with frozen(postgres_url):
                await until(lambda: _said(logged, "host given up by the others; its work is stopped here"))
                assert _said(logged, "no beat")
                await scene.chat.wait_until(
                    lambda: any("The host cannot store anything" in text for text in scene.chat.texts())
                )
                await scene.owner.says(scene.chat, "one more")
            model.go_on()
            await scene.chat.wait_until(
                lambda: (
                    any("works again" in text for text in scene.chat.texts())
                    and scene.chat.texts().count("ok") == 3
                )
            )
        await until(lambda: scene.server.unconfirmed(scene.bot) == 0)
        assert await scene.ask("and now?") == ["ok"]
        assert scene.chat.texts().count("ok") == 4


def _said(logged: list[Any], event: str) -> bool:
    return any(line["event"] == event for line in logged)
