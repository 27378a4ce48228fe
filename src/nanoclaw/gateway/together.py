"""Collects what is asked while a transaction runs, and does it in the next one, so that many calls share it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


class Together(Generic[Item, Result]):
    """`act` does everything asked for one company, and returns a result for each. One at a time per company."""

    def __init__(self, act: Callable[[str, Sequence[Item]], Awaitable[Sequence[Result]]]) -> None:
        self._act = act
        self._asked: dict[str, list[tuple[Item, asyncio.Future[Result]]]] = {}
        self._acting: dict[str, asyncio.Task[None]] = {}

    def ask(self, company: str, item: Item) -> asyncio.Future[Result]:
        """Ask for something; it is done even if nobody waits for it any more."""
        done: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._asked.setdefault(company, []).append((item, done))
        if company not in self._acting:
            self._acting[company] = asyncio.create_task(self._go_on(company))
        return done

    async def _go_on(self, company: str) -> None:
        while asked := self._asked.pop(company, None):
            # Every error goes to those who asked.
            [got] = await asyncio.gather(
                self._act(company, [item for item, _ in asked]), return_exceptions=True
            )
            for number, (_, done) in enumerate(asked):
                if done.cancelled():
                    continue
                if isinstance(got, BaseException):
                    done.set_exception(got)
                else:
                    done.set_result(got[number])
        del self._acting[company]
