"""Hosts with one database whose people sit at the page: they try each host until one takes what they want."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import httpx
from tests.chaos.hosts import ChaosHost

LOOK_EVERY = 0.25  # seconds; rows wake nobody when they change
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
    answer = await client.get(f"/api/rooms/{room}/messages?limit=200")
    answer.raise_for_status()
    items: list[dict[str, Any]] = answer.json()["items"]
    return items
