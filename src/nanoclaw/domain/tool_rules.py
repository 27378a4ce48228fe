"""Which tool calls need a person first: one rule, from `[[approvals]]` in the settings or the head of a skill."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from nanoclaw.domain import expressions
from nanoclaw.domain.errors import Refused

# Claude Code prefixes the host's own tools with one of these, and the tools of the host's MCP servers with the other.
_OURS = ("mcp__nanoclaw__", "mcp__servers__")
_MCP = "mcp__"
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def normal_name(tool: str) -> str:
    """One name for a tool in every runtime: `bash` for `Bash`, `github_push` for `mcp__github__push`."""
    name = tool.lower()
    for prefix in _OURS:
        if name.startswith(prefix):
            return name.removeprefix(prefix)
    server, apart, rest = name.removeprefix(_MCP).partition("__")
    return f"{server}_{rest}" if name.startswith(_MCP) and apart else name


def _tool_glob(written: str) -> str:
    wanted = normal_name(written)
    # It would match nothing, or every tool there is, although its author meant servers.
    if wanted.startswith(_MCP) or (not wanted.strip("*") and written.strip("*")):
        raise ValueError(f"{written!r} names no tool: write server_tool, such as github_push or github_*")
    return written


def _usable(written: str) -> str:
    pattern = written.strip()
    # Such as "\\b" in double quotes: no command ever contains it, and the rule would match nothing.
    if _CONTROL.search(pattern):
        raise ValueError(
            f"{pattern[:80]!a} holds a control character: in nanoclaw.toml write it in single quotes"
        )
    fault = expressions.machine(pattern)
    if not isinstance(fault, Refused):
        return pattern
    said = {
        "pattern-empty": "it is empty",
        "pattern-long": f"it has more than {expressions.LONGEST} characters",
        "pattern-big": "it becomes too big, repeat less in it",
    }.get(fault.key, fault.values.get("said"))
    raise ValueError(f"{pattern[:80]!a} is no regular expression of RE2 that can be used: {said}")


class ToolRule(BaseModel):
    """Matches calls of a tool: all of them, those that give an argument, or those in which a pattern is found."""

    model_config = ConfigDict(defer_build=True, extra="forbid", frozen=True)

    tool: Annotated[str, Field(pattern=r"^\S+$", max_length=100), AfterValidator(_tool_glob)]
    argument: str | None = Field(default=None, pattern=r"^[A-Za-z0-9_.-]+$", max_length=64)
    pattern: Annotated[str, AfterValidator(_usable)] | None = None
    risk: Literal["normal", "publish", "destructive"] = "normal"
    timeout_minutes: int = Field(default=60, ge=1, le=7 * 24 * 60)
    # What a permit for longer than once covers: exactly these arguments, or everything this rule matches.
    allows: Literal["same", "rule"] = "same"
    days: int = Field(default=30, ge=1, le=365)  # how long "always" lasts

    @property
    def name(self) -> str:
        """`bash /git push/`: how a permit finds its rule again. A rule with another risk is another rule."""
        pattern = f"/{self.pattern}/" if self.pattern else None
        risk = None if self.risk == "normal" else self.risk
        return " ".join(filter(None, (normal_name(self.tool), self.argument, pattern, risk)))
