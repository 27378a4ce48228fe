"""Everything that an analysis brought is taken back as one: facts, adopted decisions, open proposals and questions."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from nanoclaw.domain.memory import EntryState
from nanoclaw.domain.people import Actor
from nanoclaw.domain.transfers import Analysis
from nanoclaw.durable import memory_changes, memory_entries, people, proposals, questions
from nanoclaw.durable.memory_changes import Action, Change, ChangeState
from nanoclaw.durable.proposals import ProposalState
from nanoclaw.durable.store import Tx
from nanoclaw.flows.analyses.adoption import fact_origin, proposal_origin
from nanoclaw.flows.analyses.decisions_card import decision_origin
from nanoclaw.flows.human.resolution import Resolution
from nanoclaw.flows.knowledge.changes import trust_of


@dataclass(frozen=True, kw_only=True, slots=True)
class TakenBack:
    facts: int
    decisions: int
    changes: int  # proposals that nobody had decided
    stays: tuple[str, ...] = field(default=())  # context files that people changed because of it

    @property
    def counts(self) -> dict[str, object]:
        return {
            "facts": self.facts,
            "decisions": self.decisions,
            "changes": self.changes,
            "stays": list(self.stays),
        }


def take_back(
    tx: Tx, analysis: Analysis, resolution: Resolution, by: Actor, group: str, at: datetime
) -> TakenBack:
    """Take everything back. What people have corrected, forgotten or applied since is theirs, and stays."""
    found = analysis.found or {}
    facts = (fact_origin(analysis.id, number) for number in range(1, len(found.get("facts") or ()) + 1))
    adopted = (decision_origin(analysis.id, number) for number in found.get("adopted") or ())
    card = questions.locked(tx, analysis.question_id or "")
    if card and card.is_open:
        resolution.cancel(tx, card, by, at)
    withdrawn, stays = 0, list[str]()
    for file in dict.fromkeys(each["file"] for each in found.get("context_changes") or ()):
        for proposal in proposals.lineage(tx, proposal_origin(analysis.id, file)):
            if proposal.state in (ProposalState.WRITTEN, ProposalState.APPLIED):
                stays.append(file)
            elif proposal.is_waiting:
                asked = questions.locked(tx, proposal.question_id or "")
                if asked and asked.is_open:
                    resolution.cancel(tx, asked, by, at)
                proposals.mark(tx, proposal.id, state=ProposalState.CANCELLED, decided_at=at)
                withdrawn += 1
    return TakenBack(
        facts=_forget(tx, facts, resolution, by, group, at),
        decisions=_forget(tx, adopted, resolution, by, group, at),
        changes=withdrawn,
        stays=tuple(stays),
    )


def _forget(
    tx: Tx, origins: Iterable[str], resolution: Resolution, by: Actor, group: str, at: datetime
) -> int:
    count = 0
    for origin in origins:
        change = memory_changes.of_origin(tx, origin)
        if change is None or change.state in (ChangeState.REFUSED, ChangeState.QUARANTINED):
            continue
        if (
            change.state is ChangeState.ASKED
        ):  # it contradicts another decision, and nobody has said which one holds
            asked = questions.find(tx, None, f"memory {change.id}")
            if asked and asked.is_open:
                resolution.cancel(tx, asked, by, at)
            memory_changes.settle(tx, [change.id], ChangeState.REFUSED, at, {"declined": "undone"})
            count += 1
            continue
        entry = memory_entries.locked(tx, change.company, change.entry_id or "")
        if entry is not None and entry.state is not EntryState.LIVE:
            continue
        memory_changes.ask(tx, _forgetting(tx, change, by, group, at))
        count += 1
    return count


def _forgetting(tx: Tx, change: Change, by: Actor, group: str, at: datetime) -> Change:
    """A change that forgets the entry; queued behind the write if that is still pending."""
    person = people.person_named(tx, by.handle)
    return Change(
        company=change.company,
        action=Action.FORGET,
        trust=trust_of(by.rights.role_in(group)),
        created_at=at,
        entry_id=change.entry_id,
        body={"person": by.handle, "via": by.via},
        person_id=person.id if person else None,
        chat_id=change.chat_id,
        message_id=change.message_id,
        origin=f"undo {change.origin}",
    )
