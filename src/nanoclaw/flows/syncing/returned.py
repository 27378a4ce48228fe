"""Brings what came back on the branch of a transfer as an analysis; an admin is asked before it is read."""

import asyncio
from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import partial

import structlog

from nanoclaw.delivery.alerts import Alerts
from nanoclaw.domain.errors import Refused
from nanoclaw.domain.people import Actor
from nanoclaw.domain.transfers import Transfer
from nanoclaw.durable import analyses, memberships, people, transfers
from nanoclaw.durable.store import Store, Tx
from nanoclaw.flows.analyses.changes import GIT, Analyses
from nanoclaw.flows.transfers.branch import Returned, TransferBranches
from nanoclaw.texts import say, tell

log = structlog.get_logger("versions")

_BRANCH = "transfer/"


@dataclass(frozen=True, kw_only=True, slots=True)
class ReturnedAnalyses:
    store: Store
    branches: TransferBranches
    analyses: Analyses
    alerts: Alerts

    async def look(self, heads: Mapping[str, str]) -> list[str]:
        """`heads` are the branches of the remote. Returns those from which a document was taken. Raises GitFailed."""
        there = {name.removeprefix(_BRANCH) for name in heads if name.startswith(_BRANCH)}
        if not there:
            return []
        brought = list[str]()
        wanted = await self.store.read(partial(_waiting, there=there))
        for returned in await asyncio.to_thread(self.branches.returned, list(wanted)):
            if await self._bring(wanted[returned.transfer_id], returned):
                brought.append(f"{_BRANCH}{returned.transfer_id}")
            await asyncio.to_thread(self.branches.mark_read, returned)
        return brought

    async def _bring(self, transfer: Transfer, returned: Returned) -> bool:
        try:
            await self.analyses.bring(
                by=await self.store.read(partial(_actor, transfer=transfer)),
                group=transfer.group,
                chat_id=transfer.chat_id,
                thread=transfer.thread,
                name="analysis.md",
                content=returned.content,
                via=GIT,
                transfer=transfer.id,
            )
        except Refused as error:
            if error.key != "analysis-again":  # a host died after it was brought
                await self.store.write(partial(self._tell, transfer=transfer, returned=returned, error=error))
            return False
        log.info("analysis came back on a branch", transfer=transfer.id)
        return True

    def _tell(self, tx: Tx, *, transfer: Transfer, returned: Returned, error: Refused) -> None:
        def words(language: str) -> tuple[str, tuple[()]]:
            told = {"branch": f"{_BRANCH}{transfer.id}", "reason": tell(language, error)}
            return say(language, "alert-versions-returned", **told), ()

        self.alerts.post(tx, f"returned {transfer.id} {returned.commit}", words)


def _waiting(tx: Tx, there: Set[str]) -> dict[str, Transfer]:
    """Open transfers whose branch exists. One document each at a time: pushing ten must not flood anybody
    with cards.
    """
    found = [transfers.get(tx, each) for each in transfers.open_ids(tx) & there]
    return {each.id: each for each in found if each and not analyses.is_going_on(tx, each.id)}


def _actor(tx: Tx, transfer: Transfer) -> Actor:
    """The person who asked for the transfer, with their current rights."""
    person = people.person(tx, transfer.person_id)
    return Actor.of(person, memberships.rights_of(tx, person), via=GIT, language=transfer.language)
