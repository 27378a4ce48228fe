"""Before a tool of Claude Code is used, the rules of the turn hold, and those of every skill as which it acts."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client

from nanoclaw.admission.tool_rules import ToolRule, acts_of, caught_by
from nanoclaw.domain.ids import SessionId, TurnId
from nanoclaw.domain.steps import ToolOffer
from nanoclaw.domain.turns import OtherSkill, SystemPrompt, TurnGrants, TurnRequest
from nanoclaw.runtimes.claude_gate import ClaudeGate
from nanoclaw.runtimes.claude_servers import lend

pytestmark = pytest.mark.capability("E12")

PUSH = ToolRule(tool="bash", pattern="git push")
DELETE = ToolRule(tool="bash", pattern="rm")
POST = ToolRule(tool="send_message")


class Asked:
    """People who reject whatever a rule catches."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    async def ask(
        self, request: TurnRequest, tool: str, arguments: Mapping[str, Any], call_id: str
    ) -> str | None:
        self.calls.append(call_id)
        return "Not done" if caught_by(request.grants.approvals, acts_of(tool, arguments)) else None


class Lending:
    """A server with one tool, which writes down what it did."""

    def __init__(self) -> None:
        self.done: list[Mapping[str, Any]] = []

    async def offered(self, _names: Sequence[str]) -> Sequence[ToolOffer]:
        return [ToolOffer(name="github_push", description="Pushes.", arguments={"type": "object"})]

    async def use(self, _name: str, arguments: Mapping[str, Any]) -> tuple[bool, str]:
        self.done.append(arguments)
        return True, "pushed"


def request(*rules: ToolRule, **other_skills: tuple[ToolRule, ...]) -> TurnRequest:
    return TurnRequest(
        turn_id=TurnId("t_1"),
        session_id=SessionId("s_1"),
        group="main",
        company="demo",
        skill="general",
        model="sonnet",
        system_prompt=SystemPrompt(foundation="", company="", skill=""),
        history=(),
        prompt="",
        conversation="c",
        grants=TurnGrants(
            approvals=rules,
            mcp=("github",),
            other_skills=tuple(
                OtherSkill(
                    name=name, description="", instructions="", model="", folder=Path(), approvals=theirs
                )
                for name, theirs in other_skills.items()
            ),
        ),
    )


class Claude:
    """Uses tools as Claude Code tells of it before it does."""

    def __init__(self, asked: TurnRequest) -> None:
        self.people = Asked()
        ((self._hook,),) = (each.hooks for each in ClaudeGate(self.people, asked).hooks()["PreToolUse"])

    async def may(self, tool: str, agent: str | None = None, **arguments: Any) -> bool:
        said = {"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": arguments}
        told: Any = await self._hook({**said, **({"agent_type": agent} if agent else {})}, "use_1", None)  # type: ignore[arg-type]
        return not told or told["hookSpecificOutput"]["permissionDecision"] != "deny"


async def test_the_rules_of_the_turn_hold_for_it_and_for_whoever_it_hands_work_to() -> None:
    claude = Claude(request(PUSH, cleaner=(DELETE,)))
    assert not await claude.may("Bash", command="git push")
    assert await claude.may("Bash", command="rm x")
    assert not await claude.may("Bash", "cleaner", command="git push")
    assert claude.people.calls[0] == "t_1 use_1"  # another turn may use the same id


async def test_a_sub_agent_is_held_to_the_rules_of_its_skill() -> None:
    claude = Claude(request(cleaner=(DELETE,), writer=()))
    assert not await claude.may("Bash", "cleaner", command="rm x")
    assert await claude.may("Bash", "writer", command="rm x")
    assert await claude.may("Bash", "Explore", command="rm x")
    assert await claude.may("Bash", command="rm x")


@pytest.mark.parametrize("named", ["cleaner", "nanoclaw:cleaner"])
async def test_who_has_read_the_instructions_of_a_skill_is_held_to_its_rules_from_then_on(named: str) -> None:
    claude = Claude(request(cleaner=(DELETE, POST)))
    assert await claude.may("Bash", command="rm x")
    assert await claude.may("Skill", skill=named)
    assert not await claude.may("Bash", command="rm x")
    assert not await claude.may("mcp__nanoclaw__send_message", text="hi")
    assert await claude.may("Bash", command="ls")


async def test_what_the_host_does_itself_is_asked_about_there_and_not_twice() -> None:
    claude = Claude(request(POST, ToolRule(tool="github_*"), cleaner=(DELETE,)))
    assert await claude.may("mcp__nanoclaw__send_message", text="hi")
    assert await claude.may("mcp__servers__github_push")


def test_where_nothing_needs_a_person_nothing_is_looked_at() -> None:
    assert ClaudeGate(Asked(), request(writer=())).hooks() == {}
    assert ClaudeGate(Asked(), request(cleaner=(DELETE,))).hooks()


@pytest.mark.capability("A18")
@pytest.mark.parametrize("is_caught", [True, False])
async def test_the_host_asks_before_it_uses_the_tool_of_a_server_whoever_calls_it(is_caught: bool) -> None:
    """Something in the box could speak in Claude Code's place, and past its hooks."""
    servers, people = Lending(), Asked()
    rule = ToolRule(tool="github_push" if is_caught else "bash")
    own: Any = None  # not called here
    lent = await lend(own, servers, people, request(rule))
    async with Client(lent["servers"]["instance"]) as client:
        told = [await client.call_tool("github_push", {"branch": "main"}) for _ in range(2)]
    assert [each.is_error for each in told] == [is_caught] * 2
    assert servers.done == ([] if is_caught else [{"branch": "main"}] * 2)
    assert len(set(people.calls)) == 2  # two calls are two questions
