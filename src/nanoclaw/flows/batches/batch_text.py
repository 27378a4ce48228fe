"""The texts about a batch: how far it is, what failed and what to do about it, how it ended, and its line in a list."""

from collections.abc import Mapping, Sequence
from typing import Any

from nanoclaw.domain.batches import Batch, BatchCounts, BatchItem, BatchStatus, ItemState
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.money import dollars
from nanoclaw.domain.text import as_written
from nanoclaw.flows.human.card_text import SHORT
from nanoclaw.flows.pipelines.run_text import money_between
from nanoclaw.texts import say, tell

MOST_FAILED = 5  # listed one by one in the message of a batch
_SUBJECT, _TOPIC, _ERROR = 200, 60, 160  # characters shown
_STEPS = 20  # steps in which the number rises while it runs: each is an edit in somebody's chat


def short_id(batch: Batch) -> str:
    return batch.id[-SHORT:]


def in_short(text: str, most: int = _TOPIC) -> str:
    words = " ".join(text.split())
    return words if len(words) <= most else f"{words[: most - 1]}…"


def card(batch: Batch, counts: BatchCounts, failed: Sequence[BatchItem], language: str) -> str:
    """The one message of a batch."""
    subject = as_written(in_short(batch.subject, _SUBJECT))
    parts = [say(language, "batch-head", count=batch.items, subject=subject, id=short_id(batch))]
    parts.append(_state(batch, counts, language))
    if (wanted := (batch.estimate or {}).get("items", batch.items)) > batch.items:
        is_paid_part = batch.items == (batch.estimate or {}).get("fits")
        key = "batch-fewer-paid" if is_paid_part else "batch-fewer"
        parts.append(say(language, key, count=batch.items, wanted=wanted))
    if batch.status is BatchStatus.CANCELLED and counts.succeeded:
        parts.append(say(language, "batch-kept-how", id=short_id(batch)))
    if why := _why(batch.why, language):
        parts.append(as_written(why))
    if failed:
        parts.append("\n".join(failures(batch, counts, failed, language)))
    if counts.micros or not batch.status.is_over:
        parts.append(_figures(batch, counts, language))
    return "\n\n".join(part for part in parts if part)


def failures(batch: Batch, counts: BatchCounts, failed: Sequence[BatchItem], language: str) -> list[str]:
    """A line for each failed item, saying what happened and what can be done."""
    lines = [
        say(
            language,
            "batch-item-failed",
            number=str(item.number),
            topic=as_written(in_short(item.topic)),
            said=as_written(reason(item, language)),
        )
        for item in failed
    ]
    if (more := counts.failed - len(failed)) > 0:
        lines.append(say(language, "batch-items-more", count=more))
    lines.append(say(language, "batch-again-how", id=short_id(batch), number=str(failed[0].number)))
    return lines


def reason(item: BatchItem, language: str) -> str:
    """Why there is no text."""
    if item.state is ItemState.EXPIRED:
        return say(language, "batch-item-expired")
    if item.state is ItemState.CANCELED:
        return say(language, "batch-item-canceled")
    return in_short(item.error or say(language, "batch-item-no-reason"), _ERROR)


def line(batch: Batch, counts: BatchCounts, language: str) -> str:
    """One line for a list of batches."""
    return say(
        language,
        "batch-line",
        id=short_id(batch),
        count=batch.items,
        subject=as_written(in_short(batch.subject)),
        status=say(language, f"batch-status-{'unpaid' if batch.is_unpaid else batch.status}"),
        ready=counts.succeeded,
        cost=f" · {dollars(counts.micros)}" if counts.micros else "",
    )


def cost_line(estimate: Mapping[str, Any], language: str) -> str:
    """`≈ $0.08 instead of $1.50`."""
    if not estimate["high"]:
        return say(language, "batch-free")
    cost = money_between(estimate["low"], estimate["high"])
    return say(language, "batch-cost", cost=cost, alone=money_between(estimate["alone"], estimate["alone"]))


def _state(batch: Batch, counts: BatchCounts, language: str) -> str:
    ready, of = counts.succeeded, batch.items
    if batch.status is BatchStatus.RUNNING:
        step = max(1, of // _STEPS)
        ready = ready if counts.over >= of else ready // step * step
    if batch.status is BatchStatus.READY or (batch.status is BatchStatus.DONE and ready):
        return say(language, "batch-ready", ready=ready, passed=counts.passed, failed=counts.failed)
    key = f"batch-state-{'unpaid' if batch.is_unpaid else batch.status}"
    return say(language, key, ready=ready, of=of, topics=counts.items, passed=counts.passed)


def _why(why: Mapping[str, Any] | None, language: str) -> str:
    if not why or "key" not in why:
        return ""
    values = {name: value for name, value in why.items() if name != "key"}
    return tell(language, NanoClawError(str(why["key"]), **values))


def _figures(batch: Batch, counts: BatchCounts, language: str) -> str:
    estimate = batch.estimate
    if not estimate or not estimate.get("high"):
        return say(language, "batch-spent", cost=dollars(counts.micros)) if counts.micros else ""
    expected = money_between(estimate["low"], estimate["high"])
    is_written = batch.status.is_over or batch.status is BatchStatus.READY
    key = "batch-spent-end" if is_written else "batch-spent-of"
    return say(language, key, cost=dollars(counts.micros), expected=expected)


def cut(text: str, most: int) -> str:
    """Shorten a text to `most` characters, keeping its line breaks."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
