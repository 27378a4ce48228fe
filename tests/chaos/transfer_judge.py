"""What became of the journeys of `just chaos transfers`: what was lost, what happened twice, what left unseen."""

import hashlib
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.chaos.pipelines import Rows

FACTS = ("Town {number} has a market.", "Town {number} has a mill.")
FILE = "product/pricing"


def purpose_of(number: int) -> str:
    return f"journey {number}."


def faults(rows: Rows, home: Path, rounds: int) -> Iterator[tuple[str, str]]:
    """Each as `lost`, `doubled` or `unseen`, and a sentence."""
    facts = (home / "companies" / "demo" / "memory" / "facts.jsonl").read_text("utf-8")
    for number in range(1, rounds + 1):
        found = rows.all("SELECT * FROM session_transfers WHERE purpose = :p", p=purpose_of(number))
        if len(found) != 1 or found[0].status != "resumed":
            kind = "doubled" if len(found) > 1 else "lost"
            yield kind, f"journey {number}: {[(row.id, row.status, row.reason) for row in found]}"
            continue
        for kind, said in (*_way_there(rows, home, found[0]), *_way_back(rows, found[0], number, facts)):
            yield kind, f"journey {number}: {said}"


def packed_again(rows: Rows) -> int:
    return int(rows.all("SELECT count(*) FROM timeline WHERE event = 'transfer-missed'")[0][0])


def _way_there(rows: Rows, home: Path, transfer: Any) -> Iterator[tuple[str, str]]:
    yield from _once(rows, "parcels", "origin", f"transfer {transfer.id}", "the message with the package")
    asked = rows.all(
        "SELECT context, status FROM human_interactions WHERE asked_id LIKE :a ORDER BY created_at, id",
        a=f"transfer {transfer.id}%",
    )
    missed = rows.all(
        "SELECT id FROM timeline WHERE subject = :s AND event = 'transfer-missed'", s=transfer.id
    )
    if len(asked) != len(missed) + 1:
        kind = "doubled" if len(asked) > len(missed) + 1 else "lost"
        yield kind, f"{len(asked)} cards, and it was packed {len(missed) + 1} times"
    if not asked or transfer.content_hash[:16] not in str(asked[-1].context):
        yield "unseen", "what left is not what the last card showed"
    with zipfile.ZipFile(home / "data" / "attachments" / f"{transfer.id}.0") as package:
        if (
            hashlib.sha256(package.read("session_transfer/manifest.json")).hexdigest()
            != transfer.content_hash
        ):
            yield "unseen", "what left has another hash than its row"


def _way_back(rows: Rows, transfer: Any, number: int, facts: str) -> Iterator[tuple[str, str]]:
    came = rows.all(
        "SELECT id, state FROM analyses WHERE transfer_id = :t AND state <> 'refused'", t=transfer.id
    )
    if len(came) != 1:
        yield "doubled" if came else "lost", f"its result: {[tuple(row) for row in came]}"
        return
    [(analysis, state)] = came
    wanted = {
        ("messages", "external_id"): f"analysis {analysis}",
        ("parcels", "origin"): f"analysis {analysis} imported",
        ("context_proposals", "origin"): f"analysis {analysis} {FILE}",
    }
    for (table, column), value in wanted.items():
        yield from _once(rows, table, column, value, f"{table}: {value}")
    if state == "undone":
        yield from _once(rows, "parcels", "origin", f"analysis {analysis} undone", "that it was taken back")
        left = rows.all(
            "SELECT state FROM context_proposals WHERE origin LIKE :o AND state IN ('open', 'editing')",
            o=f"analysis {analysis} %",
        )
        if left:
            yield "lost", "the undo of a proposal"
    for each in FACTS:
        text = each.format(number=number)
        states = Counter(
            row.state for row in rows.all("SELECT state FROM memory_entries WHERE text = :t", t=text)
        )
        if states != {"forgotten" if state == "undone" else "live": 1}:
            yield "doubled" if sum(states.values()) > 1 else "lost", f"{text} is {dict(states)} ({state})"
        if state != "undone" and facts.count(text) != 1:
            yield (
                "doubled" if facts.count(text) else "lost",
                f"{text} stands {facts.count(text)} times in the file",
            )


def _once(rows: Rows, table: str, column: str, value: str, what: str) -> Iterator[tuple[str, str]]:
    found = rows.all(f"SELECT count(*) FROM {table} WHERE {column} = :v", v=value)[0][0]  # noqa: S608 - names of ours
    if found != 1:
        yield "doubled" if found else "lost", f"{what} is there {found} times"
