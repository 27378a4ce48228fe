"""Conversations as Claude Code keeps them, in lines of JSON: reads its transcripts, and writes ones it can
resume.

Only what a model sees again is taken over, by an allow list: text, tool calls and their results. The model's
thinking is left out entirely: its vendor has signed it, and would refuse it once scrubbed. So are pictures,
which nobody can scrub, and everything the program notes for itself.
"""

import json
import math
import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from time import thread_time
from typing import Any

from nanoclaw.domain import bounds
from nanoclaw.domain.text import storable

PLACE = "@PROJECT@"
"""Stands for the folder of the conversation; the first word of each line."""
_MOST_TEXT = 200_000  # characters of one text
_MOST_DEPTH = 16
_TOOL = re.compile(r"[A-Za-z0-9_-]{1,128}")
_MODEL = re.compile(r"[A-Za-z0-9.:_-]{1,64}")
_NO_MODEL = "<synthetic>"  # what the program itself says in place of a model
_VERSION = "2.1.0"  # of a program that could have written it; newer ones read what older ones wrote

Block = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class ClaudeLine:
    """What one side said before the other did. `blocks` are those of the vendor's API."""

    role: str
    blocks: Sequence[Block]
    at: str = ""
    model: str = ""

    @property
    def size(self) -> int:
        return len(json.dumps(self.blocks, ensure_ascii=False).encode("utf-8", "replace"))

    @property
    def is_from_person(self) -> bool:
        return self.role == "user" and not any(block["type"] == "tool_result" for block in self.blocks)


def read(content: bytes) -> list[ClaudeLine]:
    """The conversation with which a transcript would be resumed: without what was rewound or left to a sub-agent."""
    lines = [found for line in content.splitlines() if (found := bounds.said_in(line)).get("uuid")]
    spoken = [line for line in lines if _is_spoken(line)]
    alive = _alive(lines, spoken)
    return tidy(said for line in spoken if str(line["uuid"]) in alive if (said := _said(line)))


def tidy(conversation: Iterable[ClaudeLine]) -> list[ClaudeLine]:
    """The form that a vendor accepts: both sides alternate, and each tool call is followed by its result."""
    merged: list[ClaudeLine] = []
    for said in conversation:
        if merged and merged[-1].role == said.role:
            before = merged[-1]
            merged[-1] = replace(before, blocks=(*before.blocks, *said.blocks), model=said.model)
        else:
            merged.append(said)
    made = [
        replace(said, blocks=kept)
        for place, said in enumerate(merged)
        if (kept := _answered(said, merged[place - 1] if place else None, merged[place + 1 : place + 2]))
    ]
    # What was left out may have been all that one side said, so tidy again.
    return made if len(made) == len(merged) else tidy(made)


def newest(conversation: Sequence[ClaudeLine], most_bytes: int) -> list[ClaudeLine]:
    """As much of the end as there is room for, starting with a person's message."""
    start, left = len(conversation), most_bytes
    while start and (left := left - conversation[start - 1].size) >= 0:
        start -= 1
    return _from(conversation, start)


def scrubbed(conversation: Iterable[ClaudeLine], scrub: Callable[[str], str]) -> Iterator[ClaudeLine]:
    for said in conversation:
        yield replace(said, blocks=[_scrubbed(block, scrub) for block in said.blocks])


def newest_scrubbed(
    conversation: Sequence[ClaudeLine], scrub: Callable[[str], str], most_seconds: float
) -> list[ClaudeLine]:
    """As much of the end as can be scrubbed in this much CPU time."""
    until, made = thread_time() + most_seconds, list[ClaudeLine]()
    for said in scrubbed(reversed(conversation), scrub):
        made.append(said)
        if thread_time() > until:
            break
    cut = len(conversation) - len(made)
    return _from([*conversation[:cut], *reversed(made)], cut)


def _from(conversation: Sequence[ClaudeLine], start: int) -> list[ClaudeLine]:
    """The conversation from the first message of a person after this place."""
    if not start:
        return list(conversation)
    whole = next((at for at in range(start, len(conversation)) if conversation[at].is_from_person), start)
    return tidy(conversation[whole:])


def written(conversation: Sequence[ClaudeLine], conversation_id: str, at: datetime) -> Iterator[str]:
    """The lines of a transcript. The same conversation always gives the same lines."""
    name = uuid.UUID(conversation_id)
    numbers: dict[str, str] = {}
    parent = None
    moment = f"{at:%Y-%m-%dT%H:%M:%S}.000Z"
    for number, said in enumerate(conversation):
        own = str(uuid.uuid5(name, str(number)))
        moment = said.at or moment
        blocks = [_numbered(block, numbers) for block in said.blocks]
        line = {
            "cwd": PLACE,
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "sessionId": conversation_id,
            "version": _VERSION,
            "gitBranch": "",
            "type": said.role,
            "message": {"role": said.role, "content": blocks, **_answer(said, number)},
            "uuid": own,
            "timestamp": moment,
        }
        parent = own
        yield json.dumps(line, ensure_ascii=False, separators=(",", ":"))


def text(role: str, words: str, **more: str) -> ClaudeLine:
    return ClaudeLine(role=role, blocks=[{"type": "text", "text": _plain(words)}], **more)


# Reading


def _is_spoken(line: Mapping[str, Any]) -> bool:
    return (
        line.get("type") in ("user", "assistant")
        and isinstance(line.get("message"), dict)
        and not line.get("isSidechain")
        and not line.get("isMeta")
        and line["message"].get("model") != _NO_MODEL
    )


def _alive(lines: Sequence[Mapping[str, Any]], spoken: Sequence[Mapping[str, Any]]) -> set[str]:
    """The lines that lead to the last message. Of several tools called at once only one result does; the
    others belong to the same message.
    """
    parents = {str(line["uuid"]): line.get("parentUuid") for line in lines}
    alive: set[str] = set()
    here = str(spoken[-1]["uuid"]) if spoken else None
    while here in parents and here not in alive:
        alive.add(here)
        above = parents[here]
        here = above if isinstance(above, str) else None
    answers = {line["message"].get("id") for line in spoken if str(line["uuid"]) in alive} - {None}
    siblings = [line for line in spoken if line["message"].get("id") in answers]
    calls = {block.get("id") for line in siblings for block in _blocks(line)} - {None}
    for line in spoken:
        if any(block.get("tool_use_id") in calls for block in _blocks(line)):
            alive.add(str(line["uuid"]))
    return alive | {str(line["uuid"]) for line in siblings}


def _blocks(line: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = line["message"].get("content")
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _said(line: Mapping[str, Any]) -> ClaudeLine | None:
    message, role = line["message"], str(line["type"])
    if isinstance(content := message.get("content"), str):
        blocks = [{"type": "text", "text": _plain(content)}]
    else:
        blocks = [made for block in _blocks(line) if (made := _block(role, block))]
    blocks = [block for block in blocks if block.get("text", "-").strip()]
    if not blocks:
        return None
    model = message.get("model")
    named = model if isinstance(model, str) and _MODEL.fullmatch(model) else ""
    return ClaudeLine(role=role, blocks=blocks, at=_moment(line.get("timestamp")), model=named)


def _block(role: str, block: Mapping[str, Any]) -> Block | None:
    match role, block:
        case _, {"type": "text", "text": str(words)}:
            return {"type": "text", "text": _plain(words)}
        case "assistant", {"type": "tool_use", "id": str(id_), "name": str(name), "input": dict(given)}:
            if not _TOOL.fullmatch(name):
                return None
            return {"type": "tool_use", "id": id_, "name": name, "input": _plain(given)}
        case "user", {"type": "tool_result", "tool_use_id": str(id_)}:
            result = _plain(_words(block.get("content")))
            failed = {"is_error": True} if block.get("is_error") is True else {}
            return {"type": "tool_result", "tool_use_id": id_, "content": result, **failed}
        case "user", {"type": ("image" | "document") as kind}:
            return {"type": "text", "text": f"[{kind}]"}
        case _:
            return None


def _words(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    return "\n".join(str(part.get("text", f"[{part.get('type')}]")) for part in parts)


def _plain(value: Any, depth: int = 0) -> Any:
    """A bounded value that every JSON reader understands the same way."""
    if isinstance(value, str):
        return storable(bounds.cut(value, _MOST_TEXT))
    if depth > _MOST_DEPTH or (isinstance(value, float) and not math.isfinite(value)):
        return "[...]"
    if isinstance(value, list):
        return [_plain(each, depth + 1) for each in value]
    if isinstance(value, dict):
        return {storable(key): _plain(each, depth + 1) for key, each in value.items()}
    return value


def _moment(written: object) -> str:
    try:
        return written if isinstance(written, str) and datetime.fromisoformat(written).tzinfo else ""
    except ValueError:
        return ""


def _answered(said: ClaudeLine, before: ClaudeLine | None, after: Sequence[ClaudeLine]) -> list[Block]:
    """Drop calls without a result and results without a call; results come first."""
    open_ = {block["id"] for block in before.blocks if "id" in block} if before else set()
    results = {block.get("tool_use_id") for each in after for block in each.blocks}
    kept = []
    for block in said.blocks:
        ids, key = (results, "id") if said.role == "assistant" else (open_, "tool_use_id")
        if block["type"] == "text":
            kept.append(block)
        elif block[key] in ids:
            kept.append(block)
            ids.remove(block[key])
    return sorted(kept, key=lambda block: said.role == "user" and block["type"] != "tool_result")


# Writing


def _answer(said: ClaudeLine, number: int) -> dict[str, Any]:
    if said.role != "assistant":
        return {}
    calls = any(block["type"] == "tool_use" for block in said.blocks)
    return {
        "id": f"msg_transfer_{number:06}",
        "type": "message",
        **({"model": said.model} if said.model else {}),
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }


def _numbered(block: Block, numbers: dict[str, str]) -> Block:
    """Number calls afresh: the author of the transcript could have put anything into their ids."""
    for key in ("id", "tool_use_id"):
        if key in block:
            return {**block, key: numbers.setdefault(block[key], f"toolu_transfer_{len(numbers):06}")}
    return block


def _scrubbed(block: Block, scrub: Callable[[str], str]) -> Block:
    def walk(value: Any) -> Any:
        if isinstance(value, str):
            return scrub(value)
        if isinstance(value, list):
            return [walk(each) for each in value]
        if isinstance(value, dict):
            return {scrub(key): walk(each) for key, each in value.items()}
        return value

    return {
        key: walk(value) if key in ("text", "content", "input") else value for key, value in block.items()
    }
