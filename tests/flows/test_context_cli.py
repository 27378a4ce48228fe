"""The context as someone types it: list, show, propose, history, compare, restore, delete (SPEC H2, H3)."""

from datetime import timedelta
from pathlib import Path

import httpx
import pytest
import sqlalchemy as sa
from tests.documents import word_document
from tests.git_objects import make_old
from tests.staging import until
from tests.telegram_scene import eventually
from tests.typed import Typed, typing_in

from nanoclaw.domain.context_files import RHYTHMS
from nanoclaw.durable import work
from nanoclaw.durable.clock import now
from nanoclaw.durable.tables import parcels
from nanoclaw.testing import started_host

pytestmark = pytest.mark.capability("H2", "H3", "O1")


@pytest.fixture
def typed(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    return typing_in(home, monkeypatch, capfd)


async def test_a_change_and_its_way_back_and_the_end_of_a_file(home: Path, typed: Typed) -> None:
    async with started_host(home) as host:
        listed = (await typed("context", "list", "--json")).json()
        assert [each["file"] for each in listed["files"]] == list(RHYTHMS)
        assert not any(each["stale"] for each in listed["files"])
        assert listed["files"][4]["purpose"] == "Prices, discounts, refunds"
        place = home / "companies" / "demo" / "context" / "product" / "pricing.md"
        before = place.read_text("utf-8")

        proposed = await typed("context", "propose", "prices", "139 instead of 128")
        assert "+The office plan costs EUR 139" in proposed.out
        assert "Decide with: nanoclaw decide" in proposed.out
        assert "│ diff:\n    │ @@ -1,5 +1,5 @@\n" in (await typed("inbox")).out
        assert place.read_text("utf-8") == before
        assert (
            'does not say "77777"' in (await typed("context", "propose", "prices", "1 instead of 77777")).err
        )
        assert "a change waits for a decision" in (await typed("context", "list")).out
        again = (await typed("context", "propose", "ціни", "139 instead of 128", "--yes", "--json")).json()
        assert again["state"] in ("written", "applied")
        assert place.read_text("utf-8") == before.replace("128", "139")

        async def is_committed() -> bool:  # which follows what is written
            return len((await typed("context", "history", "pricing", "--json")).json()) == 2

        await until(is_committed)
        versions = (await typed("context", "history", "pricing", "--json")).json()
        assert versions[0]["subject"] == "product/pricing: 139 instead of 128"
        assert [each["author"] for each in versions] == ["Owner", "NanoClaw OS"], (
            "who approved it, not the host"
        )
        compared = (await typed("context", "compare", "pricing", versions[1]["id"], versions[0]["id"])).out
        assert "+The office plan costs EUR 139" in compared
        await typed("context", "restore", "pricing", versions[1]["id"][:10], "--yes")
        assert place.read_text("utf-8") == before

        deleted = (await typed("context", "delete", "pricing", "--json")).json()
        assert (deleted["after"], deleted["state"]) == (None, "open")
        assert place.exists(), "only a decision deletes it"
        await typed("decide", deleted["question_id"], "apply")
        async with httpx.AsyncClient(
            base_url=host.url, headers={"Authorization": f"Bearer {host.token}"}
        ) as page:
            while place.exists():
                await page.get("/api/context")
            path = "/api/context/..%2f..%2fetc/passwd"
            assert (await page.get(path)).status_code == 404
            assert (await page.get("/api/context/product/pricing?company=../demo")).status_code == 404
        assert "No such" not in (await typed("context", "show", "pricing")).out
        last = (await typed("context", "history", "pricing", "--json")).json()
        await typed("context", "restore", "pricing", last[-1]["id"], "--yes")
        assert place.read_text("utf-8") == before


async def test_words_with_edit_are_taken_at_once_and_the_press_is_not_listed_as_new(
    home: Path, typed: Typed
) -> None:
    async with started_host(home):
        asked = (await typed("context", "propose", "pricing", "139 instead of 128", "--json")).json()
        await typed("decide", asked["question_id"], "edit_text", "--text", "140 instead of 139")

        async def newest() -> dict[str, str]:
            found: list[dict[str, str]] = (await typed("context", "proposals", "--json")).json()
            return found[0]

        async def is_asked_anew() -> bool:
            return bool((await newest())["question_id"] != asked["question_id"])

        await until(is_asked_anew)
        edited = await newest()
        assert "+The office plan costs EUR 140" in edited["diff"], "words with Edit are taken at once"
        await typed("decide", edited["question_id"], "cancel")

        async def is_kept() -> bool:
            return "Cancel" in (await typed("memory", "search", "--kind", "decision")).out

        await until(is_kept)
        assert "Cancel" not in (await typed("memory", "search")).out, (
            "a press of a button is nothing new to know"
        )


async def test_without_a_host_a_text_from_a_file_is_taken(home: Path, typed: Typed, tmp_path: Path) -> None:
    async with started_host(home):
        pass
    text = tmp_path / "voice.md"
    text.write_text("# Voice\r\n\r\nWe whisper.\r\n", "utf-8")
    done = (await typed("context", "propose", "brand/voice", "--from", str(text), "--yes", "--json")).json()
    assert done["state"] in ("written", "applied")
    place = home / "companies" / "demo" / "context" / "brand" / "voice.md"
    assert place.read_text("utf-8") == "# Voice\n\nWe whisper.\n"
    assert "can mean several files" in (await typed("context", "show", "brand")).err
    assert "There is no context file" in (await typed("context", "show", "../secrets")).err
    assert "says that already" in (await typed("context", "propose", "brand/voice", "--from", str(text))).err


async def test_a_document_is_read_and_each_file_proposed_on_the_terminal_and_through_the_api(
    home: Path, typed: Typed, tmp_path: Path
) -> None:
    report, nothing, huge = tmp_path / "report.docx", tmp_path / "empty.md", tmp_path / "huge.pdf"
    report.write_bytes(word_document(Trends="Oat milk sells.", Feedback="Too bitter."))
    nothing.write_bytes(b" \n")
    with huge.open("wb") as sparse:
        sparse.truncate(26 << 20)
    async with started_host(home) as host:
        only = (await typed("context", "propose", "--file", str(report), "voc", "--json")).json()
        assert [each["file"] for each in only["proposals"]] == ["audience/voc"]
        both = await typed("context", "propose", "--file", str(report), "--yes")
        assert "+Oat milk sells." in both.out
        assert "I have put the change to people" in both.out
        written = home / "companies" / "demo" / "context" / "market" / "intelligence.md"
        assert "Oat milk sells." in written.read_text("utf-8")
        refusals = {
            ("--file", str(nothing)): "empty.md: the file is empty",
            ("--file", str(huge)): "more than 25 MB",
            ("--file", str(tmp_path / "none.pdf")): "cannot be read",
            ("--file", str(report), "banana"): '"banana" is neither an area nor a file',
        }
        for words, said in refusals.items():
            assert said in (await typed("context", "propose", *words)).err

        async with httpx.AsyncClient(
            base_url=host.url, headers={"Authorization": f"Bearer {host.token}"}
        ) as page:
            for name, content, code in (("a.exe", b"MZ", 400), ("a.pdf", b"", 400), ("", b"x", 400)):
                answer = await page.post("/api/context-documents", params={"name": name}, content=content)
                assert answer.status_code == code, answer.text
            other = {"name": "a.md", "company": "../demo"}
            assert (await page.post("/api/context-documents", params=other, content=b"x")).status_code == 404


async def test_files_that_are_older_than_their_rhythm_are_stale(home: Path, typed: Typed) -> None:
    async with started_host(home) as host:
        make_old(home)
        edited = home / "companies" / "demo" / "context" / "market" / "geo_aeo.md"
        edited.write_text("# Search\n\nNew.\n", "utf-8")
        listed = (await typed("context", "list", "--json")).json()
        fresh = [each["file"] for each in listed["files"] if not each["stale"]]
        assert fresh == ["market/geo_aeo"]
        assert "stale" in (await typed("context", "list")).out
        told = (await typed("doctor", "--json")).json()["findings"]
        (about,) = [each["sentence"] for each in told if each["check"] == "context"]
        assert "16 context files have not been changed" in about
        assert "product/pricing" in about

        # A month has passed.
        await host.store.write(lambda tx: work.due(tx, "context-age", "workspace", now()))
        query = sa.select(parcels.c.text).where(parcels.c.text.contains("product/pricing"))

        async def look() -> str | None:
            return await host.store.read(lambda tx: tx.execute(query).scalar())

        notice = await eventually(look)
        assert "These files of the context" in notice
        assert "market/geo_aeo" not in notice
        due = await host.store.read(lambda tx: work.due_at(tx, "context-age", "workspace"))
        assert due is None or due > now() + timedelta(days=29)
