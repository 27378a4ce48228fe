"""What owners are told about the host itself: that something may be killing it, and that its clock is wrong."""

from datetime import timedelta

from nanoclaw.delivery.alerts import Alerts
from nanoclaw.domain.parcels import Button
from nanoclaw.durable import people, sessions, work
from nanoclaw.durable.clock import A_JUMP, now
from nanoclaw.durable.store import Tx
from nanoclaw.durable.work import Suspect
from nanoclaw.texts import say

_TURNS = (work.TURN, work.RUN, work.BACKGROUND, work.STEP)


def tell_of_suspects(alerts: Alerts, tx: Tx, suspects: list[Suspect]) -> None:
    """Report each piece of work once; each rest is longer."""
    for suspect in suspects:

        def words(language: str, suspect: Suspect = suspect) -> tuple[str, tuple[Button, ...]]:
            minutes = round(suspect.rests.total_seconds() / 60)
            named = {"kind": suspect.kind, "key": suspect.key, "chat": _chat_of(tx, suspect) or "none"}
            return say(language, "alert-suspect", deaths=suspect.deaths, minutes=minutes, **named), ()

        alerts.post(tx, f"suspect-{suspect.kind}-{suspect.key}", words)


def tell_of_clock(alerts: Alerts, tx: Tx, *, apart: timedelta) -> None:
    """Report once a day; due times are right anyway."""
    if abs(apart) < A_JUMP:
        return
    seconds = round(apart.total_seconds())
    alerts.post(
        tx,
        f"clock-{now():%Y-%m-%d}",
        lambda language: (say(language, "alert-clock-apart", seconds=seconds), ()),
    )


def _chat_of(tx: Tx, suspect: Suspect) -> str | None:
    if suspect.kind in _TURNS:
        chat = people.chat(tx, sessions.get(tx, suspect.key).chat_id)
    elif suspect.kind == work.DELIVERY:
        chat = people.chat(tx, suspect.key)
    else:
        return None
    return chat.title if chat else None
