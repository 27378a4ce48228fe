"""`nanoclaw pipelines`, as someone types it beside a running host: a run is started, watched, repeated and exported."""

import asyncio
import io
import json
import sys
from pathlib import Path

import pytest
from tests.flows.pipeline_scene import APPROVED, PipelineScene, pipeline_scene
from tests.typed import Typed, typing_in

from nanoclaw.domain.pipeline_runs import PipelineRun, PipelineRunStatus
from nanoclaw.durable import pipeline_runs

pytestmark = pytest.mark.capability("D1", "O1")


@pytest.fixture
def typed(home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Typed:
    return typing_in(home, monkeypatch, capfd)


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def write_templates(home: Path) -> None:
    folder = home / "foundation" / "process_templates"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "approved.md").write_text(APPROVED, "utf-8")
    (folder / "broken.md").write_text(
        APPROVED.replace("/approved", "/broken").replace("copywriter", "copywritr"), "utf-8"
    )


async def approve(scene: PipelineScene, subject: str) -> None:
    """As soon as it asks."""
    while not (found := await scene.host.store.read(lambda tx: pipeline_runs.newest(tx, limit=1))):
        await asyncio.sleep(0.01)
    assert found[0].subject == subject
    await scene.decide(await scene.question(found[0]), "approve")


async def _runs(scene: PipelineScene) -> list[PipelineRun]:
    return await scene.host.store.read(pipeline_runs.newest)


async def test_a_run_is_started_watched_to_its_end_repeated_and_exported(
    home: Path, typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with pipeline_scene(home) as scene:
        write_templates(home)
        refused = await typed("pipelines", "run", "approved", "otters")
        assert (refused.code, "Expected: " in refused.err, "say --yes" in refused.err) == (1, True, True)
        monkeypatch.setattr(sys, "stdin", _Terminal("n\n"))
        assert "Nothing was started." in (await typed("pipelines", "run", "approved", "otters")).err

        monkeypatch.setattr(sys, "stdin", _Terminal("y\n"))
        watched, _ = await asyncio.gather(
            typed("pipelines", "run", "/approved", "otters", "--budget", "0.5"), approve(scene, "otters")
        )
        assert watched.code == 0, watched.err
        lines = watched.out.splitlines()
        short = lines[0].split()[1]
        assert lines[0] == f"Run {short} of Approved text: otters"
        assert any(line.startswith("✅ 1. copywriter · ") for line in lines)
        assert any(line.startswith("🙋 A person is asked: ") for line in lines)
        assert any(" decide " in line and line.endswith(" approve   (✅ Approve)") for line in lines)
        assert f"✅ Run {short} is done." in lines
        assert lines[-1].startswith("💰 $0.00 · ⏱ ")

        listed = await typed("pipelines", "list")
        assert "approved  Approved text · 3 steps · costs nothing, " in listed.out
        assert "broken  cannot be used\n    foundation/process_templates/broken.md:4: " in listed.out
        assert f"{short}  Approved text: otters\n    done · $0.00" in listed.out
        assert (await typed("pipelines", "list", "--status", "failed")).out == "There are no runs.\n"
        assert [run["short"] for run in (await typed("pipelines", "list", "--json")).json()["runs"]] == [
            short
        ]
        shown = await typed("pipelines", "show", short, "--texts")
        assert "✅ 3. editor" in shown.out
        assert "── 3. editor · text\nText of the editor" in shown.out

        again = (
            await typed("pipelines", "retry", short, "--from", "3", "--note", "shorter", "--json")
        ).json()
        assert (again["status"], again["again_of"][-5:], again["steps"][2]["note"]) == (
            "done",
            short,
            "shorter",
        )
        assert (again["budget_usd"], scene.agent.times(1)) == (0.5, 1)

        folder = tmp_path / "kept"
        assert "files are in" in (await typed("pipelines", "export", again["short"], str(folder))).out
        kept = {path.name: path.read_text("utf-8") for path in folder.iterdir()}
        assert kept["001-copywriter-text.md"] == "Text of the copywriter"
        assert kept["approved.md"] == APPROVED
        results = json.loads(kept["results.json"])
        assert [step["state"] for step in results["steps"]] == ["skipped", "skipped", "done"]
        assert json.loads(kept["costs.json"])["budget_usd"] == 0.5
        assert "is not empty" in (await typed("pipelines", "export", short, str(folder))).err


async def test_ctrl_c_leaves_a_run_going_and_wrong_input_is_answered_with_what_to_type(
    home: Path, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with pipeline_scene(home) as scene:
        write_templates(home)
        scene.agent.holds(1)
        begun = (await typed("pipelines", "run", "approved", "mice", "--yes", "--detach", "--json")).json()
        assert begun["status"] == "running"
        assert "Cancel it first" in (await typed("pipelines", "retry", begun["short"])).err

        async def interrupted(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr("nanoclaw.cli.pipelines.run_command._watched", interrupted)
            left = await typed("pipelines", "run", "approved", "voles", "--yes")
        assert left.code == 130
        short = left.out.split()[1]
        assert f"nanoclaw pipelines cancel {short}` stops it" in left.err
        found = await _runs(scene)
        assert (found[0].subject, found[0].status) == ("voles", PipelineRunStatus.RUNNING)

        gone = await typed("pipelines", "cancel", short)
        assert gone.out.splitlines()[1].lstrip().startswith("cancelled")
        assert "it is cancelled" in (await typed("pipelines", "cancel", short)).err
        assert (
            "There is no run zzzzz. `nanoclaw pipelines list`"
            in (await typed("pipelines", "show", "zzzzz")).err
        )
        assert "There is no state" in (await typed("pipelines", "list", "--status", "odd")).err
        assert "no template" in (await typed("pipelines", "run", "nothing", "x", "--yes")).err
        scene.agent.lets_go(1)
        await scene.question(next(run for run in await _runs(scene) if run.id == begun["id"]))
        assert " · approval by a person" in (await typed("pipelines", "list")).out
        assert 'Asked by the pipeline "Approved text" (main)' in (await typed("inbox")).out
    assert "No host is running" in (await typed("pipelines", "run", "approved", "mice", "--yes")).err
