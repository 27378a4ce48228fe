"""Guards the tools of a Claude Code: calls that need a person wait here, on the host."""

from dataclasses import replace
from typing import Any

from claude_agent_sdk import HookContext, HookInput, HookJSONOutput, HookMatcher

from nanoclaw.domain.boxes import WORK
from nanoclaw.domain.ports import Permission
from nanoclaw.domain.tool_rules import ToolRule
from nanoclaw.domain.turns import TurnRequest

# The host's own tools, and those it lends from servers, are checked where the host runs them, so that the
# rules of the turn apply to every caller.
_DONE_BY_HOST = ("mcp__nanoclaw__", "mcp__servers__")
_SKILL, _BASH = "Skill", "Bash"
_LONGEST = 3600.0  # seconds; the asker gives up long before


class ClaudeGate:
    """`request` is the turn that Claude Code works on now."""

    def __init__(self, permission: Permission, request: TurnRequest) -> None:
        self.request = request
        self._permission = permission
        self._of_other_skills = {each.name: each.approvals for each in request.grants.other_skills}
        self._taken_up: dict[str, None] = {}  # skills whose instructions the agent has read, and so acts as

    @property
    def is_needed(self) -> bool:
        return bool(self.request.grants.approvals or any(self._of_other_skills.values()))

    def hooks(self) -> dict[Any, list[HookMatcher]]:
        """Empty if no tool needs a person: hooks make each call a little slower."""
        if not self.is_needed:
            return {}
        return {"PreToolUse": [HookMatcher(hooks=[self.before], timeout=_LONGEST, on_failure="block")]}

    async def before(self, said: HookInput, tool_use_id: str | None, _context: HookContext) -> HookJSONOutput:
        if said["hook_event_name"] != "PreToolUse":
            return {}
        tool, arguments = said["tool_name"], said["tool_input"]
        if tool == _BASH and said.get("cwd") not in (None, WORK):  # its shell stays where it went
            arguments = {**arguments, "cwd": said["cwd"]}
        if tool == _SKILL:
            self._taken_up |= dict.fromkeys(str(value).rpartition(":")[2] for value in arguments.values())
        rules = self._rules(said.get("agent_type"), done_by_host=tool.startswith(_DONE_BY_HOST))
        asking = replace(self.request, grants=replace(self.request.grants, approvals=rules))
        call_id = f"{self.request.turn_id} {tool_use_id}"
        why_not = await self._permission.ask(asking, tool, arguments, call_id)
        return {} if why_not is None else denied(why_not)

    def _rules(self, other_skill: str | None, *, done_by_host: bool) -> tuple[ToolRule, ...]:
        """The rules of the turn and of the skills it acts as: a sub-agent, or one whose instructions were read."""
        acting = [*self._taken_up, *([other_skill] if other_skill else [])]
        more = tuple(rule for name in acting for rule in self._of_other_skills.get(name, ()))
        return more if done_by_host else (*self.request.grants.approvals, *more)


def denied(why: str) -> HookJSONOutput:
    return {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": why,
        }
    }
