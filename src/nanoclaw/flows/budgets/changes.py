"""Owners change what a company may spend: the limits in its file, and more money for the current day and
month.

Work that waited for money continues at once.
"""

from dataclasses import dataclass
from datetime import datetime

from nanoclaw.context.budget_files import BudgetFiles
from nanoclaw.domain.budgets import Budget, BudgetLimits, Period, Standing
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.money import MICROS, dollars_and_cents
from nanoclaw.domain.news import EVERY_CHAT, BudgetChanged
from nanoclaw.domain.people import Actor, Role
from nanoclaw.durable import audit, budgets, cost_sums
from nanoclaw.durable.after_commit import announce
from nanoclaw.durable.budgets import Addition
from nanoclaw.durable.store import Tx
from nanoclaw.gateway.standings import read_standing

FIELDS = {Period.DAY: "daily_limit_usd", Period.MONTH: "monthly_limit_usd"}


@dataclass(frozen=True, kw_only=True, slots=True)
class BudgetChanges:
    files: BudgetFiles

    def standing(self, tx: Tx, company: str, at: datetime) -> Standing:
        """The standing now, from the rows. Raises Refused if the file could never be read."""
        return read_standing(tx, company, self.files.of(company), at)

    def set_limit(
        self, tx: Tx, by: Actor, company: str, period: Period, micros: int | None, at: datetime
    ) -> None:
        """Set a limit; None removes it. The file is changed first; if the transaction is repeated, the same
        is written again.
        """
        _need_owner(by)
        shown = "none" if micros is None else dollars_and_cents(micros)
        self.files.change(company, {FIELDS[period]: None if micros is None else _written(micros)})
        audit.record(tx, by, at, "budget-set", company, company=company, period=period.value, amount=shown)
        self.changed(tx, company, at)

    def override(self, tx: Tx, by: Actor, company: str, added: Addition, at: datetime) -> None:
        """Add money for today and this month."""
        _need_owner(by)
        if added.micros <= 0:
            raise Refused("budget-override-nothing")
        of = added.kind or cost_sums.COMPANY
        if not _limits_of(self.files.of(company), added).is_set:
            raise Refused("budget-override-unlimited", company=added.name or company, of=of)
        budgets.add_override(tx, company, added, by.handle, at)
        told = {"company": company, "amount": dollars_and_cents(added.micros), "of": of}
        audit.record(tx, by, at, "budget-overridden", company, **told, name=added.name or "")
        self.changed(tx, company, at)

    def changed(self, tx: Tx, company: str, at: datetime) -> None:
        """Let work that waits for money try again; also called when somebody edited the file."""
        budgets.let_go(tx, at, company)
        announce(tx, EVERY_CHAT, BudgetChanged(company))


def _limits_of(budget: Budget, added: Addition) -> BudgetLimits:
    """The limits that the addition raises."""
    match added.kind:
        case cost_sums.GROUP:
            return budget.of_group(added.name or "")
        case cost_sums.PERSON:
            return budget.of_person(added.name)
        case cost_sums.TASK:
            return budget.of_task(int(added.name or 0))
        case _:
            return budget.limits


def _need_owner(by: Actor) -> None:
    if not by.rights.everywhere.may(Role.OWNER):
        raise Refused("budget-owners-only")


def _written(micros: int) -> float | int:
    """The amount as people write it: 5, not 5.0."""
    return micros // MICROS if micros % MICROS == 0 else micros / MICROS
