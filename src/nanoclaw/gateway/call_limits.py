"""The limits that apply to a call: those of its company, group, person, task, chain and step, as they are now."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from nanoclaw.domain.budgets import Budget, BudgetLimits, Period, periods
from nanoclaw.domain.money import RUN_SPENT, STEP_SPENT, Spender
from nanoclaw.durable import budgets, chains, cost_sums
from nanoclaw.durable.limits import CHAIN, STEP, Limit
from nanoclaw.durable.store import Store, Tx

SPENT = "budget-spent"
_MOST_KNOWN = 10_000


@dataclass(frozen=True, kw_only=True, slots=True)
class CallLimits:
    """The limits of one call. The tightest one counts."""

    spender: Spender
    budget: Budget
    chain: int | None  # micros
    overdraft: int = 0  # what it may cost beyond the company's limits

    @property
    def is_any(self) -> bool:
        return self.chain is not None or self.spender.step_budget is not None or any(self._named())

    def now(self, tx: Tx, at: datetime) -> list[Limit]:
        """The limits including what owners added. Days and months are those of the budget's own clock."""
        day, month = periods(at, self.budget.zone)
        limits = []
        named = list(self._named())
        added = budgets.additions(tx, self.spender.company, month[0]) if named else []
        for kind, name, limit, error in named:
            beyond = self.overdraft if kind == cost_sums.COMPANY else 0
            for period, micros, (begins, ends) in (
                (Period.DAY, limit.day, day),
                (Period.MONTH, limit.month, month),
            ):
                if micros is None:
                    continue
                more = beyond + sum(
                    each.micros
                    for at_, each in added
                    if at_ >= begins and (each.kind or cost_sums.COMPANY, each.name or "") == (kind, name)
                )
                limits.append(
                    Limit(
                        kind=kind,
                        name=name,
                        micros=micros + more,
                        error=error,
                        since=begins,
                        ends=ends,
                        period=period.value,
                    )
                )
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

    def _named(self) -> Iterator[tuple[str, str, BudgetLimits, str]]:
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
        self._ceilings: dict[str, int | None] = {}  # by chain; fixed when it begins

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
