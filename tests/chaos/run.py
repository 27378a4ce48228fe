"""One run: hosts, people, a plan of faults; then quiet, a last word in every chat, and the judgement."""

import asyncio
import random
import shutil
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from sqlalchemy.exc import OperationalError
from tests.chaos import clock
from tests.chaos.answers import Answers
from tests.chaos.breaking import Breaker
from tests.chaos.databases import Database, GivenPostgres, Sqlite, cluster
from tests.chaos.disk import SmallDisk, small_disk
from tests.chaos.hosts import ChaosHost
from tests.chaos.judge import Judgement, judge
from tests.chaos.ledger import Ledger
from tests.chaos.memory import Remembered, look
from tests.chaos.model import FILE, ChaosModel
from tests.chaos.people import Crowd
from tests.chaos.plan import Plan, Setup, make_plan
from tests.chaos.rows import Open, Rows
from tests.chaos.telegram import WatchedTelegram

from nanoclaw.testing import ModelServer, made_workspace

Say = Callable[[str], None]
_LAST_ROUNDS = 2
_MEMO_EVERY = 4  # messages
_LITTLE_PATIENCE = 20.0  # seconds, with what has been waited for in vain before
_AT_MOST = 2  # times the patience: running on without getting anywhere does not count as settled
_MOST_STORIES = 300
_LOOK_EVERY = 0.25  # seconds; rows wake nobody when they change


@dataclass(kw_only=True)
class Result:
    setup: Setup
    plan: Plan
    ledger: Ledger
    judgement: Judgement
    remembered: Remembered
    floods: int
    seconds: float
    settled: bool
    unmet: list[str]  # faults that no call met, or that found no host to strike
    still_open: list[str]
    stories: dict[int, list[str]] = field(default_factory=dict)


async def run(
    setup: Setup, folder: Path, *, postgres_url: str = "", clocks: bool = False, say: Say = lambda _: None
) -> Result:
    """`postgres_url` is a database that is there already; `clocks` says that hosts can be started with their own."""
    begun = time.monotonic()
    ledger, answers = Ledger(), Answers(seed=setup.seed)
    model = ChaosModel(answers, ledger)
    async with AsyncExitStack() as stack:
        database, disk = await _make_database(stack, setup, folder, postgres_url)
        plan = make_plan(setup, _cannot(database, disk, clocks=clocks))
        say(_told(setup, plan))
        telegram = await stack.enter_async_context(WatchedTelegram(ledger, flood_control=setup.flood_control))
        vendor = await stack.enter_async_context(ModelServer(model))
        crowd = Crowd(telegram, ledger, people=setup.people, groups=setup.groups, at_once=setup.at_once)
        await crowd.introduce(database.url)
        hosts = await stack.enter_async_context(
            _hosts(setup, folder, database, telegram, vendor, crowd, ledger, clocks=clocks)
        )
        breaker = Breaker(
            ledger=ledger,
            hosts=hosts,
            telegram=telegram,
            model=model,
            database=database,
            disk=disk,
            seed=setup.seed,
        )
        await crowd.open_chats()
        dice = random.Random(setup.seed)  # noqa: S311 - not a secret
        to_come = list(plan.faults)
        while (number := await crowd.write_one(dice)) < setup.messages:
            if number % _MEMO_EVERY == 0:
                await crowd.ask_to_remember(number)
            while to_come and to_come[0].after <= number:
                breaker.begin(to_come.pop(0))
            if number % 100 == 0:
                say(
                    f"{number} written, {sum(ledger.faults.values())} faults, {time.monotonic() - begun:.0f} s"
                )
        say(f"all {number} written after {time.monotonic() - begun:.0f} s; waiting for the faults to end")
        unmet = await breaker.end()
        rows = Rows(database.url)
        stack.callback(rows.close)
        settled = await _settle(rows, ledger, setup.patience, say)
        for _ in range(_LAST_ROUNDS):
            await crowd.write_everywhere()
            settled = await _settle(rows, ledger, setup.patience if settled else _LITTLE_PATIENCE, say)
            if not settled or not (await asyncio.to_thread(rows.open)).unknown:
                break
        judgement = judge(answers, ledger, crowd.shown(), await asyncio.to_thread(rows.fates))
        return Result(
            setup=setup,
            plan=plan,
            ledger=ledger,
            judgement=judgement,
            remembered=await asyncio.to_thread(look, folder / "host1", ledger.memos, rows.remembered()),
            floods=telegram.floods,
            seconds=time.monotonic() - begun,
            settled=settled,
            unmet=unmet + breaker.failed,
            still_open=[] if settled else await asyncio.to_thread(rows.still_open),
            stories={
                number: await asyncio.to_thread(rows.story, number)
                for number in judgement.offending[:_MOST_STORIES]
            },
        )


async def _make_database(
    stack: AsyncExitStack, setup: Setup, folder: Path, postgres_url: str
) -> tuple[Database, SmallDisk | None]:
    made_workspace(folder / "host1")
    if postgres_url:
        return GivenPostgres(postgres_url), None
    if setup.database == "postgres":
        return await stack.enter_async_context(cluster()), None
    data = folder / "host1" / "data"
    data.mkdir(exist_ok=True)
    wants_disk = not setup.only or "disk" in setup.only
    disk = stack.enter_context(small_disk(data)) if wants_disk else None
    return Sqlite(data / "nanoclaw.db"), disk


def _cannot(database: Database, disk: SmallDisk | None, *, clocks: bool) -> dict[str, str]:
    cannot = database.cannot()
    if disk is None:
        cannot["disk"] = "needs root and SQLite: a small disk is mounted for the data"
    if not clocks:
        cannot |= dict.fromkeys(("clock", "clock-restart"), "needs a C compiler, and hosts of its own")
    return cannot


@asynccontextmanager
async def _hosts(
    setup: Setup,
    folder: Path,
    database: Database,
    telegram: WatchedTelegram,
    vendor: ModelServer,
    crowd: Crowd,
    ledger: Ledger,
    *,
    clocks: bool,
) -> AsyncIterator[list[ChaosHost]]:
    hosts = []
    for each in range(1, setup.hosts + 1):
        name = f"host{each}"
        made_workspace(folder / name)
        files = folder / name / "groups" / "main" / "files"
        files.mkdir(parents=True, exist_ok=True)
        (files / FILE).write_text("a file of a few words")
        if each > 1:  # files that are on their way lie where every host finds them, as the docs ask for
            kept = folder / "host1" / "data" / "attachments"
            kept.mkdir(parents=True, exist_ok=True)
            (folder / name / "data" / "attachments").symlink_to(kept)
            shutil.rmtree(folder / name / "companies")  # so does what the company knows
            (folder / name / "companies").symlink_to(folder / "host1" / "companies")
        own = clock.Clock(folder / f"{name}.clock") if clocks else None
        host = ChaosHost(
            name,
            folder / name,
            ledger,
            own,
            DATABASE_URL="" if isinstance(database, Sqlite) else database.url,
            DATABASE_HOST_LIFETIME=str(setup.lifetime),
            AGENTS_RUNTIME="native",
            TURNS_CONCURRENT="30",
            TURNS_BATCH_WINDOW="0.05",
            LIMITS_PERSON_PER_MINUTE="0",
            LIMITS_GROUP_PER_MINUTE="0",
        )
        host.environment |= {
            "ANTHROPIC_API_KEY": vendor.key,
            "ANTHROPIC_BASE_URL": vendor.url,
            "TELEGRAM_BOT_TOKEN": crowd.bot.token,
            "TELEGRAM_API_BASE": telegram.address_for(name),
        }
        hosts.append(host)
    for host in hosts:
        host.begin()
    try:
        async with asyncio.timeout(120):
            for host in hosts:
                await host.up.wait()
        yield hosts
    finally:
        await asyncio.gather(*(host.stop_for_good() for host in hosts))


async def _settle(rows: Rows, ledger: Ledger, patience: float, say: Say) -> bool:
    """Until nothing waits and nothing is to be sent; False when nothing has changed for long."""
    before: tuple[Open, int, int] | None = None
    begun = since = time.monotonic()
    quiet = 0
    while True:
        try:
            now = await asyncio.to_thread(rows.open), await asyncio.to_thread(rows.stored), len(ledger.calls)
        except OperationalError:  # a database that has just come back
            await asyncio.sleep(_LOOK_EVERY)
            continue
        is_over = now[0].is_settled and now[1] >= len(ledger.wrote)
        quiet = quiet + 1 if is_over and now == before else 0
        if quiet >= 2:
            return True
        if now != before:
            before, since = now, time.monotonic()
        if time.monotonic() - since > patience or time.monotonic() - begun > patience * _AT_MOST:
            say(f"it does not settle: {now[0]}, {now[1]} of {len(ledger.wrote)} stored")
            return False
        await asyncio.sleep(_LOOK_EVERY)


def _told(setup: Setup, plan: Plan) -> str:
    lines = [f"{setup}", *(f"  {fault}" for fault in plan.faults)]
    lines += [f"  left out: {kind} ({why})" for kind, why in plan.left_out.items()]
    return "\n".join(lines)
