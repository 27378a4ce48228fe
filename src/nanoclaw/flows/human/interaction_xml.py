"""An interactive session as XML, pending and resolved: for the agent that asked, and for people who look at it."""

import json
from datetime import timedelta
from xml.sax.saxutils import escape, quoteattr

from nanoclaw.domain.outcomes import APPROVED, REJECTED, OutcomeType, outcome_of
from nanoclaw.domain.questions import Question, Status
from nanoclaw.domain.text import storable
from nanoclaw.durable.live_sessions import LiveSession

_MILLISECOND = timedelta(milliseconds=1)
_NOTHING = {
    Status.TIMEOUT: "Nobody concluded it in time, and nothing was decided. Do not take it for a yes or a no.",
    Status.CANCELLED: "It was taken back; nothing was decided.",
}
_MOST_RESPONSE = 40_000  # characters
_MOST_TRANSCRIPT = 20_000


def as_xml(question: Question, live: LiveSession | None = None) -> str:
    """`<human-interaction>`: what was asked, and what came of it. Nothing in it can close an element of ours."""
    head = (
        f"<human-interaction type={quoteattr(question.kind.value)} status={quoteattr(question.status.value)}>"
    )
    body = [
        _tag("prompt", question.prompt),
        *(_pending(question, live) if question.is_open else _ended(question)),
    ]
    return "\n".join([head, *(f"  {line}" for line in body), "</human-interaction>"])


def _pending(question: Question, live: LiveSession | None) -> list[str]:
    config = question.config or {}
    span = (question.deadline_at - question.created_at) // _MILLISECOND
    said = [_tag("model", config["model"])] if config.get("model") else []
    said.append(_tag("timeout", str(config.get("timeout") or span)))
    said.append(_tag("outcome-type", outcome_of(config).type or OutcomeType.FREEFORM))
    opened = live is not None and live.opened_at is not None
    waits = (
        "Someone works on it; waiting for the conclusion..."
        if opened
        else "Waiting for interactive session to complete..."
    )
    return ["<config>", *(f"  {line}" for line in said), "</config>", _tag("message", waits)]


def _ended(question: Question) -> list[str]:
    is_approval = outcome_of(question.config).type is OutcomeType.APPROVAL
    decided = question.concluded if question.status is Status.COMPLETED else None
    response: object = decided
    if is_approval and question.user_input:
        response = {"approved": decided == APPROVED, "notes": question.user_input}
    said = [_tag("outcome", decided)] if is_approval and decided in (APPROVED, REJECTED) else []
    if question.duration_ms is not None:
        said.append(_tag("duration", str(question.duration_ms)))
    if question.status is Status.COMPLETED:
        written = response if isinstance(response, str) else json.dumps(response, ensure_ascii=False)
        said.append(_tag("response", _cut(written, _MOST_RESPONSE)))
    if question.decided_name and question.status is not Status.TIMEOUT:
        said.append(_tag("decided-by", question.decided_name))
    if question.error:
        said.append(_tag("error", question.error))
    if question.status in _NOTHING:
        said.append(_tag("message", _NOTHING[question.status]))
    if question.transcript:
        said.append(_tag("transcript", _cut(question.transcript, _MOST_TRANSCRIPT)))
    return said


def _tag(name: str, text: object) -> str:
    return f"<{name}>{escape(storable(str(text)))}</{name}>"


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}… ({len(text) - most} more characters)"
