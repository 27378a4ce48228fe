"""What someone could try against budgets: files that are none, amounts that are none, a crowd, and bills that lie."""

import asyncio
import json
import os
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.flows.test_budget import budget_file, budgeted, put_budget
from tests.memory_scene import memory_scene
from tests.staging import until

from nanoclaw.context.budget_files import BudgetFiles
from nanoclaw.domain.budgets import Budget, BudgetLimits
from nanoclaw.domain.errors import ModelRefused
from nanoclaw.durable.money_tables import budget_overrides, waiting_calls
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import costs
from nanoclaw.gateway.meter import Meter

pytestmark = [pytest.mark.capability("J2", "J3"), pytest.mark.attack]

_USUAL = Budget(limits=BudgetLimits(day=7))
_GOOD = '{"daily_limit_usd": 3}'


def _be(path: Path, what: str) -> None:
    """Put something that is not a file of limits in its place."""
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)
    match what:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "link to nothing":
            path.symlink_to("nowhere")
        case "link to itself":
            path.symlink_to(path.name)
        case "huge":
            with path.open("wb") as file:
                file.truncate(100 << 20)
        case "link to a device":
            path.symlink_to("/dev/zero")


@pytest.mark.parametrize(
    "what", ["pipe", "folder", "link to nothing", "link to itself", "huge", "link to a device"]
)
async def test_what_is_no_budget_file_neither_stops_the_host_nor_lifts_a_limit(
    tmp_path: Path, what: str
) -> None:
    files = BudgetFiles(tmp_path, _USUAL)
    path = files.path("demo")
    path.parent.mkdir(parents=True)
    _be(path, what)
    began = time.monotonic()
    with pytest.raises(ModelRefused, match="budget-"):
        await asyncio.wait_for(asyncio.to_thread(files.of, "demo"), 60)
    _be(path, "nothing")
    path.write_text(_GOOD)
    good = files.of("demo")
    assert good.limits.day == 3_000_000
    _be(path, what)
    assert await asyncio.wait_for(asyncio.to_thread(files.of, "demo"), 60) is good
    assert files.fault("demo")
    assert not files.put_month("demo", {"total_usd": 1})
    assert time.monotonic() - began < 30  # who waits for a pipe waits for ever


async def test_a_file_that_changes_all_the_time_is_never_half_believed(tmp_path: Path) -> None:
    files = BudgetFiles(tmp_path, _USUAL)
    path = files.path("demo")
    path.parent.mkdir(parents=True)
    path.write_text(_GOOD)
    files.of("demo")
    seen: set[int | None] = set()
    for number in range(200):
        # In place, as careless editors write: for a moment the file is empty, or ends in the middle.
        with path.open("w") as file:
            file.flush()
            seen.add(files.of("demo").limits.day)
            file.write('{"daily_limit_usd": ')
            file.flush()
            seen.add(files.of("demo").limits.day)
            file.write(f"{3 + number % 2}}}")
        seen.add(files.of("demo").limits.day)
        files.put_month("demo", {"total_usd": number})
    assert seen == {3_000_000, 4_000_000}
    assert json.loads(path.read_text())["daily_limit_usd"] == 4


_AMOUNTS = ("+$1e309", "+$NaN", "-5", "+$-5", "inf", "0x10", "٢٠", "1" * 400, "0", "+$0.0000001", "9" * 12)


async def test_no_amount_that_is_none_is_added_and_no_member_adds_any(home: Path) -> None:
    put_budget(home, daily_limit_usd=3)
    async with memory_scene(home) as here:
        await here.member()
        await here.say("hello")
        for amount in _AMOUNTS:
            assert "of $3.00" not in await here.say(f"/budget_override {amount}"), amount
        before = len(here.far_end.said_to("chat"))
        for command in ("/budget_override +$20", "/budget day off", "/budget month 1000000"):
            await here.far_end.say("chat", command, sender="member")
        for told in (await here.far_end.wait_for("chat", before + 3))[before:]:
            assert "owner" in told
        assert await here.host.store.read(partial(_count, table=budget_overrides)) == 0
        assert "of $3.00" in await here.say("/budget")
    assert json.loads(budget_file(home).read_text())["daily_limit_usd"] == 3


def _count(tx: Tx, table: sa.Table) -> int:
    return int(tx.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())


async def test_two_hundred_people_at_a_budget_of_nothing_are_told_and_cost_nothing(home: Path) -> None:
    async with budgeted(home, daily_limit_usd=0) as (stage, _vendor):
        chats = [f"chat {number}" for number in range(200)]
        for chat in chats:
            await stage.far_end.say(chat, "hello?")
        for chat in chats:
            [told] = await stage.far_end.wait_for(chat)
            assert "budget is used up" in told
        assert not stage.server.asked
        await stage.host.agents.ledger.close()
        for table in (costs, waiting_calls):
            counted = partial(_count, table=table)
            assert await stage.host.store.read(counted) == 0


async def test_what_waited_for_money_goes_on_once_however_often_it_comes(home: Path) -> None:
    async with budgeted(home, daily_limit_usd=1) as (stage, vendor):
        vendor.dollars = 1.0
        await stage.ask("first")
        vendor.dollars, vendor.answer = 0.0, "no mail"
        for number in (1, 2):
            await stage.ask(f"/schedule every day at 9:0{number} look at the mail")
            await stage.ask(f"/task_run {number}", answers=2)
        asked = len(stage.server.asked)
        for _ in range(3):
            await stage.far_end.say("chat", "/budget_override +$4")
            put_budget(home, daily_limit_usd=2)
        await until(lambda: _mails(stage) == 2)
        await stage.ask("/budget")
        assert len(stage.server.asked) == asked + 2
        assert _mails(stage) == 2


def _mails(stage: Any) -> int:
    return sum("no mail" in each for each in stage.far_end.said_to("chat"))


def test_a_bill_below_nothing_gives_no_money_back() -> None:
    meter = Meter(10)
    usage = {
        "input_tokens": 10**30,
        "output_tokens": -7,
        "output_tokens_details": {"thinking_tokens": -(10**9)},
        "server_tool_use": {"web_search_requests": -1000},
    }
    meter.read_whole({"usage": usage}, length=100)
    used = meter.usage
    assert (used.input, used.thinking, used.searches) == (10**9, 0, 0)
    assert used.output > 0  # what was seen of the answer
