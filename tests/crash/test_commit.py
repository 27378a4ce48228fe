"""A turn gets ready while its message is being stored, but nothing leaves the host before it is."""

import asyncio
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs
from tests.staging import KINDS, staged, until

from nanoclaw.domain.errors import StoreUnavailable
from nanoclaw.durable.sqlite_writer import Job, SqliteWriter


@dataclass
class _Slow:
    """A transaction whose commit waits for the test, and may fail then."""

    transaction: Any
    flushing: threading.Event
    go_on: threading.Event
    goes_well: bool

    def __enter__(self) -> None:
        """Its end commits."""

    def __exit__(self, *_: object) -> None:
        self.flushing.set()
        self.go_on.wait(60)
        if not self.goes_well:
            self.transaction.rollback()
            raise StoreUnavailable("disk-full")
        self.transaction.commit()


@pytest.mark.parametrize("goes_well", [True, False])
async def test_no_model_is_asked_before_the_message_is_on_disk(
    home: Path, monkeypatch: pytest.MonkeyPatch, *, goes_well: bool
) -> None:
    """And never, if it could not be stored."""
    is_slow, flushing, go_on = threading.Event(), threading.Event(), threading.Event()
    end, commit = SqliteWriter._end, SqliteWriter._commit

    def with_others(self: SqliteWriter, group: list[Job]) -> None:
        """A busy writer takes it along: then it runs later, and this is all that can be seen."""
        if is_slow.is_set() and any("_take_in" in repr(job.story) for job in group):
            is_slow.clear()
            flushing.set()
            go_on.wait(60)
        commit(self, group)

    def slowly(self: SqliteWriter, begun: Any) -> None:
        if is_slow.is_set():
            is_slow.clear()
            begun = replace(begun, transaction=_Slow(begun.transaction, flushing, go_on, goes_well))
        end(self, begun)

    monkeypatch.setattr(SqliteWriter, "_end", slowly)
    monkeypatch.setattr(SqliteWriter, "_commit", with_others)
    async with staged(KINDS[1], home, lambda asked: "ok") as stage:
        assert await stage.ask("one") == "ok"
        await asyncio.sleep(0.3)  # whatever the turn leaves to be written is, so the writer is at rest
        before = len(stage.server.asked)
        is_slow.set()
        saying = asyncio.create_task(stage.far_end.say("chat", "two"))
        await until(flushing.is_set)
        await asyncio.sleep(0.2)
        assert len(stage.server.asked) == before
        go_on.set()
        await until(lambda: len(stage.server.asked) > before)  # the channel brings it again, if it must
        await saying
        assert await stage.far_end.wait_for("chat", 2) == ["ok", "ok"]


async def test_what_is_logged_while_a_turn_gets_ready_names_it(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def recall(_: object) -> None:
        raise StoreUnavailable("disk-full")

    async with staged(KINDS[1], home, lambda asked: "ok") as stage:
        assert await stage.ask("one") == "ok"
        monkeypatch.setattr(stage.host.memory_lookup, "recall", recall)
        await asyncio.sleep(0.3)  # as above
        with capture_logs([merge_contextvars]) as logged:
            assert await stage.ask("two") == "ok"
    (line,) = [each for each in logged if each["event"] == "nothing recalled"]
    assert line["turn"].startswith("t_")
    assert line["message"].startswith("m_")
