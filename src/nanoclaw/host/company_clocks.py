"""On whose clock a company's days begin: that of its `budget.json`, else the workspace's."""

from collections.abc import Callable
from datetime import tzinfo

from nanoclaw.context.budget_files import BudgetFiles
from nanoclaw.domain.errors import ModelRefused


def clock_of(files: BudgetFiles, usual: tzinfo) -> Callable[[str], tzinfo]:
    """A file that cannot be read hides no costs: whoever checks budgets says what is wrong with it."""

    def zone_of(company: str) -> tzinfo:
        try:
            return files.of(company).zone
        except ModelRefused:
            return usual

    return zone_of
