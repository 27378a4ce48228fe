"""Agents that hang, die, are slow or fill their disk, each with a real program in a real box (SPEC 15).

Patience is short where it has to end, and longer than a busy machine needs where it must not.
"""

import asyncio
import json
import os
import signal
import struct
import zlib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from tests.staging import KINDS, Kind, Stage, claudes, events, once, processes, results, staged, until

from nanoclaw.domain.ids import new_id
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import timeline
from nanoclaw.testing.model_parts import Asked, Fail, Say, Use, Wait

CLAUDE, NATIVE = KINDS[0], KINDS[1]
INTERRUPTED = "You were interrupted"

pytestmark = pytest.mark.capability("L1")


@pytest.fixture(params=[CLAUDE, NATIVE], ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


async def first_claude() -> int:
    """The program, caught while it starts."""
    await until(lambda: bool(claudes()))
    return claudes()[0]


def is_gone(pid: int) -> Callable[[], bool]:
    return lambda: not Path(f"/proc/{pid}").exists()


def silent(seconds: float, marker: str) -> str:
    """A command that says nothing for so long; a plain `sleep` would be refused by Claude Code."""
    return f"echo begun >> begun; python3 -c 'import time; time.sleep({seconds})' {marker}"


async def test_one_that_hangs_before_its_first_word_is_killed_and_the_message_answered(home: Path) -> None:
    turns: dict[str, object] = {"longest_silence": 2, "longest_pause": 60}
    async with staged(CLAUDE, home, lambda asked: f"said {asked.text[-30:]}", turns=turns) as stage:
        await stage.ask("my colour is teal")
        [wedged] = claudes()
        os.kill(wedged, signal.SIGSTOP)
        await stage.ask("and now?")
        await until(is_gone(wedged))
        asked = json.dumps(stage.server.asked[-1].messages)
        assert "my colour is teal" in asked
        assert INTERRUPTED in asked
        assert len(stage.far_end.said_to("chat")) == 2
        assert (await events(stage.host)).count("stuck") == 1


@pytest.mark.capability("A16")
@pytest.mark.parametrize("status", [400, 529])
async def test_one_whose_model_fails_is_not_taken_for_one_that_hangs(home: Path, status: int) -> None:
    fail = Fail(status, "some_error", "not now", {"retry-after": "2.5"})
    async with staged(CLAUDE, home, lambda asked: "hello") as stage:
        await stage.ask("hello")
        before = claudes()
        stage.server.reply = lambda asked: fail
        assert "not now" in await stage.ask("and now?")
        stage.server.reply = lambda asked: "good"
        await stage.far_end.say("chat", "and now?")
        await until(lambda: "good" in stage.far_end.said_to("chat"))
        assert claudes() == before


@pytest.mark.parametrize("blow", [signal.SIGSTOP, signal.SIGKILL], ids=["hangs", "dies"])
async def test_one_that_does_not_get_through_its_start_is_started_again(
    home: Path, blow: signal.Signals
) -> None:
    async with staged(
        CLAUDE, home, lambda asked: "here", turns={"longest_silence": 10, "longest_pause": 4}
    ) as stage:
        await stage.far_end.say("chat", "hello?")
        pid = await first_claude()
        os.kill(pid, blow)
        assert await stage.far_end.wait_for("chat") == ["here"]
        await until(is_gone(pid))
        assert "stuck" in await events(stage.host)


async def test_a_start_that_takes_longer_than_the_first_word_may_is_waited_for(home: Path) -> None:
    turns: dict[str, object] = {"longest_silence": 2, "longest_pause": 60}
    async with staged(CLAUDE, home, lambda asked: "at last", turns=turns) as stage:
        await stage.far_end.say("chat", "hello?")
        pid = await first_claude()
        os.kill(pid, signal.SIGSTOP)
        await asyncio.sleep(2.5)
        os.kill(pid, signal.SIGCONT)
        assert await stage.far_end.wait_for("chat") == ["at last"]
        assert claudes() == [pid]


@pytest.mark.capability("L2")
async def test_a_silent_tool_that_announced_it_lives(home: Path) -> None:
    command = CLAUDE.bash(silent(5, "announced"), timeout=60)
    async with staged(
        CLAUDE, home, once(command), turns={"longest_silence": 10, "longest_pause": 4}
    ) as stage:
        assert await stage.ask("go") == "done"
        assert (stage.files / "begun").read_text() == "begun\n"


@pytest.mark.capability("L2")
async def test_a_silent_tool_that_announced_nothing_is_ended_with_its_box(kind: Kind, home: Path) -> None:
    marker, begun = new_id("marker"), home / "groups" / "main" / "files" / "begun"

    def script(_asked: Asked) -> Any:
        return "I leave it." if begun.exists() else kind.bash(silent(600, marker))

    async with staged(kind, home, script, turns={"longest_silence": 10, "longest_pause": 3}) as stage:
        await stage.far_end.say("chat", "go")
        await until(lambda: bool(processes(marker)))
        assert await stage.far_end.wait_for("chat") == ["I leave it."]
        assert not processes(marker)
        assert INTERRUPTED in json.dumps(stage.server.asked[-1].messages)
        assert "stuck" in await events(stage.host)


def pauses_after_stuck(tx: Tx) -> list[float]:
    """Seconds from each time that it got stuck to the next attempt."""
    steps = tx.execute(sa.select(timeline.c.event, timeline.c.at).order_by(timeline.c.id)).all()
    turned = [(event, at) for event, at in steps if event in ("stuck", "started-again", "failed")]
    return [
        (after[1] - before[1]).total_seconds() for before, after in pairwise(turned) if before[0] == "stuck"
    ]


async def test_after_six_attempts_the_person_is_told_and_can_try_again(home: Path) -> None:
    awake = asyncio.Event()
    turns: dict[str, object] = {"longest_silence": 0.6, "longest_pause": 0.3}
    async with staged(NATIVE, home, lambda asked: [Wait(awake), Say("good morning")], turns=turns) as stage:
        said = await stage.ask("wake up")
        assert "6" in said
        assert "/retry" in said
        assert (await events(stage.host)).count("stuck") == 6
        pauses = await stage.host.store.read(pauses_after_stuck)
        assert len(pauses) == 6
        assert all(pause >= 0.01 * 2**number for number, pause in enumerate(pauses, 1))
        awake.set()
        await stage.far_end.say("chat", "/retry")
        await until(lambda: "good morning" in stage.far_end.said_to("chat"))


@pytest.mark.capability("F5", "L2")
async def test_work_in_the_background_may_be_silent_for_longer_than_a_turn(home: Path) -> None:
    awake = asyncio.Event()
    audit = Use("background_task", {"prompt": "audit them all"})

    def script(asked: Asked) -> Any:
        said = asked.text.rpartition("</recalled>")[2]  # memory tells one chat what was done in the other
        if "hand it over" in said:
            return Say("handed over") if results(asked) else audit
        return [Wait(awake), Say("audited" if "audit them all" in said else "here again")]

    async with staged(NATIVE, home, script, turns={"longest_pause": 2}) as stage:
        await stage.far_end.say("chat", "hand it over")
        await until(lambda: any("audit them all" in asked.text for asked in stage.server.asked))
        await stage.far_end.say("other chat", "are you there?")
        async with asyncio.timeout(60):
            while "stuck" not in await events(stage.host):
                await asyncio.sleep(0.05)
        awake.set()
        await until(lambda: any("audited" in said for said in stage.far_end.said_to("chat")))
        assert await stage.far_end.wait_for("other chat") == ["here again"]
        said = [asked.text.rpartition("</recalled>")[2] for asked in stage.server.asked]
        assert len([each for each in said if "audit them all" in each and "hand it over" not in each]) == 1


@pytest.mark.capability("L4")
async def test_tools_that_need_a_screen_are_not_offered_and_do_nothing(home: Path) -> None:
    screens = {"AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "EnterWorktree", "ExitWorktree"}
    uses = [Use(name, {}) for name in sorted(screens)]
    async with staged(CLAUDE, home, once([*uses], then="without")) as stage:
        assert await stage.ask("go") == "without"
        assert not screens & set(stage.server.asked[0].tools)
        assert json.dumps(results(stage.server.asked[-1])).count("No such tool") == len(screens)


# A disk that is full, and a file that is big


@pytest.mark.capability("A9")
async def test_a_full_disk_in_the_box_is_told_to_the_agent_and_harms_nobody_else(
    kind: Kind, home: Path
) -> None:
    fill = kind.bash("head -c 5000000 /dev/zero > /tmp/x || echo it is full")
    async with staged(kind, home, once(fill), boxes={"scratch_mb": 1}) as stage:
        assert await stage.ask("go") == "done"
        assert "No space left on device" in results(stage.server.asked[-1])[0]
        stage.server.reply = once_more(kind)
        assert await stage.ask("and now?") == "works"


def once_more(kind: Kind) -> Callable[[Asked], Any]:
    def script(asked: Asked) -> Any:
        said = json.dumps(results(asked))
        return "works" if "still-here" in said else kind.bash("rm -f /tmp/x; echo still-$(echo here)")

    return script


async def test_a_picture_of_five_megabytes_does_not_end_the_turn(home: Path) -> None:
    look = Use("Read", {"file_path": "/work/big.png"})
    async with staged(CLAUDE, home, once(look, then="I see noise.")) as stage:
        stage.files.mkdir(parents=True, exist_ok=True)
        (stage.files / "big.png").write_bytes(picture(1300))
        assert (stage.files / "big.png").stat().st_size > 5_000_000
        assert await stage.ask("what is on it?") == "I see noise."
        assert await still_well(stage)


async def still_well(stage: Stage) -> bool:
    stage.server.reply = lambda asked: "well"
    return await stage.ask("how are you?") == "well"


def picture(side: int) -> bytes:
    """A PNG of noise, which no program can make small."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + os.urandom(3 * side) for _ in range(side))
    size = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", size)
        + chunk(b"IDAT", zlib.compress(rows, 1))
        + chunk(b"IEND", b"")
    )
