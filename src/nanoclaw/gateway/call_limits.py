"""Which limits concern a call: those of its company, group, person, task, chain and step, as they are now."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from nanoclaw.domain.budgets import Budget, Limits, periods
from nanoclaw.domain.money import RUN_SPENT, STEP_SPENT, Spender
from nanoclaw.durable import budgets, chains, cost_sums
from nanoclaw.durable.limits import CHAIN, STEP, Limit
from nanoclaw.durable.store import Store, Tx

SPENT = "budget-spent"
_MOST_KNOWN = 10_000


@dataclass(frozen=True, kw_only=True, slots=True)
class CallLimits:
    """Of one call. The worst of them counts."""

    spender: Spender
    budget: Budget
    chain: int | None  # micros
    overdraft: int = 0  # what it may cost beyond the company's limits

    @property
    def is_any(self) -> bool:
        return self.chain is not None or self.spender.step_budget is not None or any(self._named())

    def now(self, tx: Tx, at: datetime) -> list[Limit]:
        """With what owners added. Days and months are those of the budget's own clock."""
        (day, _), (month, _) = periods(at, self.budget.zone)
        limits = []
        for kind, name, limit, error in self._named():
            more = self._more(tx, day, month) if kind == cost_sums.COMPANY else (0, 0)
            if limit.day is not None:
                limits.append(_limit(kind, name, limit.day + more[0], error, day))
            if limit.month is not None:
                limits.append(_limit(kind, name, limit.month + more[1], error, month))
        if (chain_id := self.spender.chain_id) is not None:
            if self.chain is not None:
                limits.append(Limit(kind=CHAIN, name=chain_id, micros=self.chain, error=RUN_SPENT))
            if self.spender.step_budget is not None and self.spender.step is not None:
                limits.append(
                    Limit(
                        kind=STEP,
                        name=chain_id,
                        micros=self.spender.step_budget,
                        error=STEP_SPENT,
                        step=self.spender.step,
                    )
                )
        return limits

    def _more(self, tx: Tx, day: datetime, month: datetime) -> tuple[int, int]:
        company = self.spender.company
        this_month = budgets.overrides(tx, company, month)
        today = budgets.overrides(tx, company, day) if this_month else 0
        return today + self.overdraft, this_month + self.overdraft

    def _named(self) -> Iterator[tuple[str, str, Limits, str]]:
        budget, spender = self.budget, self.spender
        if budget.limits.is_set:
            yield cost_sums.COMPANY, "", budget.limits, SPENT
        if (limits := budget.of_group(spender.group)).is_set:
            yield cost_sums.GROUP, spender.group, limits, "budget-of-group-spent"
        if spender.person is not None and (limits := budget.of_person(spender.person)).is_set:
            yield cost_sums.PERSON, spender.person, limits, "budget-of-person-spent"
        if spender.task_id is not None and (limits := budget.of_task(spender.task_id)).is_set:
            yield cost_sums.TASK, str(spender.task_id), limits, "budget-of-task-spent"


class LimitsOfCalls:
    """`budgets` gives the budget of a company as it is now."""

    def __init__(self, store: Store, budgets: Callable[[str], Budget]) -> None:
        self._store = store
        self._budgets = budgets
        self._ceilings: dict[str, int | None] = {}  # by chain; set when it begins, and never changed

    async def of(self, spender: Spender, *, overdraft: bool = False) -> CallLimits:
        budget = self._budgets(spender.company)
        return CallLimits(
            spender=spender,
            budget=budget,
            chain=await self._ceiling(spender, budget),
            overdraft=budget.overdraft if overdraft else 0,
        )

    async def _ceiling(self, spender: Spender, budget: Budget) -> int | None:
        chain_id = spender.chain_id
        if chain_id is None:
            return None
        if chain_id not in self._ceilings:
            if len(self._ceilings) >= _MOST_KNOWN:
                self._ceilings.clear()
            self._ceilings[chain_id] = await self._store.read(lambda tx: chains.budget_of(tx, chain_id))
        own = self._ceilings[chain_id]
        usual = budget.chain_limit if spender.step is None else budget.run_limit
        return usual if own is None else own


def _limit(kind: str, name: str, micros: int, error: str, since: datetime) -> Limit:
    return Limit(kind=kind, name=name, micros=micros, error=error, since=since)
