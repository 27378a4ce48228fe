"""Speaks with the inbox of a host from outside of it, over its HTTP API: for the command line, and for programs."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from pydantic import TypeAdapter

from nanoclaw.client.connection import Door, OnCommandLine, read_as
from nanoclaw.console.inbox_keeper import Figures, PermitRow, QuestionRow
from nanoclaw.domain.errors import HostUnreachable, NanoClawError, NotRunning
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.questions import Status
from nanoclaw.durable.clock import now

T = TypeVar("T")

_ROW = TypeAdapter(QuestionRow)
_DECIDED = TypeAdapter(tuple[str, QuestionRow])
_ROWS = TypeAdapter(tuple[QuestionRow, ...])
_FIGURES = TypeAdapter(Figures)
_PERMITS = TypeAdapter(tuple[PermitRow, ...])

_ONE_WAIT = 25.0  # seconds; proxies and people who look at logs distrust longer ones
_PAUSE = 0.3
_TO_BE_ASKED = timedelta(minutes=1)  # how long a host that goes away at that moment may be gone
_AFTER_DEADLINE = timedelta(minutes=10)  # a host that was stopped then still says how the question ended
_TAKING_BACK = 5.0
_TOO_SOON = timedelta(seconds=1)


class InboxClient(OnCommandLine):
    async def open(self, execution_id: str = "*") -> Sequence[QuestionRow]:
        """All of them, however many pages they are."""
        rows: list[QuestionRow] = []
        page = {"execution": execution_id}
        while True:
            given = await self._client.ask("GET", f"/api/questions?{urlencode(page)}")
            found = read_as(_ROWS, given.get("questions"))
            rows += found
            if not found or not given.get("more"):
                return tuple(rows)
            page["after"] = found[-1].id

    async def get(self, ref: str) -> QuestionRow:
        return await self._get(_ROW, _path(ref))

    async def ask(self, wanted: Mapping[str, Any]) -> QuestionRow:
        return read_as(_ROW, await self._client.ask("POST", "/api/questions", dict(wanted)))

    async def wait(self, ref: str) -> QuestionRow:
        """As soon as it has its end, or as it stands after a while."""
        return await self._get(_ROW, f"{_path(ref)}/wait?seconds={_ONE_WAIT}")

    async def decide(self, ref: str, option: str | None, text: str | None) -> tuple[str, QuestionRow]:
        given = await self._client.ask("POST", f"{_path(ref)}/decide", {"option": option, "text": text})
        return read_as(_DECIDED, (given.get("said"), given.get("question")))

    async def cancel(self, ref: str) -> QuestionRow:
        return read_as(_ROW, await self._client.ask("POST", f"{_path(ref)}/cancel"))

    async def ask_again(self, ref: str) -> QuestionRow:
        return read_as(_ROW, await self._client.ask("POST", f"{_path(ref)}/again"))

    async def conclude(self, ref: str, **ended: object) -> QuestionRow:
        """`status`, and of `response`, `transcript`, `duration_ms` and `error` what there is."""
        return read_as(_ROW, await self._client.ask("POST", f"{_path(ref)}/conclude", ended))

    async def decided(self, limit: int, before: str | None) -> Sequence[QuestionRow]:
        page = {"limit": limit} | ({"before": before} if before else {})
        return await self._get(_ROWS, f"/api/decisions?{urlencode(page)}", "decisions")

    async def figures(self, days: int) -> Figures:
        return await self._get(_FIGURES, f"/api/decisions/figures?days={days}")

    async def permits(self) -> Sequence[PermitRow]:
        return await self._get(_PERMITS, "/api/permits", "permits")

    async def revoke(self, ref: str) -> None:
        await self._client.ask("DELETE", f"/api/permits/{quote(ref, safe='')}")

    async def _get(self, shape: TypeAdapter[T], path: str, key: str | None = None) -> T:
        given = await self._client.ask("GET", path)
        return read_as(shape, given.get(key) if key else given)


def _path(ref: str) -> str:
    return f"/api/questions/{quote(ref, safe='')}"


def in_minutes(span: timedelta) -> int:
    """Questions are open for whole minutes."""
    return math.ceil(span / timedelta(minutes=1))


def plain_options(written: list[str]) -> list[dict[str, Any]]:
    """`yes` or `yes=Deploy now`."""
    pairs = [tuple(map(str.strip, each.partition("=")[::2])) for each in written]
    return [{"id": key, "label": label or key} for key, label in pairs]


async def ask_and_wait(
    home: Path, wanted: Mapping[str, Any], opened: Callable[[QuestionRow], None] | None = None
) -> QuestionRow:
    """The question with its end. A host that is stopped and started again meanwhile is found again.

    However often it is said, it is one question, because its id is made here. Whoever is cancelled while they wait
    takes it back: nobody should be bothered with what nobody waits for. Raises NotRunning when there is no host to
    begin with, HostSaid when it refuses, and HostUnreachable when it stays away for long.
    """
    told = {**wanted, "id": wanted.get("id") or new_id("a")}
    question: QuestionRow | None = None
    Door.of(home)
    try:
        question = await _persist(home, lambda inbox: inbox.ask(told), now() + _TO_BE_ASKED)
        if opened:
            opened(question)
        while question.status == Status.PENDING:
            began, until = now(), question.deadline_at + _AFTER_DEADLINE
            question = await _persist(home, _waiting_for(question.id), until)
            if question.status == Status.PENDING and now() - began < _TOO_SOON:
                await asyncio.sleep(_PAUSE)  # a host that is about to stop lets everyone go
    except asyncio.CancelledError:
        await _take_back(home, told, question)
        raise
    return question


def _waiting_for(ref: str) -> Callable[[InboxClient], Awaitable[QuestionRow]]:
    return lambda inbox: inbox.wait(ref)


async def _persist(home: Path, act: Callable[[InboxClient], Awaitable[T]], until: datetime) -> T:
    """At its new address, if it has one: it is looked up again each time."""
    while True:
        try:
            async with InboxClient(Door.of(home)) as inbox:
                return await act(inbox)
        except (NotRunning, HostUnreachable):
            if now() >= until:
                raise
        await asyncio.sleep(_PAUSE)


async def _take_back(home: Path, told: Mapping[str, Any], question: QuestionRow | None) -> None:
    """Asked again under the same id it is found, in case it was stored although nobody heard so."""
    with suppress(NanoClawError, TimeoutError):
        async with asyncio.timeout(_TAKING_BACK), InboxClient(Door.of(home)) as inbox:
            found = question or await inbox.ask(told)
            await inbox.cancel(found.id)
