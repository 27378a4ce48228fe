"""Flow J: what a company may spend is seen by its people, changed by its owners, and held by the host."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.memory_scene import Memory, memory_scene
from tests.staging import KINDS, Kind, Stage, staged, until
from tests.typed import Typed, typing_in

from nanoclaw.domain.money import Usage
from nanoclaw.durable import audit
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import parcels
from nanoclaw.testing.model_parts import Asked, Reply, Say

pytestmark = pytest.mark.capability("J2")


@pytest.fixture
def typed(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    return typing_in(home, monkeypatch, capfd)


def budget_file(home: Path, company: str = "demo") -> Path:
    return home / "companies" / company / "budget.json"


def put_budget(home: Path, text: str | None = None, **values: Any) -> None:
    budget_file(home).write_text(json.dumps(values) if text is None else text)


async def test_members_see_the_budget_and_owners_change_it(home: Path) -> None:
    async with memory_scene(home) as here:
        await here.member()
        await here.say("hello")
        assert "no limit" in await here.say("/budget")
        assert "no limit" in await _said(here, "member", "/budget")
        refused = await _said(here, "member", "/budget day 5")
        assert "Only an owner" in refused
        assert not budget_file(home).exists()

        done = await here.say("/budget day $5")
        assert "$5.00" in done
        assert json.loads(budget_file(home).read_text())["daily_limit_usd"] == 5
        assert "of $50.50" in await here.say("/budget місяць 50,5 доларів")
        assert "of $5.00" in await _said(here, "member", "/budget")
        assert "owner" in await _said(here, "member", "/budget-override +20")
        assert "of $25.00" in await here.say("/budget-override +$20")
        assert "only adds money" in await here.say("/budget-override -3")
        assert "Today: $0.00, no limit" in await here.say("/budget day off")

        def read(tx: Tx) -> list[str]:
            return [each.action for each in audit.newest(tx, limit=10)]

        assert (await here.host.store.read(read)).count("budget-set") == 3


async def _said(here: Memory, sender: str, text: str) -> str:
    before = len(here.far_end.said_to("chat"))
    await here.far_end.say("chat", text, sender=sender)
    return (await here.far_end.wait_for("chat", before + 1))[before]


async def test_the_command_line_shows_sets_and_adds(home: Path, typed: Typed) -> None:
    async with memory_scene(home) as here:
        await here.say("hello")  # what the host logs when it starts is not printed into the command's answer
        shown = (await typed("budget", "show", "--json")).json()
        assert [(each["company"], each["day"]["limit_usd"]) for each in shown] == [("demo", None)]
        assert "$7.50" in (await typed("budget", "set", "day", "$7,5")).out
        assert (await typed("budget", "override", "+20", "--json")).json()["day"]["limit_usd"] == 27.5
        assert "27.50" in (await typed("budget")).out
        for wrong, told in (("fifty", "not an amount"), ("-5", "below zero"), ("1,000", "not an amount")):
            refused = await typed("budget", "set", "month", "--", wrong)
            assert (refused.code, told in refused.err) == (1, True)
        assert (await typed("budget", "show", "--company", "nobody")).code == 1
        assert "budget set day 5" in (await typed("budget", "set", "year", "5")).err
    written = json.loads(budget_file(home).read_text())
    assert written["daily_limit_usd"] == 7.5
    assert "monthly_limit_usd" not in written


PRICED = {
    "agents": {"haiku": "small", "sonnet": "middle", "opus": "big"},
    "prices": {"small": "1/1", "middle": "10/10", "big": "100/100"},
}
_TOKENS = {"small": 1.0, "middle": 10.0, "big": 100.0}  # dollars for a million


class Vendor:
    """Answers so that a call costs what the test wants, in dollars."""

    def __init__(self) -> None:
        self.dollars = 0.0
        self.answer = "done"

    def __call__(self, asked: Asked) -> Reply:
        read = round(self.dollars * 1_000_000 / _TOKENS[asked.model])
        return Reply(parts=(Say(self.answer),), usage=Usage(input=read))


@asynccontextmanager
async def budgeted(home: Path, kind: Kind = KINDS[1], **budget: Any) -> AsyncIterator[tuple[Stage, Vendor]]:
    put_budget(home, **budget)
    vendor = Vendor()
    settings: dict[str, Any] = {**PRICED, "agents": {**PRICED["agents"], **kind.settings["agents"]}}
    async with staged(kind, home, vendor, **settings) as stage:
        yield stage, vendor


@pytest.mark.capability("A14")
@pytest.mark.parametrize("kind", KINDS[:2], ids=["claude-code", "native"])
async def test_smaller_models_take_over_and_say_so(home: Path, kind: Kind) -> None:
    async with budgeted(home, kind, daily_limit_usd=1, monthly_limit_usd=100) as (stage, vendor):
        vendor.dollars = 0.82
        assert await stage.ask("first") == "done"
        vendor.dollars = 0.0
        said = await stage.ask("second")
        assert said == "done\n\n*Written by haiku: 82% of today's budget is used.*"
        assert [asked.model for asked in stage.server.asked] == ["middle", "small"]
        assert "Written by" not in (await stage.ask("third")).replace(said, "")
        assert "Written by" not in json.dumps(stage.server.asked[-1].body)
        told = await _why(stage)
        assert "haiku answered in place of sonnet: 82% of the daily budget is used" in told
        assert "Model sonnet: the skill names it" in told


async def test_at_the_end_people_are_answered_and_the_rest_waits_for_money(home: Path) -> None:
    async with budgeted(home, daily_limit_usd=1, overdraft_usd=0.5) as (stage, vendor):
        vendor.dollars = 1.0
        await stage.ask("first")
        vendor.dollars = 0.0
        await stage.ask("/schedule every day at 9:00 look at the mail")
        held = await stage.ask("/task_run 1", answers=2)
        assert "waits" in held
        assert "daily budget is used up" in held
        assert [asked.model for asked in stage.server.asked] == ["middle"]
        assert "Written by haiku: 100% of today" in await stage.ask("second")
        assert stage.server.asked[-1].model == "small"
        assert "One piece of work waits for money." in await stage.ask("/budget")

        vendor.answer = "no mail"
        before = len(stage.far_end.said_to("chat"))
        await stage.far_end.say("chat", "/budget_override +$4")
        said = (await stage.far_end.wait_for("chat", before + 2))[before:]
        assert any("no mail" in each for each in said)  # by itself, and not after hours
        assert stage.server.asked[-1].model == "middle"

        # The same by the file, changed by hand; and beyond the overdraft not even people are answered.
        vendor.dollars = 5.0
        await stage.ask("third")
        assert "budget is used up" in await stage.ask("fourth")
        held = await stage.ask("/task_run 1", answers=2)
        asked = len(stage.server.asked)
        vendor.dollars = 0.0
        put_budget(home, daily_limit_usd=10, overdraft_usd=0.5)
        await stage.server.wait_for(asked + 1)
        # The run is over before the next one is wanted.
        await until(lambda: len([each for each in stage.far_end.said_to("chat") if "no mail" in each]) == 2)

        # What a task says is told in the same way.
        vendor.dollars = 6.5
        await stage.ask("fifth")

        async def is_counted() -> bool:
            """What an answer cost is written after it."""
            return "haiku in place of sonnet" in await stage.ask("/budget")

        await until(is_counted)
        vendor.dollars, vendor.answer = 0.0, "no mail again"
        await stage.far_end.say("chat", "/task_run 1")
        wanted = "no mail again\n\n*Written by haiku: "
        await until(lambda: any(wanted in each for each in stage.far_end.said_to("chat")))

        alerts = await alerts_of(stage)
        assert [each.split()[0] for each in alerts] == ["🚨"]
        assert "daily budget of demo is used up ($1.00/$1.00)" in alerts[0]


async def test_owners_are_told_once_for_each_level(home: Path) -> None:
    async with budgeted(home, daily_limit_usd=1, monthly_limit_usd=2) as (stage, vendor):
        for dollars, level in ((0.79, 0), (0.02, 1), (0.02, 1), (0.13, 2), (0.02, 2)):
            vendor.dollars = dollars
            await stage.ask("go")
            await until(partial(_count, stage, level))
        vendor.dollars = 0.1
        await stage.ask("/budget_override +3")
        assert "of $4.00" in await stage.ask("/budget")
        await stage.ask("go")
        alerts = await alerts_of(stage)
        assert "80% of the daily budget of demo" in alerts[0].replace("81", "80")
        assert "From now on everything runs on haiku" in alerts[1]
        assert len(alerts) == 2


async def _why(stage: Stage) -> str:
    """What `/why` says of the last message."""
    return await stage.ask("/why")


async def alerts_of(stage: Stage) -> list[str]:
    """What owners were told of the budget, in order."""

    def read(tx: Tx) -> list[str]:
        told = sa.select(parcels.c.text).where(parcels.c.origin.contains("budget")).order_by(parcels.c.id)
        return list(tx.execute(told).scalars())

    return await stage.host.store.read(read)


async def _count(stage: Stage, wanted: int) -> bool:
    return len(await alerts_of(stage)) == wanted
