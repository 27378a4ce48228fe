"""Which rule catches a call of a tool, and how the call is shown to whoever decides. When in doubt it is caught."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from nanoclaw.admission import patterns
from nanoclaw.domain.tool_rules import ToolRule, normal_name

__all__ = ["ToolRule", "arguments_hash", "caught_by", "normal_name", "shown_arguments"]

_STRICTNESS = {"destructive": 0, "publish": 1, "normal": 2}
_LONGEST_LINE = 100
# What one runtime calls so, Claude Code calls otherwise.
_ALSO_CALLED = {
    "path": ("file_path", "notebook_path"),
    "content": ("new_source",),
    "old": ("old_string",),
    "new": ("new_string",),
    "all": ("replace_all",),
}
# What a screen obeys, hides or turns around. A person decides by what they see: none of it may be invisible.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u0600-\u0605\u061c\u06dd\u070f\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u034f\u17b4\u17b5\ufe00-\ufe0e\u115f\u1160\u2800\u3164\uffa0\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff\U000e0000-\U000e01ef]"
)


def caught_by(rules: Sequence[ToolRule], tool: str, arguments: Mapping[str, Any]) -> list[ToolRule]:
    """Every rule that catches the call, the strictest first: a permit for one of them opens none of the others."""
    caught: dict[str, ToolRule] = {}
    for rule in rules:
        if _catches(rule, tool, arguments):
            caught.setdefault(rule.name, rule)
    return sorted(caught.values(), key=lambda rule: _STRICTNESS[rule.risk])


def arguments_hash(tool: str, arguments: Mapping[str, Any]) -> str:
    """The same for the very same call, in whichever runtime and order it was written."""
    name = normal_name(tool)
    # What Claude Code says about a command is worded anew each time, and does nothing.
    call = {
        "tool": name,
        "arguments": {k: v for k, v in arguments.items() if (name, k) != ("bash", "description")},
    }
    written = json.dumps(call, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    # Half a letter is kept as it is: replaced, two calls that differ would have one hash.
    return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()


def shown_arguments(arguments: Mapping[str, Any]) -> str:
    """All of them and in full, a line for each; a text of several lines cannot pass for another argument."""
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
    """Every text and number in them. The names of arguments are the tool's; those further inside are the agent's own.

    Without recursion: nobody gets past a rule by nesting deeply.
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
                yield from (str(number), str(int(number)))  # 1e3 is found as 1000 too
            case None:
                pass
            case other:
                yield str(other)


def _shown(name: str, value: Any) -> str:
    label = name if re.fullmatch(r"[\w.-]+", name) else _json(name)
    first, *more = _visible(_written(value)).split("\n")
    lines = "".join(f"\n    {line}" for line in (first, *more)) if more else f" {first}"
    return f"{_visible(label)}:{lines}"


def _written(value: Any) -> str:
    if isinstance(value, str):
        # In quotes where its borders could not be seen.
        return value if "\n" in value or (value and value == value.strip()) else _json(value)
    short = _json(value)
    return short if len(short) <= _LONGEST_LINE else _json(value, indent=2)


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, default=str, indent=indent)


def _visible(text: str) -> str:
    return _UNSEEN.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)
