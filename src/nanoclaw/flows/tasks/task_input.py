"""Parses a task as an agent, a command or the page writes it. Raises Refused."""

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from nanoclaw.domain import schedules
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.locale import find_zone
from nanoclaw.domain.schedules import Schedule, ScheduleType
from nanoclaw.domain.shown_text import shown, unmarked
from nanoclaw.domain.tasks import CHOICES, NUMBERS, SPANS, Policy, Priority, Task, TaskKind, WantedTask
from nanoclaw.domain.text import storable
from nanoclaw.times.until import read_span, span_of
from nanoclaw.times.when import read_when

_LONGEST_SPAN = timedelta(days=31)
_TIERS = ("haiku", "sonnet", "opus", "auto")
_MODEL = re.compile(r"[\w./:-]*[\d./:-][\w./:-]*")
_NOTHING = ("", "none", "never", "0", "off")
POLICY_KEYS = (*CHOICES, "alarm_to", *SPANS, *NUMBERS)


def read_task(given: Mapping[str, Any], at: datetime, timezone: str, usual: Policy) -> WantedTask:
    """`timezone` applies if none is named; `usual` is the default policy. With `background`: now, and once."""
    zone = zone_named(given.get("timezone"), timezone)
    is_background = bool(given.get("background"))
    return WantedTask(
        kind=TaskKind.BACKGROUND if is_background else TaskKind.SCHEDULED,
        schedule=_at_once(at, zone) if is_background else read_schedule(given, at, zone),
        prompt=str(given.get("prompt") or ""),
        skill=str(given.get("skill") or ""),
        model=_model(given.get("model")),
        notify=given.get("notify", True) is not False,
        policy=read_policy(given, usual),
        check=storable(str(given["check"])) if given.get("check") else None,
        priority=Priority(given.get("priority") or Priority.NORMAL),
        estimated_minutes=given.get("estimated_minutes"),
    )


def read_edit(given: Mapping[str, Any], task: Task, at: datetime) -> dict[str, Any]:
    """The changes, as `TaskChanges.edit` takes them; what is not given stays. A form sends back what it was given to
    show: that is no change, and must not put the marks in place of the letters.
    """
    edit: dict[str, Any] = {"prompt": _changed(given.get("prompt"), task.prompt)}
    if any(given.get(name) for name in ("when", "schedule_value", "timezone")):
        zone = zone_named(given.get("timezone"), task.schedule.timezone)
        edit["schedule"] = read_schedule({**_before(given, task), **given}, at, zone)
    if any(given.get(name) is not None for name in POLICY_KEYS):
        edit["policy"] = read_policy(given, task.policy)
    if given.get("notify") is not None:
        edit["notify"] = given["notify"]
    if given.get("model") is not None:
        edit["model"] = _model(given["model"])
    if (check := _changed(given.get("check"), task.check)) is not None:
        edit["check_script"] = storable(check) or None
    return edit


def _changed(given: str | None, before: str | None) -> str | None:
    """None if it is what people are shown of the text before."""
    if given is None or before is None:
        return given
    return None if given.strip() == shown(before).strip() else unmarked(given, before)


def _model(name: str | None) -> str | None:
    """A tier, or a vendor's model name. Any other word would fail only when the task runs, so it is refused now."""
    if not name:
        return None
    if name not in _TIERS and not _MODEL.fullmatch(name):
        raise Refused("task-no-model", model=name[:40], known=", ".join(_TIERS))
    return name


def _before(given: Mapping[str, Any], task: Task) -> dict[str, Any]:
    """A new value keeps the old type only if both are intervals; its words decide otherwise."""
    value = given.get("schedule_value")
    if not value:
        return {"schedule_type": task.schedule.type, "schedule_value": task.schedule.value}
    is_distance = value.isdigit() or span_of(value.strip().lower()) is not None
    is_interval = task.schedule.type is ScheduleType.INTERVAL
    return {"schedule_type": task.schedule.type} if is_distance and is_interval else {}


def _at_once(at: datetime, timezone: str) -> Schedule:
    return Schedule(type=ScheduleType.ONCE, value=at.isoformat(), timezone=timezone, anchor=at)


def read_schedule(given: Mapping[str, Any], at: datetime, timezone: str) -> Schedule:
    """From `schedule_type` and `schedule_value`, or `when` in words; both accept words."""
    if given.get("when"):
        return read_when(str(given["when"]), at, timezone)
    value = str(given.get("schedule_value") or "").strip()
    match given.get("schedule_type"):
        case ScheduleType.CRON if _looks_like_cron(value):
            return schedules.cron(value, timezone, at)
        case ScheduleType.INTERVAL if value.isascii() and value.isdigit():
            return schedules.interval(timedelta(seconds=min(int(value[:12]), 10**10)), timezone, at)
        case ScheduleType.INTERVAL if not value.lower().startswith(("every", "кожн", "що")):
            return schedules.interval(read_span(value), timezone, at)
        case _:
            return read_when(value, at, timezone)


def read_policy(given: Mapping[str, Any], usual: Policy) -> Policy:
    """The policy; what is not given stays."""
    said: dict[str, Any] = {}
    for name, kind in CHOICES.items():
        if (value := given.get(name)) is not None:
            known = [each.value for each in kind]
            if value not in known:
                raise Refused("task-no-such-choice", name=name, value=str(value)[:40], known=", ".join(known))
            said[name] = kind(value)
    for name in SPANS:
        if (value := given.get(name)) is not None:
            said[name] = _span(name, str(value))
    for name, (least, most) in NUMBERS.items():
        if (value := given.get(name)) is not None:
            if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
                raise Refused("task-bad-number", name=name, value=str(value)[:40], least=least, most=most)
            said[name] = value
    if given.get("alarm_to") is not None:
        said["alarm_to"] = str(given["alarm_to"]).strip() or None
    return replace(usual, **said)


def zone_named(name: object, usual: str) -> str:
    if not name:
        return usual
    zone = find_zone(str(name)) if len(str(name)) < 60 else None
    if zone is None:
        raise Refused("timezone-unknown", zone=str(name)[:50])
    return zone


def _span(name: str, value: str) -> timedelta | None:
    if value.strip().lower() in _NOTHING:
        return timedelta() if name in ("jitter", "retry_pause") else None
    span = read_span(value)
    if span > _LONGEST_SPAN:
        raise Refused("task-span-long", name=name, value=value[:40], days=_LONGEST_SPAN.days)
    return span


def _looks_like_cron(value: str) -> bool:
    return value.startswith("@") or not any(letter.isalpha() for letter in value.split(" ")[0])
