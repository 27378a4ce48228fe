"""Flow G. What a sync asks and brings, as its owner sees it on Telegram."""

from pathlib import Path

import pytest
from tests.export_scene import SEND, TransferScene
from tests.git_scene import FACTS, PRICING, append, fact, git
from tests.staging import until
from tests.sync_scene import SHARED, first_team, look
from tests.telegram_scene import eventually, telegram_scene
from tests.typed import typing_in

from nanoclaw.domain.people import Role
from nanoclaw.domain.transfers import Analysis, AnalysisState, TransferState
from nanoclaw.durable import analyses
from nanoclaw.testing import ScriptedModel

pytestmark = [pytest.mark.asyncio, pytest.mark.capability("B6", "B3")]

TOUR = "skills/meta/orchestration/demo-tour"
ANALYSIS = """# What we found

Transfer ID: {id}

## Facts

- The spring menu sells best with rhubarb.

## Next step

Print the menu.
"""


async def test_both_versions_of_a_price_and_what_came_back_on_a_branch_are_decided_in_the_chat(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    team = first_team(home, tmp_path)
    async with telegram_scene(
        home,
        model=ScriptedModel(),
        paced=False,
        questions={"grace_seconds": 0},
        memory={**SHARED, "commit_seconds": 3600},
    ) as began:
        scene = await TransferScene.of(began).talked_to("Iryna")
        before = (team.home / PRICING).read_text("utf-8")
        (team.mate / PRICING).write_text(before.replace("EUR 11", "EUR 15"), "utf-8")
        team.mate_pushes()
        (team.home / PRICING).write_text(before.replace("EUR 11", "EUR 14"), "utf-8")
        git(team.home, "commit", "--all", "--quiet", "--message", "dearer")
        await look(scene.host, "remote")
        await scene.chat.wait_until(lambda: bool(scene.cards("was changed in the same place")))
        card = scene.cards("was changed in the same place")[-1]
        assert "EUR 14" in str(card.text)
        assert "EUR 15" in str(card.text)
        assert "EUR 14" in (team.home / PRICING).read_text("utf-8"), "ours until then"
        await scene.press(card, "Take theirs")
        await until(lambda: "EUR 15" in (team.home / PRICING).read_text("utf-8"))

        # A session goes out as a branch, and somebody commits there what they found.
        await scene.press(await scene.exported("/export_session git"), SEND)
        transfer = await scene.transfer_in(TransferState.DELIVERED)
        branch = f"transfer/{transfer.id}"
        git(team.mate, "fetch", "--quiet", "origin", branch)
        git(team.mate, "switch", "--quiet", "--force-create", branch, "FETCH_HEAD")
        await scene.host.versions.now.ask()
        typed, told = typing_in(home, monkeypatch, capfd), list[str]()
        for draft in ("No menu at all.", "A menu with onions.", ANALYSIS):
            (team.mate / "session_transfer" / "analysis.md").write_text(draft.format(id=transfer.id))
            git(team.mate, "add", "session_transfer/analysis.md")
            git(team.mate, "commit", "--quiet", "--message", "What we found")
            git(team.mate, "push", "--quiet", "origin", branch)
            # One that was under way already may have found it: the state says what the last change was.
            told.append((await typed("sync")).out + (await typed("sync", "--status")).out)
            await scene.chat.wait_until(lambda: bool(scene.cards("analysis.md")))
        assert f"The result of a transfer came back:\n  {branch}\n" in told[0]
        # One card at a time, however often somebody pushes; the newest is not forgotten meanwhile.
        [first] = scene.cards("analysis.md")
        await scene.press(first, "❌ Reject")
        await scene.came("analysis.md was not taken over")
        await look(scene.host, "remote")
        await scene.chat.wait_until(lambda: any(each is not first for each in scene.cards("analysis.md")))

        async def state(wanted: AnalysisState) -> Analysis | None:
            found = await scene.host.store.read(lambda tx: analyses.of_transfer(tx, transfer.id))
            return next((each for each in found if each.state is wanted), None)

        assert await state(AnalysisState.RECEIVED), "nobody has read it yet"
        await scene.press(scene.cards("analysis.md")[-1], "✅ Approve")
        await eventually(lambda: state(AnalysisState.IMPORTED))
        await scene.transfer_in(TransferState.RESUMED)
        await scene.came("analysis.md is taken over: 1 fact; going on with: Print the menu")
        # What was committed there is taken in: with the time of the transfer the branch goes, here and there.
        await scene.time_passes(transfer)
        await scene.cleared(transfer)
        assert git(team.remote, "branch", "--list", "transfer/*") == ""
        assert git(team.home, "branch", "--list", "transfer/*") == ""


async def test_sync_in_a_chat_says_what_came_and_what_waits_or_why_not(home: Path, tmp_path: Path) -> None:
    """Once, when it was done; only to those who administer everything."""
    team = first_team(home, tmp_path)
    memory = {**SHARED, "commit_seconds": 3600}
    async with telegram_scene(home, model=ScriptedModel(), paced=False, memory=memory) as began:
        scene = TransferScene.of(began)
        olena = await began.joined_by("Олена", language="uk")
        await olena.ask("Привіт")
        await scene.host.versions.now.ask()
        append(team.mate, fact(2, "The office is in Lviv"))
        (team.mate / TOUR / "run.sh").write_text("echo hello\n")
        team.mate_pushes()
        await scene.owner.says(scene.chat, "/sync")
        came, path, waits, held = (await scene.came("A file came")).splitlines()
        assert came == "A file came:"
        assert path.endswith(FACTS)
        assert waits == "A file waits for the owner's decision, see the inbox:"
        assert held.endswith(f"{TOUR}/run.sh")
        # What it asks of the owners, each reads in their own language.
        assert (await scene.card("can give rights")).labels == ["Put into effect", "Keep ours"]
        theirs = await olena.card("може надавати права")
        assert theirs.labels == ["Застосувати", "Лишити наше"]
        assert "Рядки з - наші, з + їхні." in theirs.text
        gone = team.remote.rename(team.remote.with_name("gone"))
        await scene.owner.says(scene.chat, "/sync")
        await scene.came('The git remote "origin" said:')
        gone.rename(team.remote)
        await scene.host.versions.now.ask()  # what was said meanwhile may have gone into memory
        await scene.owner.says(scene.chat, "/sync")
        await scene.came("Nothing new on either side (main).")
        assert not await scene.host.store.read(scene.host.versions.requests.waiting)
        member = await scene.joined_by("Oksana", role=Role.MEMBER)
        refused = await member.command(member.chat, "/sync")
        assert "admin" in refused
        assert "Nothing new" not in refused
