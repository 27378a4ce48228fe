"""Hosts with one database whose people sit at the page: they try each host until one takes what they want."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import httpx
from tests.chaos.hosts import ChaosHost
from tests.chaos.pipelines import Trial

LOOK_EVERY = 0.25  # seconds; rows wake nobody when they change
_PAUSED = 0.4  # of what is done to a host; else it is killed
_PATIENCE = 3.0  # seconds with one host

Found = TypeVar("Found")


async def with_any(
    hosts: Sequence[ChaosHost], act: Callable[[httpx.AsyncClient], Awaitable[Found | None]]
) -> Found:
    """What the first host gives that is there and does not say None; each is tried again and again."""
    while True:
        for host in [each for each in hosts if each.up.is_set() and not each.is_paused]:
            with suppress(httpx.HTTPError, OSError, KeyError, ValueError):
                async with asyncio.timeout(_PATIENCE), host.client() as client:
                    if (found := await act(client)) is not None:
                        return found
        await asyncio.sleep(LOOK_EVERY)


async def room_titled(client: httpx.AsyncClient, title: str) -> str | None:
    """None: it was made, perhaps, and is found next time."""
    found = (await client.get("/api/rooms")).json()["rooms"]
    known = {each["title"]: str(each["id"]) for each in found}
    if title not in known:
        (await client.post("/api/rooms", json={"title": title})).raise_for_status()
    return known.get(title)


async def lines_in(client: httpx.AsyncClient, room: str) -> list[dict[str, Any]]:
    answer = await client.get(f"/api/rooms/{room}/messages")
    answer.raise_for_status()
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


async def break_them(
    trial: Trial, hosts: Sequence[ChaosHost], dice: random.Random, people: "asyncio.Future[Any]"
) -> tuple[int, int]:
    """Kills and pauses, some longer than the lease, until there were enough or people have all they want."""
    kills = pauses = 0
    while kills + pauses < trial.kills and not people.done():
        await asyncio.sleep(dice.uniform(0.05, trial.longest_rest) / len(hosts))
        there = [host for host in hosts if host.up.is_set() and not host.is_paused]
        if not there:
            continue
        if dice.random() < _PAUSED:
            pauses += dice.choice(there).pause(dice.uniform(0.5, 2) * trial.lifetime)
        else:
            kills += await dice.choice(there).strike_and_wait(dice.uniform(0, 0.3))
    return kills, pauses
