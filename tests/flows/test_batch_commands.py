"""The commands about batches, as someone types them, and the API behind them (SPEC I1, O1)."""

import csv
import io
import json
from datetime import timedelta
from pathlib import Path

import httpx
import pytest
from tests.batch_scene import write_batch
from tests.telegram_scene import eventually
from tests.typed import Typed, typing_in

from nanoclaw.client.batches import BatchClient
from nanoclaw.client.connection import Address
from nanoclaw.domain.errors import HostSaid
from nanoclaw.durable import batches
from nanoclaw.durable.clock import now
from nanoclaw.testing import ScriptedModel, started_host

pytestmark = pytest.mark.capability("I1", "O1")


@pytest.fixture
def typed(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    return typing_in(home, monkeypatch, capfd)


@pytest.mark.capability("E13")
async def test_a_yes_on_the_page_counts_only_for_the_text_that_was_looked_at(home: Path) -> None:
    async with started_host(home, model=ScriptedModel()) as host:
        batch = await write_batch(host, "First text\u200b")
        headers = {"Authorization": f"Bearer {host.token}"}
        async with httpx.AsyncClient(
            base_url=f"{host.url.rstrip('/')}/api/batches/{batch.id}", headers=headers
        ) as page:
            seen = (await page.get("/texts/1")).json()
            assert seen["text"] == "First text⟨U+200B⟩"
            await host.store.write(lambda tx: batches.mark_item(tx, batch.id, 1, text="Another text"))
            known = {"text_sha256": seen["text_sha256"]}
            refused = await page.post("/texts/1/approve", json=known)
            assert (refused.status_code, refused.json()["code"]) == (400, "batch-text-changed")
            known = {"text_sha256": (await page.get("/texts/1")).json()["text_sha256"]}
            assert (await page.post("/texts/1/approve", json=known)).json()["verdict"] == "approved"


async def test_texts_are_read_decided_about_scheduled_and_saved(home: Path, typed: Typed) -> None:
    async with started_host(home, model=ScriptedModel()) as host:
        assert (await typed("batches", "list")).out.startswith("There are no batches. Start one:")
        batch = await write_batch(host, "First\x1b[31m text", "!Odd text", "", "=Fourth text")
        short = batch.id[-5:]
        assert f"{short}  4 × posts about coffee" in (await typed("batches", "list")).out
        shown = (await typed("batches", "show", short)).out
        assert "ready, waits for your decision · 3/4 written, 2 passed the check, 1 failed" in shown
        printed = (await typed("batches", "results", short)).out
        assert "2. Topic 2: coffee/beans\n    ▪️ written · ⚠️ the text is empty" in printed
        assert "⚠️ failed · overloaded_error: Overloaded" in printed
        assert "\x1b" not in printed
        lines = (await typed("batches", "results", short, "--json")).out.splitlines()
        assert [json.loads(line)["number"] for line in lines] == [1, 2, 3, 4]
        rows = list(csv.DictReader(io.StringIO((await typed("batches", "results", short, "--csv")).out)))
        assert rows[3]["text"] == "'=Fourth text"  # no formula
        failed = (await typed("batches", "results", short, "--only", "failed", "--json")).out
        assert json.loads(failed)["number"] == 3

        assert "✅ approved" in (await typed("batches", "approve", short, "1")).out
        assert "❌ rejected" in (await typed("batches", "reject", short, "2")).out
        assert "My words" in (await typed("batches", "edit", short, "4", "My words")).out
        assert (await typed("batches", "approve", short, "--passed")).out == "0 texts are approved.\n"
        assert (await typed("batches", "approve", short, "3")).code == 1
        nothing = await typed("batches", "approve", short)
        assert (nothing.code, "Which texts?" in nothing.err) == (1, True)

        planned = await typed("batches", "schedule", short, "--at", "9:00", "--at", "18:30", "--json")
        assert (planned.json()["count"], planned.json()["batch"]["scheduled"]["count"]) == (2, 2)
        again = await typed("batches", "schedule", short)
        assert "All of them are scheduled already.\n🗓 2 texts wait for their days: next" in again.out
        listed = (await typed("tasks")).out
        assert f"📚 2 texts of batch {short}: next" in listed
        [waiting] = (await typed("tasks", "--json")).json()
        assert (waiting["kind"], waiting["batch_id"], waiting["count"]) == ("texts", batch.id, 2)
        texts = [
            json.loads(each) for each in (await typed("batches", "results", short, "--json")).out.splitlines()
        ]
        assert [each["send_at"] is not None for each in texts] == [True, False, False, True]
        printed = (await typed("batches", "results", short)).out
        assert f", task {texts[0]['task_id']}\n" in printed

        taken = await typed("batches", "unschedule", short)
        assert (taken.code, (await typed("tasks")).out[:22]) == (0, "There are no tasks. Sc")
        assert (await typed("batches", "unschedule", short)).code == 1
        assert (await typed("batches", "schedule", short, "--json")).json()["count"] == 2

        saved = (await typed("batches", "save", short)).out
        assert saved == f"2 texts are written into groups/main/files/batches/{batch.id}\n"  # not the rejected
        folder = home / "groups" / "main" / "files" / "batches" / batch.id
        await eventually_there(folder / "index.csv")
        assert sorted(path.name[:3] for path in folder.iterdir()) == ["001", "004", "all", "ind"]
        unknown = await typed("batches", "show", "zzzzz")
        assert (unknown.code, "nanoclaw batches list" in unknown.err) == (1, True)


async def eventually_there(path: Path) -> None:
    async def look() -> bool | None:
        return path.exists() or None

    await eventually(look)


async def test_what_failed_is_sent_again_and_a_text_is_written_anew_with_a_note(
    home: Path, typed: Typed
) -> None:
    async with started_host(home, model=ScriptedModel()) as host:
        batch = await write_batch(host, "First text", "", "Third text")
        short = batch.id[-5:]
        said = await typed("batches", "rewrite", short, "1", "--note", "Shorter")
        assert "▫️ waits" in said.out
        first = await batch.item(1)
        assert (first.attempt, first.note) == (2, "Shorter")
        await typed("batches", "resubmit", short)
        assert (await batch.item(2)).attempt == 2
        assert (await batch.item(3)).attempt == 1
        refused = await typed("batches", "resubmit", short, "3")
        assert refused.code == 1


async def test_a_batch_is_estimated_started_once_and_cancelled(
    home: Path, typed: Typed, tmp_path: Path
) -> None:
    async with started_host(home, model=ScriptedModel()) as host:
        topics = tmp_path / "topics.txt"
        topics.write_text("Beans\nMilk\nBeans\n\nCups\n", "utf-8")
        uncounted = await typed("batches", "run", "posts for Telegram")
        assert (uncounted.code, "--count 30" in uncounted.err) == (1, True)
        unsure = await typed("batches", "run", "posts", "--topics", str(topics))
        assert (unsure.code, "3 texts: this costs nothing" in unsure.err) == (1, True)
        begun = await typed("batches", "run", "posts", "--topics", str(topics), "--yes", "--detach", "--json")
        assert (begun.code, begun.json()["items"], begun.json()["subject"]) == (0, 3, "posts")
        for bad in (("--count", "0"), ("--count", "100001"), ("--count", "3", "--model", "gpt-nonsense")):
            said = await typed("batches", "run", "posts", *bad, "--yes", "--detach")
            assert said.code == 1, bad
        long = tmp_path / "long.txt"
        long.write_text("x" * 1_000_000, "utf-8")
        assert (await typed("batches", "run", "--topics", str(long), "--yes")).code == 1
        async with BatchClient(Address(url=host.url, token=host.token)) as client:
            wanted = {"id": "same", "subject": "posts", "topics": ["a", "b"]}
            one, other = await client.start(wanted), await client.start(wanted)
            assert one.id == other.id
            cancelled = await client.cancel(one.id)
            assert cancelled.cancelled_by
            with pytest.raises(HostSaid):
                await client.cancel(one.id)


async def test_ten_thousand_texts_are_listed_page_by_page(home: Path) -> None:
    async with started_host(home, model=ScriptedModel()) as host:
        batch = await write_batch(host, *(f"Text {number}" for number in range(2000)))
        async with BatchClient(Address(url=host.url, token=host.token)) as client:
            texts = await client.texts(batch.id, "passed", 450)
            assert [text.number for text in texts] == list(range(1, 451))
            assert await client.approve_passed(batch.id) == 2000
            begun = now()
            row = await client.get(batch.id)
            assert (row.counts.approved, round(row.cost_usd, 6)) == (2000, 0.4)
            assert now() - begun < timedelta(seconds=3)


async def test_a_batch_of_the_demo_is_followed_to_its_end_and_scheduled(home: Path, typed: Typed) -> None:
    async with started_host(home, demo={"pace": 0}):
        said = await typed("batches", "run", "posts about coffee", "--count", "4", "--yes")
        assert said.code == 0, said.err
        first, *lines = said.out.splitlines()
        assert first.endswith("has begun: 4 × posts about coffee")
        assert any("ready, waits for your decision · 4/4 written" in line for line in lines)
        short = first.split()[1]
        asked = (await typed("batches", "show", short, "--json")).json()["question_id"]
        assert asked  # the card in the chat asks what should become of the texts
        planned = (await typed("batches", "schedule", short, "--json")).json()
        assert planned["count"] == planned["batch"]["counts"]["passed"] > 0
        assert planned["batch"]["status"] == "done"
