"""Which rule matches a tool call, and how the call is shown to the deciders. When in doubt it matches."""

import hashlib
import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from nanoclaw.admission import patterns
from nanoclaw.domain.shown_text import shown, shown_line
from nanoclaw.domain.text import storable
from nanoclaw.domain.tool_rules import ToolRule, normal_name

__all__ = [
    "BASH",
    "Act",
    "ToolRule",
    "acts_of",
    "arguments_hash",
    "caught_by",
    "normal_name",
    "shown_arguments",
]

BASH = "bash"
_STRICTNESS = {"destructive": 0, "publish": 1, "normal": 2}
# The names under which servers' tools take a command and its arguments.
_COMMANDS = ("command", "commands", "cmd", "command_line", "commandline", "shell_command", "script")
_BEHIND = ("args", "arguments", "argv")
_CHECKED = ("schedule_task", "background_task", "change_task")
_LONGEST_LINE = 100
# Claude Code's names for these arguments.
_ALSO_CALLED = {
    "path": ("file_path", "notebook_path"),
    "content": ("new_source",),
    "old": ("old_string",),
    "new": ("new_string",),
    "all": ("replace_all",),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Act:
    """What a call amounts to: the call itself, or a command run through it. `later`: run not now but before
    each run of a task. `outside_box`: not in the agent's box, and so not on its files.
    """

    tool: str
    arguments: Mapping[str, Any]
    later: bool = False
    outside_box: bool = False

    @property
    def names(self) -> list[str]:
        """The texts in which files are named, as a shell reads them."""
        match self.tool:
            case "bash" if not self.outside_box:
                return [text for text in (self.arguments.get("command"),) if isinstance(text, str)]
            case "send_file":
                paths = [self.arguments.get("path"), *(self.arguments.get("paths") or ())]
                return [shlex.quote(path) for path in paths if isinstance(path, str)]
            case _:
                return []

    @property
    def folders(self) -> list[str]:
        """The folders it runs in, besides /work."""
        return [folder for folder in (self.arguments.get("cwd"),) if isinstance(folder, str)]


def acts_of(tool: str, arguments: Mapping[str, Any]) -> list[Act]:
    """A rule about commands applies wherever one is run: as the check of a task, or through a server's tool."""
    name = normal_name(tool)
    acts = [Act(tool=name, arguments=arguments)]
    if name == BASH:
        return acts
    if name in _CHECKED:
        check = storable(str(arguments.get("check") or ""))  # as it is stored and run
        return [*acts, Act(tool=BASH, arguments={"command": check}, later=True)] if check else acts
    behind = [text for key in _BEHIND if key in arguments for text in _values({key: arguments[key]})]
    for key, value in arguments.items():
        if key.lower() in _COMMANDS:
            command = " ".join([*reversed(list(_values({key: value}))), *reversed(behind)])
            # With the rest of the call: on which machine it runs, for example, is part of what is allowed.
            rest = {name: other for name, other in arguments.items() if name != key}
            acts.append(Act(tool=BASH, arguments={"command": command, **_apart(rest)}, outside_box=True))
    return acts


def _apart(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The other arguments, under names that no command line has."""
    return {f"with {name}": value for name, value in arguments.items()}


def caught_by(rules: Sequence[ToolRule], acts: Sequence[Act]) -> list[tuple[ToolRule, Act]]:
    """Every rule that matches one of them, the strictest first: a permit for one does not cover the others."""
    caught: dict[tuple[str, bool, int], tuple[ToolRule, Act]] = {}
    for number, act in enumerate(acts):
        for rule in rules:
            if not _catches(rule, act.tool, act.arguments):
                continue
            whole = (rule.name, act.later, 0)  # allowing the call also allows the commands in it
            key = (rule.name, act.later, number) if act.outside_box and whole not in caught else whole
            caught.setdefault(key, (rule, act))
    return sorted(caught.values(), key=lambda found: _STRICTNESS[found[0].risk])


def arguments_hash(tool: str, arguments: Mapping[str, Any], files: Sequence[Sequence[object]] = ()) -> str:
    """The same for exactly the same call on the same files, whatever the runtime and the order of arguments."""
    name = normal_name(tool)
    # Claude Code words its description of a command differently each time, and it does nothing.
    call: dict[str, Any] = {
        "tool": name,
        "arguments": {k: v for k, v in arguments.items() if (name, k) != (BASH, "description")},
    }
    if files:
        call["files"] = files
    written = json.dumps(call, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    # A lone surrogate is kept: if it were replaced, two different calls would have one hash.
    return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()


def shown_arguments(arguments: Mapping[str, Any]) -> str:
    """All arguments in full, one per line; a multi-line text cannot pass for another argument."""
    return "\n".join(_shown(name, value) for name, value in arguments.items())


def _catches(rule: ToolRule, tool: str, arguments: Mapping[str, Any]) -> bool:
    if not fnmatchcase(normal_name(tool), normal_name(rule.tool)):
        return False
    looked_at: Any = arguments
    if rule.argument is not None:
        names = (rule.argument, *_ALSO_CALLED.get(rule.argument, ()))
        looked_at = {name: arguments[name] for name in names if name in arguments}
        if not looked_at:
            return False
    return rule.pattern is None or patterns.may_fit(rule.pattern, list(_values(looked_at)))


def _values(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Every text and number in them. Top-level names are the tool's; deeper ones are the agent's own. Without
    recursion: deep nesting must not get past a rule.
    """
    waiting: list[Any] = list(arguments.values())
    while waiting:
        match waiting.pop():
            case str(text):
                yield text
            case Mapping() as table:
                waiting += [*table.keys(), *table.values()]
            case list() | tuple() as items:
                waiting += items
            case bool(flag):
                yield "true" if flag else "false"
            case float(number) if number.is_integer():
                yield from (str(number), str(int(number)))  # 1e3 is also found as 1000
            case None:
                pass
            case other:
                yield str(other)


def _shown(name: str, value: Any) -> str:
    label = name if re.fullmatch(r"[\w.-]+", name) else _json(name)
    first, *more = shown(_written(value)).split("\n")
    lines = "".join(f"\n    {line}" for line in (first, *more)) if more else f" {first}"
    return f"{shown_line(label)}:{lines}"


def _written(value: Any) -> str:
    if isinstance(value, str):
        # Quoted if its ends would not be visible.
        return value if "\n" in value or (value and value == value.strip()) else _json(value)
    short = _json(value)
    return short if len(short) <= _LONGEST_LINE else _json(value, indent=2)


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, default=str, indent=indent)
