"""Vendors without batches: the requests of a part are ordinary calls, a few at once, each paid for by itself.

Reading the results makes the calls: what has its result in the rows is not asked again.
"""

import asyncio
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from pydantic_core import from_json

from nanoclaw.domain.batches import Batch, BatchPart, BrokenLine, ItemResult, ItemState, VendorBatch
from nanoclaw.domain.errors import ModelFailed, ModelRefused
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.money import Usage

_READ = 64  # lines
_Calls = set[asyncio.Task[ItemResult]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Answered:
    text: str
    usage: Usage
    micros: int
    is_cut: bool = False  # the budget did not pay for all of it


Ask = Callable[[Batch, str, Mapping[str, Any]], Awaitable[Answered]]
"""Makes one call, with its custom id and its parameters. Raises ModelOutage, ModelRefused or ModelFailed."""


class OrdinaryBatches:
    pays_by_call = True

    def __init__(self, ask: Ask, *, at_once: int) -> None:
        self._ask = ask
        self._places = asyncio.Semaphore(at_once)  # of all batches together
        self._at_once = at_once

    async def close(self) -> None:
        """Nothing to close."""

    async def send(self, batch: Batch, requests: Path, count: int) -> VendorBatch:
        """Nothing leaves yet."""
        return VendorBatch(vendor_id=new_id("ob"), has_ended=False, total=count)

    async def look_up(self, since: datetime, count: int) -> Sequence[VendorBatch]:
        return ()

    async def status(self, vendor_id: str) -> VendorBatch:
        """The status: its results can always be asked for."""
        return VendorBatch(vendor_id=vendor_id, has_ended=True, total=0)

    async def cancel(self, vendor_id: str) -> None:
        """Nothing to do: `results` sees that the batch was cancelled, and asks no more."""

    async def results(
        self, batch: Batch, part: BatchPart, requests: Path, is_open: Collection[str]
    ) -> AsyncGenerator[ItemResult | BrokenLine, None]:
        if batch.cancelled_by is not None:
            for custom_id in tuple(is_open):
                yield ItemResult(custom_id=custom_id, state=ItemState.CANCELED)
            return
        waiting = set(is_open)
        calls: _Calls = set()
        try:
            async for custom_id, params in _requests(requests):
                if custom_id not in waiting:
                    continue
                calls.add(asyncio.create_task(self._result(batch, custom_id, params)))
                if len(calls) >= self._at_once:
                    done, calls = await _some_over(calls)
                    for result in _results(done):
                        yield result
            if calls:
                done, calls = await asyncio.wait(calls)
                for result in _results(done):
                    yield result
        finally:
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)

    async def _result(self, batch: Batch, custom_id: str, params: Mapping[str, Any]) -> ItemResult:
        async with self._places:
            try:
                answered = await self._ask(batch, custom_id, params)
            except ModelRefused:
                raise  # no money, or no key: this applies to all of them
            except ModelFailed as failed:
                said = str(failed.values.get("said", failed.key))
                return ItemResult(custom_id=custom_id, state=ItemState.ERRORED, error=said, micros=0)
        return ItemResult(
            custom_id=custom_id,
            state=ItemState.SUCCEEDED,
            text=answered.text,
            is_cut=answered.is_cut,
            usage=answered.usage,
            micros=answered.micros,
        )


async def _some_over(calls: _Calls) -> tuple[_Calls, _Calls]:
    """Those that are over, and the others. After a failure all of them: open calls are paid for, and would
    otherwise be asked again.
    """
    done, others = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
    return await asyncio.wait(calls) if any(call.exception() for call in done) else (done, others)


def _results(done: Collection[asyncio.Task[ItemResult]]) -> Iterator[ItemResult]:
    """Results that were paid for come first; then the error, if there is one."""
    failed = [call for call in done if call.exception()]
    yield from (call.result() for call in done if call not in failed)
    for call in failed:
        call.result()


async def _requests(path: Path) -> AsyncIterator[tuple[str, Mapping[str, Any]]]:
    file: BinaryIO = await asyncio.to_thread(path.open, "rb")
    try:
        while lines := await asyncio.to_thread(_some, file):
            for line in lines:
                found = from_json(line)
                yield found["custom_id"], found["params"]
    finally:
        file.close()


def _some(file: BinaryIO) -> list[bytes]:
    return [line for _ in range(_READ) if (line := file.readline())]
