"""The gate for every model call: is the model allowed, is there money, does the vendor answer?"""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from nanoclaw.domain.errors import ModelRefused, NanoClawError
from nanoclaw.domain.money import Spender, Usage
from nanoclaw.domain.turns import AnswerCut, ModelAsked, RuntimeEvent, Spent
from nanoclaw.gateway.call_limits import SPENT
from nanoclaw.gateway.ledger import Ledger, Reservation
from nanoclaw.gateway.outage import Outages, Trouble
from nanoclaw.gateway.possible_bills import believed
from nanoclaw.gateway.prices import Prices, split
from nanoclaw.gateway.quotes import PriceQuote
from nanoclaw.gateway.step_down import Chosen, NoStepDown

CONCURRENT = 8  # calls of one line; more have to wait
ANTHROPIC = "anthropic"
MOST_SEARCHES = 10  # web searches by the model itself, in one call
LEAST_TOKENS = 1024  # of an answer
_COUNTED_WITHIN = 50  # a vendor's own count may be low by a fiftieth


@dataclass(kw_only=True, slots=True)
class GatewayLine:
    """One session's way to the model. The spender changes from turn to turn, the rest stays."""

    spender: Spender
    listener: Callable[[RuntimeEvent], None]
    models: tuple[str, ...]  # patterns of the allowed models, such as `claude-*` or `openai:gpt-5`
    web_search: bool = False  # whether the model itself may search
    resting: bool = False  # no turn runs: what is left in the box may ask for nothing
    # Why the last call was refused. The box gets only a sentence; this is the error itself.
    refused: NanoClawError | None = None
    # Why an answer was cut off while the box already read it: what the box asks next gets this for an answer.
    unsaid: NanoClawError | None = None
    concurrent: int = CONCURRENT
    answers: set[str] = field(default_factory=set)  # the ids of those that were passed on lately


Count = Callable[[str], Awaitable[int | None]]
"""Asks the vendor, for free, how many tokens the request has for this model; None if it does not tell."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WantedCall:
    """A call that someone wants to make."""

    model: str
    input_tokens: int  # the most that it can have
    max_output: int
    least_output: int  # a shorter answer is of no use
    searches: int = 0
    count: Count | None = None

    def quote(self, prices: Prices, model: str, input_tokens: int | None = None) -> PriceQuote:
        return prices.quote(
            model,
            self.input_tokens if input_tokens is None else input_tokens,
            self.max_output,
            least=self.least_output,
            searches=self.searches,
        )


class Call:
    """A call that was allowed. Its maker sends `model` and `max_output`, which may be less than wanted, and
    reports what comes back; what is not reported is estimated.
    """

    def __init__(
        self, line: GatewayLine, wanted: WantedCall, chosen: Chosen, ledger: Ledger, outages: Outages
    ) -> None:
        self.model = chosen.model
        self.max_output = wanted.max_output
        self.seen: Usage | None = None  # the usage so far, as far as known
        self._line = line
        self._wanted = wanted
        self._chosen = chosen
        self._vendor = split(chosen.model)[0] or ANTHROPIC
        self._ledger = ledger
        self._outages = outages
        self._probe = outages.check(self._vendor)
        self._tried = 0
        self._started = time.monotonic()
        self._reservation: Reservation | None = None

    @property
    def is_lowered(self) -> bool:
        """Whether the money left pays only for a shorter answer than wanted."""
        return self.max_output < self._wanted.max_output

    async def reserve(self) -> None:
        """Look up the price even if nothing is reserved: an unknown one never spends."""
        self._reservation = await self._ledger.reserve(
            self._line.spender,
            self.model,
            self._wanted.quote(self._ledger.prices, self.model),
            recount=self._recount if self._wanted.count else None,
            overdraft=self._chosen.overdraft,
        )
        self.max_output = self._reservation.max_output
        self._started = time.monotonic()

    async def _recount(self) -> PriceQuote:
        counted = await self._wanted.count(self.model) if self._wanted.count else None
        tokens = self._wanted.input_tokens
        if counted is not None:
            tokens = min(tokens, counted + counted // _COUNTED_WITHIN + 1)
        return self._wanted.quote(self._ledger.prices, self.model, tokens)

    def was_cut(self) -> None:
        """The answer ended at its maximum length. If the budget is the reason, the person is told."""
        if self.is_lowered:
            self._line.listener(AnswerCut())

    def sent(self, unheard: Usage) -> None:
        """The request is under way: this is its cost if nothing more is heard."""
        self.seen = unheard

    def refused(self) -> None:
        """The vendor did not accept the request, so it costs nothing."""
        self.seen = None

    def answered(self) -> None:
        """The vendor began to answer: an outage, if there was one, is over."""
        self._outages.end(self._vendor)

    async def failed(self, trouble: Trouble) -> None:
        """The vendor could not answer. Returns when it is time to try again; raises ModelOutage if it is not."""
        pause = self._outages.wait_for_quick_try(trouble, self._tried)
        if pause is None:
            raise self._outages.begin(self._vendor, trouble, probe=self._probe)
        self._tried += 1
        if self.seen is not None:  # what this try produced is paid for, and the next one is a separate call
            self.settle(self.seen, estimated=True)
            self.seen = None
            await self.reserve()
        await asyncio.sleep(pause)

    def settle(self, usage: Usage, *, estimated: bool = False) -> int:
        """The call is over, with this usage. Returns its price in micros."""
        if self._reservation is None:
            return 0
        if estimated:  # no vendor bills more than it may write, whatever it sends
            usage = replace(usage, output=min(usage.output, self.max_output))
        possible = believed(
            usage,
            input_tokens=self._wanted.input_tokens,
            max_output=self.max_output,
            searches=self._wanted.searches,
        )
        duration = time.monotonic() - self._started
        reservation, self._reservation = self._reservation, None
        estimated = estimated or possible != usage
        paid = self._ledger.settle(reservation, possible, estimated=estimated, duration=duration)
        if possible != usage:
            self._ledger.doubted(self._vendor, usage, paid.micros, None)
        elif paid.micros > reservation.cost.micros and not (estimated or self._wanted.searches):
            self._ledger.doubted(self._vendor, usage, paid.micros, reservation.cost.micros)
        self._line.listener(Spent(model=self.model, usage=possible, micros=paid.micros))
        return paid.micros

    def leave(self) -> None:
        """Pay for whatever was seen of an answer, however it ended; a call that was not accepted costs nothing."""
        if self._reservation is None:
            return
        if self.seen is not None:
            self.settle(self.seen, estimated=True)
        else:
            reservation, self._reservation = self._reservation, None
            self._ledger.release(reservation)


class Gateway:
    """Admits calls, or says why not. No answer is made shorter than `least_tokens` to fit what is left."""

    def __init__(
        self,
        ledger: Ledger,
        outages: Outages | None = None,
        step_down: NoStepDown | None = None,
        *,
        least_tokens: int = LEAST_TOKENS,
    ) -> None:
        self._ledger = ledger
        self._outages = outages or Outages()
        self._step_down = step_down or NoStepDown()
        self._least = least_tokens

    @asynccontextmanager
    async def pass_through(
        self,
        line: GatewayLine,
        model: str,
        input_tokens_estimate: int,
        max_output: int,
        *,
        least_output: int | None = None,
        searches: int = 0,
        free: bool = False,
        count: Count | None = None,
    ) -> AsyncIterator[Call]:
        """Make the call inside this context. Raises ModelRefused or ModelOutage, which the line remembers.
        `free` is for questions that cost nothing, such as how many tokens a text has.
        """
        wanted = WantedCall(
            model=model,
            input_tokens=input_tokens_estimate,
            max_output=max_output,
            least_output=self._least if least_output is None else least_output,
            searches=searches,
            count=count,
        )
        line.refused = None
        try:
            check_allowed(model, line.models)
            call = await self._admit(line, wanted, free=free)
            try:
                yield call
            finally:
                call.leave()
        except NanoClawError as error:
            line.refused = error
            raise

    async def _admit(self, line: GatewayLine, wanted: WantedCall, *, free: bool) -> Call:
        if free:
            return Call(line, wanted, Chosen(model=wanted.model), self._ledger, self._outages)
        chosen = await self._step_down.choose(line.spender, wanted.model)
        try:
            call = await self._reserved(line, wanted, chosen)
        except ModelRefused as refused:
            if refused.key != SPENT:
                raise
            # Perhaps the smallest model, or for people the overdraft, still pays for an answer.
            chosen, before = self._step_down.smallest(line.spender, wanted.model), chosen
            call = await self._reserved_at_last(line, wanted, chosen, before, refused)
        line.listener(
            ModelAsked(
                model=chosen.model, instead_of=chosen.instead_of, level=chosen.level, period=chosen.period
            )
        )
        return call

    async def _reserved_at_last(
        self, line: GatewayLine, wanted: WantedCall, chosen: Chosen, before: Chosen, refused: ModelRefused
    ) -> Call:
        if (chosen.model, chosen.overdraft) == (before.model, before.overdraft):
            raise self._step_down.ran_out(line.spender, refused) from refused
        try:
            return await self._reserved(line, wanted, chosen)
        except ModelRefused as still:
            raise self._step_down.ran_out(line.spender, still) if still.key == SPENT else still from refused

    async def _reserved(self, line: GatewayLine, wanted: WantedCall, chosen: Chosen) -> Call:
        call = Call(line, wanted, chosen, self._ledger, self._outages)
        await call.reserve()
        return call


def check_allowed(model: str, patterns: tuple[str, ...]) -> None:
    """Raises ModelRefused."""
    names = (model, split(model)[1])
    if not any(fnmatchcase(name, pattern) for name in names for pattern in patterns):
        raise ModelRefused("model-not-allowed", model=model, allowed=", ".join(patterns))
