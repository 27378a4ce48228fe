"""What a box can do to its own folders and with what it prints, to stop the host or other boxes; and that it cannot."""

import json
import subprocess
from pathlib import Path

import pytest
from tests.staging import KINDS, Kind, Script, all_turns, results, staged, until
from tests.typed import typing_in

from nanoclaw.domain import bounds
from nanoclaw.host import session_boxes
from nanoclaw.host.host_lock import workspace_id
from nanoclaw.testing.model_parts import Asked, Say

pytestmark = [pytest.mark.capability("A9"), pytest.mark.attack]

NATIVE = next(kind for kind in KINDS if kind.name == "native, Anthropic")
NEST = (
    'for d in /memory /session; do cd $d; python3 -c "import os; '
    '[(os.mkdir(str(1)), os.chdir(str(1))) for _ in range(1800)]"; done'
)
CLOSE = "chmod 0 /memory /work /session"


def running(command: str) -> Script:
    """The agent runs it, and says what came out of it."""

    def script(asked: Asked) -> object:
        seen = results(asked)
        return Say(json.loads(seen[-1])["content"][-1]["content"]) if seen else NATIVE.bash(command)

    return script


async def test_a_box_that_nests_and_closes_its_folders_stops_nobody_and_the_doctor_names_it(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    try:
        async with staged(NATIVE, home, running(f"{NEST}; {CLOSE}; echo nested")) as stage:
            assert "nested" in await stage.ask("nest")
            stage.server.reply = running("echo at $PWD; touch /memory/x; ls /memory")
            assert "at /work" in await stage.ask("still there?")
        async with staged(
            NATIVE, home, running("echo at $PWD; ls -l /memory")
        ) as stage:  # which looks at all of it
            assert "at /work" in await stage.ask("after a restart?")
        printed = await typing_in(home, monkeypatch, capfd)("doctor", "--json")
        findings = json.loads(printed.out)["findings"]
        named = [found["sentence"] for found in findings if found["check"] == "folders"]
        assert len(named) == 1
        assert named[0].startswith("groups/main/session: a box nested folders deeper than 64")
    finally:
        subprocess.run(
            ["rm", "-rf", home / "groups", home / "data" / "memory_views"], check=True
        )  # what clears up after tests goes not so deep


async def test_a_running_host_clears_away_what_is_left_of_boxes(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session_boxes, "_SWEEP_EVERY", 0.1)
    async with staged(NATIVE, home, running("echo hello")) as stage:
        assert "hello" in await stage.ask("say it")
        environment = {"NANOCLAW_BOX": f"{workspace_id(home)}/lost/0-0", "PATH": "/usr/bin:/bin"}
        left = subprocess.Popen(["sleep", "600"], env=environment)
        await until(lambda: left.poll() is not None)
        assert "hello" in await stage.ask("and again")


# What answers for a tool writes to its standard output, which everything else in the box can open too.
FORGE = """python3 -c "
import glob, json, os
text = json.dumps(dict(event='end', ok=True, text='x' * {length}))
for file in glob.glob(f'/proc/{{os.getppid()}}/fd/*') + glob.glob('/proc/[0-9]*/fd/1'):
    try:
        pipe = os.open(file, os.O_WRONLY)
        os.write(pipe, b'[' * 100_000 + b'\\n')
        left = text.encode() + b'\\n'
        while left:
            left = left[os.write(pipe, left):]
    except OSError:
        pass
"; sleep 20"""


@pytest.mark.parametrize(
    ("length", "told"),
    [(3_000_000, "2,880,000 characters left out by the host"), (52_000_000, "more than the host takes")],
)
async def test_a_result_that_a_box_forges_is_cut_on_the_host(home: Path, length: int, told: str) -> None:
    async with staged(NATIVE, home, running(FORGE.format(length=length))) as stage:
        said = await stage.ask("print a lot")
        assert told in said
        assert len(said) < 2 * bounds.MOST_RESULT
        seen = results(stage.server.asked[-1])
        assert told in seen[-1]
        assert len(seen[-1]) < 2 * bounds.MOST_RESULT


@pytest.mark.parametrize("kind", KINDS[:2], ids=lambda kind: kind.name)
async def test_an_answer_that_does_not_end_is_cut_stored_and_delivered_with_a_word_about_it(
    home: Path, kind: Kind
) -> None:
    async with staged(kind, home, lambda _asked: Say(f"{'x' * 999} " * 500)) as stage:
        said = await stage.ask("tell me everything")
        assert said.endswith("[The rest is left out: an answer has at most 200,000 characters.]")
        assert len(said) < bounds.MOST_ANSWER + 100
        (turn,) = await all_turns(stage.host)
        assert len(turn.answer) < bounds.MOST_ANSWER + 100
