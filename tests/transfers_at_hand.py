"""A host with a conversation that can be taken elsewhere, and its transfers as a program sees them over HTTP."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
from tests.telegram_scene import eventually

from nanoclaw.host.host import Host
from nanoclaw.testing import ScriptedModel, started_host

ANALYSIS = """# What came of it

Transfer ID: {id}

## Facts
- Supplier Ovid delivers within 9 days
- The <b>old</b> contract ends in March

## Decisions
- Order from Ovid because it is the fastest
- Keep the old supplier as a reserve

## Context changes
- product/pricing: Say that delivery takes 9 days

## Next step
Write the order
"""


class Transfers:
    def __init__(self, host: Host) -> None:
        self.host = host
        self.client = httpx.AsyncClient(
            base_url=host.url,
            headers={"Authorization": f"Bearer {host.token}"},
            timeout=httpx.Timeout(30),
            trust_env=False,
        )

    async def room(self) -> str:
        rooms = (await self.client.get("/api/rooms")).json()["rooms"]
        return str(next(each["id"] for each in rooms if each["channel"] == "web"))

    async def say(self, text: str) -> None:
        """Until it is answered."""
        room = await self.room()
        said = await self.client.post(f"/api/rooms/{room}/messages", json={"text": text, "client_id": text})

        async def is_answered() -> bool | None:
            items = (await self.client.get(f"/api/rooms/{room}/messages")).json()["items"]
            ours = [each for each in items if each["id"] == said.json()["id"]]
            return all(each["state"] == "answered" for each in ours) or None

        await eventually(is_answered)

    async def get(self, path: str) -> Any:
        answer = await self.client.get(f"/api/{path}")
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def post(self, path: str, body: object = None) -> Any:
        answer = await self.client.post(f"/api/{path}", json={} if body is None else body)
        assert answer.is_success, answer.text
        return answer.json()

    async def refused(self, path: str, body: object = None) -> tuple[int, str]:
        answer = await self.client.post(f"/api/{path}", json={} if body is None else body)
        return answer.status_code, answer.json()["code"]

    async def packed(self, **wanted: object) -> Any:
        """A transfer that waits for a decision."""
        made = await self.post("transfers", {"target": "manual", "purpose": "compare suppliers", **wanted})
        return await self.come(made["id"], lambda row: row["asks"])

    async def away(self, **wanted: object) -> Any:
        """A transfer that was delivered."""
        made = await self.packed(**wanted)
        await self.post(f"transfers/{made['id']}/release")
        return await self.come(made["id"], lambda row: row["state"] == "delivered")

    async def come(self, transfer: str, is_so: Any) -> Any:
        async def look() -> Any:
            row = await self.get(f"transfers/{transfer}")
            return row if is_so(row) else None

        return await eventually(look)

    async def bring(self, text: str | bytes, name: str = "analysis.md", **named: str) -> httpx.Response:
        content = text.encode() if isinstance(text, str) else text
        return await self.client.post(
            "/api/transfers/import", params={"name": name, **named}, content=content
        )

    async def taken(self, analysis: str, *states: str) -> Any:
        async def look() -> Any:
            row = await self.get(f"analyses/{analysis}")
            return row if row["state"] in (states or ("imported",)) else None

        return await eventually(look)


@asynccontextmanager
async def talked(home: Path, *words: str, model: ScriptedModel | None = None) -> AsyncIterator[Transfers]:
    """After a conversation about suppliers."""
    async with started_host(home, model=model or ScriptedModel("I compared them.")) as host:
        here = Transfers(host)
        try:
            for each in words or ("Compare suppliers. Call Olena at +380 67 123 45 67.",):
                await here.say(each)
            yield here
        finally:
            await here.client.aclose()
