"""A report adds up to the ledger, to the millionth of a dollar, whatever it is added up by; on both databases."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from nanoclaw.domain.cost_reports import Grouping, Sums
from nanoclaw.durable import tables
from nanoclaw.durable.store import Store, Tx, open_store
from nanoclaw.flows.spending import periods
from nanoclaw.flows.spending.periods import ALL
from nanoclaw.flows.spending.reports import CostReports, ReportQuery
from nanoclaw.flows.spending.spreadsheet import as_csv

pytestmark = pytest.mark.capability("J4")

# Clocks that skip midnight, show it twice, change by half an hour, or are a whole day apart.
ZONES = ("UTC", "Europe/Kyiv", "America/Havana", "Asia/Beirut", "Australia/Lord_Howe", "Pacific/Kiritimati")
COMPANIES = ("acme", "beta", "Ґудзик")
NOW = datetime(2026, 11, 17, 12, tzinfo=UTC)


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    """Each example leaves it as it was."""
    opened = open_store(database_url)
    yield opened
    opened.close()


def _moments() -> st.SearchStrategy[datetime]:
    """Many of them at the very edge of a day in some zone, on days on which clocks change too."""
    edges = [
        periods.start_of(date(2026, 11, 1) + timedelta(days=days), ZoneInfo(zone))
        for zone in ZONES
        for days in (*range(-2, 18), -7, -29, -220, -217)
    ]
    near = st.builds(
        lambda edge, micros: edge + timedelta(microseconds=micros),
        st.sampled_from(edges),
        st.sampled_from((-1_000_000, -1, 0, 1, 3_600_000_000)),
    )
    return near | st.datetimes(datetime(2026, 1, 1), datetime(2026, 12, 1), timezones=st.just(UTC))  # noqa: DTZ001


ROW = st.fixed_dictionaries(
    {
        "at": _moments(),
        "company": st.sampled_from(COMPANIES),
        "agent_group": st.sampled_from(("main", "other")),
        "turn_id": st.sampled_from(("", "t_1", "t_2", "doctor")),
        "skill": st.sampled_from(("", "meta/a/b")),
        "flow": st.sampled_from("ABCDEFGHIJ"),
        "model": st.sampled_from(("m", "n")),
        "state": st.sampled_from(("settled", "estimated", "reserved")),
        "micros": st.integers(0, 10**12),
        "input_tokens": st.integers(0, 10**6),
        "cache_read_tokens": st.integers(0, 10**6),
        "person": st.none() | st.sampled_from(("telegram:1", "local:owner")),
        "chat_id": st.none() | st.just("c_1"),
        "task_id": st.none() | st.integers(1, 3),
        "chain_id": st.none() | st.just("p_1"),
        "saved_by_cache": st.none() | st.integers(-(10**6), 10**9),
        "saved_by_batch": st.none() | st.integers(0, 10**9),
    }
)
USUAL = {
    "session_id": "s_1",
    "runtime": "native",
    "host": "h_1",
    "output_tokens": 7,
    "cache_write_tokens": 3,
    "thinking_tokens": 0,
    "batch": False,
    "duration_ms": 5,
}


def _total(rows: list[dict[str, object]]) -> Sums:
    def add(*names: str) -> int:
        return sum(int(row[name] or 0) for row in rows for name in names)  # type: ignore[call-overload]

    return Sums(
        calls=len(rows),
        micros=add("micros"),
        input=add("input_tokens", "cache_read_tokens") + 3 * len(rows),
        output=7 * len(rows),
        cached=add("cache_read_tokens"),
        saved_by_cache=add("saved_by_cache"),
        saved_by_batch=add("saved_by_batch"),
    )


class _Undo(Exception):
    pass


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    rows=st.lists(ROW, max_size=25), zones=st.permutations(ZONES), since=st.sampled_from((ALL, "month", "9d"))
)
def test_every_report_adds_up_to_the_ledger(
    store: Store, rows: list[dict[str, object]], zones: list[str], since: str
) -> None:
    clocks = dict(zip(COMPANIES, zones, strict=False))
    reports = CostReports(zone_of=lambda company: ZoneInfo(clocks.get(company, "UTC")), now=lambda: NOW)

    def is_counted(row: dict[str, object]) -> bool:
        zone = ZoneInfo(clocks[str(row["company"])])
        first = periods.first_day(since, NOW.astimezone(zone).date())
        return first is None or row["at"].astimezone(zone).date() >= first  # type: ignore[attr-defined]

    counted = [row for row in rows if is_counted(row)]
    expected = _total(counted)
    held = [row["micros"] for row in counted if row["state"] == "reserved"]

    def look(tx: Tx) -> None:
        if rows:
            tx.execute(
                sa.insert(tables.costs),
                [{"id": f"u_{number}", **USUAL, **row} for number, row in enumerate(rows)],
            )
        for by in Grouping:
            report = reports.report(tx, ReportQuery(by=by, since=since))
            assert report.total == expected, by
            assert (report.on_the_way.calls, report.on_the_way.micros) == (len(held), sum(held))  # type: ignore[arg-type]
            # What a spreadsheet adds up, it adds up to the same.
            cells = [line.rpartition(",")[2] for line in as_csv(report).splitlines()[1:]]
            assert sum(int(cell.replace(".", "")) for cell in cells) == expected.micros
        by_day = reports.report(tx, ReportQuery(by=Grouping.DAY, since=since))
        on_days: dict[str, int] = {}
        for row in counted:
            zone = ZoneInfo(clocks[str(row["company"])])
            day = row["at"].astimezone(zone).date().isoformat()  # type: ignore[attr-defined]
            on_days[day] = on_days.get(day, 0) + int(row["micros"])  # type: ignore[call-overload]
        assert {line.key: line.sums.micros for line in by_day.lines} == on_days
        assert [line.key for line in by_day.lines] == sorted(on_days)
        raise _Undo

    with pytest.raises(_Undo):
        asyncio.run(store.write(look))


@given(zone=st.sampled_from(ZONES), first=st.dates(date(2025, 1, 1), date(2026, 12, 1)))
@example(zone="America/Havana", first=date(2026, 10, 30))
def test_days_follow_each_other_without_a_gap(zone: str, first: date) -> None:
    spans = list(periods.days_between("acme", first, first + timedelta(days=40), ZoneInfo(zone)))
    assert len(spans) == 41
    assert all(before.end == after.start for before, after in pairwise(spans))
    for span in spans:
        assert span.start.astimezone(ZoneInfo(zone)).date() == span.day
        assert (span.end - timedelta(microseconds=1)).astimezone(ZoneInfo(zone)).date() == span.day
