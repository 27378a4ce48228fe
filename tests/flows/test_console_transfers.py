"""Transfers over HTTP, as the page and the command line use them: out, looked at, released, back, adopted, undone."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from tests.staging import until
from tests.transfers_at_hand import ANALYSIS, Transfers, talked

from nanoclaw.domain.transfers import FOLDER, MANIFEST

pytestmark = pytest.mark.capability("B1", "B2", "B4", "O3")


async def test_a_conversation_is_packed_looked_at_released_and_downloaded(home: Path) -> None:
    async with talked(home) as here:
        assert await here.get("transfers") == {"transfers": [], "more": False, "unmatched": []}
        row = await here.packed(purpose="  compare suppliers ")
        assert (row["state"], row["target"], row["purpose"]) == ("created", "manual", "compare suppliers")
        assert {"transfer.md", "context_bundle.md", "memory_snapshot.jsonl"} <= {
            each["path"] for each in row["files"]
        }
        assert row["size"] == sum(each["size"] for each in row["files"])
        assert (row["is_estimate"], row["tokens"] > 100, row["has_package"]) == (True, True, True)
        assert any("phone" in each for each in row["removed"])  # what the owner sees before it leaves
        path = f"/api/transfers/{row['short']}"

        text = await here.client.get(f"{path}/files", params={"path": "transfer.md"})
        assert (text.headers["content-type"].split(";")[0], row["id"] in text.text) == ("text/plain", True)
        assert "sandbox" in text.headers["content-security-policy"]
        assert "123 45 67" not in text.text
        for outside in (
            "../../../nanoclaw.db",
            "/etc/passwd",
            "work_artifacts",
            "missing.md",
            "transfer.md\0",
        ):
            refused = await here.client.get(f"{path}/files", params={"path": outside})
            assert (refused.status_code, refused.json()["code"]) == (404, "no-such-file"), outside
        early = await here.client.get(f"{path}/package.zip")
        assert (early.status_code, early.json()["code"]) == (400, "transfer-not-released")

        await here.post(f"transfers/{row['id']}/release")
        row = await here.come(row["id"], lambda found: found["delivered_at"])
        assert (row["state"], row["asks"], row["is_open"]) == ("delivered", False, True)
        assert await here.refused(f"transfers/{row['id']}/release") == (400, "transfer-released")
        package = await here.client.get(f"{path}/package.zip")
        assert package.headers["content-disposition"] == f"attachment; filename*=UTF-8''{row['id']}.zip"
        with zipfile.ZipFile(io.BytesIO(package.content)) as archive:
            listed = json.loads(archive.read(f"{FOLDER}/{MANIFEST}"))
            assert listed["transfer_id"] == row["id"]
        (home / "data" / "transfers" / row["id"] / FOLDER / "transfer.md").write_text("altered")
        altered = await here.client.get(f"{path}/package.zip")
        assert (altered.status_code, altered.json()["code"]) == (404, "transfer-no-package")

        # Its files stay in the room as long as the transfer is open, and then no dead link is left.
        shown = await _message(here, "in one file")
        assert (await here.client.get(shown["attachments"][0]["url"])).status_code == 200
        ended = await here.post(f"transfers/{row['id']}/cancel")
        assert (ended["state"], ended["why"]) == ("cancelled", None)
        assert await here.refused(f"transfers/{row['id']}/cancel") == (400, "transfer-over")
        assert [each["id"] for each in (await here.get("transfers?state=over"))["transfers"]] == [row["id"]]
        assert (await here.get("transfers?state=open"))["transfers"] == []
        await until(lambda: not list((home / "data" / "attachments").glob(f"{row['id']}.*")))
        shown = await _message(here, "in one file")
        assert shown["attachments"] == []
        assert shown["text"].endswith("*The transfer is over, and its files were deleted here.*")


async def _message(here: Transfers, words: str) -> dict[str, Any]:
    items = (await here.get(f"rooms/{await here.room()}/messages"))["items"]
    [found] = [each for each in items if words in each["text"]]
    return dict(found)


async def test_what_cannot_be_taken_elsewhere_is_refused_with_the_reason(home: Path) -> None:
    async with talked(home) as here:
        session = (await here.packed())["session_id"]
        for wanted, expected in (
            ({"target": "dropbox"}, (400, "transfer-target")),
            ({"target": "claude code now"}, (400, "transfer-target")),
            ({"session": "s_nowhere"}, (404, "transfer-unknown-session")),
            ({"chat": "Nowhere"}, (404, "transfer-unknown-chat")),
            ({"chat": "Terminal"}, (400, "transfer-no-session")),  # nothing was said there
            ({"purpose": "x" * 1001}, (400, "transfer-purpose-long")),
            ({"targets": "git"}, (400, "bad-request")),
        ):
            assert await here.refused("transfers", wanted) == expected, wanted
        for by in ({"session": session}, {"chat": "General"}):
            assert (await here.post("transfers", {"target": "Claude.ai", **by}))["target"] == "claude-ai"
        assert await here.refused("transfers", {"chat": "General"}) == (400, "transfer-too-many")
        assert await here.refused("transfers/zzzzz/release") == (404, "no-such-transfer")
        assert await here.refused("analyses/an_none/undo") == (404, "no-such-analysis")
        locked = await here.client.get("/api/transfers", headers={"Authorization": "Bearer no"})
        assert locked.status_code == 401
        elsewhere = await here.client.post(
            "/api/transfers", json={}, headers={"Origin": "http://evil.example"}
        )
        assert elsewhere.status_code == 403


async def test_an_analysis_comes_back_is_adopted_in_part_and_undone_as_one(home: Path) -> None:
    async with talked(home) as here:
        away = await here.away()
        brought = await here.bring(ANALYSIS.format(id=away["id"]), name="../../what came\nback.md")
        assert (brought.status_code, "/" in brought.json()["file_name"]) == (202, False)
        row = await here.taken(brought.json()["id"])
        assert row["summary"] == "2 facts, 2 decisions, 1 change of context to confirm"
        assert all(each["source"] for each in [*row["facts"], *row["decisions"], *row["context_changes"]])
        assert [each["adopted"] for each in row["decisions"]] == [None, None]
        assert (row["context_changes"][0]["file"], row["next_step"]) == ("product/pricing", "Write the order")
        transfer = await here.get(f"transfers/{away['id']}")
        assert (transfer["state"], [each["id"] for each in transfer["analyses"]]) == ("resumed", [row["id"]])

        analysis = f"analyses/{row['id']}"
        assert await here.refused(f"{analysis}/decide", {"adopted": [3]}) == (
            400,
            "analysis-no-such-decision",
        )
        after = await here.post(f"{analysis}/decide", {"adopted": [1]})
        assert [each["adopted"] for each in after["decisions"]] == [True, False]
        assert (await here.refused(f"{analysis}/decide", {"adopted": []}))[0] == 400
        again = await here.bring(ANALYSIS.format(id=away["id"]))
        assert (again.status_code, again.json()["code"]) == (400, "analysis-again")
        undone = await here.post(f"{analysis}/undo")
        assert (undone["analysis"]["state"], undone["analysis"]["undone_by"]) == ("undone", "Owner")
        assert undone["counts"]["facts"] == 2
        assert (await here.refused(f"{analysis}/undo"))[0] == 400


async def test_a_document_that_names_none_of_several_transfers_is_matched_by_hand(home: Path) -> None:
    async with talked(home) as here:
        first, second = await here.away(purpose="prices"), await here.away(purpose="places")
        text = ANALYSIS.replace("Transfer ID: {id}\n", "")
        brought = (await here.bring(text)).json()
        row = await here.taken(brought["id"], "asking")
        assert {each["id"] for each in row["choices"]} == {first["id"], second["id"]}
        [listed] = (await here.get("transfers?state=open"))["unmatched"]
        assert listed["id"] == row["id"]
        assert await here.refused(f"analyses/{row['id']}/match", {"transfer": "zzzzz"}) == (
            404,
            "no-such-transfer",
        )
        await here.post(f"analyses/{row['id']}/match", {"transfer": second["short"]})
        assert (await here.taken(row["id"]))["transfer_id"] == second["id"]
        assert (await here.get("transfers"))["unmatched"] == []


async def test_what_is_no_document_is_refused_before_it_is_read(home: Path) -> None:
    async with talked(home) as here:
        away = await here.away()
        for name, content, status in (
            ("empty.md", b"", 400),
            ("picture.png", b"\x89PNG", 400),
            ("long.md", b"x" * ((25 << 20) + 1), 413),
        ):
            refused = await here.bring(content, name=name, transfer=away["short"])
            assert (refused.status_code, refused.json()["error"].startswith(name)) == (status, True), name
        unknown = await here.bring("# Facts", transfer="zzzzz")
        assert (unknown.status_code, unknown.json()["code"]) == (404, "no-such-transfer")
        assert (await here.get(f"transfers/{away['id']}"))["analyses"] == []
