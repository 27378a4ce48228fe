"""What every runtime owes the host, tried on each of them through the front door, with real boxes and real programs.

Only the vendor is played: by the scripted server, over HTTP. The same words name the same tools here, although each
runtime has its own names for them.
"""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from tests.staging import KINDS, Kind, all_turns, once, results, staged, until

from nanoclaw.domain.locale import Locale
from nanoclaw.domain.people import Role
from nanoclaw.domain.tools import TOOLS
from nanoclaw.domain.wirings import UnknownSenders
from nanoclaw.durable import people, timeline
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.why import explain
from nanoclaw.gateway import anthropic
from nanoclaw.memory.search import MemorySearch
from nanoclaw.testing.model_parts import Asked, Cut, Fail, Full, Garbage, Part, Say, Use


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


@pytest.mark.capability("A8", "A13", "J1")
async def test_an_answer_comes_from_the_model_and_is_paid_for(kind: Kind, home: Path) -> None:
    async with staged(kind, home, lambda asked: "It is **fine**.") as stage:
        assert await stage.ask("how is it?") == "It is **fine**."
        asked = stage.server.asked[0]
        assert "how is it?" in json.dumps(asked.messages)
        assert (home / "foundation" / "core_identity.md").read_text().strip()[:80] in asked.system
        costs = home / "data" / "cost_log.jsonl"  # nobody waits for it to be written
        await until(lambda: costs.exists() and costs.read_text().endswith("\n"))
        lines = [json.loads(line) for line in costs.read_text().splitlines()]
        assert lines[0]["cost_usd"] > 0
        assert (lines[0]["company"], lines[0]["skill"]) == ("demo", "general-assistant")


@pytest.mark.capability("A9")
async def test_a_command_runs_in_the_groups_box_and_its_files_stay(kind: Kind, home: Path) -> None:
    async with staged(
        kind, home, once(kind.bash("id -u; echo made > note.txt; cat note.txt"), then="It is written.")
    ) as stage:
        assert await stage.ask("write a note") == "It is written."
        assert (stage.files / "note.txt").read_text() == "made\n"
        assert "1000" in results(stage.server.asked[-1])[0]


@pytest.mark.capability("A5")
async def test_it_remembers_the_conversation_also_after_a_restart(kind: Kind, home: Path) -> None:
    async with staged(kind, home, lambda asked: "noted") as stage:
        await stage.ask("my colour is teal")
    async with staged(
        kind, home, lambda asked: "teal" if "teal" in json.dumps(asked.messages) else "?"
    ) as stage:
        assert await stage.ask("which colour?") == "teal"


async def test_after_clear_nothing_of_it_is_seen(kind: Kind, home: Path) -> None:
    async with staged(
        kind, home, lambda asked: "seen" if "teal" in json.dumps(asked.messages) else "fresh"
    ) as stage:
        assert await stage.ask("my colour is teal") == "seen"
        await stage.ask("/clear")
        assert await stage.ask("which colour?") == "fresh"


@pytest.mark.capability("A5")
async def test_a_message_that_comes_while_a_tool_runs_reaches_the_turn(kind: Kind, home: Path) -> None:
    def script(asked: Asked) -> Any:
        if not results(asked):
            return kind.bash("touch /work/running; while [ ! -e /work/go ]; do sleep 0.01; done", timeout=60)
        return "both" if "and blue" in json.dumps(asked.messages) else "one"

    async with staged(kind, home, script) as stage:
        await stage.far_end.say("chat", "red")
        await until(lambda: (stage.files / "running").exists())
        await stage.far_end.say("chat", "and blue")
        await until(lambda: not stage.far_end.unconfirmed)
        # Nothing tells that it has arrived inside; too early only makes this test easier.
        await asyncio.sleep(0.3)
        (stage.files / "go").touch()
        assert await stage.far_end.wait_for("chat") == ["both"]
        assert len(await all_turns(stage.host)) == 1

        def why(tx: Tx) -> list[str]:
            told = explain(tx, timeline.newest(tx) or "", Locale())
            return [step.event for step in told.steps] if told else []

        steps = await stage.host.store.read(why)
        # Its story begins when it came, and not with what the turn did before.
        assert (steps[0], "joined" in steps, "started" in steps) == ("received", True, False)


@pytest.mark.capability("A15")
async def test_stop_ends_a_tool_at_once_and_the_session_goes_on(kind: Kind, home: Path) -> None:
    def script(asked: Asked) -> Any:
        if "hello?" not in json.dumps(asked.messages):
            return [Say("I begin."), kind.bash("touch /work/running; exec tail -f /dev/null", timeout=600)]
        return "here again"

    async with staged(kind, home, script) as stage:
        await stage.far_end.say("chat", "something long")
        await until(lambda: (stage.files / "running").exists())
        async with asyncio.timeout(60):
            await stage.far_end.say("chat", "/stop")
            said = await stage.far_end.wait_for("chat", 2)
        assert sorted(said) == sorted(["Stopped.", "I begin.\n\n*stopped here*"])
        assert await stage.ask("hello?") == "here again"


async def test_a_tool_that_does_not_exist_is_told_to_the_model(kind: Kind, home: Path) -> None:
    async with staged(kind, home, once(Use("teleport", {"to": "the moon"}), then="I cannot.")) as stage:
        assert await stage.ask("go") == "I cannot."
        assert "teleport" in results(stage.server.asked[-1])[0]


async def test_a_stream_that_breaks_is_asked_again_and_nothing_is_said_twice(kind: Kind, home: Path) -> None:
    broken: list[Asked] = []

    def script(asked: Asked) -> Any:
        if not broken:
            broken.append(asked)
            return [Say("one two three four five"), Cut(after=3)]
        return "whole"

    async with staged(kind, home, script) as stage:
        assert await stage.ask("go") == "whole"


async def test_an_answer_is_over_with_its_last_event_not_with_its_stream(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection serves again once its stream has ended; one that does not end is given up."""
    async with staged(KINDS[1], home, lambda asked: "whole") as stage:
        for number in range(3):
            assert await stage.ask(f"go {number}") == "whole"
            await asyncio.sleep(0.2)
        assert len({asked.port for asked in stage.server.asked}) == 1
        stage.server.lingers = 3600.0
        assert await stage.ask("and again") == "whole"
        monkeypatch.setattr(anthropic, "_ENDS_WITHIN", 0.01)
        assert await stage.ask("once more") == "whole"
        await asyncio.wait_for(stage.server.left.wait(), 60)
        assert len({asked.port for asked in stage.server.asked}) == 2


async def test_garbage_from_the_vendor_ends_in_something_the_person_can_read(kind: Kind, home: Path) -> None:
    async with staged(kind, home, lambda asked: Garbage()) as stage:
        said = await stage.ask("go")
        assert said  # what it is differs: an explained failure, or a notice that the message is held
        assert "Traceback" not in said


@pytest.mark.capability("A18")
async def test_a_hundred_tool_calls_in_a_row_end_with_an_explanation(kind: Kind, home: Path) -> None:
    async with staged(kind, home, lambda asked: kind.bash("true"), turns={"most_steps": 4}) as stage:
        assert "4 steps" in await stage.ask("go")
        assert len(stage.server.asked) <= 5


async def test_fifty_megabytes_of_output_are_cut_and_the_host_stays_well(kind: Kind, home: Path) -> None:
    command = "yes 0123456789 | head -c 50000000; echo; echo the-end"
    async with staged(kind, home, once(kind.bash(command, timeout=60), then="big")) as stage:
        assert await stage.ask("go") == "big"
        assert len(results(stage.server.asked[-1])[0]) < 200_000


@pytest.mark.capability("A9")
async def test_a_fork_bomb_stays_in_its_box(kind: Kind, home: Path) -> None:
    async with staged(
        kind,
        home,
        lambda asked: Say("survived") if results(asked) or len(stage_asked) > 1 else bomb(asked),
        boxes={"processes": 100},
    ) as stage:
        assert await stage.ask("go")
        assert await stage.ask("still there?")


stage_asked: list[Asked] = []


def bomb(asked: Asked) -> Any:
    stage_asked.append(asked)
    return Use(
        "bash" if "bash" in asked.tools else "Bash", {"command": ":(){ :|:& };: ; sleep 1", "timeout": 5}
    )


@pytest.mark.capability("J2", "J3")
async def test_a_budget_that_is_spent_is_said_and_nothing_is_asked(kind: Kind, home: Path) -> None:
    async with staged(kind, home, lambda asked: "never", spending={"day": 0.000001}) as stage:
        said = await stage.ask("go")
        assert "budget" in said.lower()
        assert not stage.server.asked


@pytest.mark.capability("J2", "J3")
async def test_an_answer_that_the_budget_cut_says_so_and_no_half_tool_call_runs(
    kind: Kind, home: Path
) -> None:
    def script(_asked: Asked) -> Any:
        return [Say("I begin."), kind.bash("touch /work/ran; echo as much as fits into one answer"), Full()]

    day = {"claude-code": 0.15, "native, Anthropic": 0.1}.get(kind.name, 0.05)
    async with staged(kind, home, script, spending={"day": day}) as stage:
        said = await stage.ask("go")
        assert said == "I begin.\n\n*The answer ends here because the budget does not pay for more.*"
        [asked] = stage.server.asked
        longest = asked.body.get("max_tokens") or asked.body["max_completion_tokens"]
        assert 1024 <= longest < 16_000
        assert not (stage.files / "ran").exists()
        if kind.name != "native, OpenAI-compatible":  # its server counts nothing for nothing
            assert stage.server.counted


async def test_half_a_tool_call_never_runs(kind: Kind, home: Path) -> None:
    """Also when it is not the budget that made it too long."""
    half = kind.bash("touch /work/ran; echo as much as fits into one answer")

    def script(asked: Asked) -> Any:
        return [half, Full()] if len(stage.server.asked) == 1 else "I cannot."

    async with staged(kind, home, script) as stage:
        assert await stage.ask("go")
        assert not (stage.files / "ran").exists()


@pytest.mark.capability("A16")
async def test_an_outage_holds_the_message_tells_once_and_answers_in_order(kind: Kind, home: Path) -> None:
    up = asyncio.Event()

    def script(asked: Asked) -> Any:
        return "back" if up.is_set() else Fail(529, "overloaded_error", "Overloaded", {"retry-after": "1"})

    async with staged(kind, home, script) as stage:
        held = await stage.ask("first")
        assert "kept" in held
        await stage.far_end.say("chat", "second")
        up.set()
        said = await stage.far_end.wait_for("chat", 2)
        assert said[1] == "back"
        assert sum("kept" in each for each in said) == 1


async def test_a_wrong_key_is_said_and_not_tried_again_and_again(kind: Kind, home: Path) -> None:
    async with staged(
        kind, home, lambda asked: Fail(401, "authentication_error", "invalid x-api-key")
    ) as stage:
        said = await stage.ask("go")
        assert "key" in said
        assert len(stage.server.asked) <= 3


@pytest.mark.capability("A17")
async def test_an_agent_can_say_something_before_its_answer(kind: Kind, home: Path) -> None:
    name = "mcp__nanoclaw__send_message" if kind.bash_name == "Bash" else "send_message"
    async with staged(kind, home, once(Use(name, {"text": "half way"}), then="done")) as stage:
        assert await stage.ask("go", answers=2) == "done"
        assert stage.far_end.said_to("chat") == ["half way", "done"]


@pytest.mark.attack
@pytest.mark.capability("A17")
async def test_tools_that_the_group_or_the_skill_leaves_out_are_not_offered_and_refused(
    kind: Kind, home: Path
) -> None:
    with (home / "groups" / "main" / "group.toml").open("a") as group:
        group.write('\nwithout_tools = ["send_message"]\n')
    (skill,) = home.glob("skills/**/general-assistant/SKILL.md")
    skill.write_text(skill.read_text().replace("commands: []", "without_tools: [send_file]"))
    body = json.dumps({"id": "a" * 32, "tool": "send_message", "arguments": {"text": "by file"}})
    by_file = (
        f"cd /ipc/messages && echo '{body}' > .new && mv .new {'a' * 32}.json; "
        f"until [ -e /ipc/results/{'a' * 32}.json ]; do sleep 0.02; done; cat /ipc/results/{'a' * 32}.json"
    )
    prefix = "mcp__nanoclaw__" if kind.bash_name == "Bash" else ""
    tried: list[Part] = [Use(f"{prefix}send_message", {"text": "by tool"}), kind.bash(by_file, timeout=60)]
    async with staged(kind, home, once(tried)) as stage:
        assert await stage.ask("go") == "done"
        assert stage.far_end.said_to("chat") == ["done"]
        offered = stage.server.asked[0].tools
        told = " ".join(results(stage.server.asked[-1]))
    ours = set(offered) & {prefix + tool for tool in TOOLS}
    usual = {name for name, tool in TOOLS.items() if not tool.named_only}
    assert ours == {prefix + tool for tool in usual - {"send_message", "send_file"}}
    assert "There is no tool send_message. There are: register_group, schedule_task" in told


@pytest.mark.attack
@pytest.mark.capability("G8")
async def test_a_stranger_sees_nothing_that_was_recalled_for_a_member_in_the_same_chat(
    kind: Kind, home: Path
) -> None:
    """Neither in what the agent remembers of the conversation nor in its box; what was said in the chat, both see."""
    seen: dict[str, str] = {}
    look = kind.bash("grep -rls 'zebra margin is 4[0]' /session /memory; echo looked")

    def script(asked: Asked) -> Any:
        if results(asked):
            return "Looked."
        seen[words] = json.dumps(asked.messages, ensure_ascii=False)
        return look if words == "stranger asks" else "Fine."

    async with staged(kind, home, script) as stage:
        words = "hello"
        await stage.ask(words)
        await stage.ask("/remember The zebra margin is 40")
        search = stage.host.memory_parts.search
        await until(lambda: _is_found(search, "zebra margin"))
        for words in ("member asks", "stranger asks", "member returns", "stranger returns"):
            sender = "guest" if "stranger" in words else "tester"
            await stage.ask(f"{words} about the zebra margin", sender=sender)
            if words == "member asks":
                await stage.host.store.write(_open_chat)
            if words == "stranger asks":
                looked = results(stage.server.asked[-1])[-1]
    assert "zebra margin is 40" in seen["member asks"]
    assert "zebra margin is 40" in seen["member returns"]
    for words in ("stranger asks", "stranger returns"):
        assert "zebra margin is 40" not in seen[words]
        assert "member asks" in seen[words]
    assert "stranger asks" in seen["member returns"]
    assert "member returns" in seen["stranger returns"]
    assert "looked" in looked
    assert ".jsonl" not in looked


async def _is_found(search: MemorySearch, words: str) -> bool:
    return bool(await search.find("demo", words))


def _open_chat(tx: Tx) -> None:
    """For a guest whom nobody knows."""
    people.add_person(tx, handle="scripted:guest", name="Guest", role=Role.STRANGER, at=now())
    chat = people.chat_at(tx, "scripted", "chat")
    assert chat
    people.set_strangers(tx, chat.id, UnknownSenders.PUBLIC)
