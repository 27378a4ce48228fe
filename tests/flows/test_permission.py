"""E12: a tool that a rule names is not used before a person allows it; once, in this session, or always."""

import html
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.permission_scene import AT_ONCE, RULE, SAY, Agent, Desk, desk, run_out, toml, until_decided
from tests.staging import KINDS, Kind, staged, until

from nanoclaw.domain.questions import Status
from nanoclaw.durable.clock import now
from nanoclaw.gateway import server_list
from nanoclaw.host.server_boxes import folder_of
from nanoclaw.sandbox import inside
from nanoclaw.testing.model_parts import Asked, Use

pytestmark = pytest.mark.capability("E12")

# What is asked


async def test_a_call_waits_until_a_person_has_seen_all_of_it_and_allows_it_once(home: Path) -> None:
    agent = Agent(text="good news\nfor *all*\u200b of us", voice=False)
    async with desk(home, agent, RULE) as here:
        await here.far_end.say("chat", "go")
        asked = await here.asked()
        card = await here.says("send_message")
        for shown in ("text:", "good news", "for *all*⟨U+200B⟩ of us", "voice: false"):
            assert shown in card
        assert [option.id for option in asked.options] == ["once", "session", "always", "reject"]
        assert (asked.default, asked.skill) == ("reject", "general-assistant")
        assert asked.tool is not None
        assert json.loads(asked.tool["arguments"]) == agent.arguments
        assert here.said(agent.arguments["text"]) == 0  # nothing is done before
        await here.decide(asked, "once")
        await here.says("told: Sent.")
        assert here.said(agent.arguments["text"]) == 1
        await here.allow("once")  # once is once: it is asked about again
        assert await here.count() == 2
        assert await here.permits() == []


async def test_what_no_rule_catches_is_not_asked_about(home: Path) -> None:
    agent = Agent(text="nothing of interest")
    async with desk(home, agent, RULE, {"tool": "bash"}) as here:
        await here.work()
        assert await here.count() == 0


async def test_to_ask_a_person_needs_nobodys_permission(home: Path) -> None:
    agent = Agent("request_human", question="Shall I?")
    async with desk(home, agent, {"tool": "*"}) as here:
        await here.far_end.say("chat", "go")
        asked = await here.asked()
        assert (asked.prompt, asked.tool) == ("Shall I?", None)
        await here.decide(asked, "reject")
        await here.says("told: tester chose")


async def test_nobody_is_asked_about_more_than_they_can_read(home: Path) -> None:
    async with desk(home, Agent(text="news " * 4000), RULE) as here:
        await here.far_end.say("chat", "go")
        told = await here.says("told: Not done")
        assert "at most 16000" in told
        assert await here.count() == 0


async def test_rules_come_from_the_settings_and_from_the_head_of_a_skill(home: Path) -> None:
    settings = home / "nanoclaw.toml"
    settings.write_text(settings.read_text() + '\n[[approvals]]\ntool = "bash"\nrisk = "destructive"\n')
    (skill,) = home.glob("skills/**/general-assistant/SKILL.md")
    rules = 'approvals:\n  - {tool: "send_*", argument: text, pattern: NEWS, risk: publish}\n'
    skill.write_text(skill.read_text().replace("---\n", f"---\n{rules}", 1))
    agent = Agent()
    async with desk(home, agent) as here:
        await here.far_end.say("chat", "go")
        asked = await here.asked()
        assert asked.tool is not None
        assert (asked.risk, asked.tool["rule"]) == ("publish", "send_* text /NEWS/ publish")
        await here.decide(asked, "reject")
        await here.says("told: Not done")
        agent.tool, agent.arguments = "bash", {"command": "true"}
        await here.far_end.say("chat", "go")
        asked = await here.asked()
        assert asked.tool is not None
        assert (asked.risk, asked.tool["rule"]) == ("destructive", "bash destructive")
        await here.decide(asked, "reject")


# What is allowed


async def test_for_this_session_the_same_call_is_not_asked_about_again_there(home: Path) -> None:
    agent = Agent()
    async with desk(home, agent, RULE) as here:
        await here.allow("session")
        await here.work()
        assert await here.count() == 1
        await here.allow("once", chat="elsewhere")  # another session
        agent.arguments = {"text": "other news"}  # other arguments
        await here.allow("once")
        assert await here.count() == 3


async def test_always_holds_in_every_session_until_it_expires_or_is_taken_back(home: Path) -> None:
    async with desk(home, Agent(), RULE | {"days": 7}) as here:
        asked = await here.allow("always")
        await here.work("elsewhere")
        assert await here.count() == 1
        (permit,) = await here.permits()
        assert permit.question_id == asked.id
        assert permit.expires_at is not None
        assert timedelta(days=6.9) < permit.expires_at - now() <= timedelta(days=7)
        await here.far_end.say("chat", "/permits")
        line = await here.says("always")
        assert permit.id[-5:] in line
        assert "good news" in line
        await here.far_end.say("chat", f"/revoke {permit.id[-5:]}")
        await here.says("Taken back")
        assert await here.permits() == []
        await here.allow("once", chat="elsewhere")
        assert await here.count() == 2


async def test_where_the_rule_says_so_all_that_it_catches_is_allowed(home: Path) -> None:
    agent = Agent()
    async with desk(home, agent, RULE | {"allows": "rule"}) as here:
        await here.allow("once")
        agent.arguments = {"text": "other news"}
        await here.allow("session")  # once is for the very same call, whatever the rule says
        agent.arguments = {"text": "yet other news"}
        await here.work()
        assert await here.count() == 2


async def test_who_allowed_one_rule_has_not_allowed_the_other(home: Path) -> None:
    """A call that two rules catch needs a permit for each."""
    good = {"tool": "send_message", "pattern": "good", "risk": "destructive"}
    agent = Agent(text="news")
    async with desk(home, agent, RULE | {"allows": "rule"}, good) as here:
        await here.allow("session")
        agent.arguments = SAY
        await here.far_end.say("chat", "go")
        asked = await here.asked()
        assert asked.tool is not None
        assert asked.tool["rule"] == "send_message /good/ destructive"
        await here.decide(asked, "reject")
        await here.says("told: Not done")
        assert here.said("good news") == 0

        await here.far_end.say("elsewhere", "go")  # where neither is allowed
        for rule in ("send_message /good/ destructive", "send_message /news/"):
            assert here.said("good news", "elsewhere") == 0
            asked = await here.asked()
            assert asked.tool is not None
            assert asked.tool["rule"] == rule
            await here.decide(asked, "once", "elsewhere")
            await until_decided(here.host, asked)
        await here.says("told: Sent.", chat="elsewhere")
        assert here.said("good news", "elsewhere") == 1
        assert [each.scope for each in await here.permits()] == ["session"]


async def test_what_is_for_the_session_lasts_a_day_at_most_and_no_fresh_start(home: Path) -> None:
    async with desk(home, Agent(), RULE) as here:
        await here.allow("session")
        (permit,) = await here.permits()
        assert permit.expires_at is not None
        assert timedelta(hours=23) < permit.expires_at - now() <= timedelta(days=1)
        await here.far_end.say("chat", "/clear")
        await here.says("fresh")
        assert await here.permits() == []
        await here.allow("once")
        assert await here.count() == 2


# What is not


async def test_what_is_rejected_is_not_done_and_the_agent_is_told_by_whom(home: Path) -> None:
    async with desk(home, Agent(), RULE) as here:
        await here.far_end.say("chat", "go")
        await here.decide(await here.asked(), "reject")
        told = await here.says("told: Not done")
        assert "tester chose" in told
        assert "(reject)" in told
        assert here.said("good news") == 0
        assert await here.permits() == []


async def test_what_nobody_allows_in_time_is_not_done(home: Path) -> None:
    async with desk(home, Agent(), RULE) as here:
        await here.far_end.say("chat", "go")
        asked = await here.asked()
        await run_out(here.host, asked)
        told = await here.says("told: Not done")
        assert "Nobody answered in time" in told
        assert here.said("good news") == 0
        assert (await here.host.question_parts.questions.get(asked.id)).status is Status.TIMEOUT


async def test_a_permission_that_comes_later_wakes_the_agent_which_calls_again_and_is_let_through(
    home: Path,
) -> None:
    async with desk(home, Agent(), RULE, **AT_ONCE) as here:
        await here.far_end.say("chat", "go")
        told = await here.says("told: Not done yet")
        assert "the very same arguments" in told
        asked = await here.asked()
        await here.decide(asked, "once")
        await here.says("told: Sent.")
        assert here.said("good news") == 1
        assert await here.count() == 1
        assert await here.permits() == []


async def test_who_is_woken_acts_as_the_skill_that_asked_and_under_its_rules(home: Path) -> None:
    """As the group's own skill it would have none of them, and what was rejected would be done."""
    (skill,) = home.glob("skills/**/telegram-poster/SKILL.md")
    rule = 'approvals:\n  - {tool: "send_message", pattern: news}\n'
    skill.write_text(skill.read_text().replace("---\n", f"---\n{rule}", 1))
    agent = Agent()
    async with desk(home, agent, **AT_ONCE) as here:
        await here.work()  # the group's own skill has no rule
        await here.far_end.say("chat", "/post about it")
        asked = await here.asked()
        assert asked.skill == "telegram-poster"
        await here.says("told: Not done yet")
        await here.decide(asked, "reject")
        await here.says("told: Not done yet", times=2)
        woken = agent.asked[-1]
        assert woken.skill == "telegram-poster"
        assert 'The arguments: {"text": "good news"}' in html.unescape(woken.prompt)
        assert here.said("good news") == 1
        assert (await here.asked()).id != asked.id
        await here.decide(await here.asked(), "once")
        await here.says("told: Sent.", times=2)
        await here.work()  # and afterwards it is who it was


async def test_a_permit_for_a_call_is_not_one_for_another(home: Path) -> None:
    """The person has seen these arguments; the agent comes back with others."""
    agent = Agent()
    async with desk(home, agent, RULE, **AT_ONCE) as here:
        await here.far_end.say("chat", "go")
        asked = await here.asked()
        await here.says("told: Not done yet")
        agent.arguments = {"text": "fake news"}
        await here.decide(asked, "once")
        await here.says("told: Not done yet", times=2)
        assert here.said("fake news") == 0
        other = await here.asked()
        assert other.tool is not None
        assert json.loads(other.tool["arguments"]) == agent.arguments


@pytest.mark.capability("A9", "A17")
async def test_what_a_script_in_the_box_asks_the_host_for_is_stopped_too(home: Path) -> None:
    """The rule is about the host's tool; a file in its folder is the same request."""
    body = json.dumps({"id": "ID", "tool": "send_message", "arguments": SAY})
    script = f"""
        id=$(tr -d - < /proc/sys/kernel/random/uuid); cd /ipc
        echo '{body}' | sed s/ID/$id/ > messages/.new && mv messages/.new messages/$id.json
        until [ -e results/$id.json ]; do sleep 0.02; done; cat results/$id.json
    """
    async with desk(home, Agent("bash", command=script), RULE) as here:
        await here.far_end.say("chat", "go")
        asked = await here.asked()
        assert asked.tool is not None
        assert asked.tool["tool"] == "send_message"
        await here.decide(asked, "reject")
        told = await here.says('"ok": false')
        assert "Not done: send_message needs a person's permission" in told
        await here.far_end.say("chat", "go")
        await here.decide(await here.asked(), "once")
        await here.says('"ok": true')
        assert here.said("good news") == 1


# Both runtimes, in front of a scripted vendor


@pytest.mark.parametrize("kind", KINDS[:2], ids=lambda kind: kind.name)
async def test_in_every_runtime_a_call_is_refused_and_another_is_let_through(kind: Kind, home: Path) -> None:
    toml(home, {"tool": "Bash", "pattern": "touch"}, {"tool": "send_message"}, hold=3)
    send = "mcp__nanoclaw__send_message" if kind.name == "claude-code" else "send_message"
    calls = [
        kind.bash("touch refused"),
        kind.bash("touch allowed && ls"),
        kind.bash("echo free > free"),
        Use(send, SAY),
    ]
    told: list[str] = []

    def script(asked: Asked) -> Any:
        told.extend(asked.results)
        return calls.pop(0) if calls else "done"

    async with staged(kind, home, script) as stage:
        here = Desk(host=stage.host, far_end=stage.far_end)
        await stage.far_end.say("chat", "go")
        for choice in ("reject", "once", "reject"):
            asked = await here.asked()
            await here.decide(asked, choice)
            await until_decided(stage.host, asked)
        await here.says("done")
        assert sorted(path.name for path in stage.files.iterdir() if path.is_file()) == ["allowed", "free"]
        assert here.said("good news") == 0
        refused, ran, _free, not_sent = told
        assert "needs a person's permission. tester chose" in refused
        assert "allowed" in ran
        assert "Not done: send_message" in not_sent


@pytest.mark.parametrize("kind", KINDS[:2], ids=lambda kind: kind.name)
async def test_in_every_runtime_the_agent_is_woken_by_the_permission_and_calls_again(
    kind: Kind, home: Path
) -> None:
    toml(home, {"tool": "Bash"}, hold=0)
    call = kind.bash("touch allowed")

    def script(asked: Asked) -> Any:
        match asked.results:
            case [result]:
                return f"told: {result or 'ran'}"
            case _:
                return Use(call.name, call.input)

    async with staged(kind, home, script) as stage:
        here = Desk(host=stage.host, far_end=stage.far_end)
        await stage.far_end.say("chat", "go")
        await here.says("Not done yet")
        assert not (stage.files / "allowed").exists()
        await here.decide(await here.asked(), "once")
        await until(lambda: (stage.files / "allowed").exists())
        await here.says("told:", times=2)
        assert await here.count() == 1


SHELL = r"""
import json, os, sys
for line in sys.stdin:
    asked = json.loads(line)
    method, answer = asked.get("method"), None
    if method == "initialize":
        about = {"protocolVersion": "2025-11-25", "serverInfo": {"name": "s", "version": "1"}}
        answer = {**about, "capabilities": {"tools": {}}}
    elif method == "tools/list":
        takes = {"type": "object", "properties": {"command": {"type": "string"}}}
        answer = {"tools": [{"name": "run", "description": "Runs it", "inputSchema": takes}]}
    elif method == "tools/call":
        os.system(asked["params"]["arguments"]["command"])
        answer = {"content": [{"type": "text", "text": "it ran"}]}
    if "id" in asked:
        shape = {"result": answer} if answer else {"error": {"code": -32601, "message": "unknown"}}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **shape}), flush=True)
"""


@pytest.mark.attack
@pytest.mark.parametrize("kind", KINDS[:2], ids=lambda kind: kind.name)
async def test_a_command_that_is_given_to_a_server_passes_the_rule_about_commands(
    kind: Kind, home: Path
) -> None:
    toml(home, {"tool": "bash", "pattern": "touch"}, hold=3)
    group = home / "groups" / "main" / "group.toml"
    group.write_text(f'{group.read_text()}\nmcp = ["shell"]\n')
    folder = folder_of(home, "shell")
    folder.mkdir(parents=True)
    (folder / "server.py").write_text(SHELL)
    command = [inside.python_inside(), "/work/server.py"]
    server_list.add(home, server_list.describe("shell", {"command": command}))
    wanted = ["touch ran", "touch ran"]

    def script(asked: Asked) -> Any:
        offered = next(name for name in asked.tools if name.endswith("shell_run"))
        return Use(offered, {"command": wanted.pop()}) if wanted else "done"

    async with staged(kind, home, script) as stage:
        here = Desk(host=stage.host, far_end=stage.far_end)
        await stage.far_end.say("chat", "go")
        for choice, is_run in (("reject", False), ("once", True)):
            asked = await here.asked()
            assert asked.tool is not None
            assert (asked.tool["tool"], asked.tool["shown"]) == ("bash", "command: touch ran")
            assert not (folder / "ran").exists()
            await here.decide(asked, choice)
            await until_decided(stage.host, asked)
            if is_run:
                await until((folder / "ran").exists)
        await here.says("done")
