"""Makes a request in Anthropic's format fit what is paid for: a smaller model, a shorter answer, less thinking."""

from collections.abc import Mapping
from typing import Any

import aiohttp
from pydantic_core import from_json, to_json

from nanoclaw.gateway.prices import split

_LEAST_THINKING = 1024  # tokens; the vendor refuses less
_COUNTED = ("messages", "system", "tools", "tool_choice", "thinking")  # the rest is not part of the input
_COUNTING = aiohttp.ClientTimeout(total=5)  # seconds; without a count the estimate stays
_THOUGHTS = "clear_thinking"  # rules for thoughts of earlier turns, which require thinking to be on


def fitted(body: Mapping[str, Any], model: str, max_output: int) -> dict[str, Any]:
    """The same request for this model, with an answer of at most so many tokens."""
    made = dict(body) | {"model": split(model)[1], "max_tokens": max_output}
    if made["model"] != body["model"]:  # not every model knows this way of saying how hard to think
        made.pop("output_config", None)
        if _kind(made) == "adaptive":
            _think_nothing(made)
    thinking = made.get("thinking")
    if isinstance(thinking, dict) and _kind(made) == "enabled":
        budget = thinking.get("budget_tokens")
        if not isinstance(budget, int) or budget < max_output:
            return made
        # Half for the thoughts, half for the answer: thoughts without an answer are of no use.
        if max_output // 2 < _LEAST_THINKING:
            _think_nothing(made)
        else:
            made["thinking"] = thinking | {"budget_tokens": max_output // 2}
    return made


async def count(
    session: aiohttp.ClientSession, url: str, headers: Mapping[str, str], body: Mapping[str, Any], model: str
) -> int | None:
    """How many tokens the vendor counts in a request, which is free; None if it does not say."""
    asked = {name: body[name] for name in _COUNTED if name in body} | {"model": split(model)[1]}
    try:
        async with session.post(
            url, data=to_json(asked), headers=headers, timeout=_COUNTING, allow_redirects=False
        ) as response:
            if response.status != 200:
                return None
            found = from_json(await response.content.read(1 << 16))
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError):
        return None
    tokens = found.get("input_tokens") if isinstance(found, dict) else None
    return tokens if isinstance(tokens, int) and tokens >= 0 else None


def _kind(body: Mapping[str, Any]) -> str:
    thinking = body.get("thinking")
    return str(thinking.get("type", "")) if isinstance(thinking, dict) else ""


def _think_nothing(body: dict[str, Any]) -> None:
    body.pop("thinking", None)
    rules = body.get("context_management")
    if isinstance(rules, dict) and isinstance(edits := rules.get("edits"), list):
        kept = [edit for edit in edits if not _is_of_thoughts(edit)]
        if kept:
            body["context_management"] = rules | {"edits": kept}
        else:
            del body["context_management"]


def _is_of_thoughts(edit: object) -> bool:
    """Whether a rule is about thoughts. A box may write anything there; the vendor says what is wrong with it."""
    return isinstance(edit, dict) and str(edit.get("type", "")).startswith(_THOUGHTS)
