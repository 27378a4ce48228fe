"""What people are told about an analysis: that it waits, why it is refused, and what was found in it."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from nanoclaw.delivery import outbox
from nanoclaw.domain.errors import NanoClawError
from nanoclaw.domain.ids import ChatId, MessageId, ParcelId
from nanoclaw.domain.parcels import ANALYSIS, Attachment, Author, Button
from nanoclaw.domain.text import as_written
from nanoclaw.domain.transfers import Analysis
from nanoclaw.durable import people
from nanoclaw.durable.store import Tx
from nanoclaw.flows.analyses.findings import Finding, Findings
from nanoclaw.texts import say

SHOW, UNDO = "show", "undo"
MOST_SHOWN = 3000  # characters of a list in a chat; more is a document
_STEP = 200


def tell(
    tx: Tx,
    analysis: Analysis,
    text: str,
    at: datetime,
    what: str,
    *,
    buttons: Sequence[Button] = (),
    attachments: Sequence[Attachment] = (),
) -> ParcelId | None:
    """Post a message where it was brought. `what` names the message, so that it is posted once even after a crash."""
    origin = f"analysis {analysis.id} {what}"
    chat = people.chat(tx, ChatId(analysis.chat_id))
    if chat is None or chat.closed or outbox.posted_for(tx, origin):
        return None
    return outbox.post(
        tx,
        chat_id=chat.id,
        thread=analysis.thread,
        author=Author.HOST,
        text=text,
        at=at,
        message_id=MessageId(analysis.message_id) if analysis.message_id else None,
        buttons=buttons,
        attachments=attachments,
        origin=origin,
    )


def reason_of(error: NanoClawError) -> dict[str, Any]:
    """The reason as the row stores it."""
    return {"key": error.key, **{name: _plain(value) for name, value in error.values.items()}}


def reason_text(analysis: Analysis, language: str) -> str:
    """Why it was refused, or what it waits for; otherwise empty."""
    if not analysis.reason:
        return ""
    values = {name: value for name, value in analysis.reason.items() if name != "key"}
    return say(language, f"error-{analysis.reason['key']}", **values)


def summary(analysis: Analysis, language: str) -> str:
    """`12 facts, 3 decisions, 2 changes of context to confirm; going on with step 4.`"""
    found = analysis.found or {}
    head = say(
        language, "analysis-imported", name=as_written(analysis.file_name), found=counted(analysis, language)
    )
    step = as_written(str(found.get("next_step") or "")[:_STEP]).rstrip(".")
    next_step = say(language, "analysis-goes-on-with" if step else "analysis-goes-on", step=step)
    notes = [say(language, "analysis-by-headings")] if found.get("by") == "headings" else []
    if found.get("facts"):
        notes.append(say(language, "analysis-facts-note"))
    return "\n\n".join([f"{head} {next_step}", *notes])


def counted(analysis: Analysis, language: str) -> str:
    found = analysis.found or {}
    counts = {
        "facts": len(found.get("facts") or ()),
        "decisions": len(found.get("decisions") or ()),
        "changes": len({each["proposal"] for each in proposed(found)}),
    }
    said = [say(language, f"analysis-count-{what}", count=count) for what, count in counts.items() if count]
    return ", ".join(said) or say(language, "analysis-count-nothing")


def buttons(analysis: Analysis, language: str) -> tuple[Button, ...]:
    return tuple(
        Button(label=say(language, f"analysis-button-{what}"), data=f"{ANALYSIS}:{analysis.id}:{what}")
        for what in (SHOW, UNDO)
    )


def listing(analysis: Analysis, language: str) -> str:
    """Everything that was found, each with its place in the document and what became of it."""
    stored = analysis.found or {}
    found = Findings.of(stored)
    parts = [say(language, "analysis-list-head", name=as_written(analysis.file_name))]
    for what, items in (("facts", found.facts), ("decisions", found.decisions), ("changes", found.changes)):
        if items:
            lines = [
                f"{number}. {_line(each, language)}{_state(what, number, stored, language)}"
                for number, each in enumerate(items, 1)
            ]
            parts.append("\n".join([f"**{say(language, f'analysis-list-{what}')}**", "", *lines]))
    if found.next_step:
        parts.append(f"**{say(language, 'analysis-list-next')}** {as_written(found.next_step)}")
    return "\n\n".join(parts)


def proposed(found: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [each for each in found.get("context_changes") or () if each.get("proposal")]


def _line(finding: Finding, language: str) -> str:
    text = as_written(" ".join(finding.text.split()))
    said = f"`{finding.file}`: {text}" if finding.file else text
    if finding.rationale:
        said = f"{said} ({as_written(finding.rationale)})"
    place = say(language, "analysis-place", place=as_written(finding.source)) if finding.source else ""
    return f"{said} {place}".rstrip()


def _state(what: str, number: int, stored: Mapping[str, Any], language: str) -> str:
    if what == "decisions" and number in (stored.get("adopted") or ()):
        return f" {say(language, 'analysis-adopted')}"
    if what == "changes" and not stored["context_changes"][number - 1].get("proposal") and "merged" in stored:
        return f" {say(language, 'analysis-not-proposed')}"
    return ""


def _plain(value: object) -> object:
    return value if isinstance(value, str | int | float | bool) else str(value)
