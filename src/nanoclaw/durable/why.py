"""Why a message got its answer, or none: the whole story, from the rows alone."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from nanoclaw.domain.locale import Locale
from nanoclaw.durable import (
    analyses,
    chain_history,
    history,
    memory_uses,
    plans,
    questions,
    rests,
    timeline,
    transfer_history,
)
from nanoclaw.durable.memory_uses import UsedEntry
from nanoclaw.durable.store import Tx
from nanoclaw.durable.timeline import Event
from nanoclaw.texts import say

_DELIVERIES = (Event.DELIVERED, Event.DELIVERY_FAILED, Event.DELIVERY_UNKNOWN, Event.DELIVERY_DROPPED)


@dataclass(frozen=True, kw_only=True, slots=True)
class ToldStep:
    at: datetime
    event: str
    sentence: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Explanation:
    """The state of a message in one sentence, how it got there, and which memory its answer could use."""

    id: str
    text: str
    state: str
    sentence: str
    steps: tuple[ToldStep, ...]
    memories: tuple[UsedEntry, ...] = ()


def explain(tx: Tx, message_id: str, locale: Locale) -> Explanation | None:
    """Explain a message. One given to an agent of a chain, a plan or an analysis leads to the message that
    started it.
    """
    began = plans.began_with(tx, message_id) or analyses.began_with(tx, message_id)
    message_id = began or chain_history.root_of(tx, message_id)
    items = history.messages_by_id(tx, [message_id], unsaid=True)
    if not items:
        return None
    item, steps = items[0], timeline.of_message(tx, message_id)
    deliveries = [step.event for step in steps if step.event in _DELIVERIES]
    turns = timeline.turns_of(tx, message_id)
    never_arrived = item.state == "answered" and deliveries and deliveries[-1] is not Event.DELIVERED
    asks = item.state == "running" and any(
        each.is_open for turn in turns for each in questions.of_execution(tx, turn)
    )
    rest = rests.of_message(tx, message_id)
    state = "undelivered" if never_arrived else "asks" if asks else "rests" if rest else item.state
    resting = {"deaths": rest.deaths, "time": f"{rest.until.astimezone(locale.zone):%H:%M}"} if rest else {}
    return Explanation(
        id=item.id,
        text=item.text,
        state=item.state,
        sentence=say(locale.speaks, f"state-{state}", place=item.place or 0, **resting),
        steps=tuple(
            sorted(
                (
                    *_told(steps, locale),
                    *_followed(tx, message_id, locale),
                    *_transferred(tx, message_id, locale),
                ),
                key=lambda step: step.at,
            )
        ),
        memories=tuple(memory_uses.of_turns(tx, turns)),
    )


def _told(steps: Iterable[timeline.TimelineStep], locale: Locale) -> Iterator[ToldStep]:
    for step in steps:
        yield ToldStep(at=step.at, event=step.event.value, sentence=_sentence(step, locale))


def _followed(tx: Tx, message_id: str, locale: Locale) -> Iterator[ToldStep]:
    """Pipelines and handoffs that began with it, to the last answer."""
    for chain_id in chain_history.chains_of(tx, message_id):
        story, events = chain_history.history_of(tx, chain_id)
        yield from _told(events, locale)
        for step in story:
            values = dict(step.values)
            error = values.pop("error", None)
            reason = say(locale.speaks, f"error-{error['key']}", **error) if isinstance(error, dict) else "-"
            sentence = say(locale.speaks, f"why-{step.key}", **values, reason=reason)
            yield ToldStep(at=step.at, event=step.key, sentence=sentence)


def _transferred(tx: Tx, message_id: str, locale: Locale) -> Iterator[ToldStep]:
    """The transfers that followed from it."""
    for step in transfer_history.history_of(tx, message_id):
        values = {name: _worded(value, locale) for name, value in step.values.items()}
        yield ToldStep(at=step.at, event=step.key, sentence=say(locale.speaks, f"why-{step.key}", **values))


def _worded(value: object, locale: Locale) -> object:
    """The text for a key, and the reason for a stored trouble."""
    if isinstance(value, dict):
        return say(locale.speaks, f"error-{value['key']}", **value["values"])
    return say(locale.speaks, value[1:]) if isinstance(value, str) and value.startswith("=") else value


def _sentence(step: timeline.TimelineStep, locale: Locale) -> str:
    values = dict(step.detail)
    if reason := values.get("reason"):
        values["reason"] = say(locale.speaks, f"reason-{reason}", **values)
    if error := values.get("error"):
        values["error"] = say(locale.speaks, f"error-{error}", **values)
    key = "why-admitted-because" if step.event is Event.ADMITTED and reason else f"why-{step.event}"
    return say(locale.speaks, key, **values)
