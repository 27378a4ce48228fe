"""Flow J: `budget.json` belongs to people. It counts at once, is never half believed, and no agent gets near it."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.flows.test_budget import alerts_of, budget_file, budgeted, put_budget
from tests.staging import KINDS, Stage, results, staged, until
from tests.typed import Typed, typing_in

from nanoclaw.context.budget_files import BudgetFiles
from nanoclaw.domain.budgets import Budget
from nanoclaw.git.paths import SyncedFileKind, kind_of
from nanoclaw.testing.model_parts import Asked, Say

pytestmark = pytest.mark.capability("J2")


@pytest.fixture
def typed(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    return typing_in(home, monkeypatch, capfd)


async def test_the_host_writes_the_month_and_leaves_the_rest(home: Path) -> None:
    written: dict[str, Any] = {
        "overdraft_usd": 0.25,
        "monthly_limit_usd": 50,
        "current_month": {"total_usd": 999},
        "timezone": "UTC",
    }
    async with budgeted(home, **written) as (stage, vendor):
        vendor.dollars = 0.5
        await stage.ask("first")
        assert "This month: $0.50 of $50.00" in await stage.ask("/budget")  # what stood there is not believed
        await until(lambda: _read(home)["current_month"]["total_usd"] == 0.5)
        assert _read(home)["current_month"]["by_model"] == {"middle": 0.5}
        assert _read(home)["current_month"]["by_flow"] == {"A": 0.5}
        # An edit that is made meanwhile stays.
        put_budget(home, monthly_limit_usd=60, overdraft_usd=0.25)
        assert "of $60.00" in await stage.ask("/budget")
        await until(lambda: "current_month" in _read(home))
    assert list(_read(home)) == ["monthly_limit_usd", "overdraft_usd", "current_month"]
    assert _read(home)["monthly_limit_usd"] == 60


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ('{"daily_limit_usd": -5}', "0 or more"),
        ('{"daily_limit_usd": "fifty"}', "as a plain number"),
        ('{"daily_limit_usd": NaN}', "as a plain number"),
        ('{"daily_limit_usd": true}', "as a plain number"),
        ('{"daily": 5}', 'no field "daily"'),
        ('{"alert_threshold": 80}', "between 0 and 1"),
        ('{"timezone": "Kyiv"}', "Europe/Kyiv"),
        ('{"groups": {"main": 5}}', "groups.main"),
        ("{", "not valid JSON"),
        ("[]", "not valid JSON"),
    ],
)
async def test_a_broken_file_is_told_and_never_widens_a_budget(
    home: Path, typed: Typed, wrong: str, told: str
) -> None:
    put_budget(home, wrong)
    checked = await typed("doctor", "--json")
    sentences = [
        each["sentence"] for each in json.loads(checked.out)["findings"] if each["check"] == "budgets"
    ]
    assert told in sentences[0]


async def test_the_last_good_file_counts_until_it_is_mended(home: Path) -> None:
    async with budgeted(home, daily_limit_usd=0) as (stage, _vendor):
        assert "budget is used up" in await stage.ask("zero is a limit")
        put_budget(home, '{"daily_limit_usd": "fifty"}')
        assert "of $0.00" in await stage.ask("/budget")  # read in the thread of a transaction
        assert "budget is used up" in await stage.ask("still")
        await until(lambda: _is_told(stage, "The budget of demo cannot be read"))
        put_budget(home, daily_limit_usd=None)
        assert await stage.ask("none") == "done"
        assert len(stage.server.asked) == 1


async def test_a_file_that_is_gone_for_a_moment_lifts_no_limit(home: Path) -> None:
    """Some editors delete a file and write it again."""
    async with budgeted(home, daily_limit_usd=0) as (stage, _vendor):
        assert "budget is used up" in await stage.ask("zero")
        budget_file(home).unlink()
        assert "budget is used up" in await stage.ask("gone")
    clock = [0.0]
    put_budget(home, daily_limit_usd=0)
    files = BudgetFiles(home, Budget(), monotonic=lambda: clock[0])
    assert files.of("demo").is_set
    for _ in range(2):  # each time afresh
        budget_file(home).unlink()
        assert files.of("demo").is_set
        clock[0] += 9
        assert files.of("demo").is_set
        put_budget(home, daily_limit_usd=0)
        assert files.of("demo").is_set
    budget_file(home).unlink()
    assert files.of("demo").is_set
    clock[0] += 11
    assert not files.of("demo").is_set


async def test_without_any_good_file_nothing_is_spent(home: Path) -> None:
    put_budget(home, '{"daily_limit_usd": "fifty"}')
    async with staged(KINDS[1], home, lambda asked: "never", spending={"day": 100}) as stage:
        refused = await stage.ask("go")
        assert "Write dollars as a plain number" in refused
        assert not stage.server.asked
        put_budget(home, daily_limit_usd=3)
        stage.server.reply = "now"
        assert await stage.ask("go") == "now"


async def test_the_file_beats_the_settings(home: Path) -> None:
    put_budget(home, monthly_limit_usd=5)
    async with staged(KINDS[1], home, lambda asked: "yes", spending={"day": 0, "month": 0}) as stage:
        assert "budget is used up" in await stage.ask("the day is as the settings say")
        put_budget(home, monthly_limit_usd=5, daily_limit_usd=5)
        assert await stage.ask("go") == "yes"


@pytest.mark.attack
async def test_no_agent_sees_or_changes_it(home: Path) -> None:
    put_budget(home, daily_limit_usd=3)
    before = budget_file(home).read_text()
    look = (
        "find / -name 'budget*' -not -path '/proc/*' 2>/dev/null; ls /context /memory 2>/dev/null;"
        "echo '{}' > /context/../budget.json; echo '{}' > /memory/budget.json; echo '{}' > budget.json; true"
    )

    def script(asked: Asked) -> object:
        return Say("seen: " + " ".join(results(asked))) if results(asked) else KINDS[1].bash(look)

    async with staged(KINDS[1], home, script) as stage:
        seen = await stage.ask("look")
        assert "daily_limit" not in seen
        assert "companies" not in seen
        # Whatever it put into its own folders becomes no budget, also after the host took them in.
        assert "of $3.00" in await stage.ask("/budget")
    assert (
        json.loads(budget_file(home).read_text())["daily_limit_usd"] == json.loads(before)["daily_limit_usd"]
    )
    assert not list((home / "companies" / "demo" / "memory").glob("budget*"))


def test_a_budget_from_the_git_remote_waits_for_the_owner() -> None:
    assert kind_of("companies/demo/budget.json") is SyncedFileKind.HELD
    assert kind_of("companies/demo/BUDGET.json") is SyncedFileKind.HELD
    assert kind_of("companies/demo/memory/budget.json") is SyncedFileKind.HELD


async def _is_told(stage: Stage, words: str) -> bool:
    return any(words in each for each in await alerts_of(stage))


def _read(home: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(budget_file(home).read_text())
    return found
