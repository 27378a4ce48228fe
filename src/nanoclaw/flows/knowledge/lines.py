"""Turns what was said into a line for the files: a fact or a decision with its provenance."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from nanoclaw.domain.memory import Entry, EntryKind, Trust
from nanoclaw.durable.memory_changes import Change
from nanoclaw.memory.entries import new_decision_id, new_fact_id


@dataclass(frozen=True, kw_only=True, slots=True)
class EntryOrigin:
    """Where something was said."""

    chat_id: str | None = None
    message_id: str | None = None
    turn_id: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class SaidEntry:
    """Something to remember, checked."""

    text: str
    kind: EntryKind = EntryKind.FACT
    topic: str = ""
    domain: str = ""
    related: tuple[str, ...] = ()
    is_public: bool = False
    expires: datetime | None = None
    confidence: float = 1.0
    rationale: str = ""
    source: str = ""
    replaces: str | None = None
    contradicts: str | None = None
    extracted_by: str = ""
    is_binding: bool = True  # a decision that agents follow, not only the record of one


def line_of(
    said: SaidEntry, person: str, place: EntryOrigin | None, trust: Trust, via: str, at: datetime
) -> dict[str, Any]:
    """The line to store. Hearsay never becomes a decision: it is kept as a fact."""
    is_decision = said.kind is EntryKind.DECISION and trust.is_trusted
    return (
        _decision(said, person, place, trust, via, at)
        if is_decision
        else _fact(said, person, place, trust, via, at)
    )


def _fact(
    said: SaidEntry, person: str, place: EntryOrigin | None, trust: Trust, via: str, at: datetime
) -> dict[str, Any]:
    line: dict[str, Any] = {
        "id": new_fact_id(at),
        "timestamp": at.isoformat(),
        "domain": said.domain,
        "topic": said.topic,
        "fact": said.text,
        "source": said.source,
        "confidence": said.confidence,
        "expires": said.expires.isoformat() if said.expires else None,
        "related_to": list(said.related),
        "extracted_by": said.extracted_by,
        "provenance": provenance(person, place, trust, via),
    }
    if said.kind not in (EntryKind.FACT, EntryKind.DECISION):
        line["kind"] = said.kind.value
    if said.is_public:
        line["public"] = True
    if said.replaces:
        line["supersedes"] = said.replaces
    return line


def _decision(
    said: SaidEntry, person: str, place: EntryOrigin | None, trust: Trust, via: str, at: datetime
) -> dict[str, Any]:
    line: dict[str, Any] = {
        "id": new_decision_id(at),
        "timestamp": at.isoformat(),
        "type": "strategic",
        "domain": said.domain,
        "decision": said.text,
        "rationale": said.rationale,
        "made_by": "owner" if trust is Trust.OWNER else "agent",
        "reversible": True,
        "affects": list(said.related),
        "supersedes": said.replaces,
        "binding": said.is_binding,
        "provenance": provenance(person, place, trust, via),
    }
    if said.topic:
        line["topic"] = said.topic
    if said.is_public:
        line["public"] = True
    if said.expires:
        line["expires"] = said.expires.isoformat()
    if said.contradicts:
        line["contradicts"] = said.contradicts
    return line


def provenance(person: str, place: EntryOrigin | None, trust: Trust, via: str) -> dict[str, Any]:
    where = place or EntryOrigin()
    known = {
        "message": where.message_id,
        "turn": where.turn_id,
        "person": person,
        "chat": where.chat_id,
        "trust": trust.value,
        "via": via,
    }
    return {name: value for name, value in known.items() if value}


def pending_entry(change: Change) -> Entry:
    """The entry as it will be in the index."""
    line = dict(change.body or {})
    is_decision = "decision" in line
    return Entry(
        company=change.company,
        id=str(change.entry_id or line.get("id") or ""),
        kind=EntryKind.DECISION if is_decision else EntryKind(line.get("kind") or EntryKind.FACT),
        text=str(line.get("decision") or line.get("fact") or ""),
        at=change.created_at,
        domain=str(line.get("domain") or ""),
        topic=str(line.get("topic") or ""),
        related=tuple(line.get("affects" if is_decision else "related_to") or ()),
        trust=change.trust,
        is_public=bool(line.get("public")),
        is_binding=is_decision and bool(line.get("binding", True)),
        expires=datetime.fromisoformat(line["expires"]) if line.get("expires") else None,
        person=str((line.get("provenance") or {}).get("person") or ""),
        turn_id=change.turn_id,
        message_id=change.message_id,
        chat_id=change.chat_id,
        supersedes=line.get("supersedes"),
    )
