"""What a request from a box may ask of the vendor. The vendor's own access to the world is not for the box to
use.

Such parts are silently dropped where the rest still makes sense, and refused where it would not.
"""

from typing import Any

from nanoclaw.gateway.envelope import BadBody
from nanoclaw.gateway.model_calls import MOST_SEARCHES

# What shapes an answer. Anything else (servers to connect to, containers, dearer tiers) is dropped.
_KEPT = frozenset(
    [
        "model",
        "max_tokens",
        "messages",
        "system",
        "tools",
        "tool_choice",
        "stream",
        "temperature",
        "top_p",
        "top_k",
        "stop_sequences",
        "metadata",
        "thinking",
        "output_config",
        "output_format",
        "context_management",
    ]
)
# Tools that the caller carries out. The vendor's own would fetch pages or run code outside our host lists.
_CLIENT_TOOLS = ("custom", "bash_", "text_editor_", "memory_")
_SEARCH = "web_search_"
# What the model wrote for a tool, and what a tool takes: data, in which "source" may mean anything.
_DATA = ("input", "input_schema")


def tidy(body: dict[str, Any], *, web_search: bool) -> None:
    """Raises BadBody for what would make the vendor fetch something for the box."""
    for name in body.keys() - _KEPT:
        del body[name]
    tools = body.get("tools")
    if isinstance(tools, list):
        kept = [tool for tool in tools if isinstance(tool, dict) and _may_use(tool, web_search=web_search)]
        for tool in kept:
            if str(tool.get("type", "")).startswith(_SEARCH):
                tool["max_uses"] = min(_number(tool.get("max_uses")), MOST_SEARCHES)
        body["tools"] = kept
        if not kept:
            del body["tools"]
            body.pop("tool_choice", None)
    # At any depth: a document has blocks in its source, a tool result in its content.
    waiting: list[Any] = [body]
    while waiting:
        found = waiting.pop()
        if isinstance(found, list):
            waiting.extend(found)
        elif isinstance(found, dict):
            _check(found)
            waiting.extend(value for name, value in found.items() if name not in _DATA)


def searches(body: dict[str, Any]) -> int:
    """How many searches the model may make, so that money is reserved for them."""
    return sum(tool["max_uses"] for tool in body.get("tools", ()) if "max_uses" in tool)


def _may_use(tool: dict[str, Any], *, web_search: bool) -> bool:
    kind = str(tool.get("type") or "custom")
    return kind.startswith(_CLIENT_TOOLS) or (web_search and kind.startswith(_SEARCH))


def _check(block: dict[str, Any]) -> None:
    if block.get("type") == "tool_use" and not isinstance(block.get("input"), dict):
        block[
            "input"
        ] = {}  # a model wrote it so; the vendor would refuse the whole conversation from then on
    source = block.get("source")
    if isinstance(source, dict) and source.get("type") in ("url", "file"):
        raise BadBody(400, "source: only what is in the request itself can be read (base64 or text)")
    cached = block.get("cache_control")
    if isinstance(cached, dict):
        cached.pop("ttl", None)  # an hour of cache costs twice as much as the five minutes that we count


def _number(written: object) -> int:
    return (
        written
        if isinstance(written, int) and not isinstance(written, bool) and written > 0
        else MOST_SEARCHES
    )
