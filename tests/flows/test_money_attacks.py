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
from tests.flows.test_budget import Vendor, budget_file, budgeted, put_budget
from tests.memory_scene import memory_scene
from tests.staging import until

from nanoclaw.context.budget_files import BudgetFiles
from nanoclaw.domain.budgets import Budget, Limits
from nanoclaw.domain.errors import ModelRefused
from nanoclaw.durable.money_tables import budget_overrides, waiting_calls
from nanoclaw.durable.tables import costs
from nanoclaw.gateway.meter import Meter

pytestmark = [pytest.mark.capability("J2", "J3"), pytest.mark.attack]

_USUAL = Budget(limits=Limits(day=7))
_GOOD = '{"daily_limit_usd": 3}'


def _be(path: Path, what: str) -> None:
    """Something that is no file of limits takes the place of one."""
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
async def test_what_is_no_budget_file_neither_stops_the_host_nor_lifts_a_limit(tmp_path: Path, what: str) -> None:
    files = BudgetFiles(tmp_path, _USUAL)
    path = files.path("demo")
    path.parent.mkdir(parents=True)
    _be(path, what)
    began = time.monotonic()
    with pytest.raises(ModelRefused, match="budget-"):
        await asyncio.wait_for(asyncio.to_thread(files.of, "demo"), 5)
    _be(path, "nothing")
    path.write_text(_GOOD)
    good = files.of("demo")
    assert good.limits.day == 3_000_000
    _be(path, what)
    assert await asyncio.wait_for(asyncio.to_thread(files.of, "demo"), 5) is good
    assert files.fault("demo")
    assert not files.put_month("demo", {"total_usd": 1})
    assert time.monotonic() - began < 2
