"""How entries of memory, their stories and the state of the files are printed on a terminal."""

from collections.abc import Iterator
from datetime import datetime

from nanoclaw.cli.plain_lines import clean, one_line
from nanoclaw.console import memory_shapes as shapes
from nanoclaw.domain.locale import Locale
from nanoclaw.texts import say

_INDENT = "    "


def entry_line(locale: Locale, row: shapes.MemoryEntry) -> str:
    return f"{row.id}  {one_line(row.text)}\n{_INDENT}{' · '.join(_about(locale, row))}"


def _about(locale: Locale, row: shapes.MemoryEntry) -> list[str]:
    language = locale.speaks
    marks = [
        say(language, f"memory-kind-{row.kind}"),
        "" if row.state == "live" else say(language, f"memory-state-{row.state}"),
        say(language, "memory-expired") if row.is_expired else "",
        say(language, "memory-hearsay") if row.trust == "hearsay" else "",
        say(language, "memory-public") if row.is_public else "",
        one_line(row.name),
        _time(locale, row.at),
        one_line(row.topic),
    ]
    return [mark for mark in marks if mark]


def story_lines(locale: Locale, story: shapes.MemoryStory) -> Iterator[str]:
    """Everything about one entry."""
    language, entry = locale.speaks, story.entry
    yield f"{entry.id}: {', '.join(_about(locale, entry))}"
    yield from (f"│ {line}" for line in clean(entry.text, longest=None))
    facts = {
        "company": entry.company,
        "domain": entry.domain,
        "related": ", ".join(entry.related),
        "source": entry.source,
        "expires": _time(locale, entry.expires) if entry.expires else "",
        "file": entry.file,
        "said": _said(locale, story.message) if story.message else "",
    }
    for name, value in facts.items():
        if value:
            yield f"{say(language, f'memory-of-{name}')}: {one_line(value)}"
    for key, found in (("replaced", story.replaced), ("replaced-by", story.replaced_by)):
        for each in found:
            yield f"{say(language, f'memory-of-{key}')}: {each.id} {one_line(each.text)}"
    for change in story.changes:
        yield change_line(locale, change)
    if story.times_used:
        yield say(language, "memory-of-used", count=story.times_used)
        for use in story.uses:
            yield f"{_INDENT}{_time(locale, use.at)} {use.turn_id} {one_line(use.chat)}: {one_line(use.text)}"
    if story.line:
        yield f"{say(language, 'memory-of-line')}: {story.line}"


def change_line(locale: Locale, change: shapes.MemoryChange) -> str:
    language = locale.speaks
    done = say(language, f"memory-act-{change.action}")
    state = "" if change.state == "written" else f", {say(language, f'memory-change-{change.state}')}"
    why = f": {one_line(change.reason)}" if change.reason else ""
    by = f" ({one_line(change.name)})" if change.name else ""
    return f"{_time(locale, change.at)}  {done}{by}{state}{why}"


def quarantine_line(locale: Locale, change: shapes.MemoryChange) -> str:
    raw = one_line(change.raw or "")
    return f"{change.id}  {_time(locale, change.at)}  {one_line(change.reason or '')}\n{_INDENT}{raw}"


def result_lines(locale: Locale, result: shapes.MemoryResult, done: str) -> Iterator[str]:
    """What was done, or what prevents it."""
    language = locale.speaks
    if result.state == "written":
        yield say(language, done, id=result.id)
        if result.entry is not None:
            yield entry_line(locale, result.entry)
    else:
        why = one_line(result.reason or "")
        yield say(language, f"memory-result-{result.state}", id=result.id, why=why)


def stats_lines(locale: Locale, stats: shapes.MemoryStats) -> Iterator[str]:
    language = locale.speaks
    yield say(language, "memory-stats", company=stats.company, live=stats.live)
    for each in stats.counts:
        state = "" if each.state == "live" else f" ({say(language, f'memory-state-{each.state}')})"
        yield f"{_INDENT}{say(language, f'memory-kind-{each.kind}')}{state}: {each.count}"
    for name in ("hearsay", "public", "waiting", "quarantined"):
        if count := getattr(stats, name):
            yield say(language, f"memory-stats-{name}", count=count)
    if stats.oldest and stats.newest:
        yield f"{_time(locale, stats.oldest)} … {_time(locale, stats.newest)}"
    for file in stats.files:
        count = "" if file.lines is None else f", {say(language, 'memory-stats-lines', count=file.lines)}"
        yield f"{_INDENT}{file.name}: {file.bytes} B{count}"


def _said(locale: Locale, message: shapes.MemoryMessage) -> str:
    return f"{message.sender}, {message.chat}, {_time(locale, message.at)} ({message.id}): {message.text}"


def _time(locale: Locale, at: datetime) -> str:
    return f"{at.astimezone(locale.zone):%Y-%m-%d %H:%M}"
