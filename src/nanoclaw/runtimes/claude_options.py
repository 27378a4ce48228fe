"""How Claude Code is started for a turn: its tools, prompt, skills, sub-agents, environment and mounts."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claude_agent_sdk import AgentDefinition, ClaudeAgentOptions

from nanoclaw.domain.boxes import GATEWAY_SOCKET, WORK, Mount
from nanoclaw.domain.errors import ModelRefused
from nanoclaw.domain.model_thinking import thinking_fields
from nanoclaw.domain.ports import ModelLine
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.runtimes.claude_gate import ClaudeGate

# An explicit list: the program's own offer includes schedules, worktrees and screens that nobody here sees.
TOOLS = ("Agent", "Bash", "Edit", "NotebookEdit", "Read", "Skill", "Write")
SEARCH = "WebSearch"
_NOT_OURS = ("AUTO_MEMORY", "BUNDLED_SKILLS", "EXPLORE_PLAN_AGENTS")
# A skill is text: commands written in it as !`...` would be run while it is read, past every rule.
SETTINGS = {"attribution": {"commit": "", "pr": ""}, "disableSkillShellExecution": True}
_HOME = "/home/agent"
OWN_TMP = f"{_HOME}/.claude-tmp"
GATEWAY_PORT = 8080  # inside; the box's entry program forwards it to the gateway's socket
PROGRAM = "/opt/claude/claude"
PLUGIN = "/skills"
BRIEF = "/run/brief.md"
_LONGEST_LINE = 32 << 20  # a picture travels as one line
_VENDOR = "anthropic"
_LONGEST_ANSWER = 32_000  # tokens; what thinking takes is part of them


@dataclass(frozen=True, kw_only=True, slots=True)
class Equipment:
    """What Claude Code needs from the host in its box."""

    program: Path  # Claude Code itself
    briefs: Path  # a folder for system prompts, for the box to read
    sessions: Callable[[TurnRequest], Path]  # where a session's own folder is
    tools: Callable[[TurnRequest], Awaitable[dict[str, Any]]]  # that the host carries out, by server

    def system_prompt(self, request: TurnRequest) -> Path:
        """The system prompt as a file, because it may be longer than a command-line argument can be."""
        return self._written(f"{request.session_id}.md", str(request.system_prompt))

    def first_prompt(self, request: TurnRequest) -> Path:
        """The first prompt as a file too; everyone on the machine can read a command line."""
        return self._written(f"{request.session_id}.request.md", request.whole_prompt)

    def _written(self, name: str, text: str) -> Path:
        self.briefs.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = self.briefs / name
        path.write_text(text, "utf-8")
        return path

    def remembers(self, request: TurnRequest) -> bool:
        """Whether this conversation has a transcript to resume from."""
        return any(self.sessions(request).glob(f"projects/*/{request.conversation}.jsonl"))


def settle_model(model: str) -> str:
    if not _is_ours(model):
        raise ModelRefused("model-of-other-vendor", model=model)
    return model.removeprefix(f"{_VENDOR}:")


def _is_ours(model: str) -> bool:
    return ":" not in model or model.startswith(f"{_VENDOR}:")


def is_same(before: TurnRequest, now: TurnRequest) -> bool:
    """Whether a Claude Code started for one turn can take the other."""

    def of(request: TurnRequest) -> tuple[object, ...]:
        prompt = str(request.system_prompt)
        return request.conversation, request.is_stranger, prompt, request.grants, request.thinking

    return of(before) == of(now)


async def options_for(
    request: TurnRequest, equipment: Equipment, gate: ClaudeGate, *, model: str, most_steps: int
) -> ClaudeAgentOptions:
    grants = request.grants
    resumes = equipment.remembers(request)
    return ClaudeAgentOptions(
        tools=[*TOOLS, *([SEARCH] if grants.web_search else [])],
        system_prompt={"type": "custom", "prompt": str(request.system_prompt), "snapshot": False},
        model=model,
        cwd=WORK,
        cli_path=PROGRAM,
        permission_mode="bypassPermissions",  # the box is the boundary
        hooks=gate.hooks(),
        setting_sources=[],  # what an agent writes into its files must not configure it
        settings=json.dumps(SETTINGS),
        strict_mcp_config=True,
        mcp_servers=await equipment.tools(request),
        agents={name: _sub_agent(**told) for name, told in agents_of(request).items()},
        plugins=[{"type": "local", "path": PLUGIN}],
        max_turns=most_steps,
        max_buffer_size=_LONGEST_LINE,
        include_partial_messages=True,
        verbatim_prompts=True,  # a person's "/clear" or "@file" is text
        extra_args={"replay-user-messages": None},
        **_thinking(request, model),
        resume=request.conversation if resumes else None,
        session_id=None if resumes else request.conversation,
    )


def _sub_agent(*, description: str, prompt: str, model: str) -> AgentDefinition:
    return AgentDefinition(description=description, prompt=prompt, model=model)


def agents_of(request: TurnRequest) -> dict[str, dict[str, str]]:
    """Its sub-agents: the other skills."""
    return {
        each.name: {
            "description": each.description,
            "prompt": each.instructions,
            "model": settle_model(each.model),
        }
        for each in request.grants.other_skills
        if each.name != request.skill and _is_ours(each.model)
    }


def _thinking(request: TurnRequest, model: str) -> dict[str, Any]:
    """Empty unless something says how much to think. Claude Code chooses the length of an answer."""
    fields = thinking_fields(model, request.thinking, _LONGEST_ANSWER)
    told: dict[str, Any] = {}
    if (thinking := fields.get("thinking")) and thinking["type"] in ("adaptive", "enabled", "disabled"):
        told["thinking"] = thinking
    if effort := fields.get("output_config", {}).get("effort"):
        told["effort"] = effort
    return told


def environment_of(line: ModelLine) -> dict[str, str]:
    return {
        "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{GATEWAY_PORT}",
        "ANTHROPIC_API_KEY": line.token,
        "CLAUDE_CONFIG_DIR": "/session",
        # Not in /tmp, where commands could replace one of its files, among them libraries that it unpacks and loads.
        "CLAUDE_CODE_TMPDIR": OWN_TMP,
        "TMPDIR": _HOME,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS": "1",
        "CLAUDE_CODE_ATTRIBUTION_HEADER": "0",
        # What ran on after a turn would speak when nobody listens, so sub-agents and commands are waited for.
        "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
        # Prompts with a time in a file of the group's would come as if the person had said them.
        "CLAUDE_CODE_DISABLE_CRON": "1",
        # The workspace has its own skills and memory; these would only fill the prompt of every call.
        **dict.fromkeys((f"CLAUDE_CODE_DISABLE_{name}" for name in _NOT_OURS), "1"),
        "CLAUDE_CODE_ENTRYPOINT": "sdk-py",
        "DISABLE_AUTOUPDATER": "1",
        "ENABLE_TOOL_SEARCH": "false",  # otherwise the host's tools hide behind a search
        "IS_SANDBOX": "1",
    }


def mounts_of(request: TurnRequest, equipment: Equipment, line: ModelLine) -> list[Mount]:
    return [
        Mount(source=equipment.program, target=PROGRAM),
        Mount(source=equipment.system_prompt(request), target=BRIEF),
        Mount(source=line.socket, target=GATEWAY_SOCKET),
    ]
