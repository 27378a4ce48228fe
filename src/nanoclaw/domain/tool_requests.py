"""What an agent asks the host through a tool, and what it gets back."""

import hashlib
import json
import re
import uuid
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar, get_args

from pydantic import ValidationError

from nanoclaw.domain.argument_faults import faults, quoted
from nanoclaw.domain.file_protocol import RequestKind
from nanoclaw.domain.handoff_contract import arguments_in, is_contract
from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.text import storable
from nanoclaw.domain.thoughts import without_internal
from nanoclaw.domain.tool_arguments import Arguments, HumanKind
from nanoclaw.domain.tools import TOOLS, Tool, no_such_tool
from nanoclaw.domain.turns import TurnRequest

# What older writers put around or into a request that names no tool, and its name here (None: not needed, because the
# folder says who asks and the file name says which request it is).
_OLD_NAMES: Mapping[RequestKind, Mapping[str, str | None]] = {
    RequestKind.TASKS: {"type": None, "group_id": "target_group", "task_id": None},
    RequestKind.HITL: {"request_id": None, "prompt": "question", "safe_default": "default_action"},
    RequestKind.BACKGROUND: {"type": None, "task_id": None},
}
# What people are shown, read aloud, or asked. A task's prompt is an instruction, and kept as it is.
_TOLD_TO_PEOPLE = (RequestKind.MESSAGES, RequestKind.HITL)
_ENVELOPE = ("id", "at", "created_at")
_UNIQUE = re.compile(r"[0-9a-f]{32}\Z")
_MOST_FAULTS = 5

A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolRequest:
    """One request of an agent, checked against its tool. The session is that of the folder it was found in.

    The same id may come twice, after a crash: whatever is done for it must be done once.
    """

    id: str
    kind: RequestKind
    tool: str
    session_id: SessionId
    arguments: Arguments
    skill: str = ""  # of the turn that asks, as the host knows it
    turn: TurnRequest | None = field(default=None, repr=False, compare=False)  # the same
    is_left: bool = False  # left by an earlier turn
    by_model: bool = False  # the turn's own model asked; else anything in the box may have
    written: Mapping[str, Any] = field(
        default_factory=dict, repr=False, compare=False
    )  # the arguments, verbatim
    content: str = ""  # distinguishes it from another request, where its id does not
    noted: Callable[[], None] = field(default=lambda: None, repr=False, compare=False)
    """Called when it is stored: from then on nothing is lost if nobody waits for the reply."""

    def of_turn(self, turn_id: str) -> "ToolRequest":
        """A name such as `bg-1234` counts once per turn and content; a unique id, once."""
        if not self.content:
            return self
        told = f"{turn_id} {self.kind} {self.id} {self.content}"
        return replace(self, id=_hash(told), content="")

    def given(self, takes: type[A]) -> A:
        """The arguments, for the code that implements the tool with this model."""
        if not isinstance(self.arguments, takes):
            raise TypeError(f"{self.tool} does not take {takes.__name__}")
        return self.arguments

    @property
    def target_group(self) -> str | None:
        """The other group it names, if any; few tools can name one."""
        return getattr(self.arguments, "target_group", None)


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolReply:
    """What the agent is told: a text it can read, and values it can use."""

    ok: bool
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self, asked_id: str, kind: RequestKind) -> dict[str, Any]:
        plain = {"id": asked_id, "ok": self.ok, "text": self.text, "data": dict(self.data)}
        # `chosen`, `user_input`, `user_id` and `timestamp` also where older readers look.
        if kind is RequestKind.HITL:
            return {**self.data, "request_id": asked_id, **plain}
        return plain


class BadToolRequest(Exception):
    """The request names no tool of its folder, or its arguments are wrong; the text says what to change."""


def understand(
    kind: RequestKind,
    asked_id: str,
    session_id: SessionId,
    body: Mapping[str, Any],
    offered: Collection[str] = tuple(TOOLS),
) -> ToolRequest:
    """Parse a request, in today's form or an older one. Raises BadToolRequest."""
    try:
        return _understood(kind, asked_id, session_id, body, offered)
    except RecursionError as error:
        raise BadToolRequest("The request is nested too deep. Make it flatter.") from error


def of_model(request: TurnRequest, tool: str, arguments: Mapping[str, Any], *, call_id: str) -> ToolRequest:
    """A call that the turn's own model made, as the host knows for certain. Raises BadToolRequest."""
    # Including what it asks: a vendor that repeats its ids in a second attempt may ask for something else.
    told = json.dumps(dict(arguments), sort_keys=True)
    asked = uuid.uuid5(uuid.NAMESPACE_OID, f"{request.turn_id} {call_id} {tool} {told}").hex
    body = {"id": asked, "tool": tool, "arguments": dict(arguments)}
    found = understand(TOOLS[tool].kind, asked, request.session_id, body)
    return replace(found, skill=request.skill, turn=request, by_model=True)


def _understood(
    kind: RequestKind, asked_id: str, session_id: SessionId, body: Mapping[str, Any], offered: Collection[str]
) -> ToolRequest:
    if "tool" in body:
        tool = _named_tool(kind, body["tool"], offered)
        arguments = written = body.get("arguments", {})
        if extra := body.keys() - {"id", "tool", "arguments", "at"}:
            raise BadToolRequest(f"Unknown field {quoted(extra)}: put it into `arguments`, or leave it out.")
    else:
        tool = _usual_tool(kind, offered)
        arguments, written = _modern(kind, body), body
        if kind is RequestKind.MEMORY and "entries" not in arguments:
            arguments = {"entries": [arguments]}  # one entry alone
        if kind is RequestKind.HANDOFFS and is_contract(body):
            arguments = arguments_in(body)
    if tool.name == "request_human" and isinstance(arguments, dict):
        arguments = _modern(kind, arguments)
    return ToolRequest(
        id=asked_id,
        kind=kind,
        tool=tool.name,
        session_id=session_id,
        arguments=read_arguments(tool, arguments),
        written=written,
        content="" if _UNIQUE.match(asked_id) else _hash(json.dumps(body, sort_keys=True)),
    )


def read_arguments(tool: Tool, given: object) -> Arguments:
    """Raises BadToolRequest, saying which fields to change and what is allowed there."""
    clean = _spoken if tool.kind in _TOLD_TO_PEOPLE else storable
    try:  # cleaned before it is checked: text that is only a thought is empty
        return tool.takes.model_validate(_cleaned(given, clean))
    except ValidationError as error:
        found = faults(error.errors(include_url=False), tool.schema(main=True))
    more = f" And {len(found) - _MOST_FAULTS} more." if len(found) > _MOST_FAULTS else ""
    raise BadToolRequest(f"{tool.name} was not done. " + " ".join(found[:_MOST_FAULTS]) + more)


def _named_tool(kind: RequestKind, name: object, offered: Collection[str]) -> Tool:
    tool = TOOLS.get(name) if isinstance(name, str) else None
    if tool is None:
        raise BadToolRequest(no_such_tool(name, offered))
    if tool.kind is not kind:
        raise BadToolRequest(f"{tool.name} belongs into /ipc/{tool.kind}, not into /ipc/{kind}.")
    return tool


def _usual_tool(kind: RequestKind, offered: Collection[str]) -> Tool:
    """The tool meant by a request that names none: the folder's only tool, or the one it always had."""
    tools = [tool for tool in TOOLS.values() if tool.kind is kind]
    if len(tools) == 1 or kind in (RequestKind.TASKS, RequestKind.HITL, RequestKind.MEMORY):
        return tools[0]
    raise BadToolRequest(f"`tool` must be one of {', '.join(offered)}.")


def _modern(kind: RequestKind, body: Mapping[str, Any]) -> dict[str, Any]:
    """An older form in today's fields; if both names of a field are given, today's wins."""
    names = _OLD_NAMES.get(kind, {})
    made: dict[str, Any] = {}
    for key, value in body.items():
        if kind is RequestKind.HITL and key == "type":
            if value in get_args(HumanKind):  # else it is the name of the envelope, `hitl_request`
                made.setdefault("kind", value)
        elif (
            key not in _ENVELOPE
            and (name := names.get(key, key)) is not None
            and (key == name or name not in body)
        ):
            made[name] = value
    if kind is RequestKind.HITL and isinstance(
        made.get("options"), list
    ):  # an asker's own claim of harmlessness does not count
        made["options"] = [_unmarked(each) for each in made["options"]]
    return made


def _unmarked(option: object) -> object:
    marks = ("safe", "draft")
    return {k: v for k, v in option.items() if k not in marks} if isinstance(option, dict) else option


def _spoken(text: str) -> str:
    """The text without the agent's thoughts."""
    return storable(without_internal(text) if "internal" in text.lower() else text)


def _cleaned(value: Any, clean: Callable[[str], str]) -> Any:
    match value:
        case str():
            return clean(value)
        case list():
            return [_cleaned(each, clean) for each in value]
        case dict():
            return {storable(str(key)): _cleaned(each, clean) for key, each in value.items()}
        case _:
            return value


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
