"""A request to Anthropic's API as the native runtime makes it: layers, history, steps and tools, with their caches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_json

from nanoclaw.domain.steps import Returned, Spoke, Step, Told, ToolOffer
from nanoclaw.domain.turns import TurnRequest
from nanoclaw.gateway.model_calls import MOST_SEARCHES
from nanoclaw.gateway.prices import split

MOST_OUTPUT = 16_000
_MOST_TOOLS = 64  # different sets of tools that are kept
_CACHED = {"cache_control": {"type": "ephemeral"}}
_SEARCH = {"type": "web_search_20250305", "name": "web_search", "max_uses": MOST_SEARCHES}


@dataclass(frozen=True, slots=True)
class Tools:
    """Half of most requests, and the same for most turns: serialized once."""

    offers: Sequence[ToolOffer]  # kept, so that nothing else gets its id
    made: list[dict[str, Any]]
    json: bytes

    @staticmethod
    def of(offers: Sequence[ToolOffer], *, searches: bool) -> "Tools":
        made: list[dict[str, Any]] = [
            {"name": tool.name, "description": tool.description, "input_schema": dict(tool.arguments)}
            for tool in offers
        ]
        made += [_SEARCH] if searches else []
        return Tools(offers, made, to_json(made))


class WrittenTools:
    """Those that are offered again, as they were written before."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, bool], Tools] = {}

    def of(self, offers: Sequence[ToolOffer], *, searches: bool) -> Tools:
        known = self._known.get((id(offers), searches))
        if known is None:
            known = Tools.of(offers, searches=searches)
            if isinstance(offers, tuple):  # a list was made for one turn
                if len(self._known) >= _MOST_TOOLS:
                    self._known.clear()
                self._known[id(offers), searches] = known
        return known


def body_of(request: TurnRequest, steps: Sequence[Step], tools: list[dict[str, Any]]) -> dict[str, Any]:
    """The vendor caches up to four places: the ends of the layers, of what was said before this turn, and of
    everything. Recalled memory is in the last message only. After a conversation, the first layer gets no
    cache mark.
    """
    layers = (request.system_prompt.foundation, request.system_prompt.company, request.system_prompt.skill)
    messages = _messages(request, steps)
    if messages[-1]["content"] and isinstance(messages[-1]["content"], list):
        messages[-1]["content"][-1] |= _CACHED
    system = [{"type": "text", "text": layer, **_CACHED} for layer in layers if layer]
    if request.history:
        before = messages[2 * len(request.history) - 1]
        before["content"] = [_words(before["content"]) | _CACHED]
        if len(system) == len(layers):
            del system[0]["cache_control"]
    body: dict[str, Any] = {
        "model": split(request.model)[1],
        "max_tokens": MOST_OUTPUT,
        "stream": True,
        "system": system,
        "messages": messages,
        "tools": tools,
    }
    return {name: value for name, value in body.items() if value != []}


def in_json(body: Mapping[str, Any], tools: Tools) -> bytes:
    rest = to_json({name: value for name, value in body.items() if name != "tools"})
    return b'%b,"tools":%b}' % (rest[:-1], tools.json) if tools.made else rest


def _messages(request: TurnRequest, steps: Sequence[Step]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for exchange in request.history:
        made.append({"role": "user", "content": exchange.asked})
        made.append({"role": "assistant", "content": exchange.answered.strip() or "..."})
    made.append({"role": "user", "content": [_words(request.whole_prompt)]})
    for step in steps:
        match step:
            case Spoke(kept=list(content)):
                made.append({"role": "assistant", "content": content})
            case Spoke(text=text):
                made.append({"role": "assistant", "content": text})
            case Returned(call=tool, ok=ok, text=text):
                returned = {
                    "type": "tool_result",
                    "tool_use_id": tool.id,
                    "content": text,
                    "is_error": not ok,
                }
                _to_person(made, returned)
            case Told(prompt=prompt):
                _to_person(made, _words(prompt))
    return made


def _to_person(made: list[dict[str, Any]], block: dict[str, Any]) -> None:
    """Join tool results and what was said meanwhile into one message: the vendor wants the sides to alternate."""
    if made[-1]["role"] == "user":
        made[-1]["content"].append(block)
    else:
        made.append({"role": "user", "content": [block]})


def _words(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
