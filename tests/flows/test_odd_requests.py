"""Every endpoint of the API, called by a stranger and with what no page sends: nothing is told, and nothing breaks."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from nanoclaw.testing import started_host

pytestmark = [pytest.mark.capability("O3"), pytest.mark.attack]

_IDS = ("%00", "9" * 400, "%2e%2e%2f%2e%2e%2fdata%2fweb-token")
_BODIES = (
    b"{",
    b"[" * 100_000,
    b'"x"',
    json.dumps({"text": "\0", "name": "\ud800", "limit": 10**30}).encode(),
)


def _calls(described: dict[str, Any]) -> Iterator[tuple[str, str, bytes | None]]:
    for path, methods in described["paths"].items():
        for number, odd in enumerate(_IDS if "{" in path else ("",)):
            for method in methods:
                body = _BODIES[(len(path) + number) % len(_BODIES)] if method != "get" else None
                yield method.upper(), re.sub(r"{\w+}", odd, path), body


async def test_no_endpoint_serves_a_stranger_or_breaks_by_odd_ids_and_bodies(
    home: Path, postgres_url: str
) -> None:
    """On PostgreSQL, which takes fewer letters than SQLite."""
    async with (
        started_host(home, database={"url": postgres_url}) as host,
        httpx.AsyncClient(base_url=host.url) as stranger,
    ):
        key = {"Authorization": f"Bearer {host.token}"}
        described = (await stranger.get("/api/openapi.json", headers=key)).json()
        calls = list(_calls(described))
        assert len(calls) > 200
        for method, path, body in calls:
            refused = await stranger.request(method, path, content=body)
            assert refused.status_code == 401, (method, path)
            answer = await stranger.request(method, path, content=body, headers=key)
            assert answer.status_code < 500, (method, path, body and body[:60])
            assert host.token not in answer.text
