"""Reads what a vendor says about a batch: its state, and the results of its requests, whatever it leaves out."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from pydantic_core import from_json

from nanoclaw.domain.batches import BrokenLine, ItemResult, ItemState, VendorBatch
from nanoclaw.domain.money import Usage, counted

_COUNTED = ("succeeded", "errored", "canceled", "expired")
_WITHOUT_TEXT = {state.value: state for state in (ItemState.CANCELED, ItemState.EXPIRED)}
_MOST_ERROR = 500
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


def read_batch(found: Mapping[str, Any]) -> VendorBatch | None:
    """None without a valid id, because the id becomes part of a URL."""
    vendor_id = found.get("id") if isinstance(found, dict) else None
    if not isinstance(vendor_id, str) or not _ID.fullmatch(vendor_id):
        return None
    counts = found.get("request_counts")
    found_counts = counts if isinstance(counts, dict) else {}
    done = sum(counted(found_counts.get(name)) for name in _COUNTED)
    return VendorBatch(
        vendor_id=vendor_id,
        has_ended=found.get("processing_status") == "ended",
        total=done + counted(found_counts.get("processing")),
        done=done,
        created_at=_time(found.get("created_at")),
        expires_at=_time(found.get("expires_at")),
    )


def read_result(line: bytes) -> ItemResult | BrokenLine:
    try:
        found = from_json(line)
    except ValueError:
        return BrokenLine(why="not JSON")
    match found:
        case {"custom_id": str(custom_id), "result": {"type": "succeeded", "message": dict(message)}}:
            return _succeeded(custom_id, message)
        case {"custom_id": str(custom_id), "result": {"type": "errored", **rest}}:
            return ItemResult(custom_id=custom_id, state=ItemState.ERRORED, error=_error(rest.get("error")))
        case {"custom_id": str(custom_id), "result": {"type": str(kind)}} if kind in _WITHOUT_TEXT:
            return ItemResult(custom_id=custom_id, state=_WITHOUT_TEXT[kind])
        case _:
            return BrokenLine(why="not a result")


def said_in(body: bytes) -> tuple[str, str]:
    """The kind of an error, and the vendor's words."""
    try:
        error = from_json(body)["error"]
        return str(error.get("type", "")), str(error["message"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return "", body.decode("utf-8", "replace")


def usage_in(message: Mapping[str, Any]) -> Usage:
    found = message.get("usage")
    used = found if isinstance(found, dict) else {}
    return Usage(
        input=counted(used.get("input_tokens")),
        output=counted(used.get("output_tokens")),
        cache_read=counted(used.get("cache_read_input_tokens")),
        cache_write=counted(used.get("cache_creation_input_tokens")),
    )


def text_in(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    return "".join(
        str(block.get("text", ""))
        for block in blocks
        if isinstance(block, dict) and block.get("type") == "text"
    )


def _succeeded(custom_id: str, message: Mapping[str, Any]) -> ItemResult:
    return ItemResult(
        custom_id=custom_id,
        state=ItemState.SUCCEEDED,
        text=text_in(message),
        usage=usage_in(message),
        is_cut=message.get("stop_reason") == "max_tokens",
    )


def _error(found: Any) -> str:
    """The error of `{"type": "error", "error": {"type": ..., "message": ...}}`, or of whatever takes its place."""
    inner = found.get("error", found) if isinstance(found, dict) else found
    said = inner.get("message") or inner.get("type") if isinstance(inner, dict) else inner
    return " ".join(str(said or "").split())[:_MOST_ERROR]


def _time(found: object) -> datetime | None:
    if not isinstance(found, str):
        return None
    try:
        at = datetime.fromisoformat(found)
    except ValueError:
        return None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
