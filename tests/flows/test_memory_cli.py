"""The commands about what companies know, as someone types them beside a host that runs, and without one."""

import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tests.git_objects import git, objects_with
from tests.task_agent import TaskAgent
from tests.typed import Typed, typing_in

from nanoclaw.testing import ScriptedModel, started_host

pytestmark = pytest.mark.capability("G7", "G8", "O1")


@pytest.fixture
def typed(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    return typing_in(home, monkeypatch, capfd)


async def added(typed: Typed, text: str, *more: str) -> str:
    return str((await typed("memory", "add", text, *more, "--json")).json()["id"])


async def test_an_entry_is_added_found_shown_corrected_forgotten_and_brought_back(
    home: Path, typed: Typed
) -> None:
    async with started_host(home, model=ScriptedModel()):
        first = await typed("memory", "add", "The warehouse is in Brovary", "--topic", "storage")
        assert first.out.startswith("Remembered:\nfact_"), first
        made = re.findall(r"fact_\d{8}_\w{8}", first.out)[0]
        found = await typed("memory", "search", "warehouses")
        assert f"{made}  The warehouse is in Brovary\n" in found.out
        assert "fact · Owner · 20" in found.out
        assert "· storage" in found.out
        assert (await typed("memory", "search", "zeppelin")).out == "Nothing fits these words.\n"
        newer = (await typed("memory", "correct", made[-6:], "The warehouse is in Boryspil", "--json")).json()
        shown = await typed("memory", "show", newer["id"])
        assert f"Replaced: {made} The warehouse is in Brovary" in shown.out
        assert "corrected (Owner)" in shown.out
        assert '"supersedes"' in shown.out
        late = await typed("memory", "correct", made, "The warehouse is in Bucha")
        assert (late.code, "The warehouse is in Boryspil" in late.err) == (1, True)
        gone = await typed("memory", "forget", newer["id"])
        assert f"memory restore {newer['id']}" in gone.out
        assert (await typed("memory", "search", "warehouse", "--json")).json() == []
        back = (await typed("memory", "restore", newer["id"], "--json")).json()
        assert (back["state"], back["entry"]["state"]) == ("written", "live")
        assert (await typed("memory", "show", "nothing-like-it")).err == (
            "The company remembers nothing under nothing-like-it.\n"
        )
        wrong = await typed("memory", "add", "It is blue", "--kind", "colour")
        assert (wrong.code, "fact, decision, preference, priority" in wrong.err) == (1, True)
        kept = await typed("chats", "memory", "General", "read")
        assert "the agents use memory but change nothing" in kept.out
        assert (await typed("chats", "memory", "General", "off", "--json")).json()["memory"] == "off"
        overview = await typed("memory")
        assert overview.out.startswith("demo remembers ")
        assert "memory/facts.jsonl" in overview.out
        assert (await typed("memory", "stats", "--company", "nowhere")).err == (
            "There is no company nowhere. Known: demo.\n"
        )


async def test_everything_of_a_person_is_taken_back_only_after_a_yes(
    home: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = TaskAgent()
    lanterns = [{"text": f"The {side} lantern is lit"} for side in ("left", "right")]
    agent.does("Note both lanterns", agent.call("remember", entries=lanterns))
    async with started_host(home, model=agent):
        ids = [await added(typed, f"The cellar number {number} is dry") for number in (1, 2)]
        preview = await typed("memory", "revert", "--person", "local:owner")
        assert preview.code == 1
        assert all(each in preview.out for each in ids)
        assert "Nothing was changed" in preview.err
        typing = io.StringIO("no\n")
        monkeypatch.setattr(typing, "isatty", lambda: True)
        monkeypatch.setattr(sys, "stdin", typing)
        assert (await typed("memory", "revert", "--since", "1h")).code == 1
        assert len((await typed("memory", "search", "cellar", "--json")).json()) == 2
        await typed("memory", "correct", ids[1], "The cellar number 2 is wet")
        assert "Owner was faster" in (await typed("memory", "correct", ids[1], "It is damp")).err
        done = await typed("memory", "revert", "--since", "1h", "--yes")
        # With a correction goes what it had replaced, if that came from there too.
        assert (done.code, "3 entries were taken back." in done.out) == (0, True)
        assert (await typed("memory", "search", "cellar", "--json")).json() == []
        assert (await typed("memory", "revert", "--turn", "t_nothing")).out == "Nothing came from there.\n"
        await typed("chat", "-m", "Note both lanterns")
        found = (await typed("memory", "search", "lantern", "--json")).json()
        (turn,) = {each["turn_id"] for each in found if each["kind"] == "fact"}
        preview = await typed("memory", "revert", "--turn", turn)
        assert (preview.code, preview.out.count("lantern is lit")) == (1, 2)
        assert (await typed("memory", "revert", "--turn", turn, "--yes")).code == 0
        left = (await typed("memory", "search", "lantern is lit", "--kind", "fact", "--json")).json()
        assert left == []
        assert "a turn, a person, or since when" in (await typed("memory", "revert")).err
        assert '"soon" is not a time' in (await typed("memory", "revert", "--since", "soon")).err


@pytest.mark.capability("G4", "G6")
async def test_files_are_imported_checked_put_in_order_and_their_index_rebuilt(
    home: Path, typed: Typed, tmp_path: Path
) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("# About us\n\n- The founder plays the bandura\n- The band meets on Sundays\n", "utf-8")
    lines = tmp_path / "facts.jsonl"
    fact = {"id": "fact_20260101_aaaaaaaa", "timestamp": "2026-01-01T00:00:00Z", "fact": "The choir has ten"}
    lines.write_text(json.dumps(fact) + "\n{broken\n", "utf-8")
    empty = tmp_path / "empty.jsonl"
    empty.write_text('{"fact": ""}\n{"decision": " "}\n', "utf-8")
    done = home / "companies/demo/memory/CLAUDE.md"
    done.write_text("## Recent Activity\n\n- 2026-01-01: The rehearsal was short\n", "utf-8")
    async with started_host(home, model=ScriptedModel()):
        seen = (await typed("memory", "import", str(notes), "--preview", "--json")).json()
        assert (seen["taken"], seen["preview"]) == (2, True)
        assert (await typed("memory", "search", "bandura", "--json")).json() == []
        assert "2 entries were taken in" in (await typed("memory", "import", str(notes))).out
        assert len((await typed("memory", "search", "bandura", "--json")).json()) == 1
        some = await typed("memory", "import", str(lines))
        assert (some.code, "Line 2 was left out" in some.out) == (1, True)
        (choir,) = (await typed("memory", "search", "choir", "--json")).json()
        assert choir["id"] == fact["id"]
        again = await typed("memory", "import", str(lines), "--json")
        assert (json.loads(again.out)["taken"], json.loads(again.out)["known"]) == (0, 1)
        sound = await typed("memory", "verify")
        assert (sound.code, sound.out.startswith("The memory of demo is sound")) == (0, True), sound
        rebuilt = (await typed("memory", "rebuild")).out
        assert "was built anew" in rebuilt
        assert re.findall(r"\d+ entries", rebuilt) == re.findall(r"\d+ entries", sound.out) != []
        nothing = (await typed("memory", "import", str(empty))).out
        assert "Line 1 was left out: It says nothing: fact is empty." in nothing
        assert "decision is empty" in nothing
        assert len((await typed("memory", "search", "bandura", "--json")).json()) == 1
        assert "Maintenance of demo" in (await typed("memory", "compact")).out
        facts = home / "companies/demo/memory/facts.jsonl"
        facts.write_bytes(facts.read_bytes() + b"{broken\n")
        broken = await typed("memory", "verify", "--json")
        assert broken.code == 1
        assert [each["kind"] for each in json.loads(broken.out)["problems"]] == ["bad-line"]
        assert (await typed("memory", "import", str(tmp_path / "no-such"))).err.endswith(
            "cannot be read: No such file or directory\n"
        )


async def test_purging_needs_the_whole_id_and_names_the_commands_for_the_remote(
    home: Path, typed: Typed
) -> None:
    async with started_host(home, model=ScriptedModel()):
        made = await added(typed, "The safe opens with a tune")
        git(home, "add", "-A", "companies")
        git(home, "commit", "-q", "--allow-empty", "-m", "What we know")
        remote = home.parent / "remote.git"
        git(home, "init", "-q", "--bare", str(remote))
        git(home, "remote", "add", "origin", str(remote))
        git(home, "push", "-q", "origin", "HEAD:main")
        assert objects_with(home, "opens with a tune") != []
        assert f"--confirm {made}" in (await typed("memory", "purge", made)).err
        wrong = await typed("memory", "purge", made, "--confirm", made[-8:])
        assert (wrong.code, "Nothing was removed" in wrong.err) == (1, True)
        gone = await typed("memory", "purge", made, "--confirm", made)
        assert (gone.code, f"{made} is gone" in gone.out) == (0, True), gone
        assert (await typed("memory", "search", "safe tune", "--past", "--json")).json() == []
        facts = (home / "companies/demo/memory/facts.jsonl").read_text("utf-8")
        assert "tune" not in facts
        assert objects_with(home, "opens with a tune") == []
        _, _, told = gone.out.partition("The git remote still has the words. To remove them there:\n")
        (command,) = told.splitlines()
        assert "tune" in git(remote, "show", "main:companies/demo/memory/facts.jsonl")
        subprocess.run(shlex.split(command), check=True, capture_output=True)
        assert "tune" not in git(remote, "show", "main:companies/demo/memory/facts.jsonl")
        assert (await typed("memory", "verify")).code == 0


async def test_without_a_host_a_temporary_one_writes_it(home: Path, typed: Typed) -> None:
    made = await added(typed, "The lift is out of order")
    assert made in (home / "companies/demo/memory/facts.jsonl").read_text("utf-8")
    assert [each["id"] for each in (await typed("memory", "search", "lifts", "--json")).json()] == [made]
    assert (await typed("memory", "purge", made, "--confirm", made)).out.startswith(f"{made} is gone.")
