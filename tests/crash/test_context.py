"""The host is killed between a person's yes and the commit of a context file: it is written and committed once."""

import fcntl
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from tests.crash.program import Program
from tests.staging import until
from tests.telegram_scene import eventually

from nanoclaw.durable.knowledge_tables import context_proposals, memory_changes
from nanoclaw.durable.tables import parcels
from nanoclaw.testing import started_host

pytestmark = pytest.mark.capability("H2", "L3")

FILE = "companies/demo/context/product/pricing.md"


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Someone else has the lock of this folder or file."""
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def commits(home: Path) -> list[str]:
    words = ["git", "log", "--format=%s", "--", FILE]
    return subprocess.run(words, cwd=home, capture_output=True, text=True, check=True).stdout.splitlines()


async def proposed(program: Program, words: str) -> Any:
    """A change that waits for a decision."""
    async with program.client() as client:
        answer = await client.post("/api/context/product/pricing", json={"words": words})
        assert answer.status_code == 201, answer.text
        return answer.json()


async def approve(program: Program, proposal: Any) -> None:
    async with program.client() as client:
        path = f"/api/questions/{proposal['question_id']}/decide"
        answer = await client.post(path, json={"option": "apply", "text": None})
        assert answer.status_code == 200, answer.text


async def is_written(program: Program, proposal: Any) -> bool | None:
    async with program.client() as client:
        found = (await client.get(f"/api/context-proposals/{proposal['id']}")).json()
        return found["state"] == "written" or None


async def is_done_once(home: Path, database_url: str, before: str) -> None:
    async with started_host(home, database={"url": database_url}) as host:
        applied = sa.select(context_proposals.c.id).where(context_proposals.c.state == "applied")
        await eventually(lambda: host.store.read(lambda tx: tx.execute(applied).scalar()))
        told = sa.select(parcels.c.text).where(parcels.c.text.contains("is changed"))
        said = await host.store.read(lambda tx: tx.execute(told).scalars().all())
        kept = sa.select(memory_changes.c.body).where(memory_changes.c.origin.startswith("context "))
        decided = await host.store.read(lambda tx: tx.execute(kept).scalars().all())
    assert (home / FILE).read_text("utf-8") == before.replace("128", "139")
    assert commits(home) == ["product/pricing: 139 instead of 128", "Make the workspace"]
    assert len(set(said)) == 1
    assert len(said) <= 2, "in the room of the page and the one of the terminal"
    assert [each["affects"] for each in decided] == [["product/pricing"]]


async def test_killed_between_the_yes_and_the_file(home: Path, database_url: str) -> None:
    program = Program(home, DATABASE_URL=database_url, DATABASE_HOST_LIFETIME="2")
    await program.start()
    before = (home / FILE).read_text("utf-8")
    with held((home / FILE).parent):
        proposal = await proposed(program, "139 instead of 128")
        await approve(program, proposal)
        await program.die()
        assert (home / FILE).read_text("utf-8") == before
    await is_done_once(home, database_url, before)


async def test_killed_between_the_file_and_the_commit(home: Path, database_url: str) -> None:
    program = Program(home, DATABASE_URL=database_url, DATABASE_HOST_LIFETIME="2")
    await program.start()
    before = (home / FILE).read_text("utf-8")
    with held(home / "data" / "git.lock"):
        proposal = await proposed(program, "139 instead of 128")
        await approve(program, proposal)
        await until(lambda: "139" in (home / FILE).read_text("utf-8"))
        await eventually(partial(is_written, program, proposal))
        await program.die()
        assert commits(home) == ["Make the workspace"]
    await is_done_once(home, database_url, before)


@pytest.mark.capability("H1")
async def test_killed_after_an_answer_of_an_interview(home: Path, database_url: str) -> None:
    program = Program(home, DATABASE_URL=database_url, DATABASE_HOST_LIFETIME="2")
    await program.start()
    async with program.client() as client:
        room = (await client.get("/api/rooms")).json()["rooms"][0]["id"]
        path = f"/api/rooms/{room}/messages"

        async def said(words: str, by: httpx.AsyncClient) -> str | None:
            lines = (await by.get(path)).json()["items"]
            return next((each["id"] for each in lines if words in each["text"] and each["buttons"]), None)

        await client.post(path, json={"text": "/interview team", "client_id": "1"})
        await eventually(partial(said, "1 of 2", client))
        await client.post(path, json={"text": "Olena roasts, Ivan drives", "client_id": "2"})
        await program.die()
    async with started_host(home, database={"url": database_url}) as host:
        token = {"Authorization": f"Bearer {host.token}"}
        async with httpx.AsyncClient(base_url=host.url, headers=token) as client:
            await eventually(partial(said, "2 of 2", client))
            await client.post(path, json={"text": "Olena decides", "client_id": "3"})
            await eventually(partial(said, "company/team", client))
            lines = (await client.get(path)).json()["items"]
    cards = [each["text"] for each in lines if "company/team" in each["text"] and each["buttons"]]
    assert len(cards) == 1
    assert "+Olena roasts, Ivan drives" in cards[0]
    assert "+Olena decides" in cards[0]
    assert sum("2 of 2" in each["text"] for each in lines) == 1
