"""Why a change of memory was refused or set aside, and what maintenance did, as sentences."""

from typing import Any

from nanoclaw.durable.memory_changes import Action, Change, ChangeState
from nanoclaw.texts import say


def reason_sentence(language: str, change: Change) -> str | None:
    """None if there is nothing to say: most changes are simply written."""
    reason: dict[str, Any] = dict(change.reason or {})
    if "dropped" in reason:
        return say(language, "memory-reason-dropped", name=reason["dropped"])
    if "mended" in reason:
        return say(language, "memory-reason-mended", id=reason["mended"])
    if "declined" in reason:
        return say(language, "memory-reason-declined")
    if "conflict" in reason:
        return say(language, "memory-reason-conflict", id=reason["conflict"])
    if fault := reason.get("fault"):
        said = fault_sentence(language, str(fault), str(reason.get("field") or ""))
        return f"{said} ({reason['file']})" if reason.get("file") else said
    if masked := reason.get("masked"):
        kinds = ", ".join(map(str, masked))
        return say(language, "memory-reason-masked", kinds=kinds)
    return None


def fault_sentence(language: str, fault: str, field: str = "") -> str:
    """Why a line cannot be used."""
    key = f"memory-line-{fault}"
    said = say(language, key, field=field)
    return say(language, "memory-line-other", fault=fault) if said == key else said


def report_sentence(language: str, change: Change, *, entries: int) -> str:
    """What maintenance or a rebuild did."""
    if change.state is ChangeState.WAITING:
        return say(language, "memory-under-way")
    if change.state is ChangeState.REFUSED:
        return reason_sentence(language, change) or say(language, "memory-change-refused")
    if change.action is Action.REBUILD:
        return say(language, "memory-rebuilt", company=change.company, entries=entries)
    report: dict[str, Any] = dict(change.reason or {})
    counts = {name: int(report.get(name) or 0) for name in ("doubles", "expired", "archived")}
    return say(language, "memory-compacted", company=change.company, **counts)
