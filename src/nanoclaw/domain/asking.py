"""What an agent asks the host through a tool, and what it gets back."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from nanoclaw.domain.ids import SessionId
from nanoclaw.domain.thoughts import without_internal
from nanoclaw.domain.tools import HITL_RESPONSES, RESULTS, TOOLS, Kind, Schema, ToolSpec

_HUMAN_KINDS = ("approval", "choice", "input", "review", "escalation")
# What older writers put around or into a request that names no tool, and what it is called here (None: not needed,
# because the folder says who asks and the file's name says which request it is).
_OLD_NAMES: Mapping[Kind, Mapping[str, str | None]] = {
    Kind.TASKS: {"type": None, "group_id": "target_group", "task_id": None},
    Kind.HITL: {"request_id": None, "prompt": "question", "safe_default": "default_action"},
    Kind.BACKGROUND: {"type": None, "task_id": None},
    Kind.HANDOFFS: {"from": None},
}
# What is put before people as it is, read aloud, or asked. What a task is told to do is an order, and kept as it is.
_TOLD_TO_PEOPLE = (Kind.MESSAGES, Kind.HITL)
_ENVELOPE = ("id", "at", "created_at")
_UNIQUE = re.compile(r"[0-9a-f]{32}\Z")
_MOST_FAULTS = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class Asking:
    """One request of an agent, checked against its tool. The session is that of the folder it was found in.

    The same id may come twice, after a crash: whatever is done for it must be done once.
    """

    id: str
    kind: Kind
    tool: str
    session_id: SessionId
    arguments: Mapping[str, Any]
    skill: str = ""  # of the turn that asks, as the host knows it
    is_left: bool = False  # an earlier turn asked for it
    by_model: bool = False  # the host saw the turn's own model ask for it; else anything in the box may have
    written: Mapping[str, Any] = field(
        default_factory=dict, repr=False, compare=False
    )  # the arguments, word for word
    content: str = ""  # what tells it from another request, where its id does not
    noted: Callable[[], None] = field(default=lambda: None, repr=False, compare=False)
    """Called when it is written down: from then on nothing is lost when nobody waits for the reply."""

    def of_turn(self, turn_id: str) -> "Asking":
        """Under a name such as `bg-1234` it counts once for each turn and content; an id that is unique, once."""
        if not self.content:
            return self
        told = f"{turn_id} {self.kind} {self.id} {self.content}"
        return replace(self, id=_hash(told), content="")


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """What the agent is told: a text it can read, and values it can use."""

    ok: bool
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self, asked_id: str, kind: Kind) -> dict[str, Any]:
        plain = {"id": asked_id, "ok": self.ok, "text": self.text, "data": dict(self.data)}
        # `chosen`, `user_input`, `user_id` and `timestamp` also where older readers look.
        if kind is Kind.HITL:
            return {**self.data, "request_id": asked_id, **plain}
        return plain


class Misasked(Exception):
    """The request names no tool of its folder, or its arguments are wrong; the text says what to change."""


def answer_folder(kind: Kind) -> str:
    return HITL_RESPONSES if kind is Kind.HITL else RESULTS


def understand(kind: Kind, asked_id: str, session_id: SessionId, body: Mapping[str, Any]) -> Asking:
    """A request as it was written, in today's form or an older one. Raises Misasked."""
    if "tool" in body:
        tool = TOOLS.get(body["tool"]) if isinstance(body["tool"], str) else None
        arguments = written = body.get("arguments", {})
        if extra := body.keys() - {"id", "tool", "arguments", "at"}:
            raise Misasked(f"Unknown field {_quoted(extra)}: put it into `arguments`, or leave it out.")
    else:
        tool = _usual_tool(kind)
        arguments, written = _modern(kind, body), body
    if tool is None or tool.kind is not kind:
        names = ", ".join(spec.name for spec in TOOLS.values() if spec.kind is kind)
        raise Misasked(f"`tool` must be one of those of /ipc/{kind}: {names}.")
    if tool.name == "request_human" and isinstance(arguments, dict):
        arguments = _modern(kind, arguments)
    if kind in _TOLD_TO_PEOPLE:  # before it is checked: what is nothing but a thought is empty
        arguments = _spoken(arguments)
    found = list(faults(arguments, tool.schema(main=True), "arguments"))
    if found:
        more = f" And {len(found) - _MOST_FAULTS} more." if len(found) > _MOST_FAULTS else ""
        raise Misasked(f"{tool.name} was not done. " + " ".join(found[:_MOST_FAULTS]) + more)
    return Asking(
        id=asked_id,
        kind=kind,
        tool=tool.name,
        session_id=session_id,
        arguments=arguments,
        written=written,
        content="" if _UNIQUE.match(asked_id) else _hash(json.dumps(body, sort_keys=True)),
    )


def faults(value: object, schema: Schema, where: str) -> Iterator[str]:
    """What is wrong with a value, each as a sentence that says what to change. Knows what the table of tools uses."""
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if not any(_is(value, name) for name in types):
        yield f"`{where}` must be {' or '.join(_TYPES[name][1] for name in types)}."
    elif isinstance(value, dict):
        yield from _faults_of_object(value, schema, where)
    elif isinstance(value, list):
        if len(value) > (most := schema.get("maxItems", len(value))):
            yield f"`{where}` has {len(value)} entries; at most {most} are allowed."
        for number, inner in enumerate(value[: schema.get("maxItems")]):
            yield from faults(inner, schema["items"], f"{where}[{number}]")
    elif isinstance(value, str):
        yield from _faults_of_text(value, schema, where)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        least, most = schema.get("minimum", value), schema.get("maximum", value)
        if not least <= value <= most:
            yield f"`{where}` is {value}; it must be from {least} to {most}."


def _faults_of_object(value: dict[str, Any], schema: Schema, where: str) -> Iterator[str]:
    if "properties" not in schema:
        return
    known: Mapping[str, Schema] = schema["properties"]
    for name in schema.get("required", ()):
        if name not in value:
            yield f"`{where}.{name}` is missing."
    if len(value) < schema.get("minProperties", 0):
        yield f"`{where}` needs at least one of {', '.join(known)}."
    if extra := value.keys() - known.keys():
        yield f"`{where}` has no {_quoted(extra)}; it may have {', '.join(known)}."
    for name, inner in value.items():
        if name in known:
            yield from faults(inner, known[name], f"{where}.{name}")


def _faults_of_text(value: str, schema: Schema, where: str) -> Iterator[str]:
    if "enum" in schema and value not in schema["enum"]:
        yield f"`{where}` must be one of {', '.join(schema['enum'])}."
    if len(value) > (most := schema.get("maxLength", len(value))):
        yield f"`{where}` has {len(value)} characters; at most {most} are allowed."
    if not value.strip() and schema.get("minLength", 0):
        yield f"`{where}` is empty."
    # Whole, because $ would let a newline pass at the end.
    elif "pattern" in schema and not re.fullmatch(schema["pattern"].strip("^$"), value):
        yield f"`{where}` must be like this: {schema['description']}"


_TYPES: Mapping[str, tuple[tuple[type, ...], str]] = {
    "string": ((str,), "a string"),
    "integer": ((int,), "a whole number"),
    "number": ((int, float), "a number"),
    "boolean": ((bool,), "true or false"),
    "array": ((list,), "a list"),
    "object": ((dict,), "an object"),
    "null": ((type(None),), "null"),
}


def _is(value: object, name: str) -> bool:
    if isinstance(value, bool):  # which Python counts among the whole numbers
        return name == "boolean"
    return isinstance(value, _TYPES[name][0])


def _usual_tool(kind: Kind) -> ToolSpec | None:
    """What is meant by a request that names no tool: where a folder has one, or always had only that one."""
    tools = [tool for tool in TOOLS.values() if tool.kind is kind]
    return tools[0] if len(tools) == 1 or kind is Kind.TASKS else None


def _modern(kind: Kind, body: Mapping[str, Any]) -> dict[str, Any]:
    """An older form in today's words; a field that it has under both names keeps today's."""
    names = _OLD_NAMES.get(kind, {})
    made: dict[str, Any] = {}
    for key, value in body.items():
        if kind is Kind.HITL and key == "type":
            if value in _HUMAN_KINDS:  # else it is the name of the envelope, `hitl_request`
                made.setdefault("kind", value)
        elif (
            key not in _ENVELOPE
            and (name := names.get(key, key)) is not None
            and (key == name or name not in body)
        ):
            made[name] = value
    if kind is Kind.HITL and isinstance(
        made.get("options"), list
    ):  # what an asker calls harmless counts for nothing
        made["options"] = [_unmarked(each) for each in made["options"]]
    return made


def _unmarked(option: object) -> object:
    marks = ("safe", "draft")
    return {k: v for k, v in option.items() if k not in marks} if isinstance(option, dict) else option


def _spoken(value: Any) -> Any:
    """Without what the agent only thinks, in every text of it."""
    match value:
        case str():
            return without_internal(value) if "internal" in value.lower() else value
        case list():
            return [_spoken(each) for each in value]
        case dict():
            return {key: _spoken(each) for key, each in value.items()}
        case _:
            return value


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def _quoted(names: set[str]) -> str:
    return ", ".join(f"`{name[:40]}`" for name in sorted(names)[:_MOST_FAULTS])
