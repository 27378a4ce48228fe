"""A paid request to an OpenAI-compatible audio API: reserved, tried up to three times, settled at its own price."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import httpx
import structlog

from nanoclaw.domain.bounds import TooMuch, whole
from nanoclaw.domain.errors import ModelRefused, NotHeard
from nanoclaw.domain.money import Spender, Usage
from nanoclaw.gateway.ledger import Ledger
from nanoclaw.gateway.outage import Delays, Outages, Trouble, trouble_of
from nanoclaw.gateway.quotes import PriceQuote

log = structlog.get_logger("audio")

Pause = Callable[[float], Awaitable[object]]
T = TypeVar("T")

_CONNECT = 10.0  # seconds
_MOST_SAID = 64 * 1024
_NEVER_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol, httpx.InvalidURL)
_DELAYS = Delays(quick=(0.5, 3.0), longest_quick=20.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class AudioCall:
    """One request to the engine. `at_most` is the most it can cost, in micros."""

    path: str
    model: str
    spender: Spender
    at_most: int
    within: float  # seconds for one try
    longest: int  # bytes of the answer
    body: Mapping[str, Any]  # as httpx takes it: `json`, or `data` and `files`


@dataclass(frozen=True, kw_only=True, slots=True)
class AudioAnswer(Generic[T]):
    """What came back, and its cost; None if the engine did not say, and the most is charged."""

    content: T
    micros: int | None
    usage: Usage = field(default_factory=Usage)


class AudioApi:
    """`noun` begins its error keys: `voice` or `speech`. The key goes to `base_url`, and nowhere else."""

    def __init__(
        self, noun: str, base_url: str, key: str | None, ledger: Ledger, *, pause: Pause = asyncio.sleep
    ) -> None:
        self._noun = noun
        self._base_url = base_url.rstrip("/")
        self._key = (key or "").strip()
        self._ledger = ledger
        self._pause = pause
        self._tries = Outages(_DELAYS)

    async def ask(self, call: AudioCall, read: Callable[[bytes], AudioAnswer[T]]) -> T:
        """Raises NotHeard. `read` parses the answer, and raises ValueError if it cannot."""
        # No header can carry such a key, and the error would show it.
        if not self._key.isascii() or not self._key.isprintable():
            raise self._not_heard("key")
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        tried = 0
        timeout = httpx.Timeout(None, connect=_CONNECT)
        async with httpx.AsyncClient(headers=headers, timeout=timeout) as http:
            while True:
                answer = await self._try(http, call, read)
                if isinstance(answer, AudioAnswer):
                    return answer.content
                wait = self._tries.wait_for_quick_try(answer, tried)
                log.warning("audio call failed", call=call.path, again=wait is not None)
                if wait is None:
                    raise self._not_heard("failed", said=answer.said)
                tried += 1
                await self._pause(wait)

    async def _try(
        self, http: httpx.AsyncClient, call: AudioCall, read: Callable[[bytes], AudioAnswer[T]]
    ) -> AudioAnswer[T] | Trouble:
        """Returns trouble that another try may fix; each try is paid for separately."""
        try:
            reservation = await self._ledger.reserve(
                call.spender, call.model, PriceQuote.fixed(call.at_most), overdraft=call.spender.is_own
            )
        except ModelRefused as error:
            raise self._not_heard("budget", **error.values) from error
        started = time.monotonic()
        taken = True  # until we hear otherwise: what was sent may be billed, even without an answer
        answer: AudioAnswer[T] | None = None
        try:
            async with (
                asyncio.timeout(call.within),
                http.stream("POST", f"{self._base_url}{call.path}", **call.body) as response,
            ):
                taken = response.is_success
                if not taken:
                    return self._refused(response, await whole(response.aiter_bytes(), _MOST_SAID))
                answer = read(await whole(response.aiter_bytes(), call.longest))
                return answer
        except _NEVER_SENT as error:
            taken = False
            return Trouble(said=self._hide(str(error) or type(error).__name__))
        except (TimeoutError, httpx.TimeoutException) as error:
            raise self._not_heard("slow", seconds=round(call.within)) from error
        except httpx.HTTPError as error:
            return Trouble(said=self._hide(str(error) or type(error).__name__))
        except (ValueError, TooMuch) as error:
            raise self._not_heard("garbled") from error
        finally:
            if taken:
                known = answer is not None and answer.micros is not None
                self._ledger.settle(
                    reservation,
                    answer.usage if answer else Usage(),
                    micros=answer.micros if answer and answer.micros is not None else call.at_most,
                    estimated=not known,
                    duration=time.monotonic() - started,
                )
            else:
                self._ledger.release(reservation)

    def _refused(self, response: httpx.Response, content: bytes) -> Trouble:
        if response.status_code in (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN):
            raise self._not_heard("key")
        said = self._hide(_message(content))
        trouble = trouble_of(response.status_code, response.headers, said)
        if trouble is None:
            raise self._not_heard("failed", said=f"{response.status_code} {said}".strip())
        return trouble

    def _hide(self, said: str) -> str:
        """Some servers repeat the key when they refuse it."""
        return " ".join((said.replace(self._key, "***") if self._key else said).split())[:300]

    def _not_heard(self, what: str, **values: object) -> NotHeard:
        return NotHeard(f"{self._noun}-{what}", **values)


def _message(content: bytes) -> str:
    """The engine's own message, without the rest of the body."""
    try:
        match json.loads(content):
            case {"error": {"message": str(words)}} | {"detail": str(words)} | {"error": str(words)}:
                return words
    except ValueError:
        pass
    return content.decode("utf-8", "replace")
