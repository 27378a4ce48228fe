"""The cheaper models that a budget leaves.

At 80 percent opus becomes sonnet and sonnet haiku, at 95 all become haiku, and at 100 only people's own
messages are answered, on haiku, within the overdraft. Everything else waits. A model outside the tiers counts
by its price: it is replaced only by a cheaper one of its own vendor, because the caller talks to that vendor.
A model that costs nothing is never replaced and never waits.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from nanoclaw.domain.budgets import BUDGET_HELD, Level, Standing
from nanoclaw.domain.errors import ModelOutage, ModelRefused
from nanoclaw.domain.money import Spender, Usage, dollars
from nanoclaw.durable.clock import now
from nanoclaw.gateway.prices import Prices, split
from nanoclaw.gateway.standings import Standings

TIERS = ("haiku", "sonnet", "opus")  # from the smallest
_TYPICAL = Usage(input=3_000, output=1_000)  # models are compared by what this costs


@dataclass(frozen=True, kw_only=True, slots=True)
class Chosen:
    """The model to call. `instead_of` is the one that was wanted, `level` the percentage of the budget that
    is used.
    """

    model: str
    instead_of: str | None = None
    level: int | None = None
    period: str | None = None  # of that budget: day or month
    overdraft: bool = False  # it may go beyond the company's limits, as far as the budget allows


class NoStepDown:
    """Used without budgets: every model as wanted."""

    async def choose(self, _spender: Spender, model: str) -> Chosen:
        return Chosen(model=model)

    def smallest(self, _spender: Spender, model: str) -> Chosen:
        return Chosen(model=model)

    def ran_out(self, _spender: Spender, refused: ModelRefused) -> ModelRefused | ModelOutage:
        return refused


class StepDown(NoStepDown):
    """`tiers` says which model a tier means."""

    def __init__(
        self,
        standings: Standings,
        tiers: Mapping[str, str],
        prices: Prices,
        *,
        clock: Callable[[], datetime] = now,
    ) -> None:
        self.standings = standings
        self._tiers = [tiers[tier] for tier in TIERS]
        self._prices = prices
        self._clock = clock

    async def choose(self, spender: Spender, model: str) -> Chosen:
        """Raises ModelOutage (the work waits) or ModelRefused (not even the overdraft is left) at 100 percent."""
        standing = await self.standings.of(spender.company)
        if standing is not None and standing.level is Level.SPENT:
            # An owner may have added money on another host: nobody should wait for money that is there.
            standing = await self.standings.of(spender.company, anew=True)
        if standing is None or standing.level is Level.NORMAL or not self._cost(model):
            return Chosen(model=model)
        if standing.level is Level.SPENT:
            if not spender.is_own:
                raise self._held(spender, standing)
            if not standing.may_overdraw:
                raise _spent(standing)
        overdraft = spender.is_own and standing.level >= Level.SMALLEST
        return _chosen(standing, model, self._smaller(model, standing.level), overdraft=overdraft)

    def smallest(self, spender: Spender, model: str) -> Chosen:
        """For a call that does not fit into what is left: on the smallest model it may."""
        standing = self.standings.last(spender.company)
        if standing is None:
            return Chosen(model=model)
        return _chosen(standing, model, self._smaller(model, Level.SMALLEST), overdraft=spender.is_own)

    def ran_out(self, spender: Spender, refused: ModelRefused) -> ModelRefused | ModelOutage:
        """The company's limits leave too little even for the smallest call. Returns what to raise: work that
        nobody waits for is held, people are refused.
        """
        self.standings.ran_out(spender.company)
        standing = self.standings.last(spender.company)
        return refused if spender.is_own or standing is None else self._held(spender, standing)

    def _held(self, spender: Spender, standing: Standing) -> ModelOutage:
        used = standing.waited_for
        after = max((used.ends - self._clock()).total_seconds(), 1.0)
        return ModelOutage(
            BUDGET_HELD, after=after, company=spender.company, period=used.period.value, of="company"
        )

    def _smaller(self, model: str, level: Level) -> str:
        """The cheapest of its vendor if the budget is nearly used, otherwise the next cheaper one."""
        ours = [tier for tier in self._tiers if _vendor(tier) == _vendor(model)]
        most = min(
            [self._cost(model), *(self._cost(tier) for tier in ours[-1:])]
        )  # more expensive than opus counts as opus
        cheaper = [tier for tier in ours if self._cost(tier) < most]
        if not cheaper:
            return model
        return cheaper[-1] if level is Level.STEPPED_DOWN else cheaper[0]

    def _cost(self, model: str) -> int:
        return self._prices.price_of(model, _TYPICAL)


def _chosen(standing: Standing, model: str, smaller: str, *, overdraft: bool) -> Chosen:
    if smaller == model:
        return Chosen(model=model, overdraft=overdraft)
    return Chosen(
        model=smaller,
        instead_of=model,
        level=standing.percent,
        period=standing.worse.period.value,
        overdraft=overdraft,
    )


def _vendor(model: str) -> str:
    return split(model)[0] or "anthropic"


def _spent(standing: Standing) -> ModelRefused:
    worse = standing.worse
    return ModelRefused("budget-spent", limit=dollars(worse.limit or 0), spent=dollars(worse.spent))
