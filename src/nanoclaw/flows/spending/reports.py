"""Cost reports, the same for the command line, the page and chats: each adds up exactly to the ledger."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from functools import partial

from nanoclaw.domain.cost_reports import CostLine, DearTurn, Forecast, Grouping, Report, Sums, add
from nanoclaw.durable import cost_reports
from nanoclaw.durable.cost_reports import CompanyDay
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.spending import names, periods
from nanoclaw.flows.spending.forecast import LOOK_BACK, foresee


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportQuery:
    """`since` comes from `periods.read_since`. Without companies, all of them."""

    by: Grouping
    since: str = periods.MONTH
    companies: Sequence[str] | None = None
    language: str = "en"


@dataclass(frozen=True, kw_only=True, slots=True)
class Overview:
    today: Sums
    month: Sums
    forecast: Forecast | None


@dataclass(frozen=True, kw_only=True, slots=True)
class CostReports:
    """Days begin on the clock of each company, given by `zone_of`; `now` is the time."""

    zone_of: Callable[[str], tzinfo]
    now: Callable[[], datetime]

    def report(self, tx: Tx, wanted: ReportQuery) -> Report:
        if wanted.by is Grouping.DAY:
            return self._by_day(tx, wanted, cost_reports.by_span(tx, self._spans(tx, wanted)))
        found: dict[str | None, Sums] = {}
        for company, start in self._starts(tx, wanted).items():
            for key, sums in cost_reports.grouped(tx, wanted.by, company, start).items():
                found[key] = found.get(key, Sums()) + sums
        return self._told(tx, wanted, found)

    async def read(self, store: Store, wanted: ReportQuery) -> Report:
        """Read a report. Days are read in two halves at once: a long period has many rows, and a machine
        several cores.
        """
        if wanted.by is not Grouping.DAY:
            return await store.read(lambda tx: self.report(tx, wanted))
        spans = await store.read(lambda tx: self._spans(tx, wanted))
        middle = len(spans) // 2
        first, second = await asyncio.gather(
            store.read(partial(cost_reports.by_span, spans=spans[:middle])),
            store.read(partial(cost_reports.by_span, spans=spans[middle:])),
        )
        return await store.read(lambda tx: self._by_day(tx, wanted, [*first, *second]))

    def overview(self, tx: Tx, companies: Sequence[str] | None = None) -> Overview:
        """Today, this month, and the forecast for the month, each company on its own clock."""
        today, month, forecasts = Sums(), Sums(), []
        for company in self._known(tx, companies):
            day = self._today(company)
            first = min(day.replace(day=1), day - timedelta(days=LOOK_BACK))
            spans = periods.days_between(company, first, day, self.zone_of(company))
            by_day = {span.day: sums for span, sums in cost_reports.by_span(tx, list(spans))}
            today += by_day.get(day, Sums())
            this_month = add(sums for each, sums in by_day.items() if each >= day.replace(day=1))
            month += this_month
            forecasts.append((foresee({each: sums.micros for each, sums in by_day.items()}, day), this_month))
        return Overview(today=today, month=month, forecast=_together(forecasts))

    def dear_turns(self, tx: Tx, wanted: ReportQuery, limit: int) -> list[DearTurn]:
        return cost_reports.dear_turns(tx, self._starts(tx, wanted), limit)

    def _known(self, tx: Tx, companies: Sequence[str] | None) -> list[str]:
        found = cost_reports.companies(tx)
        return found if companies is None else [each for each in found if each in companies]

    def _today(self, company: str) -> date:
        return periods.day_of(self.now(), self.zone_of(company))

    def _starts(self, tx: Tx, wanted: ReportQuery) -> dict[str, datetime | None]:
        """From when each company's costs count; None for all of them. Companies without costs since then are
        left out.
        """
        starts: dict[str, datetime | None] = {}
        for company, first, last in self._days(tx, wanted):
            zone = self.zone_of(company)
            begun, ended = (periods.day_of(at, zone) for at in self._first_and_last(tx, company))
            if first <= last and first <= ended:
                starts[company] = None if first <= begun else periods.start_of(first, zone)
        return starts

    def _spans(self, tx: Tx, wanted: ReportQuery) -> list[CompanyDay]:
        return [
            span
            for company, first, last in self._days(tx, wanted)
            for span in periods.days_between(company, first, last, self.zone_of(company))
        ]

    def _days(self, tx: Tx, wanted: ReportQuery) -> Iterable[tuple[str, date, date]]:
        """The first and last day that count, by company. A clock may have been ahead: the last call counts too."""
        for company in self._known(tx, wanted.companies):
            begun, ended = (
                periods.day_of(at, self.zone_of(company)) for at in self._first_and_last(tx, company)
            )
            wished = periods.first_day(wanted.since, self._today(company))
            yield company, begun if wished is None else max(begun, wished), ended

    def _first_and_last(self, tx: Tx, company: str) -> tuple[datetime, datetime]:
        return cost_reports.first_and_last(tx, company) or (self.now(), self.now())

    def _by_day(self, tx: Tx, wanted: ReportQuery, found: Iterable[tuple[CompanyDay, Sums]]) -> Report:
        days: dict[str | None, Sums] = {}
        for span, sums in found:
            day = span.day.isoformat()
            days[day] = days.get(day, Sums()) + sums
        return self._told(tx, wanted, days)

    def _told(self, tx: Tx, wanted: ReportQuery, found: Mapping[str | None, Sums]) -> Report:
        called = names.of(tx, wanted.by, [key for key in found if key is not None], wanted.language)
        unknown = names.of_none(wanted.by, wanted.language)
        lines = [
            CostLine(key=key, name=unknown if key is None else called.get(key, key), sums=sums)
            for key, sums in found.items()
        ]
        in_order = (lambda line: line.key or "") if wanted.by is Grouping.DAY else _dearest_first
        starts = self._starts(tx, wanted)
        company = next(iter(starts), None)
        today = self._today(company) if company else periods.day_of(self.now(), self.zone_of(""))
        return Report(
            by=wanted.by,
            since=periods.first_day(wanted.since, today),
            lines=tuple(sorted(lines, key=in_order)),
            on_the_way=cost_reports.on_the_way(tx, starts),
        )


def _dearest_first(line: CostLine) -> tuple[int, str]:
    return -line.sums.micros, line.name


def _together(forecasts: Sequence[tuple[Forecast | None, Sums]]) -> Forecast | None:
    """The forecast of several companies together. One without earlier days counts with what it has spent."""
    known = [forecast for forecast, _ in forecasts if forecast]
    if not known:
        return None
    spent = sum(month.micros for forecast, month in forecasts if forecast is None)
    return Forecast(
        expected=spent + sum(each.expected for each in known),
        low=spent + sum(each.low for each in known),
        high=spent + sum(each.high for each in known),
        days=max(each.days for each in known),
    )
