"""`nanoclaw transfer`, as someone types it: out after a look at what leaves, back with the source of each entry."""

import json
import sys
import zipfile
from io import StringIO
from pathlib import Path

import pytest
from tests.transfers_at_hand import ANALYSIS, talked
from tests.typed import Typed, typing_in

from nanoclaw.domain.transfers import FOLDER

pytestmark = pytest.mark.capability("B1", "B4", "O1")


@pytest.fixture
def typed(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    return typing_in(home, monkeypatch, capfd)


class Terminal(StringIO):
    """Someone sits in front of it."""

    def isatty(self) -> bool:
        return True


async def test_a_conversation_is_exported_after_a_look_at_what_leaves(
    home: Path, typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with talked(home) as here:
        assert (await typed("transfer", "list")).out.startswith(
            "Nothing is away. Take a conversation elsewhere:"
        )
        # A script that does not say --yes sees what would leave, and nothing does.
        unsure = await typed("transfer", "export", "--for", "compare \x1b[31msuppliers")
        assert (unsure.code, "waits for your decision" in unsure.out) == (3, True)
        assert "transfer.md" in unsure.err
        assert "Removed before it leaves:\n    a phone number" in unsure.err
        assert "\x1b" not in unsure.err + unsure.out
        [waiting] = (await typed("transfer", "list", "--json")).json()
        assert (waiting["asks"], waiting["target"]) == (True, "claude-ai")
        assert f"nanoclaw transfer release {waiting['short']}" in unsure.out
        assert "was given up" in (await typed("transfer", "cancel", waiting["short"])).out
        assert (await typed("transfer", "cancel", waiting["short"])).code == 1

        monkeypatch.setattr(sys, "stdin", Terminal("n\n"))
        declined = await typed("transfer", "export")
        assert (declined.code, "Let it leave?" in declined.err, "Nothing has left." in declined.out) == (
            1,
            True,
            True,
        )

        folder, file = tmp_path / "out", tmp_path / "deep" / "package.zip"
        monkeypatch.setattr(sys, "stdin", Terminal("y\n"))
        saved = await typed("transfer", "export", "--chat", "General", "--to", str(folder))
        assert (saved.code, str(folder) in saved.out) == (0, True), saved.err
        assert (folder / FOLDER / "transfer.md").stat().st_mode & 0o077 == 0
        again = await typed("transfer", "export", "--to", str(folder), "--yes")
        assert (again.code, "exists already" in again.err) == (1, True)
        zipped = (
            await typed("transfer", "export", "--target", "zip", "--to", str(file), "--yes", "--json")
        ).json()
        assert (zipped["state"], zipped["target"]) == ("delivered", "manual")
        assert f"{FOLDER}/manifest.json" in zipfile.ZipFile(file).namelist()
        assert [each["state"] for each in (await here.get("transfers"))["transfers"]] == [
            "delivered",
            "delivered",
            "cancelled",
            "cancelled",
        ]


async def test_an_analysis_is_imported_shown_with_its_sources_decided_and_undone(
    home: Path, typed: Typed, tmp_path: Path
) -> None:
    async with talked(home) as here:
        away = await here.away()
        report = tmp_path / "report.md"
        report.write_text(ANALYSIS.format(id=away["id"]), "utf-8")
        brought = await typed("transfer", "import", str(report))
        assert brought.code == 0, brought.err
        assert "• Supplier Ovid delivers within 9 days\n        ↳ Facts" in brought.out
        assert "? 1. Order from Ovid because it is the fastest" in brought.out
        assert "• product/pricing: Say that delivery takes 9 days" in brought.out
        assert "Next step: Write the order" in brought.out
        repeated = await typed("transfer", "import", str(report))
        assert (repeated.code, repeated.out) == (1, "")

        undecided = await typed("transfer", "decide", away["short"])
        assert (undecided.code, "Which decisions?" in undecided.err) == (1, True)
        assert "✗ 1. Order from Ovid" in (await typed("transfer", "decide", away["short"], "2")).out
        shown = (await typed("transfer", "show", away["short"])).out
        assert "the result is back" in shown
        assert "✓ 2. Keep the old supplier as a reserve" in shown
        assert (await typed("transfer", "show", away["short"], "--json")).json()["analyses"][0][
            "via"
        ] == "terminal"
        assert (
            await typed("transfer", "undo", away["short"])
        ).out == "Everything from report.md was taken back.\n"
        assert (await typed("transfer", "undo", away["short"])).code == 1


async def test_wrong_words_say_what_to_type(home: Path, typed: Typed, tmp_path: Path) -> None:
    async with talked(home) as here:
        for words, said in (
            (("show", "zzzzz"), "nanoclaw transfer list --all"),
            (("show", ""), "nanoclaw transfer list --all"),
            (("export", "--target", "dropbox"), "dropbox"),
            (("export", "--chat", "Nowhere"), "Nowhere"),
            (("import", str(tmp_path / "missing.md")), "cannot be read"),
            (("undo", (await here.away(purpose="prices"))["short"]), "Nothing has come back"),
        ):
            refused = await typed("transfer", *words)
            assert (refused.code, said in refused.err, "/transfers" in refused.err) == (1, True, False), (
                refused
            )
        await here.away(purpose="places")
        report = tmp_path / "report.md"
        report.write_text(ANALYSIS.replace("Transfer ID: {id}\n", ""), "utf-8")
        asked = await typed("transfer", "import", str(report))
        assert (asked.code, "prices" in asked.out, "places" in asked.out) == (3, True, True)
        [waiting] = (await here.get("transfers"))["unmatched"]
        assert f"nanoclaw transfer match {waiting['id']}" in asked.out
        assert f"nanoclaw transfer match {waiting['id']}" in (await typed("transfer", "list")).out
        chosen = (await here.get("transfers"))["transfers"][0]["short"]
        matched = await typed("transfer", "match", waiting["id"], chosen, "--json")
        assert (json.loads(matched.out)["state"], matched.code) == ("imported", 0)


async def test_without_a_host_a_temporary_one_packs_and_takes_in(
    home: Path, typed: Typed, tmp_path: Path
) -> None:
    async with talked(home):
        pass
    made = (await typed("transfer", "export", "--to", str(tmp_path / "out"), "--yes", "--json")).json()
    assert made["state"] == "delivered"
    report = tmp_path / "report.md"
    report.write_text(ANALYSIS.format(id=made["id"]), "utf-8")
    assert (await typed("transfer", "import", str(report), "--json")).json()["state"] == "imported"
