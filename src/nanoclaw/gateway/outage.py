"""When a vendor cannot answer: a few quick tries, then everyone waits until one call may try again.

During an outage calls are refused at once: code that holds messages back need not ask the vendor.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from nanoclaw.domain.errors import ModelOutage

_NO_CREDIT = "credit balance is too low"


@dataclass(frozen=True, kw_only=True, slots=True)
class Trouble:
    """What a vendor said, or did not say, when it could not answer."""

    said: str
    after: float | None = None  # seconds that the vendor asked to wait
    lasting: bool = False  # no credit: a quick try would change nothing


@dataclass(frozen=True, kw_only=True, slots=True)
class Delays:
    """How long to wait, in seconds. Tests wait less."""

    quick: tuple[float, ...] = (0.3, 1.2)  # before each quick try
    longest_quick: float = 2.0  # if a vendor asks for more than this, there is no quick try
    first: float = 5.0
    longest: float = 300.0
    longest_asked: float = 3600.0  # a vendor that asks for more is tried again anyway


@dataclass(slots=True)
class _Outage:
    trouble: Trouble
    delay: float
    until: float


class Outages:
    """The state of each vendor."""

    def __init__(self, delays: Delays | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.delays = delays or Delays()
        self._clock = clock
        self._on: dict[str, _Outage] = {}

    def check(self, vendor: str) -> bool:
        """Raises ModelOutage during an outage. True for the one call that tests whether it is over."""
        outage = self._on.get(vendor)
        if outage is None:
            return False
        left = outage.until - self._clock()
        if left > 0:
            raise self._error(vendor, outage, left)
        # The others wait for the one that tests. If it never comes back, the next one tests after the delay.
        outage.until = self._clock() + outage.delay
        return True

    def wait_for_quick_try(self, trouble: Trouble, tried: int) -> float | None:
        """Seconds until the next quick try; None if there should be none."""
        asked = trouble.after or 0
        if trouble.lasting or tried >= len(self.delays.quick) or asked > self.delays.longest_quick:
            return None
        return max(self.delays.quick[tried], asked)

    def begin(self, vendor: str, trouble: Trouble, *, probe: bool) -> ModelOutage:
        """The quick tries failed. Only a call that tested the outage lengthens the delay, not each of many."""
        outage = self._on.get(vendor)
        if outage is None:
            delay = self.delays.first
        elif probe:
            delay = min(outage.delay * 2, self.delays.longest)
        else:
            delay = outage.delay
        left = delay if trouble.after is None else min(trouble.after, self.delays.longest_asked)
        until = self._clock() + left
        if outage is not None and not probe:
            until = max(until, outage.until)
        self._on[vendor] = outage = _Outage(trouble, delay, until)
        return self._error(vendor, outage, until - self._clock())

    def end(self, vendor: str) -> None:
        """The vendor answers."""
        self._on.pop(vendor, None)

    def _error(self, vendor: str, outage: _Outage, left: float) -> ModelOutage:
        return ModelOutage("model-outage", after=left, vendor=vendor, said=outage.trouble.said)


def trouble_of(status: int, headers: Mapping[str, str], said: str) -> Trouble | None:
    """The trouble, if this answer means that the vendor cannot answer now; None if the fault is in the request."""
    lasting = status == 402 or (status == 400 and _NO_CREDIT in said.lower())
    if not lasting and status != 429 and status < 500:
        return None
    return Trouble(said=f"{status} {said}".strip()[:300], after=_retry_after(headers), lasting=lasting)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    try:
        seconds = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
