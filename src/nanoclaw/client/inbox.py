"""A client of a host's inbox over its HTTP API: for the command line and for programs."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlencode

from nanoclaw.client.connection import Address, OnCommandLine, as_part
from nanoclaw.console.question_shapes import (
    Decided,
    DecisionPage,
    Figures,
    Permit,
    PermitList,
    Question,
    QuestionList,
)
from nanoclaw.domain.errors import HostUnreachable, NanoClawError, NotRunning
from nanoclaw.domain.ids import new_id
from nanoclaw.domain.questions import Status
from nanoclaw.durable.clock import now

T = TypeVar("T")

_ONE_WAIT = 25.0  # seconds; proxies and people who read logs distrust longer ones
_PAUSE = 0.3
_TO_BE_ASKED = timedelta(minutes=1)  # how long a host may be gone that goes away at that moment
_AFTER_DEADLINE = timedelta(minutes=10)  # a host that was stopped then still says how the question ended
_TAKING_BACK = 5.0
_TOO_SOON = timedelta(seconds=1)


class InboxClient(OnCommandLine):
    async def open(self, execution_id: str = "*") -> list[Question]:
        """All open questions, across pages."""
        found: list[Question] = []
        page = {"execution": execution_id}
        while True:
            given = await self._ask(QuestionList, "GET", f"/api/questions?{urlencode(page)}")
            found += given.questions
            if not given.questions or not given.more:
                return found
            page["after"] = found[-1].id

    async def get(self, ref: str) -> Question:
        return await self._ask(Question, "GET", _path(ref))

    async def ask(self, wanted: Mapping[str, Any]) -> Question:
        return await self._ask(Question, "POST", "/api/questions", dict(wanted))

    async def wait(self, ref: str) -> Question:
        """Returns when it has its end, or its current state after a while."""
        return await self._ask(Question, "GET", f"{_path(ref)}/wait?seconds={_ONE_WAIT}")

    async def decide(self, ref: str, option: str | None, text: str | None) -> Decided:
        return await self._ask(Decided, "POST", f"{_path(ref)}/decide", {"option": option, "text": text})

    async def change(self, ref: str, action: str) -> Question:
        """`cancel` or `again`."""
        return await self._ask(Question, "POST", f"{_path(ref)}/{action}")

    async def conclude(self, ref: str, **ended: object) -> Question:
        """`status`, and whichever there are of `response`, `transcript`, `duration_ms` and `error`."""
        return await self._ask(Question, "POST", f"{_path(ref)}/conclude", ended)

    async def decided(self, limit: int, before: str | None = None) -> list[Question]:
        page = {"limit": limit} | ({"before": before} if before else {})
        return (await self._ask(DecisionPage, "GET", f"/api/decisions?{urlencode(page)}")).decisions

    async def figures(self, days: int) -> Figures:
        return await self._ask(Figures, "GET", f"/api/decisions/figures?days={days}")

    async def permits(self) -> list[Permit]:
        return (await self._ask(PermitList, "GET", "/api/permits")).permits

    async def revoke(self, ref: str) -> None:
        await self._client.ask("DELETE", f"/api/permits/{as_part(ref)}")


def _path(ref: str) -> str:
    return f"/api/questions/{as_part(ref)}"


def in_minutes(span: timedelta) -> int:
    """The span in whole minutes, as questions count time."""
    return math.ceil(span / timedelta(minutes=1))


def plain_options(written: list[str]) -> list[dict[str, Any]]:
    """`yes` or `yes=Deploy now`."""
    pairs = [tuple(map(str.strip, each.partition("=")[::2])) for each in written]
    return [{"id": key, "label": label or key} for key, label in pairs]


async def ask_and_wait(
    home: Path, wanted: Mapping[str, Any], opened: Callable[[Question], None] | None = None
) -> Question:
    """The question with its end. A host that restarts meanwhile is found again. However often it is sent, it
    is one question, because its id is made here. If the caller is cancelled, the question is taken back:
    nobody should be bothered with what nobody waits for. Raises NotRunning if there is no host to begin
    with, HostSaid if it refuses, and HostUnreachable if it stays away for long.
    """
    told = {**wanted, "id": wanted.get("id") or new_id("a")}
    question: Question | None = None
    Address.of(home)
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


def _waiting_for(ref: str) -> Callable[[InboxClient], Awaitable[Question]]:
    return lambda inbox: inbox.wait(ref)


async def _persist(home: Path, act: Callable[[InboxClient], Awaitable[T]], until: datetime) -> T:
    """Try again, at its new address if it has one: it is looked up each time."""
    while True:
        try:
            async with InboxClient(Address.of(home)) as inbox:
                return await act(inbox)
        except (NotRunning, HostUnreachable):
            if now() >= until:
                raise
        await asyncio.sleep(_PAUSE)


async def _take_back(home: Path, told: Mapping[str, Any], question: Question | None) -> None:
    """Take it back. Asking again under the same id finds it, in case it was stored although nobody confirmed it."""
    with suppress(NanoClawError, TimeoutError):
        async with asyncio.timeout(_TAKING_BACK), InboxClient(Address.of(home)) as inbox:
            found = question or await inbox.ask(told)
            await inbox.change(found.id, "cancel")
