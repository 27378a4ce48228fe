"""Flow C. An agent hands work over to another skill, which answers the chat or returns its result.

One claim is one look at one handoff. What has ended meanwhile (a turn, a question, its time) is taken up and
written with its consequences in one transaction, so that each result is delivered once, even after a crash.
"""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta

from nanoclaw.domain.handoffs import Handoff, HandoffState, HandoffWay
from nanoclaw.durable import handoffs, work
from nanoclaw.durable.clock import now
from nanoclaw.durable.store import Store, Tx
from nanoclaw.durable.work import Claim
from nanoclaw.flows.handoffs.contract_files import ContractFiles
from nanoclaw.flows.handoffs.git_files import GitFiles
from nanoclaw.flows.handoffs.given_work import reason
from nanoclaw.flows.handoffs.progress import HandoffProgress


@dataclass(frozen=True, kw_only=True, slots=True)
class Handoffs:
    """The work of kind "handoff"; its key is the handoff."""

    kind = work.HANDOFF
    at_once = 16  # they share commits

    store: Store
    progress: HandoffProgress
    files: ContractFiles
    git_files: GitFiles
    versions: str  # the kind of work that commits the workspace
    versions_key: str
    commit_after: timedelta

    def begin(self, tx: Tx, claim: Claim) -> str:
        return claim.key

    def look_again(self, key: str) -> None:
        """Nothing to do: whatever ends meanwhile makes it due again."""

    async def run(self, job: str, claim: Claim) -> datetime | None:
        handoff = await self.store.read(lambda tx: handoffs.get(tx, job))
        is_for_git = handoff is not None and _waits_in_git(handoff)
        if handoff and is_for_git:  # first; repeating it after a crash writes the same
            await asyncio.to_thread(self.files.write, handoff)
        if handoff and handoff.came and handoff.state.is_over:
            is_for_git = True
            await asyncio.to_thread(
                self.git_files.write_result, handoff.company, handoff.came["id"], _result(handoff)
            )

        def story(tx: Tx) -> datetime | None:
            again_at = self.progress.go_on(tx, job, now())
            if is_for_git:
                work.due(tx, self.versions, self.versions_key, now() + self.commit_after, hasten=False)
            return work.finish(tx, claim, again_at=again_at)

        return await self.store.write(story)


def _result(handoff: Handoff) -> dict[str, object]:
    """The result for the other runtime that handed it over through git."""
    is_done = handoff.state is HandoffState.DONE
    return {
        "id": (handoff.came or {})["id"],
        "status": handoff.state.value,
        "result": handoff.result if is_done else reason(handoff, "en"),
        "skill": handoff.to_skill,
        "chain_id": handoff.chain_id,
        "step": handoff.step,
    }


def _waits_in_git(handoff: Handoff) -> bool:
    is_due = handoff.expires_at > now()
    return handoff.way is HandoffWay.GIT and handoff.state is HandoffState.WAITING and is_due
