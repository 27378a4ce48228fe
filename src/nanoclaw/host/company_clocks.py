"""The clock on which a company's days begin: that of its `budget.json`, otherwise the workspace's."""

from collections.abc import Callable
from datetime import tzinfo

from nanoclaw.context.budget_files import BudgetFiles
from nanoclaw.domain.errors import ModelRefused


def clock_of(files: BudgetFiles, usual: tzinfo) -> Callable[[str], tzinfo]:
    """An unreadable file hides no costs: checking budgets reports what is wrong with it."""

    def zone_of(company: str) -> tzinfo:
        try:
            return files.of(company).zone
        except ModelRefused:
            return usual

    return zone_of
