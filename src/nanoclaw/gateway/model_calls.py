"""The gate for every model call, whoever makes it: is the model allowed, is there money, does the vendor answer?"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from nanoclaw.domain.errors import ModelRefused, NanoClawError
from nanoclaw.domain.money import Spender, Usage
from nanoclaw.domain.tool_calls import SeenCalls
from nanoclaw.domain.turns import ModelAsked, RuntimeEvent, Spent
from nanoclaw.gateway.ledger import Ledger, Reservation
from nanoclaw.gateway.outage import Outages, Trouble
from nanoclaw.gateway.prices import split

CONCURRENT = 8  # calls of one line; more of them wait
ANTHROPIC = "anthropic"
MOST_SEARCHES = 10  # of the web, by the model itself, in one call


@dataclass(kw_only=True, slots=True)
class Line:
    """One session's way to the model. The spender changes from turn to turn, the rest stays."""

    spender: Spender
    listener: Callable[[RuntimeEvent], None]
    models: tuple[str, ...]  # patterns of the allowed models, such as `claude-*` or `openai:gpt-5`
    web_search: bool = False  # whether the model itself may search
    resting: bool = False  # no turn runs: whatever is left in the box may ask for nothing
    # Why the last call was refused. The box gets only a sentence; this is the error itself.
    refused: NanoClawError | None = None
    concurrent: int = CONCURRENT
    seen: SeenCalls = field(default_factory=SeenCalls)  # what the model asked for in this turn


class Call:
    """A call that was allowed. Its maker reports what comes back; what is not reported is estimated."""

    def __init__(self, line: Line, model: str, vendor: str, ledger: Ledger, outages: Outages) -> None:
        self.seen: Usage | None = None  # the usage so far, as far as anyone can tell
        self._line = line
        self._model = model
        self._vendor = vendor
        self._ledger = ledger
        self._outages = outages
        self._probe = outages.check(vendor)
        self._tried = 0
        self._started = time.monotonic()
        self._at_most = 0
        self._reservation: Reservation | None = None

    async def reserve(self, at_most: int) -> None:
        self._at_most = at_most
        self._reservation = await self._ledger.reserve(self._line.spender, self._model, at_most)

    def sent(self, unheard: Usage) -> None:
        """The request is on its way: this is its cost if nothing more is heard of it."""
        self.seen = unheard

    def refused(self) -> None:
        """The vendor did not accept the request, so it costs nothing."""
        self.seen = None

    def answered(self) -> None:
        """The vendor began to answer: an outage, if there was one, is over."""
        self._outages.end(self._vendor)

    async def failed(self, trouble: Trouble) -> None:
        """The vendor could not answer. Returns when it is time to try again; raises ModelOutage when it is not."""
        pause = self._outages.wait_for_quick_try(trouble, self._tried)
        if pause is None:
            raise self._outages.begin(self._vendor, trouble, probe=self._probe)
        self._tried += 1
        if self.seen is not None:  # what came of this try is paid for, and the next one is a call of its own
            self.settle(self.seen, estimated=True)
            self.seen = None
            await self.reserve(self._at_most)
        await asyncio.sleep(pause)

    def settle(self, usage: Usage, *, estimated: bool = False) -> int:
        """The call is over, with this usage. Returns its price in micros."""
        if self._reservation is None:
            return 0
        duration = time.monotonic() - self._started
        reservation, self._reservation = self._reservation, None
        paid = self._ledger.settle(reservation, usage, estimated=estimated, duration=duration)
        self._line.listener(Spent(model=self._model, usage=usage, micros=paid.micros))
        return paid.micros

    def leave(self) -> None:
        """Whatever was seen of an answer is paid for, however it ended; a call that was not accepted costs nothing."""
        if self._reservation is None:
            return
        if self.seen is not None:
            self.settle(self.seen, estimated=True)
        else:
            reservation, self._reservation = self._reservation, None
            self._ledger.release(reservation)


class Gateway:
    """Admits calls, or says why not."""

    def __init__(self, ledger: Ledger, outages: Outages | None = None) -> None:
        self._ledger = ledger
        self._outages = outages or Outages()

    @asynccontextmanager
    async def pass_through(
        self,
        line: Line,
        model: str,
        input_tokens_estimate: int,
        max_output: int,
        *,
        searches: int = 0,
        free: bool = False,
    ) -> AsyncIterator[Call]:
        """Inside, make the call. Raises ModelRefused or ModelOutage, which the line remembers.

        `free` is for questions that cost nothing, such as how many tokens a text has.
        """
        line.refused = None
        try:
            _check_allowed(line, model)
            # Looked up even when nothing is reserved: an unknown price never spends.
            prices = self._ledger.prices
            at_most = 0 if free else prices.most(model, input_tokens_estimate, max_output, searches)
            call = Call(line, model, split(model)[0] or ANTHROPIC, self._ledger, self._outages)
            try:
                if not free:
                    await call.reserve(at_most)
                    line.listener(ModelAsked(model=model))
                yield call
            finally:
                call.leave()
        except NanoClawError as error:
            line.refused = error
            raise


def _check_allowed(line: Line, model: str) -> None:
    names = (model, split(model)[1])
    if not any(fnmatchcase(name, pattern) for name in names for pattern in line.models):
        raise ModelRefused("model-not-allowed", model=model, allowed=", ".join(line.models))
