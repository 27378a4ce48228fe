"""Stands before the tools of a Claude Code: what needs a person waits here, on the host."""

from typing import Any

from claude_agent_sdk import HookContext, HookInput, HookJSONOutput, HookMatcher

from nanoclaw.domain.ports import Permission
from nanoclaw.domain.turns import TurnRequest

_OUR_TOOLS = "mcp__nanoclaw__"
_LONGEST = 3600.0  # seconds; whoever asks gives up long before


class Gate:
    """`request` is the turn that Claude Code works for now."""

    def __init__(self, permission: Permission, request: TurnRequest) -> None:
        self.request = request
        self._permission = permission

    def hooks(self) -> dict[Any, list[HookMatcher]]:
        """None where no tool needs a person: each call would take a moment longer."""
        if not self.request.reach.approvals:
            return {}
        return {"PreToolUse": [HookMatcher(hooks=[self._before], timeout=_LONGEST, on_failure="block")]}

    async def _before(
        self, said: HookInput, tool_use_id: str | None, _context: HookContext
    ) -> HookJSONOutput:
        if said["hook_event_name"] != "PreToolUse" or said["tool_name"].startswith(_OUR_TOOLS):
            return {}  # the host's own tools come as requests, and are looked at there, whoever writes them
        tool, arguments = said["tool_name"], said["tool_input"]
        why_not = await self._permission.ask(self.request, tool, arguments, tool_use_id or "")
        if why_not is None:
            return {}
        return {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": why_not,
            }
        }
