"""Whether calls can be paid: in full, after a wait, for a shorter answer, or not at all.

Those that ask at the same moment are judged one after the other in one transaction: what is left is read once
for all.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from nanoclaw.domain.ids import HostId
from nanoclaw.durable import costs, limits, waiting_calls
from nanoclaw.durable.costs import Cost
from nanoclaw.durable.limits import Limit, Money
from nanoclaw.durable.store import Tx
from nanoclaw.durable.waiting_calls import WaitingCall
from nanoclaw.gateway.call_limits import CallLimits
from nanoclaw.gateway.quotes import PriceQuote


@dataclass(frozen=True, slots=True)
class Paid:
    """It can leave, with an answer of at most so many tokens."""

    cost: Cost
    tokens: int


@dataclass(frozen=True, slots=True)
class MustWait:
    """What is left at these limits is reserved for others: it may suffice when they are over."""

    limits: frozenset[str]


@dataclass(frozen=True, slots=True)
class Short:
    """This limit leaves less than the whole answer costs, even if the others return everything."""

    money: Money
    tokens: int  # that it pays for; below the minimum the call is refused


Verdict = Paid | MustWait | Short


@dataclass(frozen=True, kw_only=True, slots=True)
class Try:
    """A call that asks for its money."""

    cost: Cost
    quote: PriceQuote
    concerned: CallLimits
    call: WaitingCall
    is_new: bool  # it is not in line yet
    is_exact: bool  # its quote is the vendor's own count, or as good as it gets


def judge(
    found: Sequence[Money], quote: PriceQuote, ahead: Collection[str], *, is_exact: bool = True
) -> MustWait | Short | None:
    """None if all of it can be paid. `ahead` are the limits at which others have waited longer. Nobody waits for
    money with a quote that is too high: Short, until it is exact.
    """
    if not found:  # the limits were lifted while it waited
        return None
    worst = min(found, key=lambda money: money.left_at_most)
    at_most = quote.tokens_for(worst.left_at_most)
    if at_most < quote.least:
        return Short(worst, at_most)
    if ahead:
        return MustWait(frozenset(ahead))
    short = [money for money in found if money.left < quote.whole]
    if not short:
        return None
    waits_at = frozenset(money.limit.key for money in short if money.on_the_way)
    if waits_at and is_exact:
        return MustWait(waits_at)
    return Short(worst, at_most)


def judge_all(tx: Tx, company: str, tries: Sequence[Try], host: HostId, at: datetime) -> list[Verdict]:
    """Judge in this order, each after what those before it got. What they get is written."""
    limited = [each.concerned.now(tx, at) for each in tries]
    left = _Left.read(tx, company, (limit for each in limited for limit in each), host)
    verdicts = [left.judge(tx, each, own, at) for each, own in zip(tries, limited, strict=True)]
    if left.leaving:
        costs.reserve(tx, *left.leaving)
    return verdicts


@dataclass(kw_only=True, slots=True)
class _Left:
    """What the limits leave and who waits at them, updated from call to call."""

    found: dict[object, Money]  # by scope
    waiting: dict[str, list[str]]  # the limits at which each call waits, by its id
    leaving: list[Cost] = field(default_factory=list)

    @classmethod
    def read(cls, tx: Tx, company: str, concerned: Iterable[Limit], host: HostId) -> "_Left":
        scopes = {limit.scope: limit for limit in concerned}
        counted = limits.count(tx, company, list(scopes.values()), host)
        return cls(
            found={money.limit.scope: money for money in counted},
            waiting=dict(waiting_calls.of_company(tx, company, host)),
        )

    def judge(self, tx: Tx, asked: Try, own: Sequence[Limit], at: datetime) -> Verdict:
        quote, call = asked.quote, asked.call
        found = [replace(self.found[limit.scope], limit=limit) for limit in own]
        got = judge(found, quote, self._ahead(asked, {limit.key for limit in own}), is_exact=asked.is_exact)
        if isinstance(got, MustWait):
            self.waiting[call.id] = sorted(got.limits)
            waiting_calls.put(tx, call, self.waiting[call.id], is_new=asked.is_new)
            return got
        if isinstance(got, Short) and not asked.is_exact:
            return got  # it keeps its place in line: it comes back at once
        if not asked.is_new:
            self.waiting.pop(call.id, None)
            waiting_calls.remove(tx, call.id)
        if isinstance(got, Short) and got.tokens < quote.least:
            return got
        tokens = got.tokens if isinstance(got, Short) else quote.most
        cost = replace(asked.cost, at=at, micros=quote.price(tokens))
        self._take(cost)
        return Paid(cost, tokens)

    def _ahead(self, asked: Try, keys: Collection[str]) -> set[str]:
        """The limits of this call at which earlier calls wait."""
        before = (
            waited_at
            for call_id, waited_at in self.waiting.items()
            if asked.is_new or call_id < asked.call.id
        )
        return {limit for waited_at in before for limit in waited_at if limit in keys}

    def _take(self, cost: Cost) -> None:
        self.leaving.append(cost)
        for scope, money in self.found.items():
            if money.limit.concerns(cost.spender):
                self.found[scope] = replace(money, on_the_way=money.on_the_way + cost.micros)
