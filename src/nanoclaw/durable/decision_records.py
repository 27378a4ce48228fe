"""What the question rows say was asked and recorded, for comparison with the companies' decisions."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from nanoclaw.domain.questions import Status, hash_of
from nanoclaw.durable.store import Tx
from nanoclaw.durable.tables import audit, human_interactions

_BATCH = 500
TOLD = 200
"""Characters of the choice that the audit holds."""
ASKED = 300
"""Characters of the question that the audit holds."""
_ENDS = [f"question-{each}" for each in Status if each is not Status.PENDING]


@dataclass(frozen=True, kw_only=True, slots=True)
class AskedQuestion:
    """`genuine`: its hash matches what was asked. `chained`: the audit agrees on how it ended.
    `recorded`: it is in the company's decisions.

    `outcome` is what its line should say, by field name; empty while it is open.
    """

    id: str
    company: str
    payload_hash: str
    genuine: bool
    chained: bool
    recorded: bool
    outcome: Mapping[str, object]


def every(tx: Tx) -> Iterator[AskedQuestion]:
    """Read in batches: questions may be long, and only their hash is needed."""
    table = human_interactions
    wanted = sa.select(
        table.c.id,
        table.c.company,
        table.c.prompt,
        table.c.payload,
        table.c.payload_hash,
        table.c.status,
        sa.cast(table.c.response, sa.Text).label("response"),
        table.c.decided_by,
        table.c.made_by,
        table.c.recorded_at.is_not(None).label("recorded"),
        audit.c.action,
        audit.c.handle,
        sa.cast(audit.c.detail, sa.Text).label("detail"),
    ).outerjoin(audit, sa.and_(audit.c.subject == table.c.id, audit.c.action.in_(_ENDS)))
    after = ""
    while rows := tx.execute(wanted.where(table.c.id > after).order_by(table.c.id).limit(_BATCH)).all():
        for row in rows:
            yield AskedQuestion(
                id=row.id,
                company=row.company,
                payload_hash=row.payload_hash,
                genuine=hashlib.sha256(str(row.payload).encode()).hexdigest() == row.payload_hash,
                chained=_is_chained(row),
                recorded=row.recorded,
                outcome={
                    "prompt": row.prompt,
                    "choice": _chosen(row.response),
                    "user_input": _of(row.response, "user_input"),
                    "user": row.decided_by,
                    "made_by": row.made_by,
                    "status": row.status,
                }
                if row.status != Status.PENDING
                else {},
            )
        after = rows[-1].id


def _is_chained(row: Any) -> bool:
    """Whether the audit says who ended it and how, and has the beginning of the question and the choice."""
    if row.status == Status.PENDING:
        return row.action is None
    who = None if row.status == Status.TIMEOUT else row.handle
    told = [_of(row.detail, name) for name in ("payload_hash", "question", "chosen")]
    chosen = str(_of(row.response, "chosen") or "-")[:TOLD]
    written = [f"question-{row.status}", row.decided_by, row.payload_hash, row.prompt[:ASKED], chosen]
    # Rows of an earlier version have none.
    answer = _of(row.detail, "answer_hash")
    return [row.action, who, *told] == written and answer in (None, answer_hash(_read(row.response)))


def answer_hash(response: object) -> str:
    """The hash of the whole answer."""
    return hash_of(json.dumps(response, sort_keys=True))


def _read(written: str | None) -> object:
    try:
        return json.loads(written or "null")
    except ValueError:
        return written


def _of(written: str | None, field: str) -> object:
    """A field of stored JSON; anything that is not an object matches no line."""
    try:
        return (json.loads(written or "null") or {}).get(field)
    except (ValueError, AttributeError):
        return written


def _chosen(response: str | None) -> object:
    chosen = _of(response, "chosen")
    return chosen if isinstance(chosen, str) else None
