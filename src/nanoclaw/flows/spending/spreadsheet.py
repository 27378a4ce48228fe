"""A report as a CSV file that spreadsheets open correctly."""

import csv
import io

from nanoclaw.domain.cost_reports import CostLine, Report
from nanoclaw.flows.spending.money_text import exact

COLUMNS = (
    "key",
    "name",
    "calls",
    "input_tokens",
    "cached_tokens",
    "output_tokens",
    "saved_by_cache_usd",
    "saved_by_batch_usd",
    "cost_usd",
)
_MARK = "\ufeff"  # otherwise Excel reads Ukrainian names as Latin
_BEGINS_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def as_csv(report: Report) -> str:
    """Amounts in dollars to the last digit, so that the column adds up to the ledger; there is no total line."""
    written = io.StringIO()
    table = csv.writer(written, lineterminator="\r\n")
    table.writerow(COLUMNS)
    table.writerows(_row(line) for line in report.lines)
    return _MARK + written.getvalue()


def _row(line: CostLine) -> tuple[object, ...]:
    sums = line.sums
    return (
        _text(line.key or ""),
        _text(line.name),
        sums.calls,
        sums.input,
        sums.cached,
        sums.output,
        exact(sums.saved_by_cache),
        exact(sums.saved_by_batch),
        exact(sums.micros),
    )


def _text(said: str) -> str:
    """Keep a name that someone chose from being run as a formula."""
    return f"'{said}" if said.lstrip(" ").startswith(_BEGINS_FORMULA) else said
