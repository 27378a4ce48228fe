"""The texts about a task: its times, its card, its line in a list, and each of its runs."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import islice

from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.locale import Locale
from nanoclaw.domain.money import dollars
from nanoclaw.domain.shown_text import shown
from nanoclaw.domain.tasks import Run, RunReason, RunStatus, Task, TaskStatus, tries_of
from nanoclaw.domain.text import as_written
from nanoclaw.durable.stored_texts import WaitingTexts
from nanoclaw.flows.human.card_text import SHORT, span
from nanoclaw.flows.tasks.estimate import Estimate
from nanoclaw.flows.tasks.recurrence_text import rhythm, rhythm_for
from nanoclaw.texts import say, tell

SHOWN_TIMES = 3
_RESULT_SHOWN = 200
_PROMPT_SHOWN = 300
_CHECK_SHOWN = 1500  # characters; all of it comes as a document
_SIGNS = re.compile(r"[*_`~#<>|\\\[\]]")


def moment(at: datetime, locale: Locale) -> str:
    """`Mon 2026-11-16 08:00 (+02:00)`, so that nobody has to guess whose clock it is."""
    local = at.astimezone(locale.zone)
    day = say(locale.speaks, f"weekday-{local.weekday()}")
    return f"{day} {local:%Y-%m-%d %H:%M} ({offset(local)})"


def offset(local: datetime) -> str:
    """`+02:00`."""
    written = f"{local:%z}"
    return f"{written[:3]}:{written[3:5]}"


def next_times(task: Task, at: datetime) -> list[datetime]:
    if task.next_run_at is None:
        return []
    later = islice(task.schedule.times_after(max(task.next_run_at, at)), SHOWN_TIMES - 1)
    return [task.next_run_at, *later] if task.next_run_at > at else [*later]


def by_next_time(task: Task) -> tuple[bool, datetime]:
    """Sort key for lists: running and next first, paused last."""
    return task.status is TaskStatus.PAUSED, task.next_run_at or task.created_at


def card(task: Task, locale: Locale, at: datetime, *, estimate: Estimate, zone_owner: str) -> str:
    """What was understood, when it will run, on whose clock, and what it may cost."""
    language = locale.speaks
    lines = [
        say(language, f"task-card-{task.status}", id=task.id),
        f"> {as_written(_short(_work(task), _PROMPT_SHOWN))}",
        *_cut_note(task, language),
    ]
    if task.stored_text is not None:
        lines.append(say(language, "task-stored"))
    if task.why:
        lines.append(as_written(why(task, language)))
    about = [f"🔁 {as_written(rhythm(task.schedule, locale))}"] if task.schedule.repeats else []
    if task.skill:
        about.append(f"🎓 {as_written(task.skill)}")
    if about:
        lines.append(" · ".join(about))
    lines += _check(task, language)
    if task.status is TaskStatus.ACTIVE and (times := next_times(task, at)):
        listed = "\n".join(f"- {moment(each, locale)}" for each in times)
        zone = say(
            language, f"task-zone-{task.zone_of}", zone=task.schedule.timezone, name=as_written(zone_owner)
        )
        lines.append(f"{say(language, 'task-next', count=len(times))}\n{listed}\n\n{zone}")
    if task.status is TaskStatus.ACTIVE and (told := priced(estimate, language)):
        lines.append(told)
    return "\n\n".join(lines)


def document(task: Task, language: str) -> str | None:
    """All that the task does, if its card shows only part of it or drops its line ends."""
    if not _cut_names(task, language):
        return None
    parts = {say(language, "task-part-work"): _work(task), say(language, "task-part-check"): task.check or ""}
    return "\n\n".join(f"{name}:\n{shown(text)}" for name, text in parts.items() if text) + "\n"


def document_name(task: Task) -> str:
    return f"task-{task.id}.txt"


def _work(task: Task) -> str:
    return task.prompt if task.stored_text is None else task.stored_text


def _cut_names(task: Task, language: str) -> list[str]:
    is_long = len(" ".join(shown(_work(task)).split())) > _PROMPT_SHOWN
    names = [say(language, "task-part-work")] if is_long else []
    if len(shown(task.check or "")) > _CHECK_SHOWN:
        names.append(say(language, "task-part-check"))
    return names


def _cut_note(task: Task, language: str) -> list[str]:
    names = _cut_names(task, language)
    if not names:
        return []
    hidden = max(0, len(_work(task)) - _PROMPT_SHOWN) + max(0, len(task.check or "") - _CHECK_SHOWN)
    whole = len(_work(task)) + len(task.check or "")
    told = {"hidden": hidden, "whole": whole, "names": ", ".join(names), "file": document_name(task)}
    return [say(language, "task-cut", **told)]


def _check(task: Task, language: str) -> list[str]:
    """The check exactly as written: a person who keeps the task also lets its check run."""
    if not task.check:
        return []
    check = shown(task.check)
    check = check if len(check) <= _CHECK_SHOWN else f"{check[:_CHECK_SHOWN]}…"
    fence = "```"
    while fence in check:
        fence += "`"
    return [f"{say(language, 'task-check')}\n{fence}\n{check}\n{fence}"]


def priced(estimate: Estimate, language: str) -> str:
    """Empty if it costs nothing."""
    if estimate.per_run == 0:
        return ""
    is_rare = estimate.runs <= 1  # a month: say, every 31st, or once a year
    if is_rare and estimate.per_run is not None:
        return say(language, "task-cost-once", run=dollars(estimate.per_run), known=estimate.known)
    if estimate.per_run is None:
        key = "task-cost-unknown-once" if is_rare else "task-cost-unknown"
        return say(language, key, runs=estimate.runs)
    return say(
        language,
        "task-cost",
        run=dollars(estimate.per_run),
        month=dollars(estimate.per_month),
        runs=estimate.runs,
        known=estimate.known,
    )


def line(task: Task, locale: Locale, last: Run | None) -> str:
    """One line for a list: number, title, how often, when next, and how the last run went."""
    language = locale.speaks
    if task.status is TaskStatus.PAUSED:
        when = say(language, "task-line-paused")
    elif task.next_run_at:
        when = say(language, "task-line-next", time=moment(task.next_run_at, locale))
    elif last and last.status is RunStatus.UNPAID:
        when = say(language, "task-line-unpaid")
    else:
        when = say(language, "task-line-running")
    often = as_written(rhythm_for(task.schedule, locale))
    how = say(language, "task-line-last", status=told_status(last, language)) if last else ""
    return say(
        language,
        "task-line",
        id=task.id,
        title=as_written(task.title),
        rhythm=say(language, "task-line-background") if task.is_background else often,
        when=when,
        last=how,
    )


def texts_line(texts: WaitingTexts, locale: Locale, *, plain: bool = False) -> str:
    """The unsent texts of a batch in one line, however many there are."""
    said = say(
        locale.speaks,
        "task-texts-line",
        count=texts.count,
        batch=texts.batch_id[-SHORT:],
        next=moment(texts.next, locale) if texts.next and texts.count > texts.paused else "none",
        last=moment(texts.last, locale) if texts.last else "-",
        paused=texts.paused,
    )
    return said.replace("**", "") if plain else said


def told_status(run: Run, language: str) -> str:
    return say(language, f"run-{run.status}")


def run_line(run: Run, locale: Locale) -> str:
    """One line of the history: when, how it went, how long it took, what it cost, and the result."""
    language = locale.speaks
    parts = [moment(run.run_at, locale), told_status(run, language)]
    if run.duration_ms is not None:
        parts.append(span(language, timedelta(milliseconds=run.duration_ms)))
    if run.micros:
        parts.append(dollars(run.micros))
    if (tries := tries_of(run.attempts, run.status)) > 1:
        parts.append(say(language, "run-attempts", count=tries))
    said = fault(run, language) or (as_written(_short(run.result, _RESULT_SHOWN)) if run.result else "")
    return " · ".join(parts) + (f"\n  {said}" if said else "")


def fault(run: Run, language: str) -> str:
    """Why it failed or did not run, for a chat."""
    return as_written(plain_fault(run, language))


def plain_fault(run: Run, language: str) -> str:
    if not run.error:
        return ""
    values = {name: value for name, value in run.error.items() if name != "key"}
    return tell(language, NanoClawError(str(run.error["key"]), **values))


def why(task: Task, language: str) -> str:
    """Why it is paused."""
    return say(language, f"task-why-{task.why}", skill=task.skill, group=task.group)


def background_card(task: Task, language: str, *, since: timedelta, doing: str = "") -> str:
    """That it was accepted, or what it is doing."""
    minutes = task.estimated_minutes
    about = say(language, "background-estimate", minutes=minutes) if minutes else ""
    if not since and not doing:
        head = say(language, "background-accepted", id=task.id, estimate=about)
    else:
        head = say(language, "background-runs", id=task.id, since=span(language, since), estimate=about)
    lines = [head, f"> {as_written(_short(task.prompt, _PROMPT_SHOWN))}", *_cut_note(task, language)]
    lines += _check(task, language)
    return "\n\n".join([*lines, *([f"`{doing}`"] if doing else [])])


def background_over(task: Task, run: Run, language: str) -> str:
    took = span(language, timedelta(milliseconds=run.duration_ms or 0))
    cost = f" · {dollars(run.micros)}" if run.micros else ""
    head = say(language, f"background-{_ends(run)}", id=task.id, took=took)
    return f"{head}{cost}\n\n> {as_written(_short(task.prompt, 300))}"


def _ends(run: Run) -> str:
    return {RunStatus.SUCCESS: "done", RunStatus.SKIPPED: "done", RunStatus.CANCELLED: "cancelled"}.get(
        run.status, "failed"
    )


def result(task: Task, run: Run, said: str, locale: Locale) -> str:
    """The agent's answer, and the task it belongs to."""
    language = locale.speaks
    if task.is_background:
        return f"{say(language, 'background-result', id=task.id, title=_plain(task.title))}\n\n{said}"
    told = {"id": task.id, "title": _plain(task.title)}
    foot = say(language, "task-result", **told)
    if run.reason is RunReason.LATE:
        foot = say(language, "task-result-late", time=moment(run.run_at, locale), **told)
    return f"{said}\n\n*{foot}*"


def times_told(times: Sequence[datetime], locale: Locale) -> str:
    return "; ".join(moment(each, locale) for each in times)


def _short(text: str, most: int) -> str:
    words = " ".join(
        shown(text).split()
    )  # marks first: odd spaces and line ends would be taken for plain ones
    return words if len(words) <= most else f"{words[: most - 1]}…"


def _plain(text: str) -> str:
    """Without Markdown: a terminal shows an agent's answer as written."""
    return _SIGNS.sub("", text)
