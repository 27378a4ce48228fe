"""Every decided question becomes a line in its company's `memory/decisions.jsonl`: once, even after a crash."""

import json
from datetime import datetime
from typing import Any

from nanoclaw.domain.memory import Trust
from nanoclaw.domain.questions import Question, Risk, Status
from nanoclaw.domain.text import as_meant
from nanoclaw.durable import work
from nanoclaw.durable.memory_changes import RECORD, Action, Change
from nanoclaw.flows.human.answer_text import label


def record_of(question: Question, at: datetime) -> Change:
    """The change for the company's writer. Its words are not masked: `nanoclaw audit verify` compares them
    with the rows.
    """
    return Change(
        company=question.company,
        action=Action.ADD,
        trust=Trust.OWNER,
        created_at=at,
        entry_id=question.id,
        body=entry(question),
        origin=f"{RECORD}{question.id}",
    )


def entry(question: Question) -> dict[str, Any]:
    """A decision entry with the fields of the question."""
    option = question.option(question.chosen)
    decided = label(option, "en") if option else (question.user_input or "nothing")
    return {
        "id": question.id,
        "timestamp": (question.resolved_at or question.created_at).isoformat(),
        "type": "hitl",
        "domain": question.skill,
        "decision": f"{_asked(question)} -> {decided}",
        "rationale": question.user_input or "",
        "made_by": question.made_by,
        "reversible": question.risk is not Risk.DESTRUCTIVE,
        "affects": [question.skill] if question.skill else [],
        "supersedes": question.repeats,
        "binding": question.status is Status.COMPLETED,
        "hitl_type": question.kind.word,
        "prompt": question.prompt,
        "choice": question.chosen,
        "user_input": question.user_input,
        "user": question.decided_by,
        "via": question.via,
        "status": question.status.value,
        "asked_at": question.created_at.isoformat(),
        "seconds": (
            round((question.resolved_at - question.created_at).total_seconds(), 3)
            if question.resolved_at
            else None
        ),
        "execution_id": question.execution_id,
        "group": question.group,
        **({"chain_id": question.chain_id, "step": question.step} if question.chain_id else {}),
        "payload": json.loads(question.payload),
        "payload_hash": question.payload_hash,
    }


def _asked(question: Question) -> str:
    """The question as agents are reminded of it. Some cards continue after the first lines, and that part
    stays in `prompt`: a pipeline's steps or whole text, a transfer's package, an analysis's words from
    outside.
    """
    if question.chain_id:
        return as_meant(question.prompt.partition("\n\n")[0][:500])
    if question.then_kind in (work.TRANSFER, work.ANALYSIS):
        return as_meant(question.prompt.partition("\n")[0][:500])
    return question.prompt[:500]
