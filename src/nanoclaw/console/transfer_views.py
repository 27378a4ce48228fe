"""Transfers and analyses as the API shows them, in the owner's language."""

from collections.abc import Mapping, Sequence
from typing import Any

from nanoclaw.console import transfer_shapes as shapes
from nanoclaw.domain.transfers import Analysis, AnalysisState, Transfer
from nanoclaw.durable import analyses, people, questions, transfers
from nanoclaw.durable.store import Tx
from nanoclaw.flows.analyses import told
from nanoclaw.flows.human.card_text import SHORT
from nanoclaw.flows.transfers import picks
from nanoclaw.flows.transfers.cards import removed_words, why_in
from nanoclaw.flows.transfers.changes import GIVEN_UP, reason_in

_ESTIMATE = "is_estimate"
_MOST_CHOICES = 50  # the newest
_TAKEN = (AnalysisState.IMPORTED, AnalysisState.UNDONE)


def show_line(tx: Tx, transfer: Transfer, language: str) -> shapes.TransferLine:
    return shapes.TransferLine.of(transfer, **_common(tx, transfer, language))


def show_transfer(tx: Tx, transfer: Transfer, language: str, *, has_package: bool) -> shapes.Transfer:
    counted = {name: each for name, each in (transfer.tokens or {}).items() if name != _ESTIMATE}
    packed = (transfer.manifest or {}).get("files", {})
    return shapes.Transfer.of(
        transfer,
        **_common(tx, transfer, language),
        files=[
            shapes.PackedFile(path=name, size=each["size"], tokens=counted.get(name))
            for name, each in packed.items()
        ],
        size=sum(each["size"] for each in packed.values()),
        removed=list(removed_words(transfer.removed or {}, language)),
        unseen=list((transfer.removed or {}).get("unseen", ())),
        secrets=picks.secrets(transfer),
        unchosen=[
            shapes.UnchosenFile(
                number=each.number,
                name=each.name,
                size=each.size,
                why=why_in(each, language),
                is_secret=each.is_secret,
            )
            for each in picks.listed(transfer)
        ],
        unlisted=picks.unlisted(transfer),
        tokens=sum(counted.values()) if counted else None,
        is_estimate=bool((transfer.tokens or {}).get(_ESTIMATE)),
        has_package=has_package,
        question_id=_open_question(tx, transfer.question_id),
        analyses=[show_analysis(tx, each, language) for each in analyses.of_transfer(tx, transfer.id)],
    )


def show_analysis(tx: Tx, analysis: Analysis, language: str) -> shapes.Analysis:
    found = analysis.found or {}
    is_asking = analysis.state is AnalysisState.ASKING
    return shapes.Analysis.of(
        analysis,
        short=analysis.id[-SHORT:],
        state=analysis.state.value,
        brought_by=people.person(tx, analysis.person_id).name,
        why=told.reason_text(analysis, language) or None,
        summary=told.counted(analysis, language) if analysis.state in _TAKEN else "",
        undone_by=_name(tx, analysis.undone_by),
        facts=[_entry(each) for each in found.get("facts", ())],
        decisions=_decisions(found),
        context_changes=[
            shapes.FoundChange(file=each["file"], text=each["text"], source=_source(each))
            for each in found.get("context_changes", ())
        ],
        next_step=found.get("next_step") or "",
        question_id=_open_question(tx, analysis.question_id),
        choices=[show_line(tx, each, language) for each in _choices(tx, analysis)] if is_asking else [],
    )


def _common(tx: Tx, transfer: Transfer, language: str) -> dict[str, Any]:
    chat = people.chat(tx, transfer.chat_id)
    return {
        "short": transfer.id[-SHORT:],
        "state": transfer.state.value,
        "target": transfer.target.value,
        "asks": _open_question(tx, transfer.question_id) is not None,
        "chat_title": chat.title if chat else "",
        "asked_by": people.person(tx, transfer.person_id).name,
        # The state already says so.
        "why": reason_in(transfer, language) if transfer.reason not in (None, GIVEN_UP) else None,
    }


def _open_question(tx: Tx, question_id: str | None) -> str | None:
    found = questions.get(tx, question_id) if question_id else None
    return found.id if found and found.is_open else None


def _name(tx: Tx, handle: str | None) -> str | None:
    found = people.person_named(tx, handle) if handle else None
    return found.name if found else handle


def _choices(tx: Tx, analysis: Analysis) -> Sequence[Transfer]:
    return transfers.away(tx, analysis.company, _MOST_CHOICES)


def _decisions(found: Mapping[str, Any]) -> list[shapes.FoundDecision]:
    adopted = found.get("adopted")
    return [
        shapes.FoundDecision(
            number=number,
            text=each["text"],
            rationale=each.get("rationale") or "",
            source=_source(each),
            adopted=None if adopted is None else number in adopted,
        )
        for number, each in enumerate(found.get("decisions", ()), 1)
    ]


def _entry(each: Mapping[str, Any]) -> shapes.Found:
    return shapes.Found(text=each["text"], source=_source(each))


def _source(each: Mapping[str, Any]) -> str:
    return str(each.get("source") or "")
