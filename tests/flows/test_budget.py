"""Flow J: what a company may spend is seen by its people, changed by its owners, and held by the host."""

import json
from pathlib import Path

import pytest
from tests.memory_scene import Memory, memory_scene
from tests.typed import Typed, typing_in

from nanoclaw.durable import audit
from nanoclaw.durable.store import Tx

pytestmark = pytest.mark.capability("J2")


@pytest.fixture
def typed(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    return typing_in(home, monkeypatch, capfd)


def budget_file(home: Path, company: str = "demo") -> Path:
    return home / "companies" / company / "budget.json"


def put_budget(home: Path, text: str | None = None, **values: object) -> None:
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
    written = json.loads(budget_file(home).read_text())
    assert written["daily_limit_usd"] == 7.5
    assert "monthly_limit_usd" not in written
