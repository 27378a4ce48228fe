"""The HTTP API about what companies know, as the page and the command line use it: search, story, change, take back."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
import sqlalchemy as sa
from tests.staging import until

from nanoclaw.durable import memory_changes
from nanoclaw.durable.clock import now
from nanoclaw.durable.memory_changes import ChangeState
from nanoclaw.durable.tables import parcels
from nanoclaw.host.host import Host
from nanoclaw.testing import ScriptedModel, started_host
from nanoclaw.testing.starter import made_workspace

# One host for these tests; each speaks of something else.
pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.capability("G7", "G8", "O3"),
]


@dataclass(frozen=True, kw_only=True)
class Door:
    host: Host
    client: httpx.AsyncClient

    @property
    def facts(self) -> Path:
        return self.host.home / "companies/demo/memory/facts.jsonl"

    async def get(self, path: str, code: int = 200, **query: object) -> Any:
        answer = await self.client.get(f"/api/memory{path}", params={k: str(v) for k, v in query.items()})
        assert answer.status_code == code, answer.text
        return answer.json()

    async def post(self, path: str, body: object = None, code: int = 200) -> Any:
        answer = await self.client.post(f"/api/memory{path}", json=body)
        assert answer.status_code == code, answer.text
        return answer.json()

    async def add(self, text: str, **more: object) -> Any:
        made = await self.post("", {"text": text, **more}, 201)
        assert made["state"] == "written", made
        return made["entry"]

    async def found(self, words: str, **wanted: object) -> list[str]:
        return [each["text"] for each in (await self.get("", 200, words=words, **wanted))["entries"]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def door(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Door]:
    home = made_workspace(tmp_path_factory.mktemp("memory") / "nanoclaw")
    (home / "companies" / "second" / "memory").mkdir(parents=True)
    async with started_host(home, model=ScriptedModel("Yes.")) as host:
        headers = {"Authorization": f"Bearer {host.token}"}
        async with httpx.AsyncClient(base_url=host.url, headers=headers, timeout=60) as client:
            yield Door(host=host, client=client)


async def test_what_is_added_is_written_at_once_and_found_by_words_and_filters(door: Door) -> None:
    first = await door.add("The kiosk in Odesa opens at seven", topic="kiosks")
    await door.add("The kiosk in Odesa sells no beans", kind="preference")
    assert (first["trust"], first["name"], first["state"]) == ("owner", "Owner", "live")
    assert f'"{first["id"]}"' in door.facts.read_text("utf-8")
    assert set(await door.found("kiosks Odesa")) == {
        "The kiosk in Odesa opens at seven",
        "The kiosk in Odesa sells no beans",
    }
    assert await door.found("kiosk", topic="kiosks") == ["The kiosk in Odesa opens at seven"]
    assert await door.found("kiosk", kind="preference") == ["The kiosk in Odesa sells no beans"]
    assert await door.found("kiosk", person="local:owner", trusted=True, limit=1, offset=1) != []
    assert await door.found("kiosk", trusted=False) == []
    assert await door.found("kiosk", until="2020-01-01T00:00:00Z") == []
    newest = await door.get("", limit=1)
    assert (newest["entries"][0]["text"], newest["more"]) == ("The kiosk in Odesa sells no beans", True)
    assert newest["companies"] == ["demo", "second"]
    assert (await door.get("", company="second", words="kiosk"))["entries"] == []
    assert (await door.get("", 404, company="third"))["code"] == "memory-no-company"


async def test_the_story_of_an_entry_follows_its_corrections_and_its_undoing(door: Door) -> None:
    old = await door.add("The baker is called Lesia")
    new = await door.post(f"/entries/{old['id']}/correct", {"text": "The baker is called Larysa"})
    assert new["state"] == "written"
    story = await door.get(f"/entries/{new['id'][-6:]}")
    assert [each["text"] for each in story["replaced"]] == ["The baker is called Lesia"]
    assert json.loads(story["line"])["supersedes"] == old["id"]
    assert [each["action"] for each in story["changes"]] == ["correct"]
    before = await door.get(f"/entries/{old['id']}")
    assert before["entry"]["state"] == "superseded"
    assert [each["id"] for each in before["replaced_by"]] == [new["id"]]
    refused = await door.post(f"/entries/{old['id']}/correct", {"text": "The baker is Ivan"}, 400)
    assert refused["code"] == "memory-changed"
    assert "Larysa" in refused["error"]
    # Undone: the old one holds again.
    back = await door.post(f"/entries/{old['id']}/restore")
    assert back["entry"]["state"] == "live"
    assert await door.found("baker") == ["The baker is called Lesia"]
    gone = await door.post(f"/entries/{old['id']}/forget")
    assert gone["entry"]["state"] == "forgotten"
    assert await door.found("baker") == []
    assert "The baker is called Lesia" in await door.found("baker", past=True)
    assert (await door.post(f"/entries/{old['id']}/restore"))["entry"]["state"] == "live"
    assert (await door.get("/entries/zzzzzzzz", 404))["code"] == "no-such-memory"


@pytest.mark.parametrize("kind", ["decision", "preference", "priority"])
async def test_what_is_corrected_or_forgotten_leaves_the_notes_of_every_prompt_too(
    door: Door, kind: str
) -> None:
    def shown() -> list[str]:
        notes = (door.host.home / "companies/demo/memory/CLAUDE.md").read_text("utf-8")
        return [each for each in ("wooden", "iron") if f"{kind} gate is {each}" in notes]

    old = await door.add(f"The {kind} gate is wooden", kind=kind, domain=kind)
    assert shown() == ["wooden"]
    new = await door.post(f"/entries/{old['id']}/correct", {"text": f"The {kind} gate is iron"})
    assert shown() == ["iron"]
    await door.post(f"/entries/{old['id']}/restore")
    assert shown() == ["wooden"]
    await door.post(f"/entries/{new['id']}/restore")  # the correction holds after all
    assert shown() == ["iron"]
    await door.post(f"/entries/{new['id']}/forget")
    assert shown() == []
    assert await door.found(f"{kind} gate") == []


async def test_a_story_names_the_prompts_that_an_entry_was_in(door: Door) -> None:
    made = await door.add("The espresso machine is a Faema")
    rooms = (await door.client.get("/api/rooms")).json()["rooms"]
    body = {"text": "Which machine do we have?", "client_id": "faema"}
    said = (await door.client.post(f"/api/rooms/{rooms[0]['id']}/messages", json=body)).json()

    async def turn() -> str | None:
        lines = (await door.client.get(f"/api/rooms/{rooms[0]['id']}/messages")).json()["items"]
        return next((each["turn"] for each in lines if each["id"] == said["id"] and each["turn"]), None)

    await until(turn)
    turn_id = await turn()
    assert turn_id is not None

    async def used() -> bool:
        return bool((await door.get(f"/entries/{made['id']}"))["uses"])

    await until(used)
    story = await door.get(f"/entries/{made['id']}")
    assert [(each["turn_id"], each["text"]) for each in story["uses"]] == [
        (turn_id, "Which machine do we have?")
    ]
    assert story["times_used"] == 1


async def test_everything_since_a_moment_is_taken_back_after_a_preview(door: Door) -> None:
    since = now().isoformat()
    for text in ("The mascot is a heron", "The mascot is called Zhuravel"):
        await door.add(text)
    seen = await door.post("/revert", {"since": since})
    assert seen["preview"] is True
    assert {each["text"] for each in seen["entries"]} == {
        "The mascot is a heron",
        "The mascot is called Zhuravel",
    }
    assert len(await door.found("mascot")) == 2
    done = await door.post("/revert", {"since": since, "preview": False})
    assert len(done["entries"]) == 2
    assert await door.found("mascot") == []
    assert (await door.post("/revert", {}, 400))["code"] == "memory-revert-what"


async def test_a_broken_line_lies_in_quarantine_until_it_is_mended_or_dropped(door: Door) -> None:
    with door.facts.open("a", encoding="utf-8") as file:
        file.write('{"id": "fact_1", "fact": "The roof leaks\n{"id": "fact_2", "fact": 5}\n')
    await door.add("The roof was mended in May")  # whoever writes looks at the file

    async def both() -> bool:
        return len((await door.get("/quarantine"))["changes"]) == 2

    await until(both)
    told = sa.select(parcels.c.text).where(parcels.c.origin.startswith("alert memory"))
    alert = await door.host.store.read(lambda tx: tx.execute(told).scalars().first())
    assert "quarantine" in str(alert), "the owner hears of it"
    found = (await door.get("/quarantine"))["changes"]
    broken = next(each for each in found if "The roof leaks" in each["raw"])
    other = next(each for each in found if each is not broken)
    assert "not JSON" in broken["reason"]
    assert "A field is missing" in other["reason"]
    still = await door.post(f"/quarantine/{broken['id']}/mend", {"line": broken["raw"]}, 400)
    assert still["code"] == "memory-line-bad"
    line = json.dumps({"id": "fact_1", "timestamp": "2026-01-01T00:00:00Z", "fact": "The roof leaks"})
    mended = await door.post(f"/quarantine/{broken['id']}/mend", {"line": line})
    assert mended["entry"]["text"] == "The roof leaks"
    await door.post(f"/quarantine/{other['id']}/drop")
    assert (await door.get("/quarantine"))["changes"] == []
    assert (await door.post(f"/quarantine/{other['id']}/drop", None, 404))[
        "code"
    ] == "memory-not-in-quarantine"
    states = await door.host.store.read(
        lambda tx: {memory_changes.get(tx, each["id"]).state for each in found}  # type: ignore[union-attr]
    )
    assert states == {ChangeState.REFUSED}


async def test_the_notes_come_section_by_section_and_the_figures_add_up(door: Door) -> None:
    notes = await door.get("/notes")
    assert notes["path"] == "companies/demo/memory/CLAUDE.md"
    titles = [each["title"] for each in notes["sections"]]
    assert titles[0] == "Identity Snapshot"
    assert "Key Decisions" in titles
    assert "<li>" in next(each["html"] for each in notes["sections"] if each["title"] == "Key Decisions")
    assert (await door.get("/notes", company="second"))["sections"] == []
    stats = await door.get("/stats")
    live = sum(each["count"] for each in stats["counts"] if each["state"] == "live")
    assert stats["live"] == live > 0
    assert "memory/facts.jsonl" in {each["name"] for each in stats["files"]}
