"""How batches and their texts are printed on a terminal."""

from nanoclaw.cli.plain_lines import clean, one_line
from nanoclaw.console.batch_shapes import Batch, BatchCost, BatchLine, BatchText
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.money import MICROS, dollars
from nanoclaw.flows.pipelines.run_text import money_between
from nanoclaw.flows.tasks.task_text import moment
from nanoclaw.texts import say

_INDENT = "    "


def batch_line(locale: Locale, row: BatchLine) -> str:
    """One line for the list: id, what, how far, what it cost, and when."""
    parts = [standing(row, locale.speaks), _cost(row.cost_usd), moment(row.created_at, locale)]
    return f"{row.short}  {row.items} × {one_line(row.subject)}\n{_INDENT}{' · '.join(parts)}"


def standing(row: BatchLine, language: str) -> str:
    status = say(language, f"batch-status-{'unpaid' if row.unpaid else row.status}")
    counts = row.counts
    return say(
        language,
        "batches-standing",
        status=status,
        ready=counts.succeeded,
        of=row.items,
        passed=counts.passed,
        failed=counts.errored + counts.expired,
    )


def whole_lines(locale: Locale, row: Batch) -> list[str]:
    """Everything about one batch, without its texts."""
    language, counts = locale.speaks, row.counts
    about = {"model": row.model, "skill": row.skill, "channel": row.channel}
    lines = [
        f"{row.short}  {row.items} × {one_line(row.subject)}",
        standing(row, language),
        *([one_line(row.why)] if row.why else []),
        say(language, "batches-verdicts", approved=counts.approved, rejected=counts.rejected),
        _spent(row, language),
        " · ".join(f"{name}: {one_line(value)}" for name, value in about.items() if value),
        say(language, "tasks-where", group=one_line(row.group), chat=one_line(row.chat_title)),
        say(
            language,
            "batches-started",
            name=one_line(row.started_by),
            time=moment(row.started_at or row.created_at, locale),
        ),
    ]
    lines += [
        say(
            language,
            "batches-part",
            number=part.number,
            state=say(language, f"batch-part-{part.state}"),
            count=part.last_item - part.first_item + 1,
            first=part.first_item,
            last=part.last_item,
            done=part.done,
        )
        for part in row.parts
    ]
    if row.scheduled:
        lines.append(scheduled_line(row, locale))
    if row.saved and row.saved.folder:
        lines.append(
            say(
                language, "batch-saved", count=row.saved.count, id=row.short, folder=row.saved.folder
            ).replace("`", "")
        )
    return [line for line in lines if line]


def scheduled_line(row: Batch, locale: Locale) -> str:
    waiting = row.scheduled
    return say(
        locale.speaks,
        "batches-scheduled",
        count=waiting.count + waiting.left if waiting else 0,
        next=moment(waiting.next_at, locale) if waiting and waiting.next_at else "-",
        last=moment(waiting.last_at, locale) if waiting and waiting.last_at else "-",
    )


def estimate_lines(row: BatchCost, language: str) -> list[str]:
    """The estimate before a start."""
    low, high = (round(each * MICROS) for each in row.cost_usd)
    alone = round(row.one_by_one_usd * MICROS)
    told = {"cost": money_between(low, high), "alone": money_between(alone, alone)}
    key = "batches-estimate" if high else "batches-estimate-free"
    lines = [
        say(language, key, count=row.count, **told),
        " · ".join(one_line(each) for each in (row.model, row.skill, row.channel) if each),
    ]
    if row.fits < row.count:
        left = dollars(max(0, round((row.left_usd or 0) * MICROS)))
        lines.append(say(language, "batches-budget", left=left, fits=row.fits, count=row.count))
    return lines


def text_line(locale: Locale, row: BatchText) -> str:
    """One line for a list: number, topic, state, faults; then the text."""
    language = locale.speaks
    state = row.verdict if row.state == "succeeded" and row.verdict != "open" else row.state
    parts = [say(language, f"batch-text-{state}")]
    if row.grade is not None:
        parts.append(say(language, "batch-review-grade", grade=row.grade))
    parts += [f"⚠️ {one_line(each)}" for each in row.faults]
    if row.send_at:
        parts.append(
            say(language, "batches-send-at", time=moment(row.send_at, locale), task=str(row.task_id))
        )
    if row.error:
        parts.append(one_line(row.error))
    head = f"{row.number}. {one_line(row.topic)}\n{_INDENT}{' · '.join(parts)}"
    body = [f"{_INDENT}│ {line}" for line in clean(row.text, longest=None)] if row.text else []
    return "\n".join([head, *body])


def _spent(row: Batch, language: str) -> str:
    if row.expected_cost_usd is None:
        return _cost(row.cost_usd)
    low, high = (round(each * MICROS) for each in row.expected_cost_usd)
    if not high:
        return say(language, "start-free")
    return say(language, "batches-spent", cost=_cost(row.cost_usd), expected=money_between(low, high))


def _cost(usd: float) -> str:
    return dollars(round(usd * MICROS))
