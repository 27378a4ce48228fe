"""E12: what a person allowed is what is run, also when a file changes that the command names."""

from pathlib import Path
from typing import Any

import pytest
from tests.permission_scene import AT_ONCE, Agent, Desk, desk, toml, until_decided
from tests.staging import KINDS, Kind, staged

from nanoclaw.domain.questions import Question
from nanoclaw.testing.model_parts import Asked, Use

pytestmark = [pytest.mark.capability("E12"), pytest.mark.attack]

SCRIPT = {"tool": "bash", "pattern": "run.sh"}


def work_of(home: Path) -> Path:
    files = home / "groups" / "main" / "files"
    files.mkdir(parents=True, exist_ok=True)
    return files


def shown(question: Question) -> str:
    assert question.tool is not None
    return str(question.tool["shown"])


@pytest.mark.parametrize("kind", KINDS[:2], ids=lambda kind: kind.name)
async def test_a_script_that_is_edited_while_its_card_waits_is_not_run_but_asked_about_again(
    kind: Kind, home: Path
) -> None:
    toml(home, {"tool": "Bash", "pattern": "run.sh"}, hold=3)
    files = work_of(home)
    (files / "run.sh").write_text("touch good")
    call = kind.bash("sh run.sh")

    def script(asked: Asked) -> Any:
        return f"told: {asked.results[-1]}" if asked.results else Use(call.name, call.input)

    async with staged(kind, home, script) as stage:
        here = Desk(host=stage.host, far_end=stage.far_end)
        await stage.far_end.say("chat", "go")
        first = await here.asked()
        card = await here.says("run.sh")
        assert "/work/run.sh · 10 B · sha256" in card
        (files / "run.sh").write_text("touch evil")
        await here.decide(first, "once")
        await until_decided(stage.host, first)
        second = await here.asked()
        assert second.id != first.id
        assert shown(second) != shown(first)
        assert not (files / "evil").exists()
        (files / "run.sh").write_text("touch good")  # as it was when it was allowed
        await here.decide(second, "once")
        await here.says("told:")
        assert (files / "good").exists()
        assert not (files / "evil").exists()
        assert await here.count() == 2


async def test_what_is_always_allowed_is_allowed_until_its_script_changes(home: Path) -> None:
    files = work_of(home)
    (files / "bin").mkdir()
    (files / "bin" / "run.sh").write_text("echo one >> ../ran")
    agent = Agent("bash", command="cd bin && sh run.sh")
    async with desk(home, agent, SCRIPT) as here:
        await here.far_end.say("chat", "go")
        asked = await here.asked()
        assert "/work/bin/run.sh" in shown(asked)
        await here.decide(asked, "always")
        await here.says("told:", times=1)
        await here.far_end.say("chat", "go")
        await here.says("told:", times=2)
        assert (await here.count(), (files / "ran").read_text()) == (1, "one\none\n")
        (files / "bin" / "run.sh").write_text("echo two >> ../ran")
        await here.far_end.say("chat", "go")
        await here.decide(await here.asked(), "reject")
        await here.says("told: Not done")
        assert (files / "ran").read_text() == "one\none\n"


async def test_a_permission_that_comes_late_is_for_the_script_as_it_was(home: Path) -> None:
    files = work_of(home)
    (files / "run.sh").write_text("touch good")
    async with desk(home, Agent("bash", command="sh ./run.sh"), SCRIPT, **AT_ONCE) as here:
        await here.far_end.say("chat", "go")
        asked = await here.asked()
        await here.says("told: Not done yet")
        (files / "run.sh").write_text("touch evil")
        await here.decide(asked, "once")  # the agent is woken, and calls it again
        await here.says("told: Not done yet", times=2)
        other = await here.asked()
        assert (other.id != asked.id, shown(other) != shown(asked)) == (True, True)
        assert not (files / "evil").exists()


@pytest.mark.parametrize("command", ["cd bin && cd deep && sh run.sh", "sh $PWD/bin/dee*/r''un.sh; true"])
async def test_a_script_is_known_however_its_name_is_written(home: Path, command: str) -> None:
    deep = work_of(home) / "bin" / "deep"
    deep.mkdir(parents=True)
    (deep / "run.sh").write_text("touch good")
    async with desk(home, Agent("bash", command=command), {"tool": "bash"}, **AT_ONCE) as here:
        await here.far_end.say("chat", "go")
        asked = await here.asked()
        assert "/work/bin/deep/run.sh · 10 B · sha256" in shown(asked)
        await here.says("told: Not done yet")
        (deep / "run.sh").write_text("touch evil")
        await here.decide(asked, "once")
        await here.says("told: Not done yet", times=2)
        assert shown(await here.asked()) != shown(asked)
        assert list(deep.parent.parent.rglob("evil")) == []


async def test_what_is_known_only_when_it_runs_is_not_asked_about(home: Path) -> None:
    async with desk(home, Agent("bash", command="sh ${X:-run.sh}"), SCRIPT) as here:
        await here.far_end.say("chat", "go")
        told = await here.says("told: Not done")
        assert "it names ${X:-run.sh}, which the host cannot look at" in told
        assert "Write the names of scripts out" in told
        assert await here.count() == 0


async def test_what_only_the_box_can_see_is_not_asked_about(home: Path) -> None:
    """A warm box keeps its /tmp: whatever lies there could be another script by the time that it runs."""
    async with desk(home, Agent("bash", command="sh /tmp/run.sh"), SCRIPT) as here:
        await here.far_end.say("chat", "go")
        told = await here.says("told: Not done")
        assert "it names /tmp/run.sh, which the host cannot look at" in told
        assert await here.count() == 0
