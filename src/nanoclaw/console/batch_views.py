"""Batches and their texts as the API shows them, in the owner's language."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from nanoclaw.console import batch_shapes as shapes
from nanoclaw.console.markdown import to_html
from nanoclaw.domain import batches as domain
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.money import MICROS
from nanoclaw.domain.questions import hash_of
from nanoclaw.durable import batch_parts, batches, people, questions, stored_texts, tasks
from nanoclaw.durable.store import Tx
from nanoclaw.flows.batches.batch_text import reason
from nanoclaw.flows.batches.quality import fault_text
from nanoclaw.flows.batches.schedule import plan_of
from nanoclaw.flows.human.card_text import SHORT
from nanoclaw.texts import tell


def show_line(tx: Tx, batch: domain.Batch, language: str) -> shapes.BatchLine:
    return shapes.BatchLine(**_line(tx, batch, language))


def show_batch(tx: Tx, batch: domain.Batch, language: str, timezone: str) -> shapes.Batch:
    return shapes.Batch(
        **_line(tx, batch, language),
        parts=[
            shapes.BatchPart.of(part, state=part.state.value) for part in batch_parts.of_batch(tx, batch.id)
        ],
        scheduled=_scheduled(tx, batch),
        saved=_saved(batch),
        timezone=timezone,
    )


def _line(tx: Tx, batch: domain.Batch, language: str) -> dict[str, Any]:
    counts, chat = batches.counts(tx, batch.id), people.chat(tx, batch.chat_id)
    estimate = batch.estimate or {}
    same = ("id", "subject", "company", "group", "chat_id", "model", "skill", "channel", "language", "items")
    more = ("least_grade", "cancelled_by", "created_at", "started_at", "ended_at")
    return {
        **{name: getattr(batch, name) for name in (*same, *more)},
        "short": batch.id[-SHORT:],
        "status": batch.status.value,
        "unpaid": batch.is_unpaid,
        "chat_title": chat.title if chat else "",
        "started_by": people.person(tx, batch.started_by).name,
        "counts": shapes.BatchCounts.of(counts),
        "cost_usd": counts.micros / MICROS,
        "expected_cost_usd": (estimate["low"] / MICROS, estimate["high"] / MICROS)
        if "low" in estimate
        else None,
        "one_by_one_usd": estimate["alone"] / MICROS if "alone" in estimate else None,
        "why": _sentence(batch.why, language),
        "question_id": _open_question(tx, batch),
    }


def show_texts(
    tx: Tx, found: Sequence[domain.BatchItem], language: str, *, html: bool
) -> list[shapes.BatchText]:
    due = {
        task.id: task for each in found if each.task_id is not None and (task := tasks.get(tx, each.task_id))
    }
    return [_text(item, due.get(item.task_id or 0), language, html=html) for item in found]


def _text(item: domain.BatchItem, task: Any, language: str, *, html: bool) -> shapes.BatchText:
    is_written = item.state is domain.ItemState.SUCCEEDED
    return shapes.BatchText.of(
        item,
        state=item.state.value,
        text_sha256=hash_of(item.text),
        html=_html(item.text) if html and is_written else "",
        error=None if is_written or not item.state.is_over else reason(item, language),
        faults=[fault_text(language, fault) for fault in item.faults],
        verdict=item.verdict.value,
        send_at=task.next_run_at if task else None,
        is_sent=bool(task and not task.status.is_alive),
        cost_usd=item.micros / MICROS,
    )


@lru_cache(maxsize=512)
def _html(text: str) -> str:
    """Cached: a watched batch is requested many times, and its texts seldom change."""
    return to_html(text)


def _sentence(why: Mapping[str, Any] | None, language: str) -> str | None:
    if not why or "key" not in why:
        return None
    return tell(language, NanoClawError(str(why["key"]), **{k: v for k, v in why.items() if k != "key"}))


def _open_question(tx: Tx, batch: domain.Batch) -> str | None:
    asked = (batch.plan or {}).get("asked") or {}
    for found in (asked.get("question"), batch.question_id):
        question = questions.get(tx, found) if found else None
        if question and question.is_open:
            return question.id
    return None


def _scheduled(tx: Tx, batch: domain.Batch) -> shapes.ScheduledTexts | None:
    plan, waiting = plan_of(batch), stored_texts.waiting(tx, batch_id=batch.id)
    if plan is None:
        return None
    line = waiting[0] if waiting else None
    return shapes.ScheduledTexts(
        count=line.count if line else 0,
        paused=line.paused if line else 0,
        left=plan["left"],
        next_at=line.next if line else None,
        last_at=line.last if line else None,
    )


def _saved(batch: domain.Batch) -> shapes.SavedTexts | None:
    files = (batch.plan or {}).get("files")
    if not files:
        return None
    folder = f"groups/{batch.group}/files/{files['folder']}" if "folder" in files else None
    return shapes.SavedTexts(folder=folder, count=files.get("count", 0))
